/**
 * Request and response of discovery: sends packets, matches responses with pending requests and answers
 * pings. Packets that are unexpected, expired, malformed or of another network are dropped silently.
 */
import type { NodeId } from "../../bytes/brands.ts";
import { equalBytes } from "../../bytes/compare.ts";
import { mapKey } from "../../bytes/hex.ts";
import type { Clock } from "../../runtime/clock.ts";
import { mayRelay } from "../ip.ts";
import type { NodeKey } from "../node-key.ts";
import type { NodeType } from "../node-type.ts";
import {
  decodePacket,
  encodePacket,
  type FoundNode,
  MAX_NODES_PER_PACKET,
  type NodeEndpoint,
  type Packet,
  type ReceivedPacket,
} from "./packets.ts";

/** Source or destination of a packet. */
export interface UdpAddress {
  readonly ip: string;
  readonly port: number;
}

/** Dependencies of the exchange. */
export interface ExchangeDeps {
  readonly nodeKey: NodeKey;
  readonly networkId: number;
  /** Returns the endpoint of this node for its pings. */
  readonly self: () => NodeEndpoint;
  readonly send: (bytes: Uint8Array, to: UdpAddress) => void;
  readonly clock: Clock;
  /** Time to wait for a response, in milliseconds. */
  readonly replyMs: number;
  readonly isWithinRate: (ip: string) => boolean;
  /** Selects the addresses that packets and announced nodes may have. */
  readonly allows: (ip: string) => boolean;
  /** Returns true when a node may claim this type. */
  readonly isAuthorised: (id: NodeId, type: NodeType) => boolean;
  /** Called for a ping that no request waits for, after the pong is sent. */
  readonly onPing: (node: FoundNode) => void;
  /** Returns the nodes that answer a find-node query, or undefined to leave it unanswered. */
  readonly onFindNode: (
    sender: NodeId,
    from: UdpAddress,
    question: FindNodeQuery,
  ) => readonly FoundNode[] | undefined;
}

/** Query of a find-node packet. */
export interface FindNodeQuery {
  /** 64 bytes; distances are measured from its hash. */
  readonly target: NodeId;
  readonly wanted: NodeType;
}

const EXPIRY_SECONDS = 20;
/** Number of nodes at which an answer is complete before its timeout. */
const MAX_ANSWER_NODES: Readonly<Record<NodeType, number>> = { cn: 100, pn: 2, en: 16, bn: 16, unknown: 16 };
/** Minimum UDP port of a relayed node. Well-known ports are never targets of pings. */
const MIN_UDP_PORT = 1025;

/** A pending request. `take` returns true when it consumes the packet. */
interface Waiting {
  readonly sender: string;
  readonly take: (received: ReceivedPacket, from: UdpAddress) => boolean;
}

/** Counters since the start, and the number of pending requests. */
export interface ExchangeTally {
  /** Packets of all kinds received. */
  received: number;
  /** Packets sent. */
  pings: number;
  questions: number;
  /** Packets received in time for a pending request. */
  pongs: number;
  answers: number;
  awaitedPongs: number;
  awaitedAnswers: number;
  /** Pings of another network id. */
  otherNetworks: number;
}

/** Exchange of one node. Disposing it ends all pending requests. */
export class Exchange implements Disposable {
  readonly #deps: ExchangeDeps;
  readonly #waiting = new Set<Waiting>();
  readonly #cancels = new Set<() => void>();
  readonly #tally: ExchangeTally = {
    received: 0,
    pings: 0,
    questions: 0,
    pongs: 0,
    answers: 0,
    awaitedPongs: 0,
    awaitedAnswers: 0,
    otherNetworks: 0,
  };
  #closed = false;

  constructor(deps: ExchangeDeps) {
    this.#deps = deps;
  }

  get tally(): Readonly<ExchangeTally> {
    return this.#tally;
  }

  /** Pings a node. Resolves with true when its pong arrives in time. */
  async ping(node: FoundNode): Promise<boolean> {
    const { networkId, self } = this.#deps;
    const to: NodeEndpoint = { ip: node.ip, udpPort: node.udpPort, tcpPort: 0, type: "unknown" };
    const sent = this.#send({ kind: "ping", networkId, from: self(), to, expires: this.#expiry() }, node);
    const tally = this.#tally;
    tally.pings++;
    tally.awaitedPongs++;
    const answered = await this.#wait<boolean>(node.id, false, ({ packet }, done) => {
      if (packet.kind !== "pong" || !equalBytes(packet.token, sent.subarray(0, 32))) return false;
      done(true);
      return true;
    });
    tally.awaitedPongs--;
    tally.pongs += Number(answered);
    return answered;
  }

  /** Resolves with the endpoint of the next ping of a node, or with undefined after two response times. */
  nextPing(id: NodeId): Promise<NodeEndpoint | undefined> {
    return this.#wait(id, undefined, takePing, 2 * this.#deps.replyMs);
  }

  /**
   * Sends a find-node query. Resolves with the usable nodes of the answer, or with undefined when no answer
   * comes.
   */
  async find(node: FoundNode, { target, wanted }: FindNodeQuery): Promise<FoundNode[] | undefined> {
    this.#send({ kind: "find-node", target, wanted, expires: this.#expiry() }, node);
    const tally = this.#tally;
    tally.questions++;
    tally.awaitedAnswers++;
    let received = 0;
    let found: FoundNode[] | undefined;
    await this.#wait<undefined>(node.id, undefined, ({ packet }, done, from) => {
      if (packet.kind !== "neighbors" || packet.wanted !== wanted) return false;
      tally.answers++;
      received += packet.nodes.length;
      const good = packet.nodes.filter((each) => each.type === wanted && this.#isReachable(each, from));
      found = [...(found ?? []), ...good].slice(0, MAX_ANSWER_NODES[wanted]);
      if (received >= MAX_ANSWER_NODES[wanted]) done(undefined);
      return true;
    });
    tally.awaitedAnswers--;
    return found;
  }

  /** Handles a received packet. Never throws. */
  receive(bytes: Uint8Array, from: UdpAddress): void {
    const { allows, isWithinRate, nodeKey } = this.#deps;
    this.#tally.received++;
    if (this.#closed || !isAnswerable(from) || !allows(from.ip) || !isWithinRate(from.ip)) return;
    let received: ReceivedPacket;
    try {
      received = decodePacket(bytes);
    } catch {
      return; // malformed packets are dropped silently
    }
    const { packet, sender } = received;
    if (equalBytes(sender, nodeKey.id) || packet.expires * 1000 < this.#deps.clock.now()) return;
    if (packet.kind === "ping") this.#answerPing(received, packet, from);
    else if (packet.kind === "find-node") this.#answerQuestion(sender, packet, from);
    else this.#settle(received, from);
  }

  [Symbol.dispose](): void {
    this.#closed = true;
    for (const end of this.#cancels) end();
  }

  #answerPing(received: ReceivedPacket, ping: Packet & { kind: "ping" }, from: UdpAddress): void {
    const { isAuthorised, networkId, onPing } = this.#deps;
    const { sender, hash } = received;
    const { tcpPort, type } = ping.from;
    this.#tally.otherNetworks += Number(ping.networkId !== networkId);
    if (!isAuthorised(sender, type) || ping.networkId !== networkId) return;
    const to: NodeEndpoint = { ip: from.ip, udpPort: from.port, tcpPort, type };
    this.#send({ kind: "pong", to, token: hash, expires: this.#expiry() }, to);
    if (!this.#settle(received, from)) onPing({ id: sender, ...to });
  }

  #answerQuestion(
    sender: NodeId,
    { target, wanted }: Packet & { kind: "find-node" },
    from: UdpAddress,
  ): void {
    const nodes = this.#deps.onFindNode(sender, from, { target, wanted });
    if (nodes === undefined) return;
    const relayed = nodes.filter(({ ip }) => mayRelay(from.ip, ip));
    const expires = this.#expiry();
    const to = { ip: from.ip, udpPort: from.port };
    for (let at = 0; at === 0 || at < relayed.length; at += MAX_NODES_PER_PACKET)
      this.#send(
        { kind: "neighbors", wanted, nodes: relayed.slice(at, at + MAX_NODES_PER_PACKET), expires },
        to,
      );
  }

  #isReachable({ id, ip, udpPort, tcpPort }: FoundNode, from: UdpAddress): boolean {
    const { allows, nodeKey } = this.#deps;
    const usable = udpPort >= MIN_UDP_PORT && tcpPort !== 0 && !equalBytes(id, nodeKey.id);
    return usable && mayRelay(from.ip, ip) && allows(ip);
  }

  #send(packet: Packet, to: { readonly ip: string; readonly udpPort: number }): Uint8Array {
    const bytes = encodePacket(packet, this.#deps.nodeKey.key);
    if (!this.#closed) this.#deps.send(bytes, { ip: to.ip, port: to.udpPort });
    return bytes;
  }

  #expiry(): number {
    return Math.floor(this.#deps.clock.now() / 1000) + EXPIRY_SECONDS;
  }

  #settle(received: ReceivedPacket, from: UdpAddress): boolean {
    const sender = mapKey(received.sender);
    for (const waiting of this.#waiting)
      if (waiting.sender === sender && waiting.take(received, from)) return true;
    return false;
  }

  #wait<T>(id: NodeId, otherwise: T, take: Waiter<T>, waitMs: number = this.#deps.replyMs): Promise<T> {
    if (this.#closed) return Promise.resolve(otherwise);
    return new Promise((resolve) => {
      const done = (value: T): void => {
        clearTimeout(timer);
        this.#cancels.delete(end);
        this.#waiting.delete(waiting);
        resolve(value);
      };
      const end = (): void => done(otherwise);
      const waiting: Waiting = {
        sender: mapKey(id),
        take: (received, from) => take(received, done, from),
      };
      const timer = setTimeout(end, waitMs);
      this.#cancels.add(end);
      this.#waiting.add(waiting);
    });
  }
}

/** Port 0 is legal as the source of a packet, and no packet can be sent to it. */
function isAnswerable({ port }: UdpAddress): boolean {
  return port > 0;
}

const takePing: Waiter<NodeEndpoint | undefined> = ({ packet }, done) => {
  if (packet.kind !== "ping") return false;
  done(packet.from);
  return true;
};

/**
 * Examines a packet and calls `done` when the request is complete. Returns true when it consumes the packet.
 */
type Waiter<T> = (received: ReceivedPacket, done: (value: T) => void, from: UdpAddress) => boolean;
