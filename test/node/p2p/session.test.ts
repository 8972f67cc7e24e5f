/** Tests of a peer's session: limits, pings, handshake deadline. */
import { createServer, type Socket } from "node:net";
import { expect, test } from "@jest/globals";
import { createMetrics } from "../../../node/observe/metrics.ts";
import { ownerOfPeer } from "../../../node/p2p/admission.ts";
import type { ProtocolPeer } from "../../../node/p2p/protocol.ts";
import { aChat, connectPlain, connectRaw, keyOf, openNode, QUICK } from "../../support/p2p.ts";
import { until } from "../../support/until.ts";

test("a message above its code's limit ends the session before decompression", async () => {
  const chat = aChat({ maxPayload: (code) => (code === 1 ? 1000 : 100_000) });
  await using node = await openNode("node", { protocols: [chat.protocol] });
  using raw = await connectRaw(node, "raw");
  await raw.greet();
  raw.send(16, new Uint8Array(100_000));
  raw.send(17, new Uint8Array(1000));
  raw.send(17, new Uint8Array(1001));
  expect(await raw.next()).toEqual({ code: 1, payload: Uint8Array.of(0xc1, 0x10) });
  expect(chat.heard.map(({ payload }) => payload.length)).toEqual(
    [100_000, 1000].slice(0, chat.heard.length),
  );
});

test("a frame above every message's limit is refused by its header alone", async () => {
  await using node = await openNode("node");
  using raw = await connectRaw(node, "raw");
  await raw.greet();
  const noise = Uint8Array.from({ length: 200_000 }, (_, i) => (Math.imul(i, 2_654_435_761) >>> 13) & 0xff);
  raw.send(16, noise);
  expect(await raw.next()).toEqual({ code: 1, payload: Uint8Array.of(0xc1, 0x10) });
});

test("a code of no protocol closes the connection without a reason", async () => {
  await using node = await openNode("node");
  using raw = await connectRaw(node, "raw");
  await raw.greet();
  raw.send(16 + 8, Uint8Array.of(0xc0));
  await expect(raw.next()).rejects.toMatchObject({ code: "closed" });
  await until(() => node.peers().length === 0);
});

test("pings are answered, pongs and unused base codes ignored, and disconnects in either form are read", async () => {
  for (const form of [Uint8Array.of(4), Uint8Array.of(0xc1, 4)]) {
    const chat = aChat();
    await using node = await openNode("node", { protocols: [chat.protocol] });
    const drops: (string | undefined)[] = [];
    node.onPeerEvent(({ type, error }) => void (type === "drop" && drops.push(error)));
    using raw = await connectRaw(node, "raw");
    await raw.greet();
    for (const code of [3, 4, 15, 0]) raw.send(code, Uint8Array.of(0xc0));
    raw.send(2, Uint8Array.of(0xc0));
    expect(await raw.next()).toEqual({ code: 3, payload: Uint8Array.of(0xc0) });
    raw.send(1, form);
    await until(() => drops.length === 1);
    expect(drops).toEqual(["disconnected by the peer: too many peers"]);
  }
});

test("a peer is pinged, and disconnected with a reason when it stays silent too long", async () => {
  await using node = await openNode("node", { timings: { ...QUICK, pingMs: 20, readMs: 200 } });
  using raw = await connectRaw(node, "raw");
  await raw.greet();
  expect((await raw.encrypted.transport.read(100)).code).toBe(2);
  expect(await raw.next()).toEqual({ code: 1, payload: Uint8Array.of(0xc1, 0x0b) });
});

test("a peer that accepts nothing is refused messages at the budget, then disconnected; others are not", async () => {
  const metrics = createMetrics();
  const [chat, limits] = [aChat(), { outbox: { items: 100, bytes: 1_000_000 } }];
  const options = { protocols: [chat.protocol], limits, metrics, timings: { ...QUICK, writeMs: 300 } };
  await using node = await openNode("node", options);
  using deaf = await connectRaw(node, "deaf");
  await deaf.greet();
  deaf.socket.removeAllListeners("readable");
  deaf.socket.pause();
  using other = await connectRaw(node, "other");
  await other.greet();
  await until(() => chat.peers.length === 2);
  const named = (name: string) => chat.peers.find((peer) => peer.name === name) as ProtocolPeer;
  const noise = Uint8Array.from({ length: 90_000 }, (_, i) => (Math.imul(i, 2_654_435_761) >>> 13) & 0xff);
  let refused = 0;
  while (!named("deaf").signal.aborted) {
    while (named("deaf").send(0, noise)) continue;
    refused++;
    await named("deaf").waitForRoom();
  }
  expect(refused).toBeGreaterThan(0);
  expect(await named("deaf").waitForRoom()).toBe(false);
  expect(named("deaf").send(0, noise)).toBe(false);
  expect(await metrics.render()).toContain("klaytn_p2p_WriteMsgTimeOutCounter 1\n");
  expect(named("other").send(5, Uint8Array.of(1))).toBe(true);
  expect(await other.next()).toEqual({ code: 16 + 5, payload: Uint8Array.of(1) });
});

test("a protocol that takes no messages stops the reading of its peer, and queued messages come in order", async () => {
  const gate = Promise.withResolvers<void>();
  const heard: number[] = [];
  const chat = aChat({
    async run(peer) {
      await gate.promise;
      for await (const { payload } of peer.messages) heard.push(payload[0] ?? 0);
    },
  });
  await using node = await openNode("node", {
    protocols: [chat.protocol],
    limits: { inbox: { items: 4, bytes: 1_000_000 } },
  });
  using raw = await connectRaw(node, "raw");
  await raw.greet();
  for (let i = 0; i < 50; i++) raw.send(16, Uint8Array.of(i));
  raw.send(2, Uint8Array.of(0xc0));
  let answered = false;
  const pong = raw.next().then(() => void (answered = true));
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => void setImmediate(resolve));
  expect(answered).toBe(false); // the ping is behind what nobody takes
  gate.resolve();
  await pong;
  await until(() => heard.length === 50);
  expect(heard).toEqual(Array.from({ length: 50 }, (_, i) => i));
});

test("a peer above its rate is read more slowly and loses nothing", async () => {
  let waits = 0;
  const chat = aChat();
  const clock = { now: () => ++waits };
  await using node = await openNode("node", {
    protocols: [chat.protocol],
    clock,
    limits: { messages: { perSecond: 1000, burst: 5 } },
  });
  using raw = await connectRaw(node, "raw");
  await raw.greet();
  for (let i = 0; i < 40; i++) raw.send(16, Uint8Array.of(i));
  await until(() => chat.heard.length === 40);
  expect(chat.heard.map(({ payload }) => payload[0])).toEqual(Array.from({ length: 40 }, (_, i) => i));
});

test("the initiator sends its type byte alone, and auth only after the recipient's byte", async () => {
  const received: Buffer[] = [];
  let caller: Socket | undefined;
  const server = createServer((socket) => {
    caller = socket.on("data", (piece) => received.push(piece)).on("error", () => undefined);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const url = { id: keyOf("server").id, host: "127.0.0.1", tcpPort: port, udpPort: 0, tcpPorts: [port] };
  {
    await using node = await openNode("node", { type: "pn", staticNodes: [{ ...url, type: "cn" }] });
    await until(() => received.length > 0);
    expect(received).toEqual([Buffer.of(2)]);
    caller?.write(Buffer.of(0));
    await until(() => Buffer.concat(received).length > 300);
    const size = Buffer.concat(received).readUInt16BE(1);
    expect([size >= 382, size <= 481]).toEqual([true, true]);
    expect(node.peers()).toEqual([]);
    caller?.destroy();
  }
  server.close();
});

test("silent connections are closed at the handshake deadline and do not block others", async () => {
  await using node = await openNode("node", { maxPendingPeers: 2, timings: { ...QUICK, handshakeMs: 300 } });
  const silent = await Promise.all([1, 2, 3, 4, 5, 6].map(() => connectPlain(node)));
  const closed = silent.map((socket) => new Promise((resolve) => socket.resume().once("close", resolve)));
  await Promise.all(closed);
  using raw = await connectRaw(node, "raw");
  await raw.greet();
  await until(() => node.peers().length === 1);
});

test("peers that connect from one address or IPv6 network have one owner, chosen peers and this machine none", () => {
  const stranger = { inbound: true, trusted: false, isStatic: false };
  const ownerAt = (ip: string, facts = {}): string | undefined => ownerOfPeer(ip, { ...stranger, ...facts });
  expect(ownerAt("8.8.8.8")).toBeDefined();
  expect(ownerAt("::ffff:8.8.8.8")).toBe(ownerAt("8.8.8.8"));
  expect(ownerAt("8.8.8.9")).not.toBe(ownerAt("8.8.8.8"));
  expect(ownerAt("2a00:1:2:3::1")).toBe(ownerAt("2a00:1:2:3:4::1"));
  for (const facts of [{ inbound: false }, { trusted: true }, { isStatic: true }])
    expect(ownerAt("8.8.8.8", facts)).toBeUndefined();
  expect(ownerAt("127.0.0.1")).toBeUndefined();
});
