/** Peers that send, or ask for, more than a node can bear. */
import { connect, type Socket } from "node:net";
import { expect, test } from "@jest/globals";
import type { Log } from "../../../node/observe/log.ts";
import { silentLog } from "../../../node/observe/log.ts";
import { createMetrics } from "../../../node/observe/metrics.ts";
import { openListener } from "../../../node/p2p/listener.ts";
import { PeerMemory } from "../../../node/p2p/peer-memory.ts";
import type { ProtocolPeer } from "../../../node/p2p/protocol.ts";
import { FairTime } from "../../../node/runtime/fair-time.ts";
import { aChat, connectPlain, connectRaw, openNode, QUICK, type RawPeer } from "../../support/p2p.ts";
import { randomBytes, seededRandom } from "../../support/random.ts";
import { until } from "../../support/until.ts";

const LIST = Uint8Array.of(0xc0);
/** Bytes that cannot be packed. */
const noise = randomBytes(seededRandom(5), 90_000);

test("a peer that floods pings is disconnected with one log line, and an honest one stays", async () => {
  const [metrics, chat] = [createMetrics(), aChat()];
  const lines: unknown[] = [];
  const log: Log = { ...silentLog, warn: (fields: unknown) => void lines.push(fields) };
  await using node = await openNode("node", { protocols: [chat.protocol], metrics, log });
  using good = await connectRaw(node, "good");
  await good.greet();
  for (const name of ["first", "second"]) {
    using flood = await connectRaw(node, name);
    await flood.greet();
    for (let i = 0; i < 500; i++) flood.send(2 + (i % 3), LIST);
    expect(await lastOf(flood)).toEqual({ code: 1, payload: Uint8Array.of(0xc1, 0x02) });
  }
  await until(() => node.peers().length === 1);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({ others: 0, reason: expect.stringContaining("base messages") });
  expect(await metrics.render()).toContain("knit_p2p_rate_exceeded_total 2\n");
  good.send(2, LIST);
  expect(await good.next()).toEqual({ code: 3, payload: LIST });
});

/** The last message that is no pong. */
async function lastOf(peer: RawPeer): ReturnType<RawPeer["next"]> {
  let message = await peer.next();
  while (message.code === 3) message = await peer.next();
  return message;
}

test("a peer that pings for hours at the Go node's rate stays", async () => {
  let nowMs = 0;
  await using node = await openNode("node", { clock: { now: () => nowMs } });
  using raw = await connectRaw(node, "raw");
  await raw.greet();
  for (let i = 0; i < 500; i++) {
    nowMs += 15_000;
    raw.send(3, LIST);
    raw.send(2, LIST);
    expect((await raw.next()).code).toBe(3);
  }
  expect(node.peers()).toHaveLength(1);
});

test("many small frames of one read are handled in slices, one in each turn of the event loop", async () => {
  const COUNT = 300;
  let nowMs = 0;
  let [mostInTurn, inTurn] = [0, 0];
  const chat = aChat({
    async run(peer) {
      for await (const _ of peer.messages) mostInTurn = Math.max(mostInTurn, ++inTurn);
    },
  });
  // Each look at the clock takes a tenth of the slice.
  const time = new FairTime("peers", { sliceMs: 10, now: () => ++nowMs });
  await using node = await openNode("node", { protocols: [chat.protocol], time });
  using raw = await connectRaw(node, "raw");
  await raw.greet();
  let heard = 0;
  raw.socket.cork();
  for (let i = 0; i < COUNT; i++) raw.send(16, Uint8Array.of(1));
  raw.socket.uncork();
  while (heard < COUNT) {
    await new Promise((resolve) => void setImmediate(resolve));
    heard += inTurn;
    inTurn = 0;
  }
  expect(mostInTurn).toBeGreaterThan(0);
  expect(mostInTurn).toBeLessThanOrEqual(10);
});

test("peers that never read share one memory budget: the heaviest are disconnected, others are served", async () => {
  const [metrics, chat, memory] = [createMetrics(), aChat(), new PeerMemory(4_000_000)];
  await using node = await openNode("node", { protocols: [chat.protocol], metrics, memory });
  using good = await connectRaw(node, "good");
  await good.greet();
  await using deaf = new AsyncDisposableStack();
  for (let i = 0; i < 6; i++) await openDeaf(deaf, node, `deaf ${i}`);
  await until(() => chat.peers.length === 7);
  const left = (): ProtocolPeer[] =>
    chat.peers.filter(({ name, signal }) => name !== "good" && signal.aborted);
  while (left().length === 0) {
    for (const peer of chat.peers) if (peer.name !== "good") peer.send(0, Uint8Array.from(noise));
    expect(memory.used).toBeLessThanOrEqual(memory.max);
    await new Promise((resolve) => void setImmediate(resolve));
  }
  expect(left().length).toBeLessThan(6);
  expect(await metrics.render()).toContain(`knit_p2p_memory_exceeded_total ${left().length}\n`);
  expect(chat.peers.find(({ name }) => name === "good")?.send(5, Uint8Array.of(1))).toBe(true);
  expect(await good.next()).toEqual({ code: 16 + 5, payload: Uint8Array.of(1) });
});

async function openDeaf(
  stack: AsyncDisposableStack,
  node: Awaited<ReturnType<typeof openNode>>,
  name: string,
): Promise<void> {
  const raw = stack.use(await connectRaw(node, name));
  await raw.greet();
  raw.socket.removeAllListeners("readable");
  raw.socket.pause();
}

test("the memory of a peer is released with its session", async () => {
  const memory = new PeerMemory(1_000_000);
  const gate = Promise.withResolvers<void>();
  const chat = aChat({ run: () => gate.promise });
  await using node = await openNode("node", { protocols: [chat.protocol], memory });
  using raw = await connectRaw(node, "raw");
  await raw.greet();
  for (let i = 0; i < 3; i++) raw.send(16, noise);
  await until(() => memory.used > noise.length);
  raw.socket.destroy();
  gate.resolve();
  await until(() => memory.used === 0);
});

test("a peer counts as drained only when the operating system has accepted its messages", async () => {
  const chat = aChat();
  await using node = await openNode("node", { protocols: [chat.protocol] });
  using raw = await connectRaw(node, "raw");
  await raw.greet();
  await until(() => chat.peers.length === 1);
  const [peer] = chat.peers as [ProtocolPeer];
  expect(await peer.waitForDrain()).toBe(true);
  raw.socket.removeAllListeners("readable");
  raw.socket.pause();
  let isDrained = false;
  for (let i = 0; i < 300; i++) peer.send(0, Uint8Array.from(noise));
  const drained = peer.waitForDrain().then((value) => (isDrained = value));
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => void setImmediate(resolve));
  expect(isDrained).toBe(false);
  raw.socket.resume();
  expect(await drained).toBe(true);
});

test("a peer that sends no hello after its handshake is disconnected soon", async () => {
  await using node = await openNode("node", { timings: { ...QUICK, helloMs: 50 } });
  using raw = await connectRaw(node, "raw");
  const { transport } = raw.encrypted;
  await transport.read(2048); // its hello
  expect(await transport.read(2048)).toMatchObject({ code: 1, payload: Buffer.of(0x0b) });
});

test("half-open handshakes are closed in favour of waiting connections", async () => {
  const timings = { ...QUICK, handshakeMs: 60_000, crowdedMs: 20 };
  await using node = await openNode("node", { maxPendingPeers: 2, timings });
  const silent = await Promise.all([1, 2, 3, 4].map(() => connectPlain(node)));
  using raw = await connectRaw(node, "raw");
  await raw.greet();
  await until(() => node.peers().length === 1);
  for (const socket of silent) socket.destroy();
});

function untilClosed(socket: Socket): Promise<void> {
  return new Promise((resolve) => void socket.resume().once("close", () => resolve()));
}

async function connectFrom(port: number, localAddress: string): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port, localAddress });
  socket.on("error", () => undefined);
  await new Promise<void>((resolve) => void socket.once("connect", () => resolve()));
  return socket;
}

test("an address that opens many connections closes its own, not those of others", async () => {
  const closed: string[] = [];
  await using listener = await openListener({
    host: "127.0.0.1",
    port: 0,
    maxPending: 2,
    crowdedMs: 60_000,
    setUp: untilClosed,
  });
  const { port } = listener;
  const open = async (localAddress: string): Promise<void> => {
    const socket = await connectFrom(port, localAddress);
    socket.resume().once("close", () => void closed.push(localAddress));
  };
  await open("127.0.0.1");
  for (let i = 0; i < 8; i++) await open("127.0.0.2");
  await until(() => closed.length >= 5);
  expect(new Set(closed)).toEqual(new Set(["127.0.0.2"]));
});
