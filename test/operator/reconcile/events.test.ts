/** Events: told at once, counted when they repeat, and never a flood. */
import { expect, test } from "@jest/globals";
import type { Draft } from "../../../operator/api/resource.ts";
import { readNode } from "../../../operator/api/resource.ts";
import { KubeError } from "../../../operator/kube/error.ts";
import { silentLog } from "../../../operator/observe/log.ts";
import { EventSeries } from "../../../operator/reconcile/event-series.ts";
import { createEventRecorder } from "../../../operator/reconcile/events.ts";
import { CORE } from "../../support/fake-cluster.ts";

const metadata = { name: "core", namespace: "demo", uid: "u", resourceVersion: "1" };
const NODE = readNode({ apiVersion: "knit.dev/v1alpha1", kind: "Node", metadata, spec: CORE });

/** A server that keeps events, and a recorder for it. */
function scene() {
  const events = new Map<string, Record<string, unknown>>();
  const writes: string[] = [];
  const clock = { time: Date.parse("2026-01-01T00:00:00Z"), now: () => clock.time };
  const client = {
    create: async (draft: Draft) => {
      writes.push("create");
      events.set(draft.metadata.name, { ...draft });
    },
    merge: async (_kind: unknown, { name }: { name: string }, patch: object) => {
      writes.push("merge");
      const known = events.get(name);
      if (known === undefined) throw new KubeError("not-found", name);
      Object.assign(known, patch);
    },
  };
  const recorder = createEventRecorder(client, clock, silentLog);
  return { events, writes, clock, recorder };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("an event that repeats stays one, with its count and when it happened last", async () => {
  const { events, writes, clock, recorder } = scene();
  for (let second = 0; second <= 20; second++) {
    recorder.record(NODE, "ReconcileFailed", "why");
    clock.time += 1_000;
  }
  await settle();
  expect(writes).toEqual(["create", "merge", "merge"]);
  expect([...events.values()]).toMatchObject([
    {
      involvedObject: { kind: "Node", name: "core", uid: "u" },
      type: "Warning",
      message: "why",
      count: 21,
      firstTimestamp: "2026-01-01T00:00:00Z",
      lastTimestamp: "2026-01-01T00:00:20Z",
    },
  ]);
});

test("an event whose time is over at the server is told anew", async () => {
  const { events, writes, clock, recorder } = scene();
  recorder.record(NODE, "ReconcileFailed", "why");
  await settle();
  events.clear();
  for (let round = 0; round < 2; round++) {
    clock.time += 10_000;
    recorder.record(NODE, "ReconcileFailed", "why");
    await settle();
  }
  expect(writes).toEqual(["create", "merge", "create"]);
  expect([...events.values()]).toMatchObject([{ count: 1 }]);
});

test("of an object of which there is ever something new little is told, of others everything", () => {
  const series = new EventSeries();
  const reported = (uid: string, from: number): number =>
    Array.from({ length: 100 }, (_, index) => series.next(uid, `${from + index}`, from)).filter(Boolean)
      .length;
  expect([reported("a", 0), reported("b", 0)]).toEqual([25, 25]);
  expect(reported("a", 60_000)).toBe(2);
});

test("what is remembered is bounded", () => {
  const series = new EventSeries();
  for (let index = 0; index <= 2_000; index++) series.next(`${index}`, "x", 0);
  expect(series.next("2000", "x", 0)).toBeUndefined();
  expect(series.next("0", "x", 0)).toMatchObject({ kind: "new" });
});
