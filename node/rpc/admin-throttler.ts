/** `admin`: the pool's spam throttler. */
import { toHex } from "../bytes/hex.ts";
import { type Decoder, object, optional } from "../jsonrpc/codec.ts";
import { address, listOf } from "../jsonrpc/codecs/hex.ts";
import { integer, nothing, plain, refuse } from "../jsonrpc/codecs/plain.ts";
import { sortKeys } from "../jsonrpc/json-text.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import type { TxPool } from "../txpool/pool.ts";
import type { ThrottlerConfig } from "../txpool/spam-scores.ts";

/** What these methods use. */
export interface AdminThrottlerParts {
  readonly pool: Pick<TxPool, "throttler">;
}

/** The configuration's members in JSON, in their order. */
const MEMBERS = {
  activate_tx_pool_size: "activateTxPoolSize",
  target_fail_ratio: "targetFailRatio",
  throttle_tps: "throttleTps",
  max_candidates: "maxCandidates",
  increase_weight: "increaseWeight",
  decrease_weight: "decreaseWeight",
  initial_threshold: "initialThreshold",
  minimum_threshold: "minimumThreshold",
  threshold_adjustment: "thresholdAdjustment",
  throttle_seconds: "throttleSeconds",
} as const satisfies Readonly<Record<string, keyof ThrottlerConfig>>;

type Member = keyof typeof MEMBERS;
const NAMES = Object.keys(MEMBERS) as Member[]; // its own keys

/** So many candidates, and seconds' worth of transactions, fit into memory. */
const MOST = { max_candidates: 1_000_000, throttle_tps: 100_000, target_fail_ratio: 100 } as const;
const count = integer("int", 0, 2 ** 31 - 1);
const members = object(
  "throttler configuration",
  "blockchain.ThrottlerConfig",
  Object.fromEntries(NAMES.map((name) => [name, count])) as Record<Member, typeof count>, // one for each name
);

/** What is left out has the default. */
const config: Decoder<Partial<ThrottlerConfig>> = {
  label: members.label,
  schema: members.schema,
  decode(json) {
    const given = members.decode(json);
    for (const [name, most] of Object.entries(MOST) as [keyof typeof MOST, number][]) {
      if ((given[name] ?? 0) > most) refuse(`${name} is at most ${most}`);
    }
    const known = NAMES.filter((name) => given[name] !== undefined);
    return Object.fromEntries(known.map((name) => [MEMBERS[name], given[name]]));
  },
};

const addresses = listOf(address, "[]common.Address");

/** The methods about the spam throttler. */
export function adminThrottlerMethods(parts: AdminThrottlerParts): Method[] {
  return [...switchMethods(parts), ...listMethods(parts)];
}

function switchMethods({ pool }: AdminThrottlerParts): Method[] {
  return [
    method({
      name: "admin_startSpamThrottler",
      summary: "Holds back peers' transactions to addresses where most fail, while the pool is filling up.",
      params: { config: optional(config) },
      result: nothing,
      handle: (args) => pool.throttler.start(args.config),
    }),
    method({
      name: "admin_stopSpamThrottler",
      summary: "Lets all transactions through again and forgets what was learned.",
      params: {},
      result: nothing,
      handle: () => pool.throttler.stop(),
    }),
    method({
      name: "admin_spamThrottlerConfig",
      summary: "What the running throttler is set to.",
      params: {},
      result: plain<object>("throttler configuration"),
      handle: () => {
        const running = pool.throttler.config();
        return Object.fromEntries(NAMES.map((name) => [name, running[MEMBERS[name]]]));
      },
    }),
  ];
}

function listMethods({ pool }: AdminThrottlerParts): Method[] {
  return [
    method({
      name: "admin_setSpamThrottlerWhiteList",
      summary: "Addresses that are never held back, instead of those before.",
      params: { addresses },
      result: nothing,
      handle: (args) => pool.throttler.allow(args.addresses),
    }),
    method({
      name: "admin_getSpamThrottlerWhiteList",
      summary: "Addresses that are never held back.",
      params: {},
      result: addresses,
      handle: () => pool.throttler.allowed(),
    }),
    method({
      name: "admin_getSpamThrottlerThrottleList",
      summary: "Addresses that are held back now.",
      params: {},
      result: addresses,
      handle: () => pool.throttler.suspects(),
    }),
    method({
      name: "admin_getSpamThrottlerCandidateList",
      summary: "Addresses where transactions failed, with the weight that this gave them.",
      params: {},
      result: plain<object>("object of address to weight"),
      handle: () =>
        sortKeys(
          Object.fromEntries(
            pool.throttler.candidates().map(({ address: at, weight }) => [toHex(at), weight]),
          ),
        ),
    }),
  ];
}
