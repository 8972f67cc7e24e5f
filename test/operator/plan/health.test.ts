/** Conditions and phase from what was observed: a table. */
import { describe, expect, test } from "@jest/globals";
import { conditionTypes } from "../../../operator/api/names.ts";
import type { Rollout } from "../../../operator/api/node-runs.ts";
import { type HealthView, judge, type MemberHealth, phaseOf } from "../../../operator/plan/health.ts";
import { newRun } from "../../../operator/plan/maintenance.ts";
import { NOW } from "../../support/maintained.ts";

function aMember(name: string, more: Partial<MemberHealth> = {}): MemberHealth {
  return {
    name,
    ready: true,
    reason: undefined,
    hasReport: true,
    lag: 10,
    syncing: false,
    peersWanted: 2,
    peersMissing: 0,
    failing: undefined,
    isIsolated: false,
    ...more,
  };
}

function aView(more: Partial<HealthView> = {}, ...members: readonly Partial<MemberHealth>[]): HealthView {
  return {
    suspension: undefined,
    held: undefined,
    step: undefined,
    members: [{}, ...members]
      .map((each, index) => aMember(`p-m${index}`, each))
      .slice(members.length > 0 ? 1 : 0),
    rollout: undefined,
    keep: [],
    waits: undefined,
    maintenance: undefined,
    storage: { reason: "Healthy", message: "5 percent" },
    ...more,
  };
}

const words = (view: HealthView): readonly string[] =>
  judge(view).map(({ type, status, reason }) => `${type} ${status} ${reason}`);

/** The conditions whose status or reason is another than that of a Node that is well. */
function unlike(view: HealthView): readonly string[] {
  const well = new Set(words(aView()));
  return words(view).filter((each) => !well.has(each));
}

test("a Node that is well says so in every condition", () => {
  expect(words(aView())).toEqual([
    "Ready True Ready",
    "Available True ReplicasReady",
    "Progressing False UpToDate",
    "Degraded False AsExpected",
    "PeersReady True Connected",
    "Synced True Level",
    "MaintenanceInProgress False Idle",
    "StorageHealthy True Healthy",
  ]);
  expect(phaseOf(aView())).toBe("Running");
});

test("every type of condition is judged, but for those that other steps report", () => {
  const others = ["BackedUp", "ForksReady", "Contested", "Paused", "PrivilegedApi"];
  expect([...judge(aView()).map(({ type }) => type), ...others]).toEqual(Object.keys(conditionTypes));
});

const rollout = (state: Rollout["state"]): Rollout => ({
  member: "p-m1",
  revision: "r",
  state,
  startedAt: "2026-01-01T00:00:00Z",
  message: "p-m1 is being recreated",
});
const run = newRun({ operation: "migrate", member: "p", cause: "Schedule" }, NOW);
const waits = { kind: "wait", reason: "PodNotReady", message: "the pod is Running" } as const;
const fails = { kind: "fail", reason: "ObjectRefused", message: "invalid" } as const;
const DOWN = { ready: false, reason: "PodNotReady", hasReport: false, lag: undefined } as const;

describe.each<[string, HealthView, string, readonly string[]]>([
  [
    "one of two replicas is not ready",
    aView({ step: waits }, {}, DOWN),
    "Starting",
    [
      "Ready False PodNotReady",
      "Progressing True PodsStarting",
      "PeersReady Unknown NotAsked",
      "Synced Unknown NotAsked",
    ],
  ],
  [
    "none is ready, and one waits for a machine",
    aView({ step: waits }, DOWN, { ...DOWN, reason: "PodPending" }),
    "Pending",
    [
      "Ready False PodNotReady",
      "Available False NoneReady",
      "Progressing True PodsStarting",
      "PeersReady Unknown NotAsked",
      "Synced Unknown NotAsked",
    ],
  ],
  [
    "a step failed",
    aView({ step: fails }),
    "Degraded",
    ["Ready False ObjectRefused", "Degraded True StepFailed"],
  ],
  [
    "it is suspended",
    aView({ suspension: "Suspended", step: waits }, DOWN),
    "Suspended",
    [
      "Ready False Suspended",
      "Available False Suspended",
      "Progressing False Suspended",
      "PeersReady Unknown NotAsked",
      "Synced Unknown NotAsked",
    ],
  ],
  [
    "it is to be suspended, and its pod runs",
    aView({ suspension: "Suspending" }),
    "Suspending",
    ["Ready False Suspending", "Progressing True Suspending"],
  ],
  [
    "it is to be suspended, and a step failed",
    aView({ suspension: "Suspending", step: fails }),
    "Degraded",
    ["Ready False ObjectRefused", "Progressing True Suspending", "Degraded True StepFailed"],
  ],
  [
    "its Network is gone while its pods serve",
    aView({ step: { kind: "wait", reason: "NetworkMissing", message: "there is no Network n" } }),
    "Running",
    ["Ready False NetworkMissing"],
  ],
  [
    "a replica is being replaced",
    aView({ rollout: rollout("Rolling"), keep: ["p-m2"] }),
    "Updating",
    ["Progressing True RollingOut"],
  ],
  [
    "it is not their turn to be replaced",
    aView({ keep: ["p"], waits: "core is being recreated" }),
    "Running",
    ["Progressing True RolloutWaits"],
  ],
  [
    "a rollout came to no end",
    aView({ rollout: rollout("Paused") }),
    "Degraded",
    ["Progressing False RolloutPaused", "Degraded True RolloutPaused"],
  ],
  [
    "a container cannot start",
    aView({}, { failing: { reason: "ImagePullFailed", message: "node: ImagePullBackOff" } }),
    "Degraded",
    ["Degraded True ImagePullFailed"],
  ],
  [
    "a replica has no peer",
    aView({}, {}, { isIsolated: true, peersWanted: 0 }),
    "Running",
    ["PeersReady False NoPeers", "Synced False Isolated"],
  ],
  [
    "a claim is being deleted",
    aView({ storage: { reason: "Terminating", message: "goes" } }),
    "Degraded",
    ["Degraded True StorageTrouble", "StorageHealthy False Terminating"],
  ],
  ["peers are missing", aView({}, { peersMissing: 1 }), "Running", ["PeersReady False PeersMissing"]],
  ["a replica takes in blocks", aView({}, { syncing: true }), "Syncing", ["Synced False Syncing"]],
  [
    "a replica is 31 blocks behind",
    aView({}, {}, { lag: 31 }),
    "Syncing",
    ["Ready False Behind", "Synced False Behind"],
  ],
  ["a replica is 30 blocks behind", aView({}, {}, { lag: 30 }), "Running", []],
  ["maintenance waits", aView({ maintenance: run }), "Running", ["MaintenanceInProgress False Waiting"]],
  [
    "maintenance is under way",
    aView({ maintenance: { ...run, state: "Running", percent: 7 } }),
    "Maintaining",
    ["MaintenanceInProgress True UnderWay"],
  ],
  ["maintenance has failed", aView({ maintenance: { ...run, state: "Failed" } }), "Running", []],
  [
    "a volume is full",
    aView({ storage: { reason: "Full", message: "96 percent" } }),
    "Degraded",
    ["Degraded True StorageTrouble", "StorageHealthy False Full"],
  ],
  [
    "a volume grows",
    aView({ storage: { reason: "Growing", message: "grows" } }),
    "Running",
    ["StorageHealthy False Growing"],
  ],
  ["no volume is there", aView({ storage: undefined }), "Running", ["StorageHealthy False Unbound"]],
])("when %s", (_when, view, phase, changed) => {
  test(`the phase is ${phase}, and the conditions say ${changed.join(", ") || "that all is well"}`, () => {
    expect(unlike(view)).toEqual(changed);
    expect(phaseOf(view)).toBe(phase);
  });
});

const message = (view: HealthView, type: string) => judge(view).find((each) => each.type === type)?.message;

test("messages name the replica and the figures", () => {
  expect(message(aView({}, {}, { lag: 100 }), "Synced")).toBe("p-m2 is 100 blocks behind the newest block");
  expect(message(aView({}, { peersMissing: 1 }), "PeersReady")).toContain("p-m1 1 of 2");
  expect(message(aView({}, {}, DOWN), "Available")).toBe("1 of 2 replicas are ready");
  expect(message(aView({ rollout: rollout("Rolling"), keep: ["p-m2"] }), "Progressing")).toBe(
    "p-m1 is being recreated; then p-m2",
  );
  const view = aView({
    maintenance: { ...run, state: "Running", message: "the node is migrating its state", percent: 7 },
  });
  expect(message(view, "MaintenanceInProgress")).toBe(
    "migrate of p: the node is migrating its state, 7 percent",
  );
  const halted = aView({ rollout: rollout("Paused"), keep: ["p-m2"] }, DOWN, {});
  expect(message(halted, "Degraded")).toBe(
    "p-m1 is being recreated (PodNotReady); p-m2 keep the former spec; the rollout continues when p-m1 is ready and has the newest block, or when the spec changes",
  );
});
