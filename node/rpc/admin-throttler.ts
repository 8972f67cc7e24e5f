/** `admin`: the pool's spam throttler. */
import { toHex } from "../bytes/hex.ts";
import { type Decoder, object, optional } from "../jsonrpc/codec.ts";
import { address, listOf } from "../jsonrpc/codecs/hex.ts";
import { integer, nothing, plain, refuseArgument } from "../jsonrpc/codecs/plain.ts";
import { sortKeys } from "../jsonrpc/json-text.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { mapSchema, plainSchemas, recordSchema } from "../jsonrpc/schemas.ts";
import type { TxPool } from "../txpool/pool.ts";
import type { ThrottlerConfig } from "../txpool/spam-scores.ts";

/** Dependencies of the methods about the spam throttler. */
export interface AdminThrottlerDeps {
  readonly pool: Pick<TxPool, "throttler">;
}

/** JSON names of the configuration's members, in the order of results. */
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

/** Maximum values that fit into memory. */
const MAX_VALUES = { max_candidates: 1_000_000, throttle_tps: 100_000, target_fail_ratio: 100 } as const;
const count = integer("int", 0, 2 ** 31 - 1);
const members = object(
  "throttler configuration",
  "blockchain.ThrottlerConfig",
  Object.fromEntries(NAMES.map((name) => [name, count])) as Record<Member, typeof count>, // one for each name
);

/** Decoder of a configuration; absent members have their default. */
const config: Decoder<Partial<ThrottlerConfig>> = {
  label: members.label,
  schema: members.schema,
  decode(json) {
    const given = members.decode(json);
    for (const [name, most] of Object.entries(MAX_VALUES) as [keyof typeof MAX_VALUES, number][]) {
      if ((given[name] ?? 0) > most) refuseArgument(`${name} is at most ${most}`);
    }
    const known = NAMES.filter((name) => given[name] !== undefined);
    return Object.fromEntries(known.map((name) => [MEMBERS[name], given[name]]));
  },
};

const throttlerSchema = recordSchema(Object.fromEntries(NAMES.map((name) => [name, count.schema])));
const addresses = listOf(address, "[]common.Address");

/** The methods of `admin` about the spam throttler. */
export function adminThrottlerMethods(deps: AdminThrottlerDeps): Method[] {
  return [...switchMethods(deps), ...listMethods(deps)];
}

function switchMethods({ pool }: AdminThrottlerDeps): Method[] {
  return [
    method({
      name: "admin_startSpamThrottler",
      summary:
        "Starts the spam throttler, which delays peers' transactions to addresses with many failed transactions while the pool fills up.",
      params: { config: optional(config) },
      result: nothing,
      handle: (args) => pool.throttler.start(args.config),
    }),
    method({
      name: "admin_stopSpamThrottler",
      summary: "Stops the spam throttler and deletes its records.",
      params: {},
      result: nothing,
      handle: () => pool.throttler.stop(),
    }),
    method({
      name: "admin_spamThrottlerConfig",
      summary: "Returns the configuration of the running spam throttler.",
      params: {},
      result: plain<object>("throttler configuration", throttlerSchema),
      handle: () => {
        const running = pool.throttler.config();
        return Object.fromEntries(NAMES.map((name) => [name, running[MEMBERS[name]]]));
      },
    }),
  ];
}

function listMethods({ pool }: AdminThrottlerDeps): Method[] {
  return [
    method({
      name: "admin_setSpamThrottlerWhiteList",
      summary: "Replaces the list of addresses that are never throttled.",
      params: { addresses },
      result: nothing,
      handle: (args) => pool.throttler.allow(args.addresses),
    }),
    method({
      name: "admin_getSpamThrottlerWhiteList",
      summary: "Returns the addresses that are never throttled.",
      params: {},
      result: addresses,
      handle: () => pool.throttler.allowedAddresses(),
    }),
    method({
      name: "admin_getSpamThrottlerThrottleList",
      summary: "Returns the addresses that are throttled.",
      params: {},
      result: addresses,
      handle: () => pool.throttler.suspects(),
    }),
    method({
      name: "admin_getSpamThrottlerCandidateList",
      summary: "Returns the addresses with failed transactions and their weights.",
      params: {},
      result: plain<object>(
        "object of address to weight",
        mapSchema("weight by address", plainSchemas.integer),
      ),
      handle: () =>
        sortKeys(
          Object.fromEntries(
            pool.throttler.candidates().map(({ address: at, weight }) => [toHex(at), weight]),
          ),
        ),
    }),
  ];
}
