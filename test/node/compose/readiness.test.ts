/** Tests of the readiness of a node and its reasons. */
import { expect, test } from "@jest/globals";
import { openReadiness } from "../../../node/compose/readiness.ts";
import { createMetrics } from "../../../node/observe/metrics.ts";
import type { ChainProtocol } from "../../../node/protocol/chain-protocol.ts";
import { until } from "../../support/until.ts";

const aNode = () => {
  const state = Promise.withResolvers<void>();
  const synced = Promise.withResolvers<void>();
  const now = { syncing: false, peers: 1, isLow: false, isMigration: false, seconds: 0, signing: "signing" };
  const migration = {
    get status() {
      return { isMigration: now.isMigration };
    },
  };
  const facts = { startingBlock: 0, currentBlock: 1, highestBlock: 9 };
  const protocol: Pick<ChainProtocol, "synced" | "syncing" | "peerCount"> = {
    synced: synced.promise,
    syncing: () => (now.syncing ? facts : undefined),
    peerCount: () => now.peers,
  };
  const clock = { now: () => now.seconds * 1000 };
  const unknownForks = new Map<string, number>();
  const chain = { head: () => ({ header: { time: 0, number: 9 } }), config: { unknownForks } };
  const parts = (seeksPeers: boolean, type = "endpoint", intervalMs = 1000) => {
    const network = { seeksPeers, protocol };
    const signing = () => now.signing;
    const options = { type, consensus: { intervalMs } };
    return {
      options,
      chain,
      clock,
      state: { ready: state.promise, migration },
      network,
      disk: now,
      signing,
    } as never;
  };
  return { state, synced, now, parts, unknownForks };
};

test("a node is ready when its state is, and where peers are configured once synced with a peer", async () => {
  const { state, synced, parts } = aNode();
  const alone = openReadiness(parts(false), createMetrics());
  const amongPeers = openReadiness(parts(true), createMetrics());
  expect(alone()).toEqual({ ready: false, reasons: ["starting"] });
  state.resolve();
  await until(() => alone().ready);
  await new Promise<void>((resolve) => void setImmediate(resolve));
  expect(alone()).toEqual({ ready: true, reasons: [] });
  expect(amongPeers()).toEqual({ ready: false, reasons: ["starting"] });
  synced.resolve();
  await until(() => amongPeers().ready);
  expect(amongPeers()).toEqual({ ready: true, reasons: [] });
});

test("missing blocks, missing peers and a full disk keep clients away; a migration does not; metrics say it", async () => {
  const { state, synced, now, parts } = aNode();
  const metrics = createMetrics();
  const judge = openReadiness(parts(true), metrics);
  state.resolve();
  synced.resolve();
  await until(() => judge().ready);
  now.isMigration = true;
  expect(judge()).toEqual({ ready: true, reasons: ["migrating"] });
  expect(await metrics.render()).toContain("knit_ready 1\n");
  Object.assign(now, { syncing: true, peers: 0, isLow: true });
  expect(judge()).toEqual({ ready: false, reasons: ["syncing", "too-few-peers", "disk-low", "migrating"] });
  const text = await metrics.render();
  expect(text).toContain("knit_ready 0\n");
  expect(text).toContain('knit_readiness_reason{reason="starting"} 0\n');
  expect(text).toContain('knit_readiness_reason{reason="disk-low"} 1\n');
});

test("peers that are configured later are expected from then on", async () => {
  const { state, synced, now, parts } = aNode();
  now.peers = 0;
  const alone: { network: object } = parts(false);
  const judge = openReadiness(alone as never, createMetrics());
  state.resolve();
  await until(() => judge().ready);
  Object.assign(alone.network, { seeksPeers: true });
  expect(judge()).toEqual({ ready: false, reasons: ["starting", "too-few-peers"] });
  synced.resolve();
  now.peers = 1;
  await until(() => judge().ready);
});

test("an endpoint among peers is not ready with a head older than a minute, or ten long intervals", async () => {
  const { state, synced, now, parts } = aNode();
  const judge = (...kind: Parameters<typeof parts>) => openReadiness(parts(...kind), createMetrics());
  const endpoint = judge(true);
  const others = [judge(false), judge(true, "core"), judge(true, "proxy"), judge(true, "endpoint", 7000)];
  state.resolve();
  synced.resolve();
  now.seconds = 60;
  for (const each of [endpoint, ...others]) await until(() => each().ready);
  now.seconds = 61;
  expect(endpoint()).toEqual({ ready: false, reasons: ["stale-head"] });
  expect(others.map((each) => each().ready)).toEqual([true, true, true, true]);
  now.seconds = 71;
  expect(others.map((each) => each().ready)).toEqual([true, true, true, false]);
});

test("a validator that does not sign is not ready, for a reason of its own", async () => {
  const { state, now, parts } = aNode();
  const judge = openReadiness(parts(false, "core"), createMetrics());
  state.resolve();
  await until(() => judge().ready);
  for (const name of ["listening", "below-min-height", "doppelganger"]) {
    now.signing = name;
    expect(judge()).toEqual({ ready: false, reasons: [name] });
  }
});

test("a fork without rules is reported a day before its block, and keeps clients away from its block on", async () => {
  const { state, synced, parts, unknownForks } = aNode();
  const judge = openReadiness(parts(true), createMetrics());
  state.resolve();
  synced.resolve();
  await until(() => judge().ready);
  for (const [block, expected] of [
    [86_411, { ready: true, reasons: [] }],
    [86_410, { ready: true, reasons: ["unknown-fork-soon"] }],
    [11, { ready: true, reasons: ["unknown-fork-soon"] }],
    [10, { ready: false, reasons: ["unknown-fork"] }],
  ] as const) {
    unknownForks.set("nextCompatibleBlock", block);
    expect(judge()).toEqual(expected);
  }
});
