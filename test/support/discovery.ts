/** Discovery over a wire in memory: nodes at addresses of their own, and peers that say exactly what they are told to. */

import { silentLog } from "../../node/observe/log.ts";
import type { OpenDatagrams } from "../../node/p2p/discovery/datagrams.ts";
import { type Discovery, type DiscoveryOptions, openDiscovery } from "../../node/p2p/discovery/discovery.ts";
import type { UdpAddress } from "../../node/p2p/discovery/exchange.ts";
import {
  decodePacket,
  encodePacket,
  type FoundNode,
  type NodeEndpoint,
  type Packet,
} from "../../node/p2p/discovery/packets.ts";
import type { NodeType } from "../../node/p2p/node-type.ts";
import type { NodeUrl } from "../../node/p2p/node-url.ts";
import { keyOf } from "./p2p.ts";
import { randomBytes, seededRandom } from "./random.ts";

/** The network of all nodes here. */
export const NETWORK = 9001;
/** The port of all nodes here. */
export const PORT = 32_323;

/** A packet on its way. */
export interface Sent {
  readonly bytes: Uint8Array;
  readonly from: UdpAddress;
  readonly to: UdpAddress;
}

type Receive = (bytes: Uint8Array, from: UdpAddress) => void;

/** Carries packets between addresses, and keeps them. */
export class Wire {
  readonly sent: Sent[] = [];
  /** Addresses that hear nothing. */
  readonly cut = new Set<string>();
  readonly #sockets = new Map<string, Receive>();

  /** Sockets at an address. */
  at(ip: string): OpenDatagrams {
    return async ({ port }, receive) => {
      this.#sockets.set(`${ip}:${port}`, receive);
      return {
        port,
        send: (bytes, to) => this.send({ bytes, from: { ip, port }, to }),
        [Symbol.asyncDispose]: async () => void this.#sockets.delete(`${ip}:${port}`),
      };
    };
  }

  /** Delivers a packet soon, whoever it says that it is from. */
  send(packet: Sent): void {
    this.sent.push(packet);
    const { bytes, from, to } = packet;
    if (this.cut.has(to.ip)) return;
    void Promise.resolve().then(() => this.#sockets.get(`${to.ip}:${to.port}`)?.(bytes, from));
  }

  /** The packets that were sent to an address. */
  to(ip: string): Packet[] {
    return this.sent.filter((each) => each.to.ip === ip).map(({ bytes }) => decodePacket(bytes).packet);
  }
}

/** A node at an address, from the seed of its name. */
export function aDiscovery(
  wire: Wire,
  name: string,
  { ip, type, ...options }: Partial<DiscoveryOptions> & { ip: string; type: NodeType },
): Promise<Discovery> {
  const random = seededRandom(name.length + Number(ip.split(".").at(-1)));
  return openDiscovery({
    nodeKey: keyOf(name),
    type,
    networkId: NETWORK,
    host: undefined,
    port: PORT,
    announce: { ip: undefined, tcpPort: PORT + 1 },
    bootNodes: [],
    allows: () => true,
    resolve: async (host) => host,
    clock: { now: () => Date.now() },
    log: silentLog,
    random: (length) => randomBytes(random, length),
    open: wire.at(ip),
    ...options,
  });
}

/** The URL of a node here. */
export function urlAt(name: string, host: string, type: NodeType = "bn"): NodeUrl {
  return { id: keyOf(name).id, host, tcpPort: PORT, udpPort: PORT, tcpPorts: [PORT], type };
}

/** A node as packets tell of it. */
export function nodeAt(name: string, ip: string, type: NodeType): FoundNode {
  return { id: keyOf(name).id, ip, udpPort: PORT, tcpPort: PORT + 1, type };
}

/** A peer that does nothing by itself. */
export interface RawPeer {
  readonly heard: Packet[];
  say(packet: Packet, to: string, from?: string): Uint8Array;
  /** Answers pings with pongs from now on. */
  answerPings(): void;
}

/** Opens a raw peer at an address. */
export async function aRawPeer(wire: Wire, name: string, ip: string): Promise<RawPeer> {
  const { key } = keyOf(name);
  const heard: Packet[] = [];
  let answers = false;
  const say = (packet: Packet, to: string, from = ip): Uint8Array => {
    const bytes = encodePacket(packet, key);
    wire.send({ bytes, from: { ip: from, port: PORT }, to: { ip: to, port: PORT } });
    return bytes;
  };
  await wire.at(ip)({ host: undefined, port: PORT }, (bytes, from) => {
    const { packet, hash } = decodePacket(bytes);
    heard.push(packet);
    if (answers && packet.kind === "ping")
      say({ kind: "pong", to: packet.from, token: hash, expires: soon() }, from.ip);
  });
  return {
    heard,
    say,
    answerPings() {
      answers = true;
    },
  };
}

/** Expiry of packets that are sent now, in seconds since the epoch. */
export function soon(): number {
  return Math.floor(Date.now() / 1000) + 20;
}

/** A ping of a node of this type. */
export function aPing(type: NodeType, fields: Partial<Packet & { kind: "ping" }> = {}): Packet {
  const from: NodeEndpoint = { ip: "::", udpPort: PORT, tcpPort: PORT + 1, type };
  const to: NodeEndpoint = { ip: "::", udpPort: PORT, tcpPort: 0, type: "unknown" };
  return { kind: "ping", networkId: NETWORK, from, to, expires: soon(), ...fields };
}

/** A question for nodes of a type. */
export function aQuestion(wanted: NodeType): Packet {
  return { kind: "find-node", target: new Uint8Array(64), wanted, expires: soon() };
}
