/** Tests of the admission of peers, in the Go node's order of checks. */
import { expect, test } from "@jest/globals";
import { admissionRefusal, peerToDisplace } from "../../../node/p2p/admission.ts";
import { encodeHello } from "../../../node/p2p/base-messages.ts";
import { matchProtocols, sortCapabilities } from "../../../node/p2p/capabilities.ts";
import { aChat, connectRaw, keyOf, openNode } from "../../support/p2p.ts";
import { until } from "../../support/until.ts";

const row = (name: string, version: number, length: number) => ({ name, version, length });
const id = keyOf("peer").id;
const candidate = { remoteId: id, inbound: true, trusted: false, isStatic: false, owner: undefined };
const node = {
  ownId: keyOf("self").id,
  peers: 0,
  inboundPeers: 0,
  maxPeers: 3,
  maxDynamic: 1,
  displaces: false,
  isPeer: (): boolean => false,
};

test("the checks run in the Go node's order", () => {
  const full = { ...node, ownId: id, peers: 3, inboundPeers: 2, isPeer: () => true };
  expect(admissionRefusal({ ...candidate, useful: false }, full)).toBe("useless-peer");
  expect(admissionRefusal(candidate, full)).toBe("too-many-peers");
  expect(admissionRefusal({ ...candidate, isStatic: true }, full)).toBe("too-many-peers"); // inbound places are used up
  expect(admissionRefusal({ ...candidate, isStatic: true, inbound: false }, full)).toBe("already-connected");
  expect(admissionRefusal({ ...candidate, trusted: true }, full)).toBe("already-connected");
  expect(admissionRefusal({ ...candidate, trusted: true }, { ...full, isPeer: () => false })).toBe("self");
  expect(admissionRefusal({ ...candidate, useful: true }, node)).toBeUndefined();
  expect(admissionRefusal(candidate, { ...node, inboundPeers: 1, peers: 2 })).toBeUndefined();
  expect(admissionRefusal(candidate, { ...node, inboundPeers: 2, peers: 2 })).toBe("too-many-peers");
  const yields = { ...full, displaces: true };
  expect(admissionRefusal(candidate, yields)).toBe("already-connected");
  expect(admissionRefusal(candidate, { ...yields, isPeer: () => false })).toBe("self");
});

/** Place of the peer that a newcomer displaces among peers of these owners, oldest first; `-` has none. */
function displacedBy(newcomer: string | undefined, owners: string): number | undefined {
  const peers = owners.split("").map((owner, at) => ({ owner: owner === "-" ? undefined : owner, at }));
  return peerToDisplace(newcomer, peers)?.at;
}

test("the newest peer of the address with the most gives up its slot for an address with two fewer", () => {
  expect(displacedBy("new", "aabaacbb")).toBe(4);
  expect(displacedBy("c", "aabac")).toBe(3);
  expect(displacedBy("b", "aaabb")).toBeUndefined();
  expect(displacedBy("a", "aaab")).toBeUndefined();
  expect(displacedBy("new", "abcdefgh")).toBeUndefined(); // a peer that is alone on its address stays
  expect(displacedBy("new", "----aa")).toBe(5);
  expect(displacedBy("new", "----a")).toBeUndefined(); // processes of this machine stay
  expect(displacedBy(undefined, "--aaaa")).toBe(5);
  expect(displacedBy(undefined, "--aaa")).toBeUndefined();
});

test("the highest common version of each protocol is selected, with consecutive codes in order of names", () => {
  const own = [row("snap", 1, 8), row("istanbul", 64, 21), row("istanbul", 65, 23), row("aaa", 1, 5)];
  const remote = [row("snap", 1, 0), row("istanbul", 65, 0), row("istanbul", 64, 0), row("istanbul", 67, 0)];
  const matched = matchProtocols(own, [...remote, row("snap", 1, 0)]);
  expect(matched.map(({ protocol, offset }) => [protocol.name, protocol.version, offset])).toEqual([
    ["istanbul", 65, 16],
    ["snap", 1, 39],
  ]);
  expect(matchProtocols(own, [row("istanbul", 66, 0)])).toEqual([]);
  expect(sortCapabilities(remote).map(({ version }) => version)).toEqual([64, 65, 67, 1]);
});

test("a full node refuses peers in the handshake, except trusted ones", async () => {
  await using full = await openNode("node", { maxPeers: 1, trustedNodes: [trustedPeer("friend")] });
  using first = await connectRaw(full, "first");
  await first.greet();
  await until(() => full.peers().length === 1);
  using second = await connectRaw(full, "second");
  await expect(second.greet()).rejects.toThrow("disconnected by the peer: too many peers");
  using friend = await connectRaw(full, "friend");
  await friend.greet();
  await until(() => full.peers().length === 2);
  expect(new Set(full.peers().map(({ networks }) => networks[0]?.trusted))).toEqual(new Set([false, true]));
});

const trustedPeer = (name: string) => ({
  id: keyOf(name).id,
  host: undefined,
  tcpPort: 0,
  udpPort: 0,
  tcpPorts: [],
  type: "unknown" as const,
});

test("a second connection of a peer, a connection to itself and one without a common protocol are refused", async () => {
  await using target = await openNode("node");
  using first = await connectRaw(target, "peer");
  await first.greet();
  await until(() => target.peers().length === 1);
  using again = await connectRaw(target, "peer");
  await expect(again.greet()).rejects.toThrow("disconnected by the peer: already connected");
  using self = await connectRaw(target, "node");
  await expect(self.greet()).rejects.toThrow("disconnected by the peer: connected to self");
  using useless = await connectRaw(target, "useless");
  await useless.greet({ capabilities: [{ name: "chat", version: 2 }] });
  expect(await useless.next()).toEqual({ code: 1, payload: Uint8Array.of(3) });
  expect(target.peers().length).toBe(1);
});

test("a hello with another node id, without one or too long is refused with its reason", async () => {
  await using target = await openNode("node");
  for (const [hello, reason] of [
    [{ id: keyOf("another").id }, 9],
    [{ id: new Uint8Array(64) }, 7],
    [{ name: "x".repeat(3000) }, 0x10],
  ] as const) {
    using raw = await connectRaw(target, "raw");
    await raw.greet(hello);
    // Refused before snappy began, so the payload is as it is.
    expect((await raw.encrypted.transport.read(2048)).payload).toEqual(Buffer.of(reason));
  }
  expect(target.peers()).toEqual([]);
});

test("a multichannel peer is served on one connection, and a peer without Snappy is understood", async () => {
  const chat = aChat();
  await using target = await openNode("node", { protocols: [chat.protocol] });
  using several = await connectRaw(target, "several");
  const hello = await several.greet({ multichannel: true, listenPorts: [1, 2] });
  expect(hello).toMatchObject({ version: 5, multichannel: false, listenPorts: [] });
  several.send(16, Uint8Array.of(1));
  await until(() => chat.heard.length === 1);
  using plain = await connectRaw(target, "plain");
  const { transport } = plain.encrypted;
  transport.write({ code: 0, payload: encodeHello({ ...hello, version: 4, id: keyOf("plain").id }) });
  await transport.read(2048);
  const payload = Uint8Array.of(0x83, 1, 2, 3);
  transport.write({ code: 17, payload });
  await until(() => chat.heard.length === 2);
  expect(chat.heard[1]).toEqual({ code: 1, payload: Buffer.from(payload) });
  expect(target.countByType()).toEqual({ total: 2, pn: 2 });
});
