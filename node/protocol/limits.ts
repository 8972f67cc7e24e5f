/** What is asked, served, kept and waited for. Those that meet the Go node are its own. */

const MIB = 2 ** 20;

/** The longest payload of any message. */
export const MOST_PAYLOAD = 12 * MIB;
/** The longest payload of a message that only asks for something or names something. */
export const MOST_REQUEST = 256 * 1024;

/** Items in one answer, and the bytes after which no further item is added. */
export const SERVED = { headers: 192, bodies: 128, receipts: 256, sidecars: 4, bytes: 2 * MIB } as const;

/** A shorter answer than asked for is fine from this size on: the server stopped at its own limit. */
export const FULL_ANSWER_BYTES = MIB;

/** The longest header: far above what validators, seals, votes and governance of a real one take. */
export const MOST_HEADER = 256 * 1024;
/** Transactions in one message or body: no block comes near it. */
export const MOST_TRANSACTIONS = 2 ** 17;
/** Hashes in one message. */
export const MOST_HASHES = 8192;

/** Hashes remembered for each peer. */
export const KNOWN = { blocks: 1024, votedBlocks: 16, transactions: 32_768 } as const;

/** What one peer is served a second, and what is taken from it; above that its messages wait. */
export const RATES = {
  servedBytes: { perSecond: 32 * MIB, burst: 64 * MIB },
  servedItems: { perSecond: 50_000, burst: 100_000 },
  transactions: { perSecond: 20_000, burst: 40_000 },
  consensus: { perSecond: 2000, burst: 10_000 },
} as const;

/** Blocks that peers pushed and whose parent is not here yet. */
export const PUSHED = { blocks: 64, perPeer: 8, bytes: 32 * MIB, distance: 64 } as const;

/** Headers, pieces and blocks that wait in a catch-up for their turn. */
export const CATCH_UP = {
  headers: { items: 4, bytes: 4 * MIB },
  /** Bodies that are asked for ahead: each piece is an answer of a few MiB at most. */
  pieces: { items: 6, bytes: 4 * MIB },
  blocks: { items: 512, bytes: 2 * MIB },
} as const;

/** Pending transactions sent again and again by nodes that are not validators, and to how many peers. */
export const RESENT = { transactions: 1000, peers: 2 } as const;
/** Bytes of transactions in one message, as soon as there is more than one. */
export const TRANSACTION_PACK = 100 * 1024;

/** How long things may take, in milliseconds. */
export interface ProtocolTimings {
  readonly statusMs: number;
  /** From a request to its answer. */
  readonly requestMs: number;
  /** The same for a peer that only helps in a catch-up: others are there. */
  readonly helperMs: number;
  /** How long an announced block may take to come by itself; the Go node gives it 500. */
  readonly announcedMs: number;
  /** How often a peer ahead of us is looked for when nothing happens. */
  readonly lookMs: number;
  readonly resendMs: number;
  /** How long transactions are gathered into one message. */
  readonly gatherMs: number;
  /** Between two lines about a catch-up. */
  readonly progressMs: number;
}

/** What a node uses. */
export const TIMINGS: ProtocolTimings = {
  statusMs: 5000,
  requestMs: 15_000,
  helperMs: 3000,
  announcedMs: 200,
  lookMs: 10_000,
  resendMs: 4000,
  gatherMs: 10,
  progressMs: 5000,
};
