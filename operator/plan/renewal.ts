/** Volumes that are deleted and recreated: the checks before, and the progress of their runs. Pure. */
import type { MaintenanceRun } from "../api/node-runs.ts";
import { formatInstant } from "../observe/clock.ts";
import type { MemberView } from "./group.ts";
import { beginRun, verifyRun } from "./run-states.ts";

/** Observed state of a volume that is to be replaced. */
export interface RenewalView {
  /** UID of its claim; undefined when there is none, or it is being deleted. */
  readonly claim: string | undefined;
  /** Reason for which the replica is stopped: its key or its chain is in doubt. */
  readonly stopped: string | undefined;
  /** True when another replica of the chain that is ready and synced has blocks. */
  readonly isElsewhere: boolean;
  /** True when the chain can come from outside of the cluster's replicas: a public network, or a copy. */
  readonly hasSource: boolean;
  /** True when so many validators of the genesis would have empty volumes that they could agree on another block 1. */
  readonly couldBegin: boolean;
  /** Trouble of a council that lacks the replica for long. */
  readonly council: string | undefined;
}

/** Returns the reason not to replace a volume; undefined when nothing is in doubt. */
export function renewalTrouble(
  { type }: Pick<MemberView, "type">,
  view: RenewalView | undefined,
): string | undefined {
  if (view?.claim === undefined) return "the replica has no volume, or it is being deleted";
  if (view.stopped !== undefined) return `the replica is stopped: ${view.stopped}`;
  if (!view.isElsewhere && (type === "core" || !view.hasSource))
    return "no other replica that is ready and synced has the chain";
  if (view.couldBegin)
    return "the validators with empty volumes could agree on another block 1: wait until the others have the chain";
  return view.council;
}

/** Returns the run after the StatefulSet of the replica was deleted. */
export function afterVolumeDeletion(run: MaintenanceRun, now: number): MaintenanceRun {
  return beginRun(run, "the pod ends, and its volume is deleted", now);
}

/** Progress of a replica on its new volume. */
export interface RenewalProgress {
  /** False while the claim that the run deletes exists. */
  readonly isDeleted: boolean;
  /** Newest block of the replica, undefined while it does not report, and of its network. */
  readonly height: number | undefined;
  readonly newest: number;
  /** True when its pod on the new volume is ready and synced. */
  readonly isSteady: boolean;
}

/** Returns the run after a look at the replica. */
export function afterRenewal(
  run: MaintenanceRun,
  { isDeleted, height, newest, isSteady }: RenewalProgress,
  now: number,
): MaintenanceRun {
  if (!isDeleted) return run;
  if (isSteady) return { ...verifyRun(run, "the replica has the chain on a new volume", now), percent: 100 };
  const part = height === undefined || newest === 0 ? 0 : Math.min(99, Math.floor((100 * height) / newest));
  const message =
    height === undefined
      ? "the replica starts on a new volume"
      : `the replica has ${part} percent of the blocks`;
  if (part === run.percent && message === run.message) return run;
  return { ...run, message, percent: part, progressAt: formatInstant(now) };
}
