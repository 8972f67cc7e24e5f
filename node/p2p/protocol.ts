/**
 * Interface between the peer-to-peer side and the protocols that run over it: a protocol's row, its messages
 * and its view of a peer.
 */

import type { Address, NodeId } from "../bytes/brands.ts";
import type { TimeShare } from "../runtime/fair-time.ts";
import type { DisconnectReason } from "./disconnect-reasons.ts";
import type { NodeType } from "./node-type.ts";

/** One version of a protocol: a row of the table for `openP2p`. */
export interface Protocol {
  readonly name: string;
  readonly version: number;
  /** Number of message codes; they count from 0 within the protocol. */
  readonly length: number;
  /**
   * Returns the maximum size of a payload, uncompressed, in bytes. A longer one ends the session before it is
   * decompressed.
   */
  maxPayload(code: number): number;
  /**
   * Returns the lane of a code, 0 by default. Messages of one lane stay in order and never wait for the other
   * lane. Lanes have separate connections between multichannel nodes.
   */
  lane?(code: number): Lane;
  /**
   * Runs until the peer has left (`next` resolves with undefined) or the protocol is done. A `P2pError` with
   * a reason disconnects with that reason, any other error with `subprotocol-error`, a return with
   * `quitting`.
   */
  run(peer: ProtocolPeer): Promise<void>;
  /** Returns the protocol's part of `admin_peers`; undefined during its handshake. */
  describe?(peer: ProtocolPeer): unknown;
}

/** Lane of a message: 0 for urgent ones, 1 for transactions. */
export type Lane = 0 | 1;

/** A message with the protocol's own code. The payload is unvalidated RLP. */
export interface ProtocolMessage {
  readonly code: number;
  readonly payload: Uint8Array;
}

/** Description of a peer for `admin_peers`. */
export interface PeerInfo {
  readonly id: string;
  readonly name: string;
  readonly caps: readonly string[];
  readonly networks: readonly {
    readonly localAddress: string;
    readonly remoteAddress: string;
    readonly inbound: boolean;
    readonly trusted: boolean;
    readonly static: boolean;
    readonly nodeType: NodeType;
  }[];
  readonly protocols: Readonly<Record<string, unknown>>;
}

/** A remote node with a running session. */
export interface Peer {
  /** Node id, 64 bytes. */
  readonly id: NodeId;
  /** Node id as 128 hex digits. */
  readonly idText: string;
  /** First 16 hex digits of the node id, as in the Go node's logs. */
  readonly shortId: string;
  /** Address of the node key, 20 bytes: a validator's address. */
  readonly address: Address;
  readonly name: string;
  /** Type that the peer claims. */
  readonly type: NodeType;
  readonly inbound: boolean;
  readonly trusted: boolean;
  readonly isStatic: boolean;
  /** Name under which peers of one address share time, memory and slots; undefined for a peer with a share of its own. */
  readonly owner: string | undefined;
  /** Aborted when the session has ended, with the error that ended it. */
  readonly signal: AbortSignal;
  info(): PeerInfo;
  /** Ends the session: sends the reason and closes. Nothing more is received. */
  disconnect(reason: DisconnectReason): void;
}

/** A remote node as one protocol uses it. */
export interface ProtocolPeer extends Peer {
  /** Version that both sides speak. */
  readonly version: number;
  /**
   * Queues a message. Returns false when the send budget is exhausted or the peer has left; then drop the
   * message or wait for `waitForRoom`.
   */
  send(code: number, payload: Uint8Array): boolean;
  /** Resolves with true when all send budgets have room again, with false when the peer has left. */
  waitForRoom(): Promise<boolean>;
  /** Resolves with true when the send queues are drained, with false when the peer has left. */
  waitForDrain(): Promise<boolean>;
  /** Main-thread time for decoding and handling the messages of this peer. */
  readonly time: TimeShare;
  /**
   * Resolves with the next message of a lane (0 by default), or with undefined once the session has ended and
   * all messages are taken.
   */
  next(lane?: Lane): Promise<ProtocolMessage | undefined>;
  /** Messages of lane 0; ends with the session. */
  readonly messages: AsyncIterable<ProtocolMessage>;
}

/** Event of `admin_subscribe` `peerEvents`. */
export interface PeerEvent {
  readonly type: "add" | "drop" | "msgsend" | "msgrecv";
  /** Node id as 128 hex digits. */
  readonly peer: string;
  readonly error?: string;
  readonly protocol?: string;
  readonly code?: number;
  readonly size?: number;
}
