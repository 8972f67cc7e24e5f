/** Nodes on loopback for tests of the network room, and a raw peer that says exactly what it is told to. */
import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import type { NodeId } from "../../node/bytes/brands.ts";
import { keccak256 } from "../../node/crypto/keccak.ts";
import { silentLog } from "../../node/observe/log.ts";
import { createMetrics } from "../../node/observe/metrics.ts";
import type { Hello } from "../../node/p2p/base-messages.ts";
import { type EncryptedConnection, exchangeHello, exchangeKeys } from "../../node/p2p/handshake.ts";
import { type NodeKey, nodeKeyOf } from "../../node/p2p/node-key.ts";
import type { NodeType } from "../../node/p2p/node-type.ts";
import { formatNodeUrl } from "../../node/p2p/node-url.ts";
import { openP2p, type P2p, type P2pOptions } from "../../node/p2p/p2p.ts";
import type { Protocol, ProtocolMessage, ProtocolPeer } from "../../node/p2p/protocol.ts";
import { P2P_TIMINGS, type P2pTimings } from "../../node/p2p/timings.ts";
import { systemClock } from "../../node/runtime/clock.ts";

/** A node's identity by a name. */
export function keyOf(name: string): NodeKey {
  return nodeKeyOf(keccak256(Buffer.from(name)));
}

/** Short waits where a test would stand still, the real ones elsewhere. */
export const QUICK: P2pTimings = { ...P2P_TIMINGS, afterTypeByteMs: 1, minRedialMs: 5, maxRedialMs: 20 };

/** A protocol of eight codes that keeps its peers and what they said. */
export interface Chat {
  readonly protocol: Protocol;
  readonly peers: ProtocolPeer[];
  readonly heard: ProtocolMessage[];
}

/** Makes a `chat` protocol. */
export function aChat(fields: Partial<Protocol> = {}): Chat {
  const peers: ProtocolPeer[] = [];
  const heard: ProtocolMessage[] = [];
  const protocol: Protocol = {
    name: "chat",
    version: 1,
    length: 8,
    maxPayload: () => 100_000,
    async run(peer) {
      peers.push(peer);
      for await (const message of peer.messages) heard.push(message);
    },
    ...fields,
  };
  return { protocol, peers, heard };
}

/** Opens a node on loopback. */
export function openNode(name: string, options: Partial<P2pOptions> = {}): Promise<P2p> {
  return openP2p({
    nodeKey: keyOf(name),
    type: "en",
    name: `Klaytn/${name}/v0.0.0/test/go`,
    listen: { host: "127.0.0.1", port: 0 },
    protocols: [aChat().protocol],
    maxPeers: 10,
    staticNodes: [],
    log: silentLog,
    metrics: createMetrics(),
    clock: systemClock,
    random: (length) => randomBytes(length),
    timings: QUICK,
    ...options,
  });
}

/** Returns the listening URL of a node. */
export function urlOf(node: P2p): string {
  return formatNodeUrl(node.self.url);
}

/** A connection to a node that the test drives by hand. */
export interface RawPeer extends Disposable {
  readonly socket: Socket;
  readonly encrypted: EncryptedConnection;
  /** The hello of the node; rejects with what it said instead. */
  greet(hello?: Partial<Hello>): Promise<Hello>;
  send(code: number, payload: Uint8Array): void;
  /** The next message that is not a ping, unpacked. */
  next(): Promise<ProtocolMessage>;
}

/** A node as its peers see it. */
export interface ListeningNode {
  readonly self: { readonly url: { readonly id: NodeId }; readonly ports: { readonly listener: number } };
}

/** A plain TCP connection to a node. */
export async function connectPlain(node: ListeningNode, port = node.self.ports.listener): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port, noDelay: true });
  socket.on("error", () => undefined);
  await new Promise<void>((resolve) => void socket.once("connect", () => resolve()));
  return socket;
}

/** Connects and does the encryption handshake. */
export async function connectRaw(
  node: ListeningNode,
  name: string,
  port?: number,
  type: NodeType = "pn",
): Promise<RawPeer> {
  const socket = await connectPlain(node, port);
  const nodeKey = keyOf(name);
  const self = {
    nodeKey,
    type,
    random: (length: number) => randomBytes(length),
    timings: QUICK,
  };
  const encrypted = await exchangeKeys(socket, self, node.self.url.id);
  const { transport } = encrypted;
  return {
    socket,
    encrypted,
    greet: (hello) =>
      exchangeHello(
        encrypted,
        {
          version: 5,
          name,
          capabilities: [{ name: "chat", version: 1 }],
          listenPorts: [],
          id: nodeKey.id,
          multichannel: false,
          ...hello,
        },
        { timings: QUICK },
      ),
    send: (code, payload) => void transport.write({ code, payload }),
    async next() {
      for (;;) {
        const message = await transport.read(200_000);
        if (message.code !== 2) return { code: message.code, payload: transport.unpack(message, 200_000) };
      }
    },
    [Symbol.dispose]: () => void socket.destroy(),
  };
}
