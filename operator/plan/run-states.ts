/** Transitions of a maintenance run. Pure. */
import type { MaintenanceRun } from "../api/node-runs.ts";
import { formatInstant } from "../observe/clock.ts";

/** Fields of a run that waits for nothing. */
export const NO_WAITS = { held: undefined, freeSince: undefined, volumeBytes: undefined } as const;

const MAX_CHARACTERS = 1_000;

/** Returns the run in another state. */
export function enterState(
  run: MaintenanceRun,
  state: MaintenanceRun["state"],
  message: string,
  now: number,
): MaintenanceRun {
  return { ...run, ...NO_WAITS, state, message: cutMessage(message), stateAt: formatInstant(now) };
}

/** Returns the run whose work has begun, and whose progress is measured from now on. */
export function beginRun(run: MaintenanceRun, message: string, now: number): MaintenanceRun {
  const begun = enterState(run, "Running", message, now);
  return { ...begun, percent: 0, progressAt: formatInstant(now) };
}

/** Returns the run after its end. */
export function endRun(
  run: MaintenanceRun,
  state: "Succeeded" | "Failed",
  message: string,
  now: number,
): MaintenanceRun {
  return { ...enterState(run, state, message, now), finishedAt: formatInstant(now) };
}

/** Returns the run whose work is done; blocks must follow. */
export function verifyRun(run: MaintenanceRun, message: string, now: number): MaintenanceRun {
  return { ...enterState(run, "Verifying", message, now), height: undefined };
}

/** Cuts a message to the length that the status takes. */
export function cutMessage(text: string): string {
  return text.slice(0, MAX_CHARACTERS);
}
