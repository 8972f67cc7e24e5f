/** Tests of the slots of a peer set, with peers that seem to come from several addresses. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, test } from "@jest/globals";
import { silentLog } from "../../../node/observe/log.ts";
import { createMetrics } from "../../../node/observe/metrics.ts";
import { SESSION_LIMITS } from "../../../node/p2p/budget.ts";
import { declareP2pMetrics } from "../../../node/p2p/metrics.ts";
import type { NodeType } from "../../../node/p2p/node-type.ts";
import { PeerMemory } from "../../../node/p2p/peer-memory.ts";
import { PeerSet, type PeerSetDeps } from "../../../node/p2p/peer-set.ts";
import { systemClock } from "../../../node/runtime/clock.ts";
import { FairTime } from "../../../node/runtime/fair-time.ts";
import { aChat, connectRaw, keyOf, QUICK, type RawPeer } from "../../support/p2p.ts";
import { until } from "../../support/until.ts";

const SLOTS = 4;

/** A peer set that listens on loopback. */
interface ListeningSet extends AsyncDisposable {
  /** Connects a peer that seems to come from an address, and waits until it is in the set. Rejects when it is refused. */
  join(name: string, ip: string, type?: NodeType): Promise<RawPeer>;
  names(): string[];
}

async function openSet(options: Partial<PeerSetDeps> = {}): Promise<ListeningSet> {
  const { nodeKey, time } = { nodeKey: keyOf("node"), time: new FairTime("peers") };
  const memory = new PeerMemory();
  const metrics = declareP2pMetrics(createMetrics(), () => [], memory);
  const self = {
    nodeKey,
    type: "en",
    random: (length: number) => randomBytes(length),
    timings: QUICK,
  } as const;
  const set = new PeerSet({
    self,
    name: "node",
    protocols: [aChat().protocol],
    ports: () => [0],
    maxPeers: SLOTS,
    maxDynamic: 0,
    isTrusted: () => false,
    isValidator: () => false,
    limits: SESSION_LIMITS,
    memory,
    time,
    clock: systemClock,
    log: silentLog,
    metrics: () => metrics,
    onGone: () => undefined,
    ...options,
  });
  let remoteAddress = "";
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    Object.defineProperty(socket, "remoteAddress", { value: remoteAddress });
    set.receive(socket, 0).catch(() => undefined); // the peer reports its refusal
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const ports = { listener: (server.address() as AddressInfo).port };
  const peers: RawPeer[] = [];
  const names = (): string[] =>
    set
      .list()
      .filter(({ signal }) => !signal.aborted)
      .map(({ name }) => name)
      .sort();
  return {
    names,
    async join(name, ip, type) {
      remoteAddress = ip;
      const raw = await connectRaw({ self: { url: nodeKey, ports } }, name, undefined, type);
      peers.push(raw);
      await raw.greet();
      await until(() => names().includes(name));
      return raw;
    },
    async [Symbol.asyncDispose]() {
      for (const raw of peers) raw[Symbol.dispose]();
      await set[Symbol.asyncDispose]();
      server.close();
    },
  };
}

const ATTACKER = "203.0.113.7";
const TOO_MANY = "disconnected by the peer: too many peers";
const DISCONNECT = { code: 1, payload: Uint8Array.of(0xc1, 4) };

/** Fills all slots from one address. */
async function fill(set: ListeningSet, type?: NodeType): Promise<RawPeer[]> {
  const raws: RawPeer[] = [];
  for (let i = 1; i <= SLOTS; i++) raws.push(await set.join(`s${i}`, ATTACKER, type));
  return raws;
}

test("an address that holds all slots of a full node gives up its newest for other addresses, down to one", async () => {
  await using set = await openSet();
  const [, second, third, last] = await fill(set);
  await expect(set.join("s5", ATTACKER)).rejects.toThrow(TOO_MANY);
  await set.join("a", "198.51.100.1");
  expect(await last?.next()).toEqual(DISCONNECT);
  expect(set.names()).toEqual(["a", "s1", "s2", "s3"]);
  await set.join("b", "2001:db8:1:2::1");
  expect(await third?.next()).toEqual(DISCONNECT);
  await expect(set.join("b2", "2001:db8:1:2:3::1")).rejects.toThrow(TOO_MANY);
  await set.join("c", "198.51.100.2");
  expect(await second?.next()).toEqual(DISCONNECT);
  await expect(set.join("d", "198.51.100.3")).rejects.toThrow(TOO_MANY);
  await expect(set.join("s6", ATTACKER)).rejects.toThrow(TOO_MANY);
  expect(set.names()).toEqual(["a", "b", "c", "s1"]);
});

test("a newcomer that is refused for another reason displaces nobody", async () => {
  await using set = await openSet();
  await fill(set);
  await expect(set.join("s1", "198.51.100.1")).rejects.toThrow("already connected");
  await expect(set.join("node", "198.51.100.1")).rejects.toThrow("connected to self");
  expect(set.names()).toEqual(["s1", "s2", "s3", "s4"]);
});

test("trusted peers, validators and processes of this machine are not displaced", async () => {
  const addresses = new Set(Array.from({ length: SLOTS }, (_, i) => keyOf(`s${i + 1}`).address));
  const isValidator: PeerSetDeps["isValidator"] = (address) =>
    [...addresses].some((each) => Buffer.compare(each, address) === 0);
  await using council = await openSet({ isValidator });
  await fill(council, "cn");
  await expect(council.join("a", "198.51.100.1")).rejects.toThrow(TOO_MANY);
  await using impostors = await openSet();
  await fill(impostors, "cn");
  await impostors.join("a", "198.51.100.1");
  await using trusting = await openSet({ isTrusted: (id) => Buffer.compare(id, keyOf("a").id) !== 0 });
  await fill(trusting);
  await expect(trusting.join("a", "198.51.100.1")).rejects.toThrow(TOO_MANY);
  await using local = await openSet();
  for (let i = 1; i <= SLOTS; i++) await local.join(`l${i}`, "127.0.0.1");
  await expect(local.join("a", "198.51.100.1")).rejects.toThrow(TOO_MANY);
});
