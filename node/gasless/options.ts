/** Options of gasless transactions (KIP-247). */
import type { Address } from "../bytes/brands.ts";
import { addresses, booleanKind, integerKind, type Kind } from "../options/kinds.ts";
import { NODE, optionGroup, type ValuesOf } from "../options/rows.ts";

const pool = optionGroup("Transaction pool", NODE);

const ALL = "all";

const tokensKind: Kind<"all" | readonly Address[]> = {
  hint: addresses.hint,
  parse: (value) => (value.split(",").some((item) => item.trim() === ALL) ? ALL : addresses.parse(value)),
};

/** A limit of which zero and less mean none. */
const limitKind: Kind<number> = integerKind(Number.MIN_SAFE_INTEGER);
const MAX_LEVEL = 3;

/** Rows of gasless transactions. */
export const gaslessOptions = {
  isDisabled: pool({
    flag: "gasless.disable",
    kind: booleanKind,
    default: false,
    summary: "treat transactions that pay for gas with a token (KIP-247) like all others",
    aliases: ["kaiax.module.gasless.disable"],
  }),
  allowedTokens: pool({
    flag: "gasless.allowed-tokens",
    kind: tokensKind,
    default: ALL,
    summary: "tokens of the swap router that may pay for gas; all for every one",
    aliases: ["kaiax.module.gasless.allowed-tokens"],
  }),
  maxPending: pool({
    flag: "gasless.max-bundle-txs-in-pending",
    kind: limitKind,
    default: 100,
    summary: "maximum number of executable gasless transactions; 0 or less for no limit",
    aliases: ["kaiax.module.gasless.max-bundle-txs-in-pending"],
  }),
  maxQueued: pool({
    flag: "gasless.max-bundle-txs-in-queue",
    kind: limitKind,
    default: 200,
    summary: "maximum number of waiting gasless transactions; 0 or less for no limit",
    aliases: ["kaiax.module.gasless.max-bundle-txs-in-queue"],
    differs: "at most 16384 are remembered in any case",
  }),
  checkLevel: pool({
    flag: "gasless.balance-check-level",
    kind: integerKind(0, MAX_LEVEL),
    default: MAX_LEVEL,
    summary: "checks of such a sender: 0 amounts, 1 tokens too, 2 swap too, 3 code too",
    aliases: ["kaiax.module.gasless.balance-check-level"],
  }),
};

/** Options of gasless transactions. */
export type GaslessOptions = ValuesOf<typeof gaslessOptions>;
