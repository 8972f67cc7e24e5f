/** Tests of requests for blob sidecars between peers. */
import { expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import type { BlobSidecar } from "../../../node/model/transaction-type.ts";
import { silentLog } from "../../../node/observe/log.ts";
import type { ChainPeer } from "../../../node/protocol/chain-peer.ts";
import { MAX_MISSING_SIDECARS } from "../../../node/protocol/limits.ts";
import { messages } from "../../../node/protocol/messages.ts";
import { bestPeer, openSidecarRequests } from "../../../node/protocol/sidecar-requests.ts";
import { systemClock } from "../../../node/runtime/clock.ts";
import type { MissingListener, SidecarPlace } from "../../../node/txpool/sidecars.ts";
import { aSidecar } from "../../support/blob-transactions.ts";
import { aNode } from "../../support/protocol-node.ts";
import { aPuppet, type Puppet } from "../../support/puppet.ts";
import { until } from "../../support/until.ts";

const hashOf = (first: number) => new Uint8Array(32).fill(first, 0, 1);
const placeOf = (first: number) => ({ number: 300, index: first, hash: hashOf(first) });

const ignore = (): void => undefined;

/** A node that misses sidecars when the test says so, and remembers those that it was given. */
async function aLackingNode() {
  const accepted: string[] = [];
  let miss: MissingListener = ignore;
  const sidecars = {
    find: () => undefined,
    onMissing: (listener: MissingListener) => void (miss = listener),
    accept: async (hash: Uint8Array, { version }: BlobSidecar) => {
      accepted.push(toHex(hash));
      return version === 1;
    },
  };
  const timings = { sidecarEveryMs: 1, sidecarRetryMs: 30 };
  const node = await aNode({ number: 1, version: 67, sidecars, timings });
  return { node, accepted, miss: (first: number) => miss(placeOf(first)) };
}

function requestsTo(puppet: Puppet): number[][] {
  return puppet.received
    .filter(({ code }) => code === messages.sidecarsRequest.code)
    .map(({ payload }) => messages.sidecarsRequest.decode(payload).map(({ index }) => index));
}

test("missing sidecars are requested, four at once, until a peer has sent them", async () => {
  const { node, accepted, miss } = await aLackingNode();
  await using _ = node;
  const puppet = await aPuppet(node, 9);
  for (const first of [1, 2, 3, 4, 5]) miss(first);
  await until(() => requestsTo(puppet).length === 1);
  expect(requestsTo(puppet)).toEqual([[1, 2, 3, 4]]);
  const sent = [1, 2, 3].map((first) => ({ ...placeOf(first), sidecar: aSidecar(1, first === 3 ? 0 : 1) }));
  const unasked = { ...placeOf(9), sidecar: aSidecar() };
  puppet.say(messages.sidecars.code, messages.sidecars.encode([...sent, unasked]));
  await until(() => requestsTo(puppet).length > 2);
  expect(accepted).toEqual([1, 2, 3].map((first) => toHex(hashOf(first))));
  const later = new Set(requestsTo(puppet).slice(1).flat());
  expect([...later].sort((a, b) => a - b)).toEqual([3, 4, 5]);
  puppet.link.close();
});

test("a sidecar that no peer has is requested five times, and a peer that sends rubbish is disconnected", async () => {
  const { node, miss } = await aLackingNode();
  await using _ = node;
  const puppet = await aPuppet(node, 9);
  miss(1);
  for (let tries = 1; tries <= 5; tries++) {
    await until(() => requestsTo(puppet).length === tries);
    puppet.say(messages.sidecars.code, messages.sidecars.encode([]));
  }
  miss(2);
  await until(() => requestsTo(puppet).length === 6);
  expect(requestsTo(puppet)).toEqual([[1], [1], [1], [1], [1], [2]]);
  puppet.say(messages.sidecars.code, Uint8Array.of(0xff));
  expect(await puppet.left).toBe("bad-message");
  puppet.link.close();
});

test("at most 1,024 sidecars wait", async () => {
  const requested = new Set<number>();
  const request = async (_: unknown, places: readonly SidecarPlace[]) => {
    for (const { index } of places) requested.add(index);
    return places.map((place) => ({ ...place, sidecar: aSidecar(0) }));
  };
  const peer = { type: "cn", link: { version: 67 }, claim: { number: 1 }, requests: { request } };
  let miss: MissingListener = ignore;
  using _ = openSidecarRequests({
    sidecars: { onMissing: (listener) => void (miss = listener), accept: async () => true },
    peers: () => [peer as unknown as ChainPeer],
    timings: { sidecarEveryMs: 0, sidecarRetryMs: 1000 },
    clock: systemClock,
    log: silentLog,
  });
  for (let index = 0; index <= MAX_MISSING_SIDECARS; index++) {
    const hash = new Uint8Array(32);
    new DataView(hash.buffer).setUint32(0, index);
    miss({ number: 7, index, hash });
  }
  await until(() => requested.size === MAX_MISSING_SIDECARS);
  miss({ number: 8, index: 5000, hash: new Uint8Array(32).fill(1) });
  await until(() => requested.has(5000));
  expect(requested.has(MAX_MISSING_SIDECARS)).toBe(false);
});

const aPeer = (name: string, type: string, number: number, version = 67) =>
  ({ name, type, claim: { number }, link: { version } }) as unknown as ChainPeer; // what the order depends on

test("consensus nodes come first, then proxies and endpoints, each by its head; tries rotate", () => {
  const peers = [
    aPeer("en", "en", 99),
    aPeer("pn", "pn", 50),
    aPeer("old", "cn", 99, 66),
    aPeer("low", "cn", 40),
    aPeer("high", "cn", 50),
  ];
  const order = [0, 1, 2, 3, 4].map((tries) => bestPeer(peers, tries)?.name);
  expect(order).toEqual(["high", "low", "pn", "en", "high"]);
  expect(bestPeer([aPeer("old", "cn", 9, 66)], 0)).toBeUndefined();
});
