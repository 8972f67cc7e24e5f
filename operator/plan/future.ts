/**
 * Times in a status that lie ahead of the clock, which has been set back since, as on a machine that had the local time at
 * its start. Runs, schedules and volumes would wait until the clock reaches them. Pure.
 */
import type { NodeStatus } from "../api/node-status.ts";
import { formatInstant } from "../observe/clock.ts";

/** Maximum time ahead that stays: a short jump back ends by itself, and would make runs look late. */
export const MAX_AHEAD_MS = 3_600_000;

/** Fields with times. */
const TIMES: ReadonlySet<string> = new Set([
  "requestedAt",
  "freeSince",
  "startedAt",
  "stateAt",
  "progressAt",
  "finishedAt",
  "since",
  "at",
  "verifiedAt",
  "grownAt",
]);

/** Returns the status with `now` in place of the times of runs, schedules, backups and growths that lie ahead. */
export function withoutFuture(status: NodeStatus, now: number): NodeStatus {
  const limit = <T extends object>(part: T): T => limitTimes(part, now);
  const { maintenance, maintenanceQueue, maintenanceHistory, rollout, schedules, backup, members } = status;
  return {
    ...status,
    maintenance: maintenance && limit(maintenance),
    maintenanceQueue: maintenanceQueue?.map(limit),
    maintenanceHistory: maintenanceHistory?.map(limit),
    rollout: rollout && limit(rollout),
    schedules: schedules?.map(limit),
    backup: backup && limit(backup),
    members: members?.map((member) => ({ ...member, disk: member.disk && limit(member.disk) })),
  };
}

function limitTimes<T extends object>(part: T, now: number): T {
  const ahead = Object.entries(part).filter(
    ([name, value]) => TIMES.has(name) && Date.parse(String(value)) > now + MAX_AHEAD_MS,
  );
  return { ...part, ...Object.fromEntries(ahead.map(([name]) => [name, formatInstant(now)])) };
}
