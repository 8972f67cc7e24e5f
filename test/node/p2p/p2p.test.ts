/** Tests of the peer set of a node, over real sockets. */
import { expect, test } from "@jest/globals";
import { createMetrics } from "../../../node/observe/metrics.ts";
import { P2pError } from "../../../node/p2p/error.ts";
import { formatNodeUrl, parseNodeUrl } from "../../../node/p2p/node-url.ts";
import type { PeerEvent } from "../../../node/p2p/protocol.ts";
import { aDiscovery, NETWORK, urlAt, Wire } from "../../support/discovery.ts";
import { aChat, connectPlain, connectRaw, keyOf, openNode, QUICK, urlOf } from "../../support/p2p.ts";
import { until } from "../../support/until.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text);

test("a static peer is dialled, and both sides exchange messages", async () => {
  let met: object | undefined;
  const [ours, theirs] = [aChat(), aChat({ describe: () => met })];
  await using core = await openNode("core", { type: "cn", protocols: [theirs.protocol] });
  await using proxy = await openNode("proxy", {
    type: "pn",
    protocols: [ours.protocol],
    staticNodes: [core.self.url],
  });
  await until(() => ours.peers.length + theirs.peers.length === 2);
  const [toCore, toProxy] = [ours.peers[0], theirs.peers[0]];
  for (let i = 0; i < 100; i++) expect(toCore?.send(i % 8, bytes(`up ${i}`))).toBe(true);
  expect(toProxy?.send(3, new Uint8Array(100_000).fill(7))).toBe(true);
  await until(() => theirs.heard.length === 100 && ours.heard.length === 1);
  expect(theirs.heard.map(({ code, payload }) => `${code} ${Buffer.from(payload).toString()}`)).toEqual(
    Array.from({ length: 100 }, (_, i) => `${i % 8} up ${i}`),
  );
  expect(Buffer.compare(ours.heard[0]?.payload ?? bytes(""), new Uint8Array(100_000).fill(7))).toBe(0);
  expect(core.countByType()).toEqual({ total: 1, pn: 1 });
  expect(proxy.countByType()).toEqual({ total: 1, cn: 1 });
  const network = { localAddress: expect.stringMatching(/^127\.0\.0\.1:\d+$/), trusted: false };
  const remoteAddress = `127.0.0.1:${core.self.ports.listener}`;
  expect(proxy.peers()).toEqual([
    {
      id: core.self.id,
      name: core.self.name,
      caps: ["chat/1"],
      networks: [{ ...network, remoteAddress, inbound: false, static: true, nodeType: "cn" }],
      protocols: { chat: "unknown" },
    },
  ]);
  expect(core.peers()[0]?.protocols).toEqual({ chat: "handshake" });
  met = { version: 1 };
  expect(core.peers()[0]).toMatchObject({
    networks: [{ inbound: true, static: false, nodeType: "pn" }],
    protocols: { chat: { version: 1 } },
  });
  expect(toCore).toMatchObject({
    version: 1,
    shortId: core.self.id.slice(0, 16),
    address: keyOf("core").address,
  });
});

test("a node describes itself for `admin_nodeInfo`", async () => {
  await using node = await openNode("node", { type: "cn", name: "Klaytn/x" });
  const port = node.self.ports.listener;
  expect(node.listening).toBe(true);
  expect(node.self).toMatchObject({
    id: formatNodeUrl(node.self.url).slice(6, 134),
    name: "Klaytn/x",
    ip: "127.0.0.1",
    ports: { discovery: 0 },
    listenAddr: `127.0.0.1:${port}`,
  });
  expect(formatNodeUrl(node.self.url)).toBe(`kni://${node.self.id}@127.0.0.1:${port}?discport=0`);
  expect(node.self.type).toBe("cn");
  await using quiet = await openNode("quiet", { listen: undefined });
  expect([quiet.listening, quiet.self.ports.listener]).toEqual([false, 0]);
});

test("session limits of the operator do not reach the packet limits of discovery", async () => {
  const discovery = { networkId: NETWORK, bootNodes: [] };
  await using node = await openNode("node", { discovery, limits: { base: { perSecond: 1, burst: 1 } } });
  expect(node.self.ports.discovery).toBe(node.self.ports.listener);
});

test("a port in use is reported", async () => {
  await using first = await openNode("first");
  const listen = { host: "127.0.0.1", port: first.self.ports.listener };
  await expect(openNode("second", { listen })).rejects.toMatchObject({
    name: "P2pError",
    code: "cannot-listen",
  });
});

test("a removed peer is disconnected and stays away; added again it returns", async () => {
  await using target = await openNode("target");
  await using node = await openNode("node");
  const drops: PeerEvent[] = [];
  target.onPeerEvent((event) => void (event.type === "drop" && drops.push(event)));
  expect(node.addPeer(urlOf(target))).toBe(true);
  await until(() => target.peers().length === 1);
  expect(node.removePeer(urlOf(target))).toBe(true);
  await until(() => drops.length === 1 && node.peers().length === 0);
  expect(drops[0]).toEqual({
    type: "drop",
    peer: node.self.id,
    error: "disconnected by the peer: disconnect requested",
  });
  expect(node.removePeer(urlOf(target))).toBe(false);
  expect(node.addPeer(urlOf(target))).toBe(true);
  await until(() => target.peers().length === 1);
  expect([node.addPeer("kni://x"), node.removePeer("")]).toEqual([false, false]);
});

test("a lost peer is dialled until it is back, and its name is resolved each time", async () => {
  const first = await openNode("target");
  const listen = { host: "127.0.0.1", port: first.self.ports.listener };
  const asked: string[] = [];
  const resolve = async (host: string): Promise<string> => {
    if (asked.push(host) === 2) throw new Error("no such host");
    return "127.0.0.1";
  };
  await using node = await openNode("node", {
    resolve,
    staticNodes: [parseNodeUrl(`kni://${first.self.id}@target.example:${listen.port}`)],
  });
  await until(() => node.peers().length === 1);
  await first[Symbol.asyncDispose]();
  await until(() => node.peers().length === 0);
  await until(() => asked.length >= 4);
  await using second = await openNode("target", { listen });
  await until(() => node.peers().length === 1 && second.peers().length === 1);
  expect(new Set(asked)).toEqual(new Set(["target.example"]));
});

test("a static peer with an inbound connection is dialled when it leaves", async () => {
  const chat = aChat();
  await using target = await openNode("target", { protocols: [chat.protocol] });
  await using node = await openNode("node");
  using inbound = await connectRaw(node, "target");
  await inbound.greet();
  await until(() => node.peers().length === 1);
  expect(node.addPeer(urlOf(target))).toBe(true);
  inbound.socket.destroy();
  await until(() => chat.peers.length === 1);
  expect(node.peers()[0]?.networks[0]).toMatchObject({ inbound: false, static: true });
});

test("one message to several peers reaches each of them complete", async () => {
  const chat = aChat();
  const heard = [aChat(), aChat()];
  await using node = await openNode("node", { protocols: [chat.protocol] });
  await using first = await openNode("first", { protocols: [heard[0]?.protocol ?? chat.protocol] });
  await using second = await openNode("second", { protocols: [heard[1]?.protocol ?? chat.protocol] });
  for (const peer of [first, second]) peer.addPeer(urlOf(node));
  await until(() => chat.peers.length === 2);
  const payload = Uint8Array.from({ length: 5000 }, (_, i) => i % 251);
  for (const peer of chat.peers) peer.send(1, payload);
  await until(() => heard.every((each) => each.heard.length === 1));
  for (const { heard: messages } of heard)
    expect(Buffer.compare(messages[0]?.payload ?? bytes(""), payload)).toBe(0);
});

test("its own URL and incomplete ones are accepted and never dialled", async () => {
  const metrics = createMetrics();
  await using node = await openNode("node", { metrics });
  expect([node.addPeer(urlOf(node)), node.addPeer(keyless("other"))]).toEqual([true, true]);
  await until(() => true);
  expect(await metrics.render()).toContain("klaytn_p2p_DialTryCounter 0");
});

const keyless = (name: string): string => `kni://${Buffer.from(keyOf(name).id).toString("hex")}`;

test("shutting down disconnects every peer with `quitting` and frees the port", async () => {
  const node = await openNode("node");
  using raw = await connectRaw(node, "raw");
  await raw.greet();
  await until(() => node.peers().length === 1);
  const closing = node[Symbol.asyncDispose]();
  expect(await raw.next()).toEqual({ code: 1, payload: Uint8Array.of(0xc1, 8) });
  raw.socket.destroy();
  await closing;
  const listen = { host: "127.0.0.1", port: node.self.ports.listener };
  await using again = await openNode("again", { listen });
  expect(again.self.ports).toEqual(node.self.ports);
});

test("the end of a protocol determines the disconnect reason", async () => {
  const ends: (() => Promise<void>)[] = [
    async () => undefined,
    async () => {
      throw new Error("a bug");
    },
    async () => {
      throw new P2pError("bad-message", "wrong genesis", { reason: "useless-peer" });
    },
  ];
  for (const [end, reason] of [
    [0, 8],
    [1, 0x10],
    [2, 3],
  ] as const) {
    await using node = await openNode("node", {
      protocols: [aChat({ run: ends[end] as () => Promise<void> }).protocol],
    });
    using raw = await connectRaw(node, "raw");
    await raw.greet();
    expect(await raw.next()).toEqual({ code: 1, payload: Uint8Array.of(0xc1, reason) });
    await until(() => node.peers().length === 0);
  }
});

test("events report peers and, while there are listeners, their messages", async () => {
  const chat = aChat();
  await using node = await openNode("node", { protocols: [chat.protocol] });
  const events: PeerEvent[] = [];
  const stop = node.onPeerEvent((event) => void events.push(event));
  using raw = await connectRaw(node, "raw");
  await raw.greet();
  raw.send(16 + 2, Uint8Array.of(0x83, 1, 2, 3));
  await until(() => chat.heard.length === 1);
  chat.peers[0]?.send(4, Uint8Array.of(0xc0));
  stop();
  chat.peers[0]?.send(5, Uint8Array.of(0xc0));
  expect(await raw.next()).toEqual({ code: 16 + 4, payload: Uint8Array.of(0xc0) });
  const { id } = node.peers()[0] ?? {};
  expect(events).toEqual([
    { type: "add", peer: id },
    { type: "msgrecv", peer: id, protocol: "chat", code: 2, size: 4 },
    { type: "msgsend", peer: id, protocol: "chat", code: 4, size: 1 },
  ]);
});

test("metrics count peers by direction and type, dials and bytes under the Go node's names", async () => {
  const metrics = createMetrics();
  await using target = await openNode("target", { type: "cn" });
  await using node = await openNode("node", { metrics, staticNodes: [target.self.url] });
  using raw = await connectRaw(node, "raw");
  await raw.greet();
  await until(() => node.peers().length === 2);
  const text = await metrics.render();
  for (const line of [
    "PeerCountGauge 2",
    "PeerInCountGauge 1",
    "PeerOutCountGauge 1",
    "ConnectionCountGauge 2",
    "CNPeerCountGauge 1",
    "PNPeerCountGauge 1",
    "ENPeerCountGauge 0",
    "DialTryCounter 1",
    "DialFailCounter 0",
    "InboundConnects 0", // a rate, of which nothing is known yet
    "WriteMsgTimeOutCounter 0",
  ])
    expect(text).toContain(`klaytn_p2p_${line}\n`);
  expect(text).toContain("knit_p2p_accepted_total 1\n");
  expect(text).toContain("knit_p2p_opened_total 1\n");
});

test("two nodes that dial each other keep one connection", async () => {
  const first = await openNode("first", { timings: { ...QUICK, maxRedialMs: 200 } });
  await using second = await openNode("second", { staticNodes: [first.self.url] });
  first.addPeer(urlOf(second));
  await until(() => first.peers().length === 1 && second.peers().length === 1);
  await first[Symbol.asyncDispose]();
});

test("discovered nodes become peers, typed dials are trusted, and restricted networks are excluded", async () => {
  const place = { ip: "127.0.0.1", host: "127.0.0.1", port: 0, open: undefined };
  await using boot = await aDiscovery(new Wire(), "boot", { type: "bn", ...place });
  const { port } = boot;
  const bootNode = { ...urlAt("boot", "127.0.0.1"), tcpPort: port, udpPort: port };
  const discovery = { networkId: NETWORK, bootNodes: [bootNode], timings: { replyMs: 2000 } };
  const timings = { ...QUICK, searchMs: 50 };
  await using proxy = await openNode("proxy", { type: "pn", discovery, timings });
  await using endpoint = await openNode("endpoint", { discovery, timings });
  await using outside = await openNode("outside", { discovery, timings, netRestrict: ["10.0.0.0/8"] });
  expect(proxy.self.url).toMatchObject({ udpPort: proxy.self.ports.discovery, type: "pn" });
  await until(() => endpoint.peers().length === 1);
  expect(endpoint.peers()[0]).toMatchObject({
    id: proxy.self.id,
    networks: [{ inbound: false, static: true, trusted: true, nodeType: "pn" }],
  });
  const inside = await connectPlain(outside);
  await new Promise<void>((resolve) => void inside.once("close", () => resolve()));
  expect(outside.addPeer(urlOf(proxy))).toBe(true);
  expect([outside.peers().length, proxy.peers().length]).toEqual([0, 1]);
});
