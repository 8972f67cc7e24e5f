/**
 * Order of maintenance in a group: the oldest request first, then by name. A Node that cannot start lets the
 * others pass.
 */
import type { MaintenanceRun } from "../api/node-runs.ts";

/** A Node with a waiting run. */
export interface Turn extends Pick<MaintenanceRun, "member" | "requestedAt" | "held"> {
  /** Name of the Node. */
  readonly node: string;
}

/** Maximum wait in milliseconds for an earlier run that could start but does not. */
export const TURN_MS = 60_000;

/** Lists the runs before this one, first one first. */
export function askedBefore(own: Turn, all: readonly Turn[]): readonly Turn[] {
  return all
    .filter(({ node, held }) => node !== own.node && held !== true)
    .filter((each) => byAge(each, own) < 0)
    .sort(byAge);
}

/** True when the run has waited long enough for all before it; `freeSince` is the start of that wait. */
export function mayPass(freeSince: string, before: readonly Turn[], now: number): boolean {
  return now - Date.parse(freeSince) >= before.length * TURN_MS;
}

function byAge(a: Turn, b: Turn): number {
  const difference = Date.parse(a.requestedAt) - Date.parse(b.requestedAt);
  if (difference !== 0) return difference;
  return a.node < b.node ? -1 : 1;
}
