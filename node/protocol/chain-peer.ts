/**
 * A peer on our chain after the status exchange: its claimed head, the hashes that it knows and the requests
 * to it.
 */
import type { Hash } from "../bytes/brands.ts";
import { mapKey } from "../bytes/hex.ts";
import type { NodeType } from "../p2p/node-type.ts";
import type { ProtocolPeer } from "../p2p/protocol.ts";
import type { Status } from "./codecs.ts";
import type { ProtocolError } from "./error.ts";
import { MAX_KNOWN } from "./limits.ts";
import { PeerRequests } from "./requests.ts";
import type { SyncMetrics } from "./sync-metrics.ts";

/** Hashes that a peer has. The oldest is dropped when the set is full. */
export interface KnownSet {
  readonly size: number;
  has(hash: Hash): boolean;
  add(hash: Hash): void;
}

/** Highest block that a peer claims to have. */
export interface HeadClaim {
  readonly number: number;
  readonly hash: Hash;
  readonly td: bigint;
}

/** A connected peer after the status exchange. */
export interface ChainPeer {
  readonly link: ProtocolPeer;
  /** First 16 hex digits of the node id, for logs. */
  readonly name: string;
  readonly type: NodeType;
  /** True for a peer that the operator has named, as a static or a trusted node. */
  readonly isChosen: boolean;
  readonly knownBlocks: KnownSet;
  /** Blocks that the peer has voted for. It has their transactions and will collect their seals. */
  readonly votedBlocks: KnownSet;
  readonly knownTransactions: KnownSet;
  readonly knownBids: KnownSet;
  readonly requests: PeerRequests;
  claim: HeadClaim;
  /**
   * Time at which an announcement put the peer ahead of us, in milliseconds since the epoch; 0 when its
   * status did.
   */
  aheadSince: number;
  /** Time of the connection, or at which the peer was last followed, in milliseconds since the epoch. */
  turn: number;
  /** Rejects when the peer must be disconnected. */
  readonly dropped: Promise<never>;
  /** True once the peer is to be disconnected: it is neither asked nor believed while it leaves. */
  isDropped: boolean;
  /** Disconnects the peer because of an error. */
  drop(error: ProtocolError): void;
  /** Sends a message as soon as the send budget allows. Resolves with false when the peer has left. */
  send(code: number, payload: Uint8Array): Promise<boolean>;
}

/** Options that all chain peers share. */
export interface ChainPeerOptions {
  /** Block score of the genesis block. */
  readonly genesisScore: bigint;
  /** Timeout of a request, in milliseconds. */
  readonly requestMs: number;
  /** Current time, in milliseconds since the epoch. */
  readonly now: number;
  readonly requestMetrics: SyncMetrics["requests"];
}

/** Creates the peer that a status describes. */
export function createChainPeer(
  link: ProtocolPeer,
  status: Status,
  { genesisScore, requestMs, requestMetrics, now }: ChainPeerOptions,
): ChainPeer {
  const { promise: dropped, reject: drop } = Promise.withResolvers<never>();
  dropped.catch(() => undefined); // the run of the peer observes it
  const send = async (code: number, payload: Uint8Array): Promise<boolean> => {
    while (!link.send(code, payload)) {
      if (!(await link.waitForRoom())) return false;
    }
    return true;
  };
  const number = status.td - genesisScore;
  const peer: ChainPeer = {
    link,
    name: link.shortId,
    type: link.type,
    isChosen: link.trusted || link.isStatic,
    knownBlocks: createKnownSet(MAX_KNOWN.blocks),
    votedBlocks: createKnownSet(MAX_KNOWN.votedBlocks),
    knownTransactions: createKnownSet(MAX_KNOWN.transactions),
    knownBids: createKnownSet(MAX_KNOWN.bids),
    requests: new PeerRequests(send, requestMs, requestMetrics),
    claim: {
      number: Number(number > MAX_NUMBER ? MAX_NUMBER : number),
      hash: status.headHash,
      td: status.td,
    },
    aheadSince: 0,
    turn: now,
    dropped,
    isDropped: false,
    drop(error) {
      peer.isDropped = true;
      drop(error);
    },
    send,
  };
  return peer;
}

const MAX_NUMBER = BigInt(Number.MAX_SAFE_INTEGER);

/** Creates an empty set for at most `capacity` hashes. */
export function createKnownSet(capacity: number): KnownSet {
  const keys = new Set<string>();
  return {
    get size() {
      return keys.size;
    },
    has: (hash) => keys.has(mapKey(hash)),
    add(hash) {
      keys.add(mapKey(hash));
      if (keys.size <= capacity) return;
      const [oldest] = keys;
      if (oldest !== undefined) keys.delete(oldest);
    },
  };
}
