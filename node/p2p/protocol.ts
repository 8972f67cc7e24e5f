/** What a protocol that runs over peers has to say, and what it gets to see of a peer. */
import type { NodeType } from "./node-type.ts";
import type { TimeShare } from "./peer-time.ts";
import type { DisconnectReason } from "./reasons.ts";

/** One protocol in one version: a row of the table that `openP2p` is given. */
export interface Protocol {
  readonly name: string;
  readonly version: number;
  /** How many codes it has; codes are counted from 0 within the protocol. */
  readonly length: number;
  /** The longest payload of a message, unpacked. A longer one ends the session before it is unpacked. */
  maxPayload(code: number): number;
  /**
   * The lane of a code, 0 when this is left out: messages of one lane come in order and do not wait for those of the
   * other, and lanes have connections of their own where both nodes open several.
   */
  lane?(code: number): Lane;
  /**
   * Runs until the peer is gone (`next` gives undefined) or the protocol is done with it. A `P2pError` with a
   * reason tells that reason to the peer, any other error `subprotocol-error`, a plain return `quitting`.
   */
  run(peer: ProtocolPeer): Promise<void>;
  /** What `admin_peers` shows; undefined while the protocol has not met the peer yet. */
  describe?(peer: ProtocolPeer): unknown;
}

/** Which of a session's two ways a message goes: 0 for what must not wait, 1 for transactions. */
export type Lane = 0 | 1;

/** A message of one protocol; codes are the protocol's own. The payload is RLP that nobody has looked at. */
export interface Message {
  readonly code: number;
  readonly payload: Uint8Array;
}

/** A peer as `admin_peers` shows it. */
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

/** Another node, seen by everyone. */
export interface Peer {
  /** 64 bytes. */
  readonly id: Uint8Array;
  /** The id as 128 hex digits. */
  readonly idText: string;
  /** The first 16 digits of the id: what the Go node calls a peer by. */
  readonly shortId: string;
  /** 20 bytes: the address that validators are known by. */
  readonly address: Uint8Array;
  readonly name: string;
  /** What the peer claims to be. */
  readonly type: NodeType;
  readonly inbound: boolean;
  readonly trusted: boolean;
  /** Aborted when the session has ended; its reason is the error that ended it. */
  readonly signal: AbortSignal;
  info(): PeerInfo;
  /** Ends the session: tells the reason, then closes. Nothing more is received. */
  disconnect(reason: DisconnectReason): void;
}

/** Another node, seen by one protocol. */
export interface ProtocolPeer extends Peer {
  /** The version that both sides speak. */
  readonly version: number;
  /**
   * Queues a message. False, with nothing queued, when the peer does not keep up (its send budget is used up) or
   * is gone: drop what can be dropped, else wait for `writable`.
   */
  send(code: number, payload: Uint8Array): boolean;
  /** Resolves when there is room in all send budgets again; false when the peer is gone. */
  writable(): Promise<boolean>;
  /** Resolves when next to nothing waits to be taken by the peer; false when it is gone. */
  drained(): Promise<boolean>;
  /** Time of the main thread, for decoding and handling this peer's messages. */
  readonly time: TimeShare;
  /** The next message of a lane, 0 unless said; undefined when the session has ended and all before was taken. */
  next(lane?: Lane): Promise<Message | undefined>;
  /** All messages of lane 0 from here on; ends with the session. */
  readonly messages: AsyncIterable<Message>;
}

/** What happens to peers, as `admin_subscribe peerEvents` shows it. */
export interface PeerEvent {
  readonly type: "add" | "drop" | "msgsend" | "msgrecv";
  /** The id as 128 hex digits. */
  readonly peer: string;
  readonly error?: string;
  readonly protocol?: string;
  readonly code?: number;
  readonly size?: number;
}
