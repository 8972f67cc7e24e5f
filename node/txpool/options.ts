/** Options of the pool, and its fixed limits. */
import { booleanKind, duration, integerKind, path, timerKind } from "../options/kinds.ts";
import { defaultsOf, NODE, optionGroup, type ValuesOf } from "../options/rows.ts";

const pool = optionGroup("Transaction pool", NODE);

/** Rows of the pool; defaults are those of the Klaytn and Kaia Go nodes. */
export const poolOptions = {
  noLocals: pool({
    flag: "txpool.nolocals",
    kind: booleanKind,
    default: false,
    summary: "give locally submitted transactions no privileges",
  }),
  keepLocals: pool({
    flag: "txpool.keeplocals",
    kind: booleanKind,
    default: false,
    summary: "never evict queued transactions that were submitted locally",
  }),
  allowLocalAnchoring: pool({
    flag: "txpool.allow-local-anchortx",
    kind: booleanKind,
    default: false,
    summary: "accept locally submitted anchoring transactions",
  }),
  denyRemote: pool({
    flag: "txpool.deny.remotetx",
    kind: booleanKind,
    default: false,
    summary: "reject transactions from peers",
    aliases: ["txpool.deny-remote-tx"],
  }),
  spamThrottlerDisabled: pool({
    flag: "txpool.spamthrottler.disable",
    kind: booleanKind,
    default: false,
    summary: "disable a proxy's limit on transactions to addresses where most fail",
  }),
  journal: pool({
    flag: "txpool.journal",
    kind: path,
    default: "transactions.rlp",
    summary: "journal of locally submitted transactions; empty for none",
  }),
  journalIntervalMs: pool({
    flag: "txpool.journal-interval",
    kind: timerKind,
    default: 3_600_000,
    summary: "interval between rewrites of the journal",
  }),
  pendingPerAccount: pool({
    flag: "txpool.exec-slots.account",
    kind: integerKind(1),
    default: 16,
    summary: "number of executable transactions guaranteed to each account",
  }),
  pendingTotal: pool({
    flag: "txpool.exec-slots.all",
    kind: integerKind(1),
    default: 4_096,
    summary: "maximum number of executable transactions of all accounts",
  }),
  queuedPerAccount: pool({
    flag: "txpool.nonexec-slots.account",
    kind: integerKind(1),
    default: 64,
    summary: "maximum number of non-executable transactions of each account",
  }),
  queuedTotal: pool({
    flag: "txpool.nonexec-slots.all",
    kind: integerKind(1),
    default: 1_024,
    summary: "maximum number of non-executable transactions of all accounts",
  }),
  lifetimeMs: pool({
    flag: "txpool.lifetime",
    kind: duration,
    default: 300_000,
    summary: "maximum time that non-executable transactions stay queued",
    properties: ["TXPOOL_LIFE_TIME"],
  }),
};

/** Options of the pool, and what no option sets. */
export interface PoolOptions extends Omit<ValuesOf<typeof poolOptions>, "journal" | "spamThrottlerDisabled"> {
  /** Holds back transactions of peers to addresses where most fail, from the start. */
  readonly throttleSpam: boolean;
  /** Longest accepted transaction, in bytes of its RLP list. */
  readonly maxSize: number;
  /** Highest accepted gas limit. */
  readonly maxGas: bigint;
}

/** Defaults of the options, without the throttler of proxies. */
export const DEFAULT_POOL_OPTIONS: PoolOptions = {
  ...defaultsOf(poolOptions),
  throttleSpam: false,
  maxSize: 131_072,
  maxGas: 500_000_000n,
};

/** Bytes that one slot of the pool stands for. */
export const SLOT_SIZE = 32_768;

/** Slots of the whole pool, shared by executable and queued transactions. */
export function poolCapacity(options: PoolOptions): number {
  return options.pendingTotal + options.queuedTotal;
}
