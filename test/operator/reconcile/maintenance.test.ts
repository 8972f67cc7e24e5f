/** Maintenance in memory: from the annotation to the event. */
import { describe, expect, test } from "@jest/globals";
import { ControlError } from "../../../operator/control/error.ts";
import { KubeError } from "../../../operator/kube/error.ts";
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

/** An event without its message. */
const reasonOf = (text: string): string => text.split(":")[0] ?? "";

const state = (name: string) => cluster.node(name).status.maintenance;

const WISH = { "knit.dev/run": "migrate" };
const progress = (more: object = {}): object => ({
  isMigration: true,
  progress: 40,
  err: "null",
  migrationBlockNumber: 6,
  ...more,
});
const SAVED = { isSaving: false, bytes: 7, err: "null" };
const BACKUP = { isRunning: true, step: "sending", done: 1, total: 4, err: "null", last: null };
const events = (): readonly string[] =>
  cluster.events.map(reasonOf).filter((event) => event.includes("Maintenance"));
const begins = (): readonly string[] => cluster.calls.filter((call) => call.includes("start"));

/** Time goes on, and every node makes blocks. */
function pass(height: number): void {
  cluster.now += 10_000;
  for (const key of cluster.observations.keys()) cluster.tell(key.replace("demo/", ""), { height });
}

const claimSize = (): unknown => cluster.get("PersistentVolumeClaim", "core-data")?.["spec"];

describe("maintenance", () => {
  test("is recorded before the annotation goes, begun, followed, verified and ended", async () => {
    cluster.putRunning("core", [], WISH);
    let status = progress();
    cluster.answer = (_node, method) => (method === "admin_stateMigrationStatus" ? status : null);
    await once("core");
    expect(cluster.writes.slice(0, 3)).toEqual(["finalizers core", "status core", "merge core"]);
    expect(cluster.node("core").meta.annotations["knit.dev/run"]).toBeUndefined();
    expect(state("core")).toMatchObject({ state: "Running", operation: "migrate", member: "core" });
    pass(6);
    expect(await once("core")).toBeLessThanOrEqual(10_000);
    expect(state("core")).toMatchObject({ state: "Running", percent: 40 });
    expect(cluster.conditions("core")).toContain("MaintenanceInProgress True UnderWay");
    status = progress({ isMigration: false, progress: 100 });
    await once("core");
    expect(state("core")).toMatchObject({ state: "Verifying", percent: 100 });
    for (const height of [7, 8]) {
      pass(height);
      await once("core");
    }
    expect(state("core")).toMatchObject({ state: "Succeeded" });
    expect(events()).toEqual(["core MaintenanceStarted", "core MaintenanceSucceeded"]);
    expect(begins()).toHaveLength(1);
  });

  test("is in the status before the node is asked", async () => {
    cluster.putRunning("core", [], WISH);
    const states: unknown[] = [];
    cluster.answer = (_node, method) => {
      states.push([method, state("core")?.state]);
      return null;
    };
    await once("core");
    expect(states).toEqual([
      ["admin_stateMigrationRoom", "Requested"],
      ["admin_startStateMigration", "Starting"],
    ]);
  });

  test("is not begun a second time by an operator that is being recreated", async () => {
    cluster.putRunning("core", [], WISH);
    cluster.answer = () => {
      throw new ControlError("silent", "no answer"); // it was asked; nobody knows whether it heard
    };
    await once("core");
    expect(state("core")?.state).toBe("Starting");
    deps = cluster.deps();
    cluster.answer = () => progress();
    await once("core");
    expect([state("core")?.state, begins().length]).toEqual(["Running", 1]);
  });

  test("waits until there is the room that the node says it needs, with the numbers", async () => {
    cluster.putRunning("core", [], WISH);
    cluster.answer = () => ({ free: 5, needed: 9 });
    await once("core");
    expect(state("core")?.message).toContain("5 bytes of the volume are free; a migration needs 9");
    expect(cluster.conditions("core")).toContain("MaintenanceInProgress False Waiting");
  });

  test.each([
    ["the same operator", false],
    ["the next operator", true],
  ])("succeeds although its node started anew at the end, for %s", async (_who, isNext) => {
    cluster.putRunning("core", [], WISH);
    const idle = progress({ isMigration: false, progress: 0, migrationBlockNumber: 0 });
    cluster.answer = (_node, method) =>
      ({ admin_stateMigrationStatus: idle, admin_stateMigrationLast: progress() })[method] ?? null;
    await once("core");
    if (isNext) deps = cluster.deps();
    for (const height of [7, 8, 9]) {
      pass(height);
      await once("core");
    }
    expect([state("core")?.state, begins().length]).toEqual(["Succeeded", 1]);
  });

  test("fails with the node's own words", async () => {
    cluster.putRunning("core", [], { "knit.dev/run": "save-cache" });
    cluster.answer = () => {
      throw new ControlError("node-error", "the cache is disabled (-32000)");
    };
    await once("core");
    expect(state("core")).toMatchObject({ state: "Failed", message: "the cache is disabled (-32000)" });
    expect(cluster.events).toContain(
      "core MaintenanceFailed: save-cache of core: the cache is disabled (-32000)",
    );
  });

  test.each([
    ["migrate", progress(), "Running"],
    ["migrate", progress({ isMigration: false }), "Failed"],
    ["save-cache", { ...SAVED, isSaving: true }, "Running"],
    ["save-cache", SAVED, "Failed"],
    ["checkpoint", BACKUP, "Running"],
    ["checkpoint", { ...BACKUP, isRunning: false }, "Failed"],
  ])("whose start fails is followed if the node reports it all the same: %s, %j, %s", async (...row) => {
    const [operation, status, expected] = row;
    const noted = { "knit.dev/run": operation };
    cluster.putRunning("core", [], noted);
    const { spec } = cluster.node("core");
    cluster.putNode("core", { ...spec, backup: { to: { url: "s3://archive/core" } } }, noted);
    cluster.answer = (_node, method) => {
      if (method.endsWith("Status")) return status;
      if (method.endsWith("Room")) return null;
      throw new ControlError("node-error", "no: it is done already (-32000)");
    };
    await once("core");
    expect(state("core")?.state).toBe(expected);
  });

  test("that saves is verified by blocks alone where the gateway is too old to be asked of it", async () => {
    cluster.putRunning("core", [], { "knit.dev/run": "save-cache" });
    cluster.answer = (_node, method) => {
      if (!method.endsWith("Status")) return null;
      throw new ControlError("refused", "the method is not offered here");
    };
    await once("core");
    expect(await once("core")).toBeLessThanOrEqual(2_500);
    expect(state("core")).toMatchObject({ state: "Verifying" });
  });

  test("that does not come on is stopped, and fails with the reason", async () => {
    cluster.putRunning("core", [], WISH);
    cluster.answer = (_node, method) => (method === "admin_stateMigrationStatus" ? progress() : null);
    await once("core");
    pass(6);
    await once("core");
    cluster.now += 3_600_000;
    pass(7);
    await once("core");
    expect(cluster.calls.at(-1)).toBe("core admin_stopStateMigration");
    expect(state("core")).toMatchObject({
      state: "Failed",
      message: "no progress for an hour; the migration was stopped",
    });
  });

  test("runs on one node of a network at a time", async () => {
    cluster.putRunning("core", [], WISH);
    cluster.putRunning("proxy", ["core"], WISH);
    cluster.answer = (_node, method) => (method.endsWith("Status") ? progress() : null);
    await once("core");
    await once("proxy");
    expect([state("core")?.state, state("proxy")?.state]).toEqual(["Running", "Requested"]);
    expect(state("proxy")?.message).toBe("core is being maintained");
    cluster.answer = (_node, method) =>
      method.endsWith("Status") ? progress({ isMigration: false, progress: 100 }) : null;
    for (const height of [6, 7, 8]) {
      pass(height);
      await once("core");
    }
    await once("proxy");
    expect([state("core")?.state, state("proxy")?.state]).toEqual(["Succeeded", "Running"]);
  });

  test("goes on although the node is not ready, and waits to begin until it is", async () => {
    cluster.putRunning("core", [], WISH);
    cluster.putPod("core", { ready: false });
    cluster.answer = (_node, method) => (method.endsWith("Status") ? progress({ progress: 70 }) : null);
    await once("core");
    expect(state("core")).toMatchObject({ state: "Requested", message: "the replica is not ready" });
    cluster.putPod("core");
    await once("core");
    cluster.putPod("core", { ready: false });
    await once("core");
    expect(state("core")).toMatchObject({ state: "Running", percent: 70 });
  });

  test("of another kind that is wished for meanwhile comes after it; what ended is kept", async () => {
    cluster.putRunning("core", [], WISH);
    cluster.answer = () => progress();
    await once("core");
    cluster.putRunning("core", [], { "knit.dev/run": "save-cache" });
    await once("core");
    expect(cluster.node("core").status.maintenanceQueue).toMatchObject([{ operation: "save-cache" }]);
    cluster.answer = (_node, method) =>
      method.endsWith("Status") ? progress({ isMigration: false, err: "disk" }) : null;
    for (let round = 0; round < 2; round++) await once("core");
    expect(state("core")).toMatchObject({ operation: "save-cache", state: "Running" });
    expect(cluster.node("core").status.maintenanceHistory).toMatchObject([
      { operation: "migrate", state: "Failed", message: "disk" },
    ]);
  });

  test("that is wished for while another wish is recorded is not lost", async () => {
    cluster.putRunning("core", [], WISH);
    cluster.answer = () => {
      throw new ControlError("connect", "no way");
    };
    cluster.onStatus = () => {
      cluster.onStatus = () => undefined;
      cluster.putRunning("core", [], { "knit.dev/run": "save-cache" });
    };
    await expect(once("core")).rejects.toMatchObject({ code: "conflict" });
    expect(cluster.node("core").meta.annotations["knit.dev/run"]).toBe("save-cache");
    await once("core");
    expect(state("core")).toMatchObject({ operation: "save-cache" });
  });

  test("of an unknown kind is refused, and nothing is asked of the node", async () => {
    cluster.putRunning("core", [], { "knit.dev/run": "dance" });
    await once("core");
    expect(state("core")).toBeUndefined();
    expect(cluster.calls).toEqual([]);
    expect(cluster.events[0]).toContain("core MaintenanceRefused: knit.dev/run=dance: unknown operation");
  });
});

/** A core node that runs, with this in its spec's maintenance. */
function putMaintained(maintenance: object): void {
  cluster.putRunning("core", []);
  const { spec } = cluster.node("core");
  cluster.putNode("core", { ...spec, maintenance });
}

describe("maintenance comes by itself", () => {
  test("when its schedule comes up, in a window alone", async () => {
    const windows = [{ days: ["Thu"], from: "02:00", hours: 1 }]; // 1 January 2026 is a Thursday
    putMaintained({ trieCache: { schedule: "30 1 * * *" }, windows });
    cluster.answer = (_node, method) => (method.endsWith("Status") ? SAVED : null);
    await once("core");
    cluster.now += 5_400_000;
    pass(6);
    await once("core");
    expect(begins()).toEqual([]);
    cluster.now += 1_800_000;
    pass(7);
    await once("core");
    expect(cluster.calls).toEqual(["core admin_saveTrieNodeToDisk"]);
    expect(state("core")).toMatchObject({ cause: "Schedule", requestedAt: "2026-01-01T01:30:00Z" });
    for (const height of [8, 9, 10]) {
      pass(height);
      await once("core");
    }
    expect(cluster.calls).toEqual(["core admin_saveTrieNodeToDisk", "core admin_saveTrieNodeStatus"]);
    expect(state("core")).toMatchObject({
      state: "Succeeded",
      message: "the node saved 7 bytes of trie nodes; block 10 was imported",
    });
  });

  test("not in a window that closed while it waited", async () => {
    const windows = [{ days: ["Thu"], from: "00:00", hours: 1 }];
    putMaintained({ trieCache: { schedule: "30 0 * * *" }, windows });
    await once("core");
    for (const ready of [false, true]) {
      cluster.putPod("core", { ready });
      cluster.now += 1_800_000;
      pass(6);
      await once("core");
    }
    expect(state("core")).toMatchObject({ state: "Requested", message: "waits for a maintenance window" });
  });

  test("when the volume is full enough, and not again the moment after", async () => {
    putMaintained({ stateMigration: { diskPercent: 70 } });
    const G = 2 ** 30;
    cluster.tell("core", { disk: { sizeBytes: 10 * G, freeBytes: 3 * G } });
    cluster.answer = (_node, method) =>
      method.endsWith("Status") ? progress({ isMigration: false, progress: 100 }) : null;
    await once("core");
    expect(state("core")).toMatchObject({ cause: "DiskUse", state: "Running" });
    for (const height of [6, 7, 8, 9]) {
      pass(height);
      await once("core");
    }
    expect([state("core")?.state, begins().length]).toEqual(["Succeeded", 1]);
  });

  describe("on a volume that cannot hold the copy", () => {
    const G = 2 ** 30;
    const AUTO_GROW = { atPercent: 90, step: "5Gi", limit: "22Gi" };
    const SHORT = `${3 * G} bytes of the volume are free; a migration needs ${8 * G}`;

    /** The claim is bound with a capacity, of which 7Gi are used. */
    function bind(gib: number): void {
      const claim = cluster.get("PersistentVolumeClaim", "core-data");
      const metadata = { name: "core-data", namespace: "demo" };
      const status = { phase: "Bound", capacity: { storage: `${gib}Gi` } };
      cluster.put({ apiVersion: "v1", kind: "PersistentVolumeClaim", ...claim, metadata, status });
      cluster.tell("core", { disk: { sizeBytes: gib * G, freeBytes: (gib - 7) * G } });
      cluster.answer = (_node, method) => {
        if (method === "admin_stateMigrationRoom") return { free: (gib - 7) * G, needed: 8 * G };
        return method.endsWith("Status") ? progress() : null;
      };
    }

    async function ask(storage: object): Promise<void> {
      putMaintained({ stateMigration: { diskPercent: 70 } });
      const { spec } = cluster.node("core");
      cluster.putNode("core", { ...spec, storage: { size: "10Gi", ...storage } });
      await once("core");
      bind(10);
      await once("core"); // requests it
    }

    test("the volume grows first, by as much as the copy needs, and the message says so", async () => {
      await ask({ autoGrow: AUTO_GROW });
      expect(state("core")).toMatchObject({
        cause: "DiskUse",
        state: "Requested",
        volumeBytes: 15 * G,
        message: `${SHORT}; the volume grows first, in steps of 5Gi up to 22Gi`,
      });
      await once("core");
      expect(claimSize()).toMatchObject({ resources: { requests: { storage: "15Gi" } } });
      expect(cluster.events).toContain("core VolumeGrown: the volume of core is being expanded to 15Gi");
      expect(state("core")?.message).toBe(`${SHORT}; the volume is being expanded to 15Gi first`);
      bind(15);
      await once("core");
      expect(state("core")).toMatchObject({ state: "Running", volumeBytes: undefined });
    });

    test("the message says what else would do where it may not grow", async () => {
      await ask({});
      expect(state("core")?.message).toBe(
        `${SHORT}; increase spec.storage.size, or set spec.storage.autoGrow`,
      );
      await ask({ autoGrow: { ...AUTO_GROW, limit: "10Gi" } });
      expect(state("core")?.message).toBe(
        `${SHORT}; the volume has its maximum size: increase spec.storage.autoGrow.limit (10Gi)`,
      );
    });

    test("the message has the refusal of the expansion", async () => {
      await ask({ autoGrow: AUTO_GROW });
      cluster.onWrite = (kind) => {
        if (kind === "PersistentVolumeClaim") throw new KubeError("forbidden", "exceeded quota");
      };
      await once("core");
      expect(state("core")?.message).toMatch(/a migration needs \d+; the claim .*: exceeded quota; allow/);
    });
  });

  test("for no longer than usual when the clock was nine hours ahead", async () => {
    cluster.putRunning("core", [], WISH);
    const done = progress({ isMigration: false, progress: 100 });
    cluster.answer = (_node, method) => (method === "admin_stateMigrationStatus" ? done : null);
    cluster.now += 9 * 3_600_000;
    for (const _ of [1, 2]) {
      pass(5);
      await once("core");
    }
    expect(state("core")?.state).toBe("Verifying");
    cluster.now -= 9 * 3_600_000;
    pass(5);
    await once("core");
    cluster.now += 600_000;
    for (const _ of [1, 2]) {
      pass(5);
      await once("core");
    }
    expect(state("core")).toMatchObject({ state: "Failed" });
    expect(state("core")?.message).toContain("no block was imported within 10 minutes");
  });

  test("never by a schedule that is none, which is told", async () => {
    putMaintained({ stateMigration: { schedule: "99 * * * *" } });
    await once("core");
    expect(cluster.events).toContainEqual(
      'core MaintenanceRefused: migrate: "99 * * * *" is not a schedule of five fields',
    );
    expect(cluster.node("core").status.schedules).toBeUndefined();
  });
});
