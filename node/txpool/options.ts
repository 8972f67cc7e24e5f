/** Settings of the pool and their defaults; the flags `txpool.*` use the same values. */
export interface PoolOptions {
  /** Executable transactions that an account may always keep, and the total of all accounts. */
  readonly pendingPerAccount: number;
  readonly pendingTotal: number;
  /** Queued transactions that an account may keep, and the total of all accounts. */
  readonly queuedPerAccount: number;
  readonly queuedTotal: number;
  /** Lifetime of queued transactions of an inactive account. */
  readonly lifetimeMs: number;
  /** Queued transactions of local accounts have no lifetime. */
  readonly keepLocals: boolean;
  /** Transactions submitted here are treated like those of peers: no journal, no privileges. */
  readonly noLocals: boolean;
  readonly journalIntervalMs: number;
  /** Transactions submitted here may record another chain's data. */
  readonly allowLocalAnchoring: boolean;
  /** Transactions of peers are refused. */
  readonly denyRemote: boolean;
  /** Holds back transactions of peers to addresses where most fail, from the start. */
  readonly throttleSpam: boolean;
  /** Longest accepted transaction, in bytes of its RLP list. */
  readonly maxSize: number;
  /** Highest accepted gas limit. */
  readonly maxGas: bigint;
}

/** The defaults of the Klaytn and Kaia Go nodes. */
export const DEFAULT_POOL_OPTIONS: PoolOptions = {
  pendingPerAccount: 16,
  pendingTotal: 4096,
  queuedPerAccount: 64,
  queuedTotal: 1024,
  lifetimeMs: 5 * 60_000,
  keepLocals: false,
  noLocals: false,
  journalIntervalMs: 60 * 60_000,
  allowLocalAnchoring: false,
  denyRemote: false,
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
