/** Backups in memory: from the annotation or the schedule to the status. */
import { describe, expect, test } from "@jest/globals";
import { ControlError } from "../../../operator/control/error.ts";
import type { ReconcileDeps } from "../../../operator/reconcile/deps.ts";
import { reconcile } from "../../../operator/reconcile/reconcile.ts";
import { type FakeCluster } from "../../support/fake-cluster.ts";
import { freshCluster } from "../../support/fresh-cluster.ts";

let cluster: FakeCluster;
let deps: ReconcileDeps;

freshCluster((fresh) => {
  cluster = fresh;
  deps = cluster.deps();
});

const once = (name: string): Promise<number> => reconcile(cluster.node(name), deps);

const state = (name: string) => cluster.node(name).status.maintenance;

/** Time goes on, and every node makes blocks. */
function pass(height: number): void {
  cluster.now += 10_000;
  for (const key of cluster.observations.keys()) cluster.tell(key.replace("demo/", ""), { height });
}

const BACKUP = { to: { url: "s3://archive/core", credentialsSecret: "store" } };
const MADE = {
  checkpoint: "checkpoints/1.json",
  archive: "s3://archive/core",
  block: 7,
  bytes: 900,
  sentBytes: 40,
  isVerified: true,
};
const report = (more: object = {}): object => ({
  isRunning: false,
  step: null,
  done: 0,
  total: 0,
  err: null,
  last: null,
  ...more,
});

function putBackedUp(backup: object, noted: Record<string, string> = {}): void {
  cluster.putRunning("core", [], noted);
  const { spec } = cluster.node("core");
  cluster.putNode("core", { ...spec, backup }, noted);
}

describe("a backup", () => {
  test("by annotation is sent by the node, recorded with its block and size, and verified by blocks", async () => {
    putBackedUp(BACKUP, { "knit.dev/run": "checkpoint" });
    let status = report({ isRunning: true, step: "sending", done: 30, total: 100 });
    cluster.answer = (_node, method) => (method === "admin_backupStatus" ? status : null);
    await once("core");
    expect(state("core")).toMatchObject({ operation: "checkpoint", state: "Running" });
    pass(6);
    await once("core");
    expect(state("core")).toMatchObject({ percent: 30, message: "the node is sending a checkpoint" });
    status = report({ last: MADE });
    await once("core");
    expect(state("core")).toMatchObject({ state: "Verifying" });
    expect(cluster.node("core").status.backup).toMatchObject({
      member: "core",
      checkpoint: "checkpoints/1.json",
      height: 7,
      bytes: 900,
      sentBytes: 40,
      at: "2026-01-01T00:00:00Z",
      verifiedAt: "2026-01-01T00:00:00Z",
    });
    for (const height of [7, 8]) {
      pass(height);
      await once("core");
    }
    expect(state("core")).toMatchObject({ state: "Succeeded" });
    expect(cluster.calls.filter((call) => call.endsWith("startBackup"))).toHaveLength(1);
    expect(cluster.conditions("core").some((each) => each.startsWith("BackedUp"))).toBe(false);
  });

  test("of another archive does not count for the one that the spec names now", async () => {
    const schedule = "30 1 * * *";
    putBackedUp({ ...BACKUP, schedule }, { "knit.dev/run": "checkpoint" });
    cluster.answer = (_node, method) => (method === "admin_backupStatus" ? report({ last: MADE }) : null);
    for (const _ of [1, 2]) await once("core");
    expect(cluster.conditions("core")).toContain("BackedUp True Recent");
    const { spec } = cluster.node("core");
    cluster.putNode("core", { ...spec, backup: { to: { url: "s3://other/core" }, schedule } });
    await once("core");
    await once("core");
    expect(cluster.conditions("core")).toContain("BackedUp Unknown NotDue");
    expect(cluster.node("core").status.backup).toEqual({ since: "2026-01-01T00:00:00Z" });
  });

  test("comes by its schedule, and its age is judged", async () => {
    putBackedUp({ ...BACKUP, schedule: "30 1 * * *" });
    cluster.answer = (_node, method) => (method === "admin_backupStatus" ? report({ err: "403" }) : null);
    await once("core");
    expect(cluster.conditions("core")).toContain("BackedUp Unknown NotDue");
    cluster.now += 5_400_000;
    pass(6);
    await once("core");
    expect(state("core")).toMatchObject({ operation: "checkpoint", cause: "Schedule", state: "Running" });
    await once("core");
    expect(state("core")).toMatchObject({ state: "Failed", message: "403" });
    cluster.now += 86_400_000;
    pass(8);
    await once("core");
    expect(cluster.conditions("core")).toContain("BackedUp False Overdue");
    expect(cluster.node("core").status.backup).toEqual({ since: "2026-01-01T00:00:00Z" });
  });

  test.each([undefined, "0 0 1 1 *"])(
    "is not overdue by a schedule that comes later, in place of %s",
    async (schedule) => {
      putBackedUp(schedule === undefined ? BACKUP : { ...BACKUP, schedule });
      cluster.answer = (_node, method) => (method === "admin_backupStatus" ? report({}) : null);
      await once("core");
      cluster.now += 5 * 86_400_000;
      pass(6);
      const { spec } = cluster.node("core");
      cluster.putNode("core", { ...spec, backup: { ...BACKUP, schedule: "30 1 * * *" } });
      await once("core");
      expect(cluster.conditions("core")).toContain("BackedUp Unknown NotDue");
      expect(cluster.node("core").status.backup).toEqual({ since: "2026-01-06T00:00:10Z" });
      await once("core");
      expect(cluster.node("core").status.backup).toEqual({ since: "2026-01-06T00:00:10Z" });
    },
  );

  test("is not begun a second time by the next operator", async () => {
    putBackedUp(BACKUP, { "knit.dev/run": "checkpoint" });
    cluster.answer = () => {
      throw new ControlError("silent", "no answer");
    };
    await once("core");
    expect(state("core")?.state).toBe("Starting");
    deps = cluster.deps();
    cluster.answer = (_node, method) => (method === "admin_backupStatus" ? report({ last: MADE }) : null);
    await once("core");
    expect(state("core")?.state).toBe("Verifying");
    expect(cluster.calls.filter((call) => call.endsWith("startBackup"))).toHaveLength(1);
  });

  test("that does not come on is stopped", async () => {
    putBackedUp(BACKUP, { "knit.dev/run": "checkpoint" });
    const status = report({ isRunning: true, step: "sending", done: 30, total: 100 });
    cluster.answer = (_node, method) => (method === "admin_backupStatus" ? status : null);
    await once("core");
    pass(6);
    await once("core");
    cluster.now += 3_600_000;
    pass(7);
    await once("core");
    expect(cluster.calls.at(-1)).toBe("core admin_stopBackup");
    expect(state("core")?.message).toBe("no progress for an hour; the backup was stopped");
  });

  test("without an archive is refused", async () => {
    cluster.putRunning("core", [], { "knit.dev/run": "checkpoint" });
    await once("core");
    expect(state("core")).toBeUndefined();
    expect(cluster.events[0]).toContain("MaintenanceRefused: knit.dev/run=checkpoint: spec.backup names no");
    expect(cluster.node("core").meta.annotations["knit.dev/run"]).toBeUndefined();
  });

  test("of several replicas is made by one", async () => {
    cluster.putGenesis();
    const spec = { type: "endpoint", replicas: 3, backup: BACKUP };
    cluster.putNode("endpoint", spec, { "knit.dev/run": "checkpoint" });
    await once("endpoint");
    expect(state("endpoint")).toMatchObject({ operation: "checkpoint", member: "endpoint" });
    expect(cluster.node("endpoint").status.maintenanceQueue).toBeUndefined();
  });
});
