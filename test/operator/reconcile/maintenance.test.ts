/** Maintenance in memory: from the annotation to the event. */
import { beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type Credentials, createAuthority } from "../../../operator/control/authority.ts";
import { ControlError } from "../../../operator/control/error.ts";
import { reconcile } from "../../../operator/reconcile/reconcile.ts";
import type { Surroundings } from "../../../operator/reconcile/surroundings.ts";
import { FakeCluster } from "../../support/fake-cluster.ts";

let authority: Credentials;
let cluster: FakeCluster;
let around: Surroundings;

beforeAll(async () => {
  authority = await createAuthority(Date.parse("2026-01-01T00:00:00Z"));
});
beforeEach(() => {
  cluster = new FakeCluster(authority);
  around = cluster.surroundings();
});

const once = (name: string): Promise<number> => reconcile(cluster.node(name), around);

/** An event without its message. */
const reasonOf = (text: string): string => text.split(":")[0] ?? "";

const state = (name: string) => cluster.node(name).status.maintenance;

describe("maintenance", () => {
  const WISH = { "knit.dev/run": "migrate" };

  test("is noted before the annotation goes, begun, followed and ended", async () => {
    cluster.putRunning("core", [], WISH);
    let running = true;
    cluster.answer = (_node, method) =>
      method === "admin_stateMigrationStatus" ? { isMigration: running, progress: 40, err: "null" } : null;
    await once("core");
    expect(cluster.writes.slice(0, 2)).toEqual(["status core", "merge core"]);
    expect(cluster.node("core").meta.annotations).toEqual({});
    expect(state("core")).toMatchObject({ state: "Running", operation: "migrate" });
    await once("core");
    expect(state("core")).toMatchObject({ state: "Running", percent: 40 });
    running = false;
    await once("core");
    expect(state("core")).toMatchObject({ state: "Succeeded", percent: 100 });
    expect(cluster.events.map(reasonOf).filter((text) => text.includes("Maintenance"))).toEqual([
      "core MaintenanceStarted",
      "core MaintenanceSucceeded",
    ]);
    expect(cluster.calls.filter((call) => call.includes("start"))).toHaveLength(1);
  });

  test("fails with the node's own words", async () => {
    cluster.putRunning("core", [], { "knit.dev/run": "save-cache" });
    cluster.answer = () => {
      throw new ControlError("node-error", "the cache is disabled (-32000)");
    };
    await once("core");
    expect(state("core")).toMatchObject({ state: "Failed", message: "the cache is disabled (-32000)" });
    expect(cluster.events).toContain("core MaintenanceFailed: save-cache: the cache is disabled (-32000)");
  });

  test("that the node runs already is followed, and one that cannot be asked for waits", async () => {
    cluster.putRunning("core", [], WISH);
    cluster.answer = () => {
      throw new ControlError("connect", "no way");
    };
    await once("core");
    expect(state("core")?.state).toBe("Requested");
    cluster.answer = (_node, method) => {
      if (method === "admin_startStateMigration")
        throw new ControlError("node-error", "migration already started");
      return { isMigration: true, progress: 1, err: "null" };
    };
    await once("core");
    expect(state("core")?.state).toBe("Running");
  });

  test("runs on one node of a network at a time", async () => {
    cluster.putRunning("core", [], WISH);
    cluster.putRunning("proxy", ["core"], WISH);
    cluster.answer = (_node, method) =>
      method.endsWith("Status") ? { isMigration: true, progress: 1, err: "null" } : null;
    await once("core");
    await once("proxy");
    expect([state("core")?.state, state("proxy")?.state]).toEqual(["Running", "Requested"]);
    cluster.answer = (_node, method) =>
      method.endsWith("Status") ? { isMigration: false, progress: 100, err: "null" } : null;
    await once("core");
    await once("proxy");
    expect([state("core")?.state, state("proxy")?.state]).toEqual(["Succeeded", "Running"]);
  });

  test("is begun on one node at a time, even when an earlier wish appears while a node is asked", async () => {
    cluster.putRunning("core", []);
    cluster.putRunning("proxy", ["core"], WISH);
    const { promise: gate, resolve: open } = Promise.withResolvers<null>();
    cluster.answer = () => gate;
    const proxy = once("proxy");
    while (!cluster.calls.some((call) => call.includes("start")))
      await new Promise((resolve) => setTimeout(resolve, 1));
    cluster.now -= 5_000;
    cluster.putRunning("core", [], WISH);
    await once("core");
    expect(cluster.calls.filter((call) => call.includes("start"))).toEqual([
      "proxy admin_startStateMigration",
    ]);
    open(null);
    await proxy;
    expect([state("core")?.state, state("proxy")?.state]).toEqual(["Requested", "Running"]);
  });

  test("that is wished for while another wish is noted is not lost", async () => {
    cluster.putRunning("core", [], WISH);
    cluster.answer = () => {
      throw new ControlError("connect", "no way");
    };
    cluster.onStatus = () => {
      cluster.onStatus = () => undefined;
      cluster.putRunning("core", [], { "knit.dev/run": "save-cache" });
    };
    await once("core");
    expect(cluster.node("core").meta.annotations).toEqual({ "knit.dev/run": "save-cache" });
  });

  test("of an unknown kind is refused, and nothing is asked of the node", async () => {
    cluster.putRunning("core", [], { "knit.dev/run": "dance" });
    await once("core");
    expect(state("core")).toBeUndefined();
    expect(cluster.calls).toEqual([]);
    expect(cluster.events[0]).toContain(
      "core MaintenanceRefused: knit.dev/run=dance: there is no such operation",
    );
  });
});
