/** Volumes that are given up: only when nothing is in doubt, and followed until the replica has the chain again. */
import { describe, expect, test } from "@jest/globals";
import { newRun, planMaintenance } from "../../../operator/plan/maintenance.ts";
import type { PreflightView } from "../../../operator/plan/preflight.ts";
import {
  afterRenewal,
  afterVolumeDeletion,
  type RenewalView,
  renewalTrouble,
} from "../../../operator/plan/renewal.ts";
import { councilOfCores } from "../../support/a-council.ts";
import { aMaintained, NOW } from "../../support/maintained.ts";

const SAFE: RenewalView = {
  claim: "uid",
  stopped: undefined,
  isElsewhere: true,
  hasSource: false,
  couldBegin: false,
  council: undefined,
};
const run = newRun({ operation: "replace", member: "a", cause: "Annotation" }, NOW);

describe("a volume is given up", () => {
  test("when nothing is in doubt", () => {
    expect(renewalTrouble({ type: "core" }, SAFE)).toBeUndefined();
    const alone = { ...SAFE, isElsewhere: false, hasSource: true };
    expect(renewalTrouble({ type: "endpoint" }, alone)).toBeUndefined();
  });

  test.each<["core" | "endpoint", Partial<RenewalView> | undefined, string]>([
    ["endpoint", undefined, "no volume"],
    ["endpoint", { claim: undefined }, "no volume"],
    ["core", { stopped: "another node uses the same key" }, "stopped: another node uses the same key"],
    ["core", { isElsewhere: false, hasSource: true }, "no other replica"],
    ["endpoint", { isElsewhere: false }, "no other replica"],
    ["core", { couldBegin: true }, "another block 1"],
    ["core", { council: "at most 0 of 3 validators may be unavailable" }, "at most 0 of 3"],
  ])("not: %s %j", (type, more, words) => {
    expect(renewalTrouble({ type }, more && { ...SAFE, ...more })).toContain(words);
  });
});

function aView(more: Partial<PreflightView> = {}): PreflightView {
  const member = more.member ?? aMaintained("a");
  const members = [member, aMaintained("b")];
  return {
    member,
    members,
    councils: [councilOfCores(members)],
    maintained: undefined,
    rolling: undefined,
    turns: [],
    isWindowOpen: false,
    renewal: SAFE,
    space: undefined,
    ...more,
  };
}

describe("a run", () => {
  test("begins for a replica that has failed, and records the claim", () => {
    const member = aMaintained("a", { ready: false, height: undefined, peers: 0 });
    expect(planMaintenance(run, aView({ member }), NOW)).toMatchObject({
      do: "begin",
      run: { state: "Starting", claim: "uid" },
    });
  });

  test.each<[string, Partial<PreflightView>]>([
    ["b is being maintained", { maintained: "b" }],
    ["b is being recreated", { rolling: "b" }],
    ["the replica is suspended", { member: aMaintained("a", { suspended: true }) }],
    ["another block 1", { renewal: { ...SAFE, couldBegin: true } }],
  ])("waits: %s", (words, more) => {
    const step = planMaintenance(run, aView(more), NOW);
    expect([step.do, step.run.message]).toEqual(["wait", expect.stringContaining(words)]);
  });

  const running = afterVolumeDeletion({ ...run, claim: "uid" }, NOW);
  const progress = { isDeleted: true, height: undefined, newest: 200, isSteady: false };

  test("says how far the replica is", () => {
    expect(running).toMatchObject({ state: "Running", message: "the pod ends, and its volume is deleted" });
    expect(afterRenewal(running, { ...progress, isDeleted: false, isSteady: true }, NOW)).toBe(running);
    expect(afterRenewal(running, progress, NOW + 1_000)).toMatchObject({
      percent: 0,
      message: "the replica starts on a new volume",
      progressAt: "2026-01-01T00:00:01Z",
    });
    const half = afterRenewal(running, { ...progress, height: 100 }, NOW);
    expect(half).toMatchObject({ percent: 50, message: "the replica has 50 percent of the blocks" });
    expect(afterRenewal(half, { ...progress, height: 101 }, NOW + 5_000)).toBe(half);
    expect(afterRenewal(half, { ...progress, height: 200 }, NOW).percent).toBe(99);
  });

  test("is verified by blocks once the replica is synced", () => {
    expect(afterRenewal(running, { ...progress, height: 200, isSteady: true }, NOW)).toMatchObject({
      state: "Verifying",
      percent: 100,
    });
  });

  test("is not stopped for an hour without blocks, which a copy may take; after 12 hours others may go on", () => {
    expect(planMaintenance(running, aView(), NOW + 11 * 3_600_000).do).toBe("look");
    expect(planMaintenance(running, aView(), NOW + 12 * 3_600_000)).toMatchObject({
      do: "end",
      run: { state: "Failed", message: expect.stringContaining("not synced within 12 hours") as unknown },
    });
  });
});
