/**
 * Limits and timeouts of the protocol. Those that are visible on the network are the Go node's
 * (node/cn/handler.go, node/cn/peer.go and datasync/downloader@v2.2.2).
 */
import { resendOptions } from "./options.ts";

const MIB = 2 ** 20;

/** Maximum payload of any message, in bytes. */
export const MAX_PAYLOAD_BYTES = 12 * MIB;
/** Maximum payload of requests and announcements, in bytes. */
export const MAX_REQUEST_BYTES = 256 * 1024;

/** Maximum number of items in an answer, and the size in bytes at which no further item is added. */
export const MAX_SERVED = { headers: 192, bodies: 128, receipts: 256, sidecars: 4, bytes: 2 * MIB } as const;

/** Size in bytes from which an incomplete answer is valid, since the server stopped at its own limit. */
export const FULL_ANSWER_BYTES = MIB;

/** Maximum number of transactions in a message or body, far above any block. */
export const MAX_TRANSACTIONS = 2 ** 17;
/** Maximum number of hashes in a message. */
export const MAX_HASHES = 8192;

/** Look-ups of a request by hashes for each item that its answer may have: unknown hashes cost as much as known ones. */
export const MAX_LOOK_UPS_AN_ITEM = 2;

/**
 * Maximum size of a received transaction in bytes, without and with blobs; the pool refuses larger ones. Larger ones
 * are not decoded: they may have a hundred thousand signatures.
 */
export const MAX_TRANSACTION_BYTES = { plain: 132 * 1024, withBlobs: 4 * MIB } as const;

/** Number of hashes remembered for each peer. */
export const MAX_KNOWN = { blocks: 1024, votedBlocks: 16, transactions: 32_768, bids: 2048 } as const;

/** Rates of one peer: what it is served and what is accepted from it. Messages above them wait. */
export const RATES = {
  servedBytes: { perSecond: 32 * MIB, burst: 64 * MIB },
  servedItems: { perSecond: 50_000, burst: 100_000 },
  /** Signatures of transactions, of which each has at least one. */
  transactions: { perSecond: 20_000, burst: 40_000 },
  /** Messages that serve nobody; a peer above it is disconnected. */
  useless: { perSecond: 1, burst: 60 },
  consensus: { perSecond: 2000, burst: 10_000 },
  /** Bids; those above it are dropped. */
  bids: { perSecond: 300, burst: 300 },
} as const;

/** Number of peers whose rates of bids are tracked. */
export const MAX_RATED_PEERS = 1024;

/** Limits of pushed blocks whose parent is missing; `distance` is in blocks from the head. */
export const MAX_PUSHED = { blocks: 64, perPeer: 8, bytes: 32 * MIB, distance: 64 } as const;

/** Limits of the queues of a catch-up. */
export const CATCH_UP_QUEUES = {
  headers: { items: 4, bytes: 4 * MIB },
  /** Bodies requested ahead; a piece is an answer of a few MiB at most. */
  pieces: { items: 6, bytes: 4 * MIB },
  blocks: { items: 512, bytes: 2 * MIB },
} as const;

/**
 * Number of pending transactions that a node which is no validator sends repeatedly, and of peers that get
 * them.
 */
export const MAX_RESENT = { transactions: 1000, peers: 2 } as const;
/** Size in bytes at which a message of several transactions is complete. */
export const MAX_PACK_BYTES = 100 * 1024;

/** Maximum number of blob sidecars that are missing and requested of peers; further ones are not. */
export const MAX_MISSING_SIDECARS = 1024;

/** Timeouts and intervals, in milliseconds. */
export interface ProtocolTimings {
  readonly statusMs: number;
  /** From a request to its answer. */
  readonly requestMs: number;
  /** From a request to the answer of a helper in a catch-up. Shorter, since other peers are available. */
  readonly helperMs: number;
  /** Time in which an announced block may arrive by itself before it is requested; 500 in the Go node. */
  readonly announcedMs: number;
  /** Interval at which a peer ahead of us is looked for without an event. */
  readonly lookMs: number;
  readonly resendMs: number;
  /** Time for which transactions are collected into one message. */
  readonly gatherMs: number;
  /** Interval between two log lines about a catch-up. */
  readonly progressMs: number;
  /** Interval between two requests for blob sidecars. */
  readonly sidecarEveryMs: number;
  /** Time between two requests for the same sidecar. */
  readonly sidecarRetryMs: number;
}

/** Default timings. */
export const PROTOCOL_TIMINGS: ProtocolTimings = {
  statusMs: 5000,
  requestMs: 15_000,
  helperMs: 3000,
  announcedMs: 200,
  lookMs: 10_000,
  resendMs: resendOptions.resendMs.default,
  gatherMs: 10,
  progressMs: 5000,
  sidecarEveryMs: 100,
  sidecarRetryMs: 10_000,
};
