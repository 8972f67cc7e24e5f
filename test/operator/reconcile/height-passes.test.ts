/** Heights in statuses: one reading for the Nodes of a chain, one pass to write it, and passes that take turns. */
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { type NodeResource, readNode } from "../../../operator/api/resource.ts";
import { HeightPasses } from "../../../operator/reconcile/height-passes.ts";
import type { Observation } from "../../../operator/reconcile/observation.ts";

const POLL_MS = 10_000;

let now = 0;
const observations = new Map<string, Observation>();
const chains = new Map<string, readonly NodeResource[]>();
const passes: { chain: string; height: number | undefined; nodes: readonly string[]; at: number }[] = [];
let running: HeightPasses;

beforeEach(() => {
  jest.useFakeTimers();
  now = 1_000_000;
  for (const all of [observations, chains]) all.clear();
  passes.length = 0;
  running = new HeightPasses({
    chains: () => chains,
    latest: (member) => observations.get(member),
    onPass: (chain, height, nodes) => void passes.push({ chain, height, nodes, at: now }),
    everyMs: POLL_MS,
    clock: { now: () => now },
  });
});

afterEach(() => {
  running[Symbol.dispose]();
  jest.useRealTimers();
});

function aNode(name: string, replicas = 1): NodeResource {
  const metadata = { name, namespace: "demo", uid: name, generation: 1, resourceVersion: "1" };
  return readNode({ metadata, spec: { type: "endpoint", network: { name: "net" }, replicas } });
}

/** A report of `secondsAgo`. */
function report(member: string, height: number, secondsAgo = 0): void {
  const at = now - secondsAgo * 1_000;
  observations.set(`demo/${member}`, {
    ok: true,
    at,
    until: at + 45_000,
    address: "10.0.0.1",
    id: "",
    version: "Knit",
    genesis: undefined,
    height,
    syncing: false,
    peers: new Set(),
    council: undefined,
    disk: undefined,
  });
}

function pass(seconds: number): void {
  for (let left = seconds * 10; left > 0; left--) {
    now += 100;
    jest.advanceTimersByTime(100);
  }
}

test("the common height is what all level replicas had in their last reports, whenever those came", () => {
  chains.set("net", [aNode("a"), aNode("b", 2), aNode("far"), aNode("silent")]);
  report("a", 1_000);
  report("b", 992, 8);
  report("b-m1", 996, 4);
  report("far", 500);
  report("silent", 3, 60);
  pass(0.1);
  expect(passes).toMatchObject([
    { chain: "net", height: 992, nodes: ["demo/a", "demo/b", "demo/far", "demo/silent"] },
  ]);
});

test("nothing is written before a node of the chain was polled, nor more often than nodes are polled", () => {
  chains.set("net", [aNode("a")]);
  pass(30);
  expect(passes).toEqual([]);
  const address = "10.0.0.1";
  observations.set("demo/a", { ok: false, at: now, address, reason: "NoAnswer", message: "" });
  pass(10);
  expect(passes).toMatchObject([{ height: undefined }]);
  report("a", 5);
  pass(20);
  expect(passes.map(({ height }) => height)).toEqual([undefined, 5, 5]);
});

test("chains take turns, and a pass of many Nodes takes the writes of as many seconds", () => {
  chains.set(
    "large",
    Array.from({ length: 40 }, (_, index) => aNode(`large-${index}`)),
  );
  chains.set("small", [aNode("small")]);
  report("large-0", 9);
  report("small", 7);
  pass(200);
  const times = passes.map(({ chain, at }) => `${chain} ${Math.round((at - 1_000_000) / 1_000)}`);
  expect(times.slice(0, 5)).toEqual(["large 0", "small 40", "large 41", "small 81", "large 82"]);
  chains.delete("large");
  pass(100);
  expect(new Set(passes.slice(-5).map(({ chain }) => chain))).toEqual(new Set(["small"]));
});

test("passes go on when the clock was set back", () => {
  chains.set("net", [aNode("a")]);
  report("a", 1_000);
  pass(10);
  const { length } = passes;
  now -= 3_600_000;
  report("a", 1_010);
  pass(10);
  expect(passes.slice(length).map(({ height }) => height)).toContain(1_010);
});
