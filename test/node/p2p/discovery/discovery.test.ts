/** Tests of discovery between nodes on loopback. */
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { mapKey } from "../../../../node/bytes/hex.ts";
import type { Gauge, ReadOptions } from "../../../../node/observe/metrics.ts";
import type { Discovery } from "../../../../node/p2p/discovery/discovery.ts";
import { encodePacket, type FoundNode, MAX_PACKET_BYTES } from "../../../../node/p2p/discovery/packets.ts";
import { declareDiscoveryMetrics } from "../../../../node/p2p/metrics.ts";
import {
  aDiscovery,
  aPing,
  aQuestion,
  aRawPeer,
  NETWORK,
  nodeAt,
  PORT,
  type RawPeer,
  soon,
  urlAt,
  Wire,
} from "../../../support/discovery.ts";
import { keyOf } from "../../../support/p2p.ts";

const BOOT = "10.0.0.1";

let wire: Wire;
let open: Discovery[];

beforeEach(() => {
  jest.useFakeTimers();
  wire = new Wire();
  open = [];
});
afterEach(async () => {
  for (const each of open) await each[Symbol.asyncDispose]();
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});

type Fields = Parameters<typeof aDiscovery>[2];

async function aNode(name: string, fields: Fields): Promise<Discovery> {
  const discovery = await aDiscovery(wire, name, fields);
  open.push(discovery);
  return discovery;
}

const aBootNode = (fields: Partial<Fields> = {}) => aNode("boot", { ip: BOOT, type: "bn", ...fields });
const bootNodes = [urlAt("boot", BOOT)];
const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

async function findNodes(finding: Promise<FoundNode[]>): Promise<FoundNode[]> {
  const state = { over: false };
  const nodes = finding.finally(() => {
    state.over = true;
  });
  while (!state.over) await pass(500);
  return nodes;
}
const names = (nodes: readonly FoundNode[], all: readonly string[]): string[] =>
  all.filter((name) => nodes.some(({ id }) => mapKey(id) === mapKey(keyOf(name).id)));

/** A raw peer that the node knows to be at its address. */
async function aBonded(name: string, ip: string, type: "cn" | "pn" | "en"): Promise<RawPeer> {
  const raw = await aRawPeer(wire, name, ip);
  raw.answerPings();
  raw.say(aPing(type), BOOT);
  await pass(0);
  raw.heard.length = 0;
  return raw;
}

test("nodes that know only a boot node find nodes of the wanted types at their announced ports", async () => {
  await aBootNode();
  const all = ["proxy", "first", "second", "third"];
  await aNode("proxy", { ip: "10.0.1.1", type: "pn", bootNodes });
  const first = await aNode("first", { ip: "10.0.1.2", type: "en", bootNodes });
  await aNode("second", { ip: "10.0.1.3", type: "en", bootNodes });
  const third = await aNode("third", { ip: "10.0.1.4", type: "en", bootNodes });
  await pass(5000);
  const proxies = await findNodes(third.find("pn"));
  expect(proxies).toEqual([nodeAt("proxy", "10.0.1.1", "pn")]);
  expect(names(await findNodes(third.find("en")), all)).toEqual(["first", "second"]);
  expect(names(await findNodes(first.find("en")), all)).toEqual(["second", "third"]);
});

test("a hundred core nodes are announced in packets within the maximum size", async () => {
  await aBootNode();
  for (let n = 0; n < 99; n++) {
    const raw = await aRawPeer(wire, `core${n}`, `10.1.0.${n}`);
    raw.answerPings();
    raw.say(aPing("cn"), BOOT);
    await pass(0);
  }
  const asking = await aNode("asking", { ip: "10.2.0.1", type: "cn", bootNodes });
  expect(await findNodes(asking.find("cn"))).toHaveLength(99);
  expect(Math.max(...wire.sent.map(({ bytes }) => bytes.length))).toBeLessThanOrEqual(MAX_PACKET_BYTES);
});

test("a node without an endpoint proof gets no answer", async () => {
  await aBootNode();
  const raw = await aRawPeer(wire, "stranger", "10.0.9.1");
  raw.say(aQuestion("cn"), BOOT);
  await pass(1000);
  expect(raw.heard).toEqual([]);
  const bonded = await aBonded("known", "10.0.9.2", "cn");
  bonded.say(aQuestion("cn"), BOOT);
  await pass(0);
  expect(bonded.heard).toMatchObject([{ kind: "neighbors", wanted: "cn", nodes: [] }]);
  bonded.say(aQuestion("cn"), BOOT, "10.0.9.3");
  await pass(1000);
  expect(wire.to("10.0.9.3")).toEqual([]);
});

test("a forged sender gets a pong and a ping, hardly more bytes than it cost", async () => {
  await aBootNode();
  const raw = await aRawPeer(wire, "spoofer", "10.0.9.1");
  const bytes = raw.say(aPing("cn"), BOOT, "10.0.9.9");
  await pass(30_000);
  const back = wire.sent.filter(({ to }) => to.ip === "10.0.9.9");
  expect(wire.to("10.0.9.9").map(({ kind }) => kind)).toEqual(["pong", "ping"]);
  expect(back.reduce((sum, each) => sum + each.bytes.length, 0)).toBeLessThan(2.5 * bytes.length);
});

test("pings of another network, expired ones and those with unauthorised types are not answered", async () => {
  await aBootNode({ authorised: [urlAt("listed", "10.0.9.9", "cn")] });
  const raw = await aRawPeer(wire, "raw", "10.0.9.1");
  raw.say(aPing("en", { networkId: NETWORK + 1 }), BOOT);
  raw.say(aPing("en", { expires: soon() - 21 }), BOOT);
  raw.say(aPing("cn"), BOOT);
  await pass(1000);
  expect(raw.heard).toEqual([]);
  raw.say(aPing("pn"), BOOT); // no proxy is listed: all are believed
  await pass(0);
  const listed = await aRawPeer(wire, "listed", "10.0.9.9");
  listed.say(aPing("cn"), BOOT);
  await pass(0);
  expect([raw.heard[0], listed.heard[0]]).toMatchObject([{ kind: "pong" }, { kind: "pong" }]);
});

test("packets from port 0, to which no answer can be sent, are ignored", async () => {
  const boot = await aBootNode();
  const from = { ip: "10.0.0.9", port: 0 };
  const to = { ip: BOOT, port: PORT };
  for (const packet of [aPing("en"), aQuestion("en")])
    wire.send({ bytes: encodePacket(packet, keyOf("raw").key), from, to });
  await pass(0);
  expect(wire.to(from.ip)).toEqual([]);
  wire.send({ bytes: encodePacket(aPing("en"), keyOf("raw").key), from: { ...from, port: PORT }, to });
  await pass(0);
  expect(wire.to(from.ip)).toHaveLength(2);
  expect(boot.stats()).toMatchObject({ received: 3 });
});

test("unsolicited packets change nothing", async () => {
  const node = await aNode("node", { ip: BOOT, type: "en", bootNodes: [] });
  const raw = await aRawPeer(wire, "raw", "10.0.9.1");
  const nodes = [nodeAt("other", "10.0.9.2", "en")];
  raw.say({ kind: "neighbors", wanted: "en", nodes, expires: soon() }, BOOT);
  raw.say({ kind: "pong", to: nodes[0] as FoundNode, token: new Uint8Array(32), expires: soon() }, BOOT);
  raw.say(aPing("en"), BOOT); // is pinged, and answers with another's token
  await pass(0);
  raw.say({ kind: "pong", to: nodes[0] as FoundNode, token: new Uint8Array(32), expires: soon() }, BOOT);
  await pass(2000);
  expect([wire.to("10.0.9.2"), node.nodes("en")]).toEqual([[], []]);
});

test("nodes that may not be relayed or are unreachable are not even pinged", async () => {
  const boot = await aRawPeer(wire, "boot", BOOT);
  boot.answerPings();
  const fields = {
    ip: "10.0.9.9",
    type: "en",
    bootNodes,
    allows: (ip: string) => ip !== "10.0.9.5",
  } as const;
  const node = await aNode("node", fields);
  await pass(2000);
  const finding = node.find("pn");
  await pass(1);
  const good = nodeAt("good", "10.0.9.1", "pn");
  const nodes = [
    good,
    nodeAt("loopback", "127.0.0.1", "pn"),
    nodeAt("multicast", "224.0.0.1", "pn"),
    nodeAt("restricted", "10.0.9.5", "pn"),
    { ...nodeAt("low", "10.0.9.6", "pn"), udpPort: 53 },
    { ...nodeAt("deaf", "10.0.9.7", "pn"), tcpPort: 0 },
    nodeAt("other type", "10.0.9.8", "en"),
  ];
  boot.say({ kind: "neighbors", wanted: "pn", nodes, expires: soon() }, "10.0.9.9");
  await findNodes(finding);
  const asked = new Set(wire.sent.filter(({ from }) => from.ip === "10.0.9.9").map(({ to }) => to.ip));
  expect([...asked].sort()).toEqual([BOOT, good.ip].sort());
});

test("a node that stops answering is removed, and found again when it is back", async () => {
  const boot = await aBootNode();
  await aNode("core", { ip: "10.0.1.1", type: "cn", bootNodes });
  await pass(1000);
  expect(boot.nodes("cn")).toHaveLength(1);
  await pass(60_000);
  expect(boot.nodes("cn")).toHaveLength(1);
  wire.cut.add("10.0.1.1");
  await pass(60_000);
  expect(boot.nodes("cn")).toEqual([]);
  wire.cut.clear();
  const again = await aNode("again", { ip: "10.0.1.2", type: "cn", bootNodes });
  await findNodes(again.find("cn"));
  expect(boot.nodes("cn")).toHaveLength(1);
});

test("a boot node that moved is found by its name, and one that lost its bonds is bonded again", async () => {
  let address = BOOT;
  const resolve = async () => address;
  const first = await aBootNode();
  const node = await aNode("node", {
    ip: "10.0.1.1",
    type: "cn",
    bootNodes: [urlAt("boot", "boot.example")],
    resolve,
  });
  await pass(1000);
  await first[Symbol.asyncDispose]();
  address = "10.0.0.2";
  const second = await aNode("boot", { ip: address, type: "bn" });
  await aNode("other", { ip: "10.0.1.2", type: "cn", bootNodes: [urlAt("boot", address)] });
  await pass(60_000);
  expect(await findNodes(node.find("cn"))).toEqual([nodeAt("other", "10.0.1.2", "cn")]);
  await second[Symbol.asyncDispose]();
  await aNode("boot", { ip: address, type: "bn" });
  for (let times = 0; times < 3; times++) await findNodes(node.find("cn"));
  expect(wire.to("10.0.1.1").at(-1)).toMatchObject({ kind: "neighbors" });
});

test("a claim alone makes no boot node", async () => {
  const node = await aNode("node", { ip: BOOT, type: "cn" });
  const raw = await aRawPeer(wire, "liar", "10.0.9.1");
  raw.answerPings();
  raw.say(aPing("bn"), BOOT);
  await pass(2000);
  expect(node.nodes("bn")).toEqual([]);
});

test("a third node's word about a known node changes nothing", async () => {
  const boot = await aRawPeer(wire, "boot", BOOT);
  boot.answerPings();
  await aNode("proxy", { ip: "10.0.1.1", type: "pn" });
  const node = await aNode("node", { ip: "10.0.9.9", type: "en", bootNodes });
  await pass(2000);
  const tell = async (proxy: FoundNode): Promise<FoundNode[]> => {
    const finding = node.find("pn");
    await pass(1);
    boot.say({ kind: "neighbors", wanted: "pn", nodes: [proxy, proxy], expires: soon() }, "10.0.9.9");
    return findNodes(finding);
  };
  const proxy = nodeAt("proxy", "10.0.1.1", "pn");
  expect(await tell(proxy)).toEqual([proxy]);
  expect(await tell({ ...proxy, tcpPort: 1 })).toEqual([proxy]);
});

test("packets above an address's limit are not answered", async () => {
  const rate = { perSecond: 1, burst: 2 };
  await aBootNode({ limits: { each: rate, all: { perSecond: 10, burst: 10 }, owners: 10 } });
  const raw = await aRawPeer(wire, "flood", "10.0.9.1");
  for (let count = 0; count < 5; count++) raw.say(aPing("cn"), BOOT);
  await pass(0);
  expect(raw.heard.filter(({ kind }) => kind === "pong")).toHaveLength(2);
});

test("requests, answers and pending requests are counted under the Go node's names", async () => {
  const boot = await aRawPeer(wire, "boot", BOOT);
  boot.answerPings();
  const node = await aNode("node", { ip: "10.0.9.9", type: "en", bootNodes });
  await pass(2000);
  const bonded = node.stats();
  expect(bonded).toMatchObject({ known: 1, waiting: 0, awaitedPongs: 0, otherNetworks: 0 });
  expect(bonded.pings).toBeGreaterThan(0);
  expect(bonded.pongs).toBe(bonded.pings);
  const finding = node.find("pn");
  await pass(1);
  expect(node.stats()).toMatchObject({ questions: bonded.questions + 1, awaitedAnswers: 1 });
  boot.say({ kind: "neighbors", wanted: "pn", nodes: [], expires: soon() }, "10.0.9.9");
  boot.say(aPing("bn", { networkId: NETWORK + 1 }), "10.0.9.9");
  await findNodes(finding);
  await pass(5000); // what else it asked meanwhile
  const after = node.stats();
  expect(after).toMatchObject({ answers: bonded.answers + 1, awaitedAnswers: 0, otherNetworks: 1 });
  expect(after.received).toBe(wire.to("10.0.9.9").length);
  const reported = new Map<string, number | undefined>();
  const note = ({ name, read }: ReadOptions): Gauge => {
    reported.set(name, read?.());
    return { set: () => undefined };
  };
  declareDiscoveryMetrics({ gauge: note, readMeter: note }, () => after);
  expect(reported.get("discover/udpPacket")).toBe(after.received);
  expect(reported.get("discover/bucketEntries")).toBe(1);
  expect(reported.get("discover/mismatchNetwork")).toBe(1);
});
