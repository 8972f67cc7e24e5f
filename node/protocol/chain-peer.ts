/** A peer that speaks our protocol and is on our chain: what it claims, what it has, what it is asked. */
import type { NodeType } from "../p2p/node-type.ts";
import type { ProtocolPeer } from "../p2p/protocol.ts";
import type { Status } from "./codecs.ts";
import type { ProtocolError } from "./error.ts";
import { createKnownSet, type KnownSet } from "./known-set.ts";
import { KNOWN } from "./limits.ts";
import { Requests } from "./requests.ts";
import type { SyncMetrics } from "./sync-metrics.ts";

/** The newest block that a peer says it has. */
export interface Claim {
  readonly number: number;
  readonly hash: Uint8Array;
  readonly td: bigint;
}

/** A connected peer after the status exchange. */
export interface ChainPeer {
  readonly link: ProtocolPeer;
  /** What people know it by. */
  readonly name: string;
  readonly type: NodeType;
  readonly knownBlocks: KnownSet;
  /** Blocks that the peer has voted for: it has their transactions, and will have their seals. */
  readonly votedBlocks: KnownSet;
  readonly knownTransactions: KnownSet;
  readonly requests: Requests;
  claim: Claim;
  /** Milliseconds since the epoch when it got ahead of us by an announcement; 0 when it was from the start. */
  aheadSince: number;
  /** Rejects when the peer is to be left. */
  readonly dropped: Promise<never>;
  /** Leaves the peer for a reason. */
  drop(error: ProtocolError): void;
  /** Sends as soon as there is room; false when the peer is gone. */
  send(code: number, payload: Uint8Array): Promise<boolean>;
}

/** What is known of all peers. */
export interface PeerTerms {
  /** The block score of block 0. */
  readonly genesisScore: bigint;
  /** How long an answer may take. */
  readonly requestMs: number;
  readonly asked: SyncMetrics["asked"];
}

/** A peer as its status describes it. */
export function createChainPeer(
  link: ProtocolPeer,
  status: Status,
  { genesisScore, requestMs, asked }: PeerTerms,
): ChainPeer {
  const { promise: dropped, reject: drop } = Promise.withResolvers<never>();
  dropped.catch(() => undefined); // whoever runs the peer sees it
  const send = async (code: number, payload: Uint8Array): Promise<boolean> => {
    while (!link.send(code, payload)) {
      if (!(await link.writable())) return false;
    }
    return true;
  };
  const number = status.td - genesisScore;
  return {
    link,
    name: link.shortId,
    type: link.type,
    knownBlocks: createKnownSet(KNOWN.blocks),
    votedBlocks: createKnownSet(KNOWN.votedBlocks),
    knownTransactions: createKnownSet(KNOWN.transactions),
    requests: new Requests(send, requestMs, asked),
    claim: {
      number: Number(number > MOST_NUMBER ? MOST_NUMBER : number),
      hash: status.headHash,
      td: status.td,
    },
    aheadSince: 0,
    dropped,
    drop,
    send,
  };
}

const MOST_NUMBER = BigInt(Number.MAX_SAFE_INTEGER);
