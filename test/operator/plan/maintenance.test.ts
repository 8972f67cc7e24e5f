/** Maintenance from wish to end. */
import { describe, expect, test } from "@jest/globals";
import type { Maintenance } from "../../../operator/api/node-status.ts";
import { nextConditions } from "../../../operator/plan/conditions.ts";
import { progressed, readWish, request, started, turn } from "../../../operator/plan/maintenance.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");

function requested(operation: Maintenance["operation"], now = NOW): Maintenance {
  const maintenance = request(undefined, operation, now);
  if (maintenance === undefined) throw new Error("a first wish is always noted");
  return maintenance;
}

test("the annotation is one of the operations or nothing", () => {
  expect(readWish("migrate")).toEqual({ operation: "migrate" });
  expect(readWish("save-cache")).toEqual({ operation: "save-cache" });
  for (const text of ["", "Migrate", "toString", "__proto__"])
    expect(readWish(text)).toEqual({ unknown: text });
  expect(readWish("x".repeat(1_000))).toEqual({ unknown: "x".repeat(64) });
});

describe("a wish", () => {
  test("is noted once, and does not disturb another one that is open", () => {
    const first = requested("migrate");
    expect(first).toMatchObject({ state: "Requested", requestedAt: "2026-01-01T00:00:00Z" });
    expect(request(first, "migrate", NOW + 5_000)).toBe(first);
    expect(request(first, "save-cache", NOW)).toBeUndefined();
    expect(request({ ...first, state: "Failed" }, "save-cache", NOW)).toMatchObject({ state: "Requested" });
  });

  test("is granted to one node at a time: to who runs, else to who wished first", () => {
    const late = { name: "a", maintenance: requested("migrate", NOW + 1_000) };
    const early = { name: "b", maintenance: requested("migrate") };
    const idle = { name: "c", maintenance: undefined };
    expect(turn([idle])).toBeUndefined();
    expect(turn([idle, late, early])).toBe("b");
    expect(turn([late, early, { name: "d", maintenance: { ...early.maintenance, state: "Running" } }])).toBe(
      "d",
    );
    expect(turn([{ ...early, name: "z" }, early])).toBe("b");
  });

  test("fails with what the node answered, cut to what the status takes", () => {
    const after = started(requested("migrate"), { ok: false, message: "x".repeat(5_000) }, NOW);
    expect(after).toMatchObject({
      state: "Failed",
      message: "x".repeat(1_000),
      finishedAt: "2026-01-01T00:00:00Z",
    });
  });

  test("to save the cache is done when the node has begun; to migrate runs on", () => {
    expect(started(requested("save-cache"), { ok: true }, NOW).state).toBe("Succeeded");
    const running = started(requested("migrate"), { ok: true }, NOW);
    expect(running).toMatchObject({ state: "Running", percent: 0 });
    const status = { running: true, percent: 250.7, error: undefined };
    expect(progressed(running, status, NOW)).toMatchObject({ state: "Running", percent: 100 });
    expect(progressed(running, { ...status, running: false }, NOW)).toMatchObject({
      state: "Succeeded",
      percent: 100,
    });
    expect(progressed(running, { ...status, running: false, error: "disk" }, NOW)).toMatchObject({
      state: "Failed",
      message: "disk",
    });
  });
});

const at = (now: number) => ({ generation: 1, now });

test("a condition keeps the time of its last change of status", () => {
  const verdict = { type: "Ready", status: "False", reason: "A", message: "a" } as const;
  const first = nextConditions(undefined, [verdict], at(NOW));
  const second = nextConditions(first, [{ ...verdict, reason: "B" }], at(NOW + 60_000));
  expect(second).toEqual([
    { ...verdict, reason: "B", observedGeneration: 1, lastTransitionTime: "2026-01-01T00:00:00Z" },
  ]);
  const third = nextConditions(second, [{ ...verdict, status: "True" }], at(NOW + 60_000));
  expect(third[0]?.lastTransitionTime).toBe("2026-01-01T00:01:00Z");
});
