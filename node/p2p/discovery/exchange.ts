/**
 * Questions and answers: sends packets, matches what comes with what was asked, and answers pings. What nobody asked
 * for, what is late, of another network or malformed is dropped without a word.
 */
import { equalBytes } from "../../bytes/compare.ts";
import { mapKey } from "../../bytes/hex.ts";
import type { Clock } from "../../runtime/clock.ts";
import { mayRelay } from "../ip.ts";
import type { NodeKey } from "../node-key.ts";
import type { NodeType } from "../node-type.ts";
import type { Allowance } from "./allowance.ts";
import {
  decodePacket,
  type Endpoint,
  encodePacket,
  type FoundNode,
  NODES_A_PACKET,
  type Packet,
  type Received,
} from "./packets.ts";

/** Where a packet came from. */
export interface Place {
  readonly ip: string;
  readonly port: number;
}

/** What the exchange needs from outside. */
export interface ExchangeSurroundings {
  readonly nodeKey: NodeKey;
  readonly networkId: number;
  /** What pings say of this node. */
  readonly self: () => Endpoint;
  readonly send: (bytes: Uint8Array, to: Place) => void;
  readonly clock: Clock;
  /** How long an answer may take. */
  readonly replyMs: number;
  readonly allowance: Allowance;
  /** Addresses that packets may come from and be told of. */
  readonly allows: (ip: string) => boolean;
  /** Whether a node may say that it is of this type. */
  readonly authorised: (id: Uint8Array, type: NodeType) => boolean;
  /** A ping that was not waited for, after its pong. */
  readonly pinged: (node: FoundNode) => void;
  /** The nodes to tell who asks; none when it has not proved where it is: then nothing is sent. */
  readonly asked: (sender: Uint8Array, from: Place, question: Question) => readonly FoundNode[] | undefined;
}

/** Which nodes somebody looks for. */
export interface Question {
  /** 64 bytes; distances are measured from its hash. */
  readonly target: Uint8Array;
  readonly wanted: NodeType;
}

const EXPIRY_SECONDS = 20;
/** So many nodes end an answer before its time is over. */
const MOST_NODES: Readonly<Record<NodeType, number>> = { cn: 100, pn: 2, en: 16, bn: 16, unknown: 16 };
/** Lower ports are not for nodes: nobody makes us send there. */
const LOWEST_UDP_PORT = 1025;

/** Looks at a packet of the node it waits for; true when it was what was waited for. */
interface Waiting {
  readonly sender: string;
  readonly take: (received: Received, from: Place) => boolean;
}

/** Packets since the start, and answers that are waited for now. */
export interface ExchangeTally {
  /** Of every kind, from everybody. */
  received: number;
  /** Sent. */
  pings: number;
  questions: number;
  /** Received in time from who was asked. */
  pongs: number;
  answers: number;
  awaitedPongs: number;
  awaitedAnswers: number;
  /** Pings of other networks. */
  otherNetworks: number;
}

/** The exchange of one node. Disposing it gives up all waiting. */
export class Exchange implements Disposable {
  readonly #outside: ExchangeSurroundings;
  readonly #waiting = new Set<Waiting>();
  readonly #over = new Set<() => void>();
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

  constructor(surroundings: ExchangeSurroundings) {
    this.#outside = surroundings;
  }

  /** What was counted so far. */
  get tally(): Readonly<ExchangeTally> {
    return this.#tally;
  }

  /** Pings a node; true when its pong came in time. */
  async ping(node: FoundNode): Promise<boolean> {
    const { networkId, self } = this.#outside;
    const to: Endpoint = { ip: node.ip, udpPort: node.udpPort, tcpPort: 0, type: "unknown" };
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

  /** What the node's next ping says of it; undefined when none comes for the time of two answers. */
  pingOf(id: Uint8Array): Promise<Endpoint | undefined> {
    return this.#wait(id, undefined, takePing, 2 * this.#outside.replyMs);
  }

  /** Asks a node; resolves with what it told of and may tell of, or undefined when it said nothing. */
  async find(node: FoundNode, { target, wanted }: Question): Promise<FoundNode[] | undefined> {
    this.#send({ kind: "find-node", target, wanted, expires: this.#expiry() }, node);
    const tally = this.#tally;
    tally.questions++;
    tally.awaitedAnswers++;
    let told = 0;
    let found: FoundNode[] | undefined;
    await this.#wait<undefined>(node.id, undefined, ({ packet }, done, from) => {
      if (packet.kind !== "neighbors" || packet.wanted !== wanted) return false;
      tally.answers++;
      told += packet.nodes.length;
      const good = packet.nodes.filter((each) => each.type === wanted && this.#isReachable(each, from));
      found = [...(found ?? []), ...good].slice(0, MOST_NODES[wanted]);
      if (told >= MOST_NODES[wanted]) done(undefined);
      return true;
    });
    tally.awaitedAnswers--;
    return found;
  }

  /** Takes what came. Never throws. */
  receive(bytes: Uint8Array, from: Place): void {
    const { allows, allowance, nodeKey } = this.#outside;
    this.#tally.received++;
    if (this.#closed || !allows(from.ip) || !allowance(from.ip)) return;
    let received: Received;
    try {
      received = decodePacket(bytes);
    } catch {
      return; // not for us, or damaged: whoever sent it hears nothing
    }
    const { packet, sender } = received;
    if (equalBytes(sender, nodeKey.id) || packet.expires * 1000 < this.#outside.clock.now()) return;
    if (packet.kind === "ping") this.#answerPing(received, packet, from);
    else if (packet.kind === "find-node") this.#answerQuestion(sender, packet, from);
    else this.#settle(received, from);
  }

  [Symbol.dispose](): void {
    this.#closed = true;
    for (const end of this.#over) end();
  }

  #answerPing(received: Received, ping: Packet & { kind: "ping" }, from: Place): void {
    const { authorised, networkId, pinged } = this.#outside;
    const { sender, hash } = received;
    const { tcpPort, type } = ping.from;
    this.#tally.otherNetworks += Number(ping.networkId !== networkId);
    if (!authorised(sender, type) || ping.networkId !== networkId) return;
    const to: Endpoint = { ip: from.ip, udpPort: from.port, tcpPort, type };
    this.#send({ kind: "pong", to, token: hash, expires: this.#expiry() }, to);
    if (!this.#settle(received, from)) pinged({ id: sender, ...to });
  }

  #answerQuestion(sender: Uint8Array, { target, wanted }: Packet & { kind: "find-node" }, from: Place): void {
    const nodes = this.#outside.asked(sender, from, { target, wanted });
    if (nodes === undefined) return;
    const told = nodes.filter(({ ip }) => mayRelay(from.ip, ip));
    const expires = this.#expiry();
    const to = { ip: from.ip, udpPort: from.port };
    for (let at = 0; at === 0 || at < told.length; at += NODES_A_PACKET)
      this.#send({ kind: "neighbors", wanted, nodes: told.slice(at, at + NODES_A_PACKET), expires }, to);
  }

  #isReachable({ id, ip, udpPort, tcpPort }: FoundNode, from: Place): boolean {
    const { allows, nodeKey } = this.#outside;
    const usable = udpPort >= LOWEST_UDP_PORT && tcpPort !== 0 && !equalBytes(id, nodeKey.id);
    return usable && mayRelay(from.ip, ip) && allows(ip);
  }

  #send(packet: Packet, to: { readonly ip: string; readonly udpPort: number }): Uint8Array {
    const bytes = encodePacket(packet, this.#outside.nodeKey.key);
    if (!this.#closed) this.#outside.send(bytes, { ip: to.ip, port: to.udpPort });
    return bytes;
  }

  #expiry(): number {
    return Math.floor(this.#outside.clock.now() / 1000) + EXPIRY_SECONDS;
  }

  #settle(received: Received, from: Place): boolean {
    const sender = mapKey(received.sender);
    for (const waiting of this.#waiting)
      if (waiting.sender === sender && waiting.take(received, from)) return true;
    return false;
  }

  #wait<T>(
    id: Uint8Array,
    otherwise: T,
    take: Waiter<T>,
    waitMs: number = this.#outside.replyMs,
  ): Promise<T> {
    if (this.#closed) return Promise.resolve(otherwise);
    return new Promise((resolve) => {
      const done = (value: T): void => {
        clearTimeout(timer);
        this.#over.delete(end);
        this.#waiting.delete(waiting);
        resolve(value);
      };
      const end = (): void => done(otherwise);
      const waiting: Waiting = {
        sender: mapKey(id),
        take: (received, from) => take(received, done, from),
      };
      const timer = setTimeout(end, waitMs);
      this.#over.add(end);
      this.#waiting.add(waiting);
    });
  }
}

const takePing: Waiter<Endpoint | undefined> = ({ packet }, done) => {
  if (packet.kind !== "ping") return false;
  done(packet.from);
  return true;
};

/** Looks at a packet, and calls `done` when it need not wait for more; true when the packet was for it. */
type Waiter<T> = (received: Received, done: (value: T) => void, from: Place) => boolean;
