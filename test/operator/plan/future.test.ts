/** Times ahead of the clock: those that a clock set back has left in a status. */
import { expect, test } from "@jest/globals";
import { readNode } from "../../../operator/api/resource.ts";
import { formatInstant } from "../../../operator/observe/clock.ts";
import { MAX_AHEAD_MS, withoutFuture } from "../../../operator/plan/future.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");
const META = { name: "core", namespace: "demo", uid: "u", resourceVersion: "1" };

/** A status all of whose times are one. */
function statusAt(time: number) {
  const at = formatInstant(time);
  const run = {
    operation: "migrate",
    member: "core",
    cause: "Annotation",
    state: "Verifying",
    message: "",
    requestedAt: at,
    freeSince: at,
    startedAt: at,
    stateAt: at,
    progressAt: at,
    finishedAt: at,
  };
  const status = {
    maintenance: run,
    maintenanceQueue: [run],
    maintenanceHistory: [run],
    rollout: { member: "core", revision: "r", state: "Rolling", startedAt: at, message: "" },
    schedules: [{ operation: "checkpoint", schedule: "0 3 * * *", since: at }],
    backup: { since: at, at, verifiedAt: at },
    members: [{ name: "core", ready: true, disk: { grownAt: at } }],
  };
  return readNode({ metadata: META, spec: { type: "core", network: { name: "net" } }, status }).status;
}

test("times more than an hour ahead become now, and all others stay", () => {
  expect(withoutFuture(statusAt(NOW + MAX_AHEAD_MS + 1_000), NOW)).toEqual(statusAt(NOW));
  for (const time of [NOW + MAX_AHEAD_MS, NOW, NOW - 1_000])
    expect(withoutFuture(statusAt(time), NOW)).toEqual(statusAt(time));
});
