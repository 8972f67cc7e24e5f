/**
 * Turns: of the Nodes of a group that ask for maintenance the one whose wish is the oldest goes first, and of equally
 * old ones the first by name, whoever is looked at first. One that cannot go lets the others pass.
 */
import type { MaintenanceRun } from "../api/node-runs.ts";

/** A Node whose run waits for its turn. */
export interface Turn extends Pick<MaintenanceRun, "member" | "requestedAt" | "held"> {
  /** The Node's name. */
  readonly node: string;
}

/** How long one that may go and does not is waited for, milliseconds: its Node is perhaps not looked at. */
export const TURN_MS = 60_000;

/** Those that go before it, the first of all first. */
export function askedBefore(own: Turn, all: readonly Turn[]): readonly Turn[] {
  return all
    .filter(({ node, held }) => node !== own.node && held !== true)
    .filter((each) => byAge(each, own) < 0)
    .sort(byAge);
}

/** Whether it has waited for all before it for long enough; `freeSince`: since when it waits for nothing else. */
export function mayPass(freeSince: string, before: readonly Turn[], now: number): boolean {
  return now - Date.parse(freeSince) >= before.length * TURN_MS;
}

function byAge(a: Turn, b: Turn): number {
  const difference = Date.parse(a.requestedAt) - Date.parse(b.requestedAt);
  if (difference !== 0) return difference;
  return a.node < b.node ? -1 : 1;
}
