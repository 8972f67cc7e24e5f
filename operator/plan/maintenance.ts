/**
 * Maintenance as a state machine. A run is requested, starts when all preflight checks pass, is stopped at
 * its deadline, and is verified by further blocks. The status stores the whole run, from which a restarted
 * operator continues. Pure.
 */

import { isCouncilOperation, isVolumeOperation } from "../api/names.ts";
import type { MaintenanceRun } from "../api/node-runs.ts";
import { formatInstant } from "../observe/clock.ts";
import { afterBackupStart } from "./backup.ts";
import { askedBefore, mayPass } from "./order.ts";
import { type MaintainedMember, type PreflightView, preflightTrouble, type Trouble } from "./preflight.ts";
import { beginRun, cutMessage, endRun, enterState, NO_WAITS, verifyRun } from "./run-states.ts";

/** Next action; the run is written to the status before the node is called. */
export interface MaintenanceStep {
  /**
   * `begin`, `look` and `stop` call the node, and its response determines the next run; `resume` first checks
   * for an earlier call.
   */
  readonly do: "wait" | "begin" | "resume" | "look" | "stop" | "end";
  readonly run: MaintenanceRun;
}

/** Result of a command: success, or the text of an error. */
export type Answer = { readonly ok: true } | { readonly ok: false; readonly message: string };

/** Progress of a migration. */
export interface MigrationProgress {
  readonly running: boolean;
  readonly percent: number;
  /** Block whose state is copied; 0 when unknown. */
  readonly block: number;
  /** Undefined without an error. */
  readonly error: string | undefined;
  /** True for the last migration before a restart of the node. */
  readonly isPast: boolean;
}

/** Progress of saving the cache, or the result of the last time since the node started. */
export interface SavingProgress {
  readonly running: boolean;
  /** Written bytes; 0 when none completed. */
  readonly bytes: number;
  /** Undefined without an error. */
  readonly error: string | undefined;
}

const MINUTE_MS = 60_000;

/** Maximum time of a run in each state, in milliseconds, before it is stopped or fails. */
export const deadlines = {
  Requested: 24 * 60 * MINUTE_MS,
  Starting: 5 * MINUTE_MS,
  Running: 12 * 60 * MINUTE_MS,
  Stopping: 5 * MINUTE_MS,
  Verifying: 10 * MINUTE_MS,
} as const;

/** Maximum time without progress before a migration is stopped; maximum duration of saving the cache. */
export const STALL_MS = 60 * MINUTE_MS;

/** True until a run has completed. */
export function isOpen({ state }: Pick<MaintenanceRun, "state">): boolean {
  return state !== "Succeeded" && state !== "Failed";
}

/** True while a run affects its member. */
export function isUnderWay(run: Pick<MaintenanceRun, "state">): boolean {
  return isOpen(run) && run.state !== "Requested";
}

/** Creates a run; `since` is the time of an earlier request. */
export function newRun(
  {
    operation,
    member,
    cause,
    since,
  }: Pick<MaintenanceRun, "operation" | "member" | "cause"> & { since?: number },
  now: number,
): MaintenanceRun {
  return {
    operation,
    member,
    cause,
    state: "Requested",
    message: "waits for earlier requests",
    requestedAt: formatInstant(since ?? now),
    held: undefined,
    freeSince: undefined,
    volumeBytes: undefined,
    claim: undefined,
    stateAt: formatInstant(now),
    startedAt: undefined,
    progressAt: undefined,
    finishedAt: undefined,
    percent: undefined,
    height: undefined,
  };
}

type Judge = (
  run: MaintenanceRun,
  view: PreflightView & { readonly member: MaintainedMember },
  now: number,
) => MaintenanceStep;

const judges: Readonly<Record<MaintenanceRun["state"], Judge>> = {
  Requested: waiting,
  Starting: (run, _view, now) =>
    isLate(run, now) ? over(run, "the start request failed", now) : { do: "resume", run },
  Running: working,
  Stopping: (run, _view, now) =>
    isLate(run, now) ? over(run, `${run.message}; the stop request failed`, now) : { do: "stop", run },
  Verifying: verifying,
  Succeeded: (run) => ({ do: "end", run }),
  Failed: (run) => ({ do: "end", run }),
};

/** Decides on the next action of a run. */
export function planMaintenance(run: MaintenanceRun, view: PreflightView, now: number): MaintenanceStep {
  const { member } = view;
  if (member === undefined && isOpen(run)) return over(run, "the replica does not exist any more", now);
  if (member === undefined) return { do: "end", run };
  if (isUnderWay(run) && member.suspended && run.operation !== "leave-council")
    return over(run, "the replica was suspended", now);
  return judges[run.state](run, { ...view, member }, now);
}

function waiting(
  run: MaintenanceRun,
  view: PreflightView & { readonly member: MaintainedMember },
  now: number,
): MaintenanceStep {
  const trouble = preflightTrouble(run, view) ?? turnTrouble(run, view, now);
  if (trouble === undefined) {
    const { height } = view.member;
    const starting = enterState(run, "Starting", "the start is requested", now);
    const { claim } = view.renewal ?? {};
    return { do: "begin", run: { ...starting, startedAt: formatInstant(now), height, claim } };
  }
  if (isLate(run, now)) return over(run, `not started within a day: ${trouble.message}`, now);
  return { do: "wait", run: { ...run, ...trouble, message: cutMessage(trouble.message) } };
}

/** Returns the reason to wait for other runs; undefined when there is none. */
function turnTrouble(
  run: MaintenanceRun,
  { member, turns }: PreflightView & { readonly member: MaintainedMember },
  now: number,
): Trouble | undefined {
  const before = askedBefore({ ...run, node: member.node }, turns);
  const freeSince = run.freeSince ?? formatInstant(now);
  if (before[0] === undefined || mayPass(freeSince, before, now)) return undefined;
  return { message: `${before[0].member} has an earlier request`, ...NO_WAITS, freeSince };
}

function working(run: MaintenanceRun, _view: PreflightView, now: number): MaintenanceStep {
  if (isCouncilOperation(run.operation)) return voting(run, now);
  if (isVolumeOperation(run.operation)) return renewing(run, now);
  const idleMs = now - Date.parse(run.progressAt ?? run.stateAt);
  if (!isLate(run, now) && idleMs < STALL_MS) return { do: "look", run };
  if (run.operation === "save-cache") return over(run, "no completion within an hour", now);
  const why = isLate(run, now) ? "no completion within 12 hours" : "no progress for an hour";
  return { do: "stop", run: enterState(run, "Stopping", why, now) };
}

/** A copy may take hours without a block. */
function renewing(run: MaintenanceRun, now: number): MaintenanceStep {
  if (!isLate(run, now)) return { do: "look", run };
  return over(run, `not synced within 12 hours, and goes on: ${run.message}`, now);
}

/** Votes are cast again from time to time, which changes the state's time. */
function voting(run: MaintenanceRun, now: number): MaintenanceStep {
  if (now - Date.parse(run.startedAt ?? run.stateAt) < STALL_MS) return { do: "look", run };
  return over(run, `the council has not changed within an hour: ${run.message}`, now);
}

/**
 * Verifies that the node imports blocks: records its first height after completion, then waits for a higher
 * one.
 */
function verifying(
  run: MaintenanceRun,
  { member }: { readonly member: MaintainedMember },
  now: number,
): MaintenanceStep {
  const { height, reportedAt } = member;
  const isFresh = height !== undefined && reportedAt > Date.parse(run.stateAt);
  if (isFresh && run.height === undefined) return { do: "wait", run: { ...run, height } };
  if (isFresh && member.ready && height > (run.height ?? height)) {
    return {
      do: "end",
      run: endRun(run, "Succeeded", `${run.message}; block ${height} was imported`, now),
    };
  }
  if (isLate(run, now)) return over(run, `${run.message}; no block was imported within 10 minutes`, now);
  return { do: "wait", run };
}

/** Returns the run after the response to its start. */
export function afterStart(run: MaintenanceRun, answer: Answer, now: number): MaintenanceRun {
  if (!answer.ok) return endRun(run, "Failed", answer.message, now);
  if (run.operation === "save-cache")
    return enterState(run, "Running", "the node is saving its trie cache", now);
  if (run.operation === "checkpoint") return afterBackupStart(run, now);
  return beginRun(run, "the node is migrating its state", now);
}

/** Votes that the validators of this cluster were asked for. */
export interface VotesCast {
  readonly validators: number;
  readonly cast: number;
  /** First error of a validator; undefined when all voted. */
  readonly error: string | undefined;
}

/** Returns the run after votes were cast; each is in the next block of its validator. */
export function afterVotes(
  run: MaintenanceRun,
  { validators, cast, error }: VotesCast,
  now: number,
): MaintenanceRun {
  const figures = `${cast} of ${validators} validators have voted`;
  const text = error === undefined ? figures : `${figures}; another answers: ${error}`;
  return cast === 0 ? endRun(run, "Failed", text, now) : enterState(run, "Running", text, now);
}

/** Returns the run after a look at the council: `isMember` tells whether the address is in it now. */
export function afterCouncil(
  run: MaintenanceRun,
  { isMember, validators }: { readonly isMember: boolean; readonly validators: number },
  now: number,
): MaintenanceRun {
  const joins = run.operation === "join-council";
  if (isMember !== joins) return run;
  if (joins) return verifyRun(run, `it is one of ${validators} validators`, now);
  return endRun(run, "Succeeded", `it has left the council; ${validators} validators remain`, now);
}

/** Returns the run after a migration that may have been started before; undefined when it was not. */
export function afterResume(
  run: MaintenanceRun,
  progress: MigrationProgress,
  now: number,
): MaintenanceRun | undefined {
  if (progress.running) return afterProgress(afterStart(run, { ok: true }, now), progress, now);
  return isOf(run, progress) ? afterProgress(run, progress, now) : undefined;
}

/** True when an unobserved migration can belong to this run; earlier ones copied an earlier state. */
function isOf({ height }: MaintenanceRun, { block }: MigrationProgress): boolean {
  return height !== undefined && block > 0 && block >= height;
}

/** Returns the run after a progress report of a migration. */
export function afterProgress(run: MaintenanceRun, progress: MigrationProgress, now: number): MaintenanceRun {
  const percent = Math.max(0, Math.min(100, Math.floor(progress.percent)));
  if (progress.running) {
    const isFurther = percent > (run.percent ?? -1);
    const height = progress.block > 0 ? progress.block : run.height;
    return { ...run, percent, height, progressAt: isFurther ? formatInstant(now) : run.progressAt };
  }
  if (progress.isPast && !isOf(run, progress)) return afterLoss(run, "migration", now);
  if (progress.error !== undefined) return endRun(run, "Failed", progress.error, now);
  if (percent >= 100) return { ...verifyRun(run, "the state migration is complete", now), percent };
  return afterLoss(run, "migration", now);
}

/**
 * Returns the run after a progress report of saving; undefined when the gateway or the node is of a release
 * without such reports.
 */
export function afterSaving(
  run: MaintenanceRun,
  saving: SavingProgress | undefined,
  now: number,
): MaintenanceRun {
  if (saving === undefined)
    return verifyRun(run, "the node is saving its trie cache and does not report the result", now);
  const { running, bytes, error } = saving;
  if (running) return run;
  if (error !== undefined) return endRun(run, "Failed", error, now);
  if (bytes > 0) return verifyRun(run, `the node saved ${bytes} bytes of trie nodes`, now);
  return afterLoss(run, "saving", now);
}

function afterLoss(run: MaintenanceRun, what: "migration" | "saving", now: number): MaintenanceRun {
  return endRun(run, "Failed", `the node has restarted and reports no ${what}`, now);
}

/** Returns the run after the response to a stop: the previous state stays in use. */
export function afterStop(run: MaintenanceRun, answer: Answer, now: number): MaintenanceRun {
  const what = run.operation === "checkpoint" ? "backup" : "migration";
  const how = answer.ok ? `the ${what} was stopped` : `the stop request failed: ${answer.message}`;
  return endRun(run, "Failed", `${run.message}; ${how}`, now);
}

function isLate({ state, stateAt }: MaintenanceRun, now: number): boolean {
  const most = Object.hasOwn(deadlines, state) ? deadlines[state as keyof typeof deadlines] : 0;
  return now - Date.parse(stateAt) >= most;
}

function over(run: MaintenanceRun, message: string, now: number): MaintenanceStep {
  return { do: "end", run: endRun(run, "Failed", message, now) };
}
