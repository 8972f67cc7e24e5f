/** Nodes with a second port: a connection of its own for the second lane. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { createDial } from "../../../node/p2p/dial.ts";
import { Gathering } from "../../../node/p2p/gathering.ts";
import type { P2pMetrics } from "../../../node/p2p/metrics.ts";
import type { P2p } from "../../../node/p2p/p2p.ts";
import type { PeerSet } from "../../../node/p2p/peer-set.ts";
import type { ProtocolMessage } from "../../../node/p2p/protocol.ts";
import { aChat, connectRaw, openNode, QUICK, urlOf } from "../../support/p2p.ts";
import { until } from "../../support/until.ts";

const TWO_PORTS = { listen: { host: "127.0.0.1", port: 0, subPort: 0 } } as const;
const SIDE = 5;

/** A chat whose code 5 is of the second lane. */
function aTwoLaneChat(side: ProtocolMessage[] = []): ReturnType<typeof aChat> {
  const chat = aChat({ lane: (code) => (code === SIDE ? 1 : 0) });
  const { protocol } = chat;
  return {
    ...chat,
    protocol: {
      ...protocol,
      async run(peer) {
        const listen = async (): Promise<void> => {
          for (let message = await peer.next(1); message; message = await peer.next(1)) side.push(message);
        };
        await Promise.all([protocol.run(peer), listen()]);
      },
    },
  };
}

/** The ports that a node's hello names. */
async function portsOf(node: P2p): Promise<readonly number[]> {
  using raw = await connectRaw(node, "asks");
  return (await raw.greet()).listenPorts;
}

function ends(node: P2p): (string | undefined)[] {
  return node
    .peers()
    .flatMap(({ networks }) => networks.map(({ remoteAddress }) => remoteAddress.split(":")[1]));
}

test("two nodes with two ports have two connections, one for each lane", async () => {
  const side: ProtocolMessage[] = [];
  const called = aTwoLaneChat(side);
  const caller = aTwoLaneChat();
  await using target = await openNode("target", { ...TWO_PORTS, protocols: [called.protocol] });
  const ports = await portsOf(target);
  expect(ports[0]).toBe(target.self.ports.listener);
  await using node = await openNode("node", { ...TWO_PORTS, protocols: [caller.protocol] });
  node.addPeer(urlOf(target));
  await until(() => node.peers().length === 1 && target.countByType().total === 1);
  expect(ends(node)).toEqual(ports.map(String));
  expect(ends(target)).toHaveLength(2);
  caller.peers[0]?.send(0, Uint8Array.of(1));
  caller.peers[0]?.send(SIDE, Uint8Array.of(2));
  await until(() => called.heard.length === 1 && side.length === 1);
  expect([called.heard[0]?.payload, side[0]?.payload]).toEqual([Buffer.of(1), Buffer.of(2)]);
});

test("an unread lane fills up and blocks only its own connection", async () => {
  const called = aChat({ lane: (code) => (code === SIDE ? 1 : 0) });
  const caller = aTwoLaneChat();
  const limits = { inbox: { items: 4, bytes: 1000 } };
  await using target = await openNode("target", { ...TWO_PORTS, protocols: [called.protocol], limits });
  await using node = await openNode("node", { ...TWO_PORTS, protocols: [caller.protocol] });
  node.addPeer(urlOf(target));
  await until(() => caller.peers.length === 1);
  for (let i = 0; i < 100; i++) caller.peers[0]?.send(SIDE, new Uint8Array(500));
  for (let i = 0; i < 100; i++) caller.peers[0]?.send(0, new Uint8Array(500));
  await until(() => called.heard.length === 100);
});

test.each([
  ["one port", "two", { listen: { host: "127.0.0.1", port: 0 } }, TWO_PORTS],
  ["two ports", "one", TWO_PORTS, { listen: { host: "127.0.0.1", port: 0 } }],
])("a node with %s and one with %s share one connection, for both lanes", async (_, __, first, second) => {
  const side: ProtocolMessage[] = [];
  const called = aTwoLaneChat(side);
  const caller = aTwoLaneChat();
  await using target = await openNode("target", { ...second, protocols: [called.protocol] });
  await using node = await openNode("node", { ...first, protocols: [caller.protocol] });
  node.addPeer(urlOf(target));
  await until(() => caller.peers.length === 1);
  caller.peers[0]?.send(SIDE, Uint8Array.of(2));
  await until(() => side.length === 1);
  expect(ends(node)).toHaveLength(1);
});

test("the end of one connection ends the other", async () => {
  await using target = await openNode("target", TWO_PORTS);
  const [main, sub] = await portsOf(target);
  const hello = { multichannel: true, listenPorts: [1, 2] };
  using first = await connectRaw(target, "raw", main);
  using second = await connectRaw(target, "raw", sub);
  await first.greet(hello);
  expect(target.peers()).toEqual([]);
  await second.greet(hello);
  await until(() => target.countByType().total === 1);
  expect(target.peers()[0]?.networks).toHaveLength(2);
  const closed = once(first.socket, "close");
  first.socket.resume();
  second.socket.destroy();
  await closed;
  await until(() => target.countByType().total === 0);
});

test("a connection of an incomplete set is closed, and so is one that is replaced", async () => {
  await using target = await openNode("target", { ...TWO_PORTS, timings: { ...QUICK, handshakeMs: 2000 } });
  const hello = { multichannel: true, listenPorts: [1, 2] };
  using first = await connectRaw(target, "raw");
  await first.greet(hello);
  const closed = once(first.socket, "close");
  first.socket.resume();
  using again = await connectRaw(target, "raw");
  await again.greet(hello);
  await closed;
  const closedAgain = once(again.socket, "close");
  again.socket.resume();
  await closedAgain;
  expect(target.peers()).toEqual([]);
});

/** A set whose handshakes say at once that the node wants to be dialled on these ports. */
function greeterOf(listenPorts: readonly number[]): PeerSet {
  const handshake = async (socket: Socket) => ({
    hello: { multichannel: true, listenPorts },
    transport: { socket },
  });
  return { isMultichannel: true, handshake } as unknown as PeerSet; // a dial that fails asks for nothing else
}

async function listenOn(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port; // listens on a port
}

test("a connection that is under way when another one of its dial fails is not left open", async () => {
  const accepted: Socket[] = [];
  await using server = createServer((socket) => void accepted.push(socket.on("error", () => undefined)));
  const port = await listenOn(server);
  const other = createServer();
  const refusing = await listenOn(other);
  await other[Symbol.asyncDispose]();
  const late = Promise.withResolvers<string>();
  let resolved = 0;
  const dial = createDial({
    resolve: () => (++resolved === 3 ? late.promise : Promise.resolve("127.0.0.1")),
    timeoutMs: 5000,
    allows: () => true,
    metrics: {
      dialTries: { add: () => undefined },
      outboundConnects: { add: () => undefined },
    } as unknown as P2pMetrics,
    set: greeterOf([refusing, port]),
    signal: new AbortController().signal,
  });
  const url = {
    id: idOf(1),
    host: "name",
    tcpPort: port,
    udpPort: port,
    tcpPorts: [port],
    type: "en",
  } as const;
  await expect(dial(url, "static")).rejects.toThrow("ECONNREFUSED");
  late.resolve("127.0.0.1");
  await setImmediate();
  const probe = connect({ host: "127.0.0.1", port });
  await once(probe, "connect");
  await until(() => accepted.some(({ remotePort }) => remotePort === probe.localPort));
  const others = accepted.filter(({ remotePort }) => remotePort !== probe.localPort);
  for (const socket of [probe, ...accepted]) socket.destroy();
  expect(others.length).toBe(1);
});

function idOf(n: number): Uint8Array {
  return new Uint8Array(64).fill(n);
}

test("the number of incomplete sets of connections is bounded", () => {
  const closed: number[] = [];
  using gathering = new Gathering<number>({ timeoutMs: 60_000, close: (each) => void closed.push(each) });
  for (let n = 0; n < 70; n++) gathering.put(idOf(n), n, { port: 0, ports: 2 });
  expect(closed).toEqual([0, 1, 2, 3, 4, 5]);
  expect(gathering.put(idOf(69), 100, { port: 1, ports: 2 })).toEqual([69, 100]);
});
