/** Maintenance from wish to end. */
import { describe, expect, test } from "@jest/globals";
import type { MaintenanceRun } from "../../../operator/api/node-runs.ts";
import {
  afterProgress,
  afterResume,
  afterSaving,
  afterStart,
  afterStop,
  deadlines,
  isUnderWay,
  newRun,
  planMaintenance,
  STALL_MS,
} from "../../../operator/plan/maintenance.ts";
import type { PreflightView } from "../../../operator/plan/preflight.ts";
import { councilOfCores } from "../../support/a-council.ts";
import { aMaintained, NOW } from "../../support/maintained.ts";

const WISH = { operation: "migrate", member: "a", cause: "Annotation" } as const;

const aRun = (more: Partial<MaintenanceRun> = {}): MaintenanceRun => ({ ...newRun(WISH, NOW), ...more });

function aView(more: Partial<PreflightView> = {}): PreflightView {
  const others = ["b", "c", "d"].map((name) => aMaintained(name));
  const member = more.member ?? aMaintained("a");
  const members = [member, ...others];
  return {
    member,
    members,
    councils: [councilOfCores(more.members ?? members)],
    maintained: undefined,
    rolling: undefined,
    turns: [],
    isWindowOpen: true,
    space: undefined,
    ...more,
  };
}

const PROGRESS = { running: true, percent: 0, block: 100, error: undefined, isPast: false };

describe("a run begins", () => {
  test("when nothing speaks against it", () => {
    expect(planMaintenance(aRun(), aView(), NOW + 5_000)).toMatchObject({
      do: "begin",
      run: { state: "Starting", startedAt: "2026-01-01T00:00:05Z", height: 100 },
    });
  });

  test.each<[string, Partial<PreflightView>]>([
    ["b is being maintained", { maintained: "b" }],
    ["c is being recreated", { rolling: "c" }],
    ["the replica is suspended", { member: aMaintained("a", { suspended: true }) }],
    ["the replica is not ready", { member: aMaintained("a", { ready: false }) }],
    ["the replica is importing blocks", { member: aMaintained("a", { syncing: true }) }],
    ["the replica has not reported its height", { member: aMaintained("a", { height: undefined }) }],
    ["the replica is 60 blocks behind", { member: aMaintained("a", { height: 40 }) }],
    ["the replica has no connected peer", { member: aMaintained("a", { peers: 0 }) }],
    [
      "1000 bytes of the volume are free; a migration needs 2000",
      { space: { freeBytes: 1_000, neededBytes: 2_000 } },
    ],
    ["1000 bytes of the volume are free", { member: aMaintained("a", { freeBytes: 1_000 }) }],
    [
      "at most 1 of 4 validators may be unavailable, and demo/b already is",
      {
        members: [aMaintained("a"), aMaintained("b", { ready: false }), aMaintained("c"), aMaintained("d")],
      },
    ],
  ])("not while %s", (trouble, more) => {
    const { do: what, run } = planMaintenance(aRun(), aView(more), NOW);
    expect([what, run.state, run.message]).toEqual(["wait", "Requested", expect.stringContaining(trouble)]);
  });

  test("outside a window only by the annotation, and to save the cache on a full volume too", () => {
    const closed = aView({ isWindowOpen: false });
    expect(planMaintenance(aRun(), closed, NOW).do).toBe("begin");
    for (const cause of ["Schedule", "DiskUse"] as const)
      expect(planMaintenance(aRun({ cause }), closed, NOW).run.message).toBe(
        "waits for a maintenance window",
      );
    const full = aView({ member: aMaintained("a", { freeBytes: 0 }) });
    expect(planMaintenance(aRun({ operation: "save-cache" }), full, NOW).do).toBe("begin");
  });

  test("where nobody is to be connected, and where nobody tells how full the volume is", () => {
    const alone = aMaintained("a", { peers: 0, peersWanted: 0, freeBytes: undefined });
    expect(planMaintenance(aRun(), aView({ member: alone }), NOW).do).toBe("begin");
  });

  test("in as little room as the node says is enough, whatever the gateway tells of the volume", () => {
    const member = aMaintained("a", { freeBytes: 1_000 });
    const room = { freeBytes: 2_000, neededBytes: 2_000 };
    expect(planMaintenance(aRun(), aView({ member, space: room }), NOW).do).toBe("begin");
  });
});

describe("what a node answers:", () => {
  const starting = aRun({ state: "Starting", height: 100 });

  test("a saving is followed to its end, which is recorded", () => {
    const saving = afterStart({ ...starting, operation: "save-cache" }, { ok: true }, NOW);
    expect(saving).toMatchObject({ state: "Running", percent: undefined });
    const progress = { running: true, bytes: 5, error: undefined };
    expect(afterSaving(saving, progress, NOW)).toEqual(saving);
    const states = [
      afterSaving(saving, { ...progress, running: false }, NOW),
      afterSaving(saving, { ...progress, running: false, bytes: 0, error: "no space left" }, NOW),
      afterSaving(saving, { ...progress, running: false, bytes: 0 }, NOW),
      afterSaving(saving, undefined, NOW),
    ].map(({ state, message }) => [state, message]);
    expect(states).toEqual([
      ["Verifying", "the node saved 5 bytes of trie nodes"],
      ["Failed", "no space left"],
      ["Failed", "the node has restarted and reports no saving"],
      ["Verifying", "the node is saving its trie cache and does not report the result"],
    ]);
  });

  test("an error ends it in the node's words, cut to what the status takes", () => {
    const after = afterStart(starting, { ok: false, message: "x".repeat(5_000) }, NOW);
    expect(after).toMatchObject({
      state: "Failed",
      message: "x".repeat(1_000),
      finishedAt: "2026-01-01T00:00:00Z",
    });
  });

  test("progress is recorded, the end is verified, an error or a lost migration fails", () => {
    const running = afterStart(starting, { ok: true }, NOW);
    expect(running).toMatchObject({ state: "Running", percent: 0 });
    expect(afterProgress(running, { ...PROGRESS, percent: 40.7 }, NOW + 60_000)).toMatchObject({
      state: "Running",
      percent: 40,
      progressAt: "2026-01-01T00:01:00Z",
    });
    expect(afterProgress(running, { ...PROGRESS, percent: 250 }, NOW).percent).toBe(100);
    const end = { ...PROGRESS, running: false };
    expect(afterProgress(running, { ...end, percent: 100 }, NOW)).toMatchObject({
      state: "Verifying",
      percent: 100,
    });
    expect(afterProgress(running, { ...end, error: "disk" }, NOW)).toMatchObject({
      state: "Failed",
      message: "disk",
    });
    expect(afterProgress(running, end, NOW).message).toContain("reports no migration");
  });

  test("a node that started anew tells of the last migration, which counts when it is no earlier one", () => {
    const running = afterProgress(
      afterStart(starting, { ok: true }, NOW),
      { ...PROGRESS, block: 102, percent: 90 },
      NOW,
    );
    expect(running.height).toBe(102);
    const past = { ...PROGRESS, running: false, isPast: true };
    const after = [
      { ...past, block: 102, percent: 100 },
      { ...past, block: 103, error: "disk" },
      { ...past, block: 101, percent: 100 },
      { ...past, block: 101, error: "disk" },
    ].map((progress) => afterProgress(running, progress, NOW));
    expect(after.map(({ state, message }) => [state, message])).toEqual([
      ["Verifying", "the state migration is complete"],
      ["Failed", "disk"],
      ["Failed", "the node has restarted and reports no migration"],
      ["Failed", "the node has restarted and reports no migration"],
    ]);
    expect(afterResume(starting, { ...past, percent: 100 }, NOW)?.state).toBe("Verifying");
  });

  test("after an operator ended, what it had begun is followed, and what came before is not taken for it", () => {
    expect(afterResume(starting, { ...PROGRESS, percent: 7 }, NOW)).toMatchObject({
      state: "Running",
      percent: 7,
    });
    const done = { ...PROGRESS, running: false, percent: 100 };
    expect(afterResume(starting, done, NOW)?.state).toBe("Verifying");
    expect(afterResume(starting, { ...done, block: 99 }, NOW)).toBeUndefined();
    expect(afterResume(starting, { ...PROGRESS, running: false, block: 0 }, NOW)).toBeUndefined();
  });
});

const at = (height: number, reportedAt: number): PreflightView =>
  aView({ member: aMaintained("a", { height, reportedAt }) });

describe("a run ends", () => {
  test("well when a block followed since the node was done, and not by one that was there before", () => {
    const done = afterProgress(
      aRun({ state: "Running" }),
      { ...PROGRESS, running: false, percent: 100 },
      NOW,
    );
    const early = planMaintenance(done, at(150, NOW), NOW + 5_000);
    expect(early).toEqual({ do: "wait", run: done });
    const recorded = planMaintenance(early.run, at(160, NOW + 6_000), NOW + 6_000);
    expect(recorded).toMatchObject({ do: "wait", run: { state: "Verifying", height: 160 } });
    expect(planMaintenance(recorded.run, at(160, NOW + 9_000), NOW + 9_000).do).toBe("wait");
    expect(planMaintenance(recorded.run, at(161, NOW + 9_000), NOW + 9_000)).toMatchObject({
      do: "end",
      run: { state: "Succeeded", message: "the state migration is complete; block 161 was imported" },
    });
    const late = planMaintenance(recorded.run, at(160, NOW + 9_000), NOW + deadlines.Verifying);
    expect(late.run).toMatchObject({
      state: "Failed",
      message: "the state migration is complete; no block was imported within 10 minutes",
    });
  });

  test.each([
    ["Requested", "not started within a day: the replica is not ready"],
    ["Starting", "the start request failed"],
    ["Stopping", "it took too long; the stop request failed"],
  ] as const)("badly when it is %s for too long", (state, message) => {
    const view = aView({ member: aMaintained("a", { ready: false }) });
    const run = aRun({ state, message: "it took too long" });
    expect(planMaintenance(run, view, NOW + deadlines[state] - 1).run.state).toBe(state);
    expect(planMaintenance(run, view, NOW + deadlines[state])).toMatchObject({
      do: "end",
      run: { state: "Failed", message },
    });
  });

  test.each([
    [
      "takes too long",
      { progressAt: "2026-01-01T11:59:00Z" },
      deadlines.Running,
      "no completion within 12 hours",
    ],
    [
      "does not come on",
      { progressAt: "2026-01-01T00:30:00Z" },
      30 * 60_000 + STALL_MS,
      "no progress for an hour",
    ],
  ])("badly, and stopped, when it %s", (_how, more, afterMs, message) => {
    const run = aRun({ state: "Running", ...more });
    expect(planMaintenance(run, aView(), NOW + afterMs - 1).do).toBe("look");
    const step = planMaintenance(run, aView(), NOW + afterMs);
    expect([step.do, step.run.state, step.run.message]).toEqual([
      "stop",
      "Stopping",
      expect.stringContaining(message),
    ]);
    const after = afterStop(step.run, { ok: true }, NOW + afterMs);
    expect([after.state, after.message]).toEqual([
      "Failed",
      `${step.run.message}; the migration was stopped`,
    ]);
  });

  test("badly when a saving lasts for an hour, which nothing can stop", () => {
    const run = aRun({ operation: "save-cache", state: "Running" });
    expect(planMaintenance(run, aView(), NOW + STALL_MS - 1).do).toBe("look");
    expect(planMaintenance(run, aView(), NOW + STALL_MS)).toMatchObject({
      do: "end",
      run: { state: "Failed", message: "no completion within an hour" },
    });
  });

  test("badly when its replica is suspended or gone", () => {
    const run = aRun({ state: "Running" });
    const suspended = aView({ member: aMaintained("a", { suspended: true }) });
    expect(planMaintenance(run, suspended, NOW).run).toMatchObject({ state: "Failed" });
    expect(planMaintenance(aRun(), { ...aView(), member: undefined }, NOW).run).toMatchObject({
      state: "Failed",
      message: "the replica does not exist any more",
    });
    const over = aRun({ state: "Succeeded" });
    expect(planMaintenance(over, { ...aView(), member: undefined }, NOW)).toEqual({ do: "end", run: over });
  });
});

test("a run disturbs its member from the moment that the node is asked until it has ended", () => {
  const states = [
    "Requested",
    "Starting",
    "Running",
    "Stopping",
    "Verifying",
    "Succeeded",
    "Failed",
  ] as const;
  expect(states.filter((state) => isUnderWay({ state }))).toEqual([
    "Starting",
    "Running",
    "Stopping",
    "Verifying",
  ]);
});
