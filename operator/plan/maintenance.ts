/**
 * Maintenance as a machine of states. A run is requested, begins when nothing speaks against it, works, is stopped
 * when it takes too long, is verified by blocks that follow, and ends with what came of it. Everything that the next
 * step needs is in the run itself, which the status keeps: the machine goes on after any end of the operator.
 */
import type { MaintenanceRun } from "../api/node-runs.ts";
import { instant } from "../observe/clock.ts";
import { askedBefore, mayPass } from "./order.ts";
import { type MaintainedMember, type PreflightView, preflightTrouble, type Trouble } from "./preflight.ts";

/** What is to be done; the run is in the status before the node is asked. */
export interface MaintenanceStep {
  /**
   * `begin`, `look` and `stop` ask the node, and what it answers makes the next run; `resume` looks first whether it
   * was asked to begin before.
   */
  readonly do: "wait" | "begin" | "resume" | "look" | "stop" | "end";
  readonly run: MaintenanceRun;
}

/** What a node answered: nothing, or an error's text. */
export type Answer = { readonly ok: true } | { readonly ok: false; readonly message: string };

/** How far a migration is. */
export interface MigrationProgress {
  readonly running: boolean;
  readonly percent: number;
  /** The block whose state it copies; 0 when none is known. */
  readonly block: number;
  /** Undefined when nothing went wrong. */
  readonly error: string | undefined;
  /** True when the node started anew since and tells of the last migration that it knows of. */
  readonly isPast: boolean;
}

/** How a saving of the cache stands, or how the last one since the node's start ended. */
export interface SavingProgress {
  readonly running: boolean;
  /** Written; 0 when none ended well. */
  readonly bytes: number;
  /** Undefined when nothing went wrong. */
  readonly error: string | undefined;
}

const MINUTE_MS = 60_000;

/** How long a run may be in each state, in milliseconds; then it is given up, or stopped first. */
export const deadlines = {
  Requested: 24 * 60 * MINUTE_MS,
  Starting: 5 * MINUTE_MS,
  Running: 12 * 60 * MINUTE_MS,
  Stopping: 5 * MINUTE_MS,
  Verifying: 10 * MINUTE_MS,
} as const;

/** A migration that does not come on for this long is stopped; a saving that lasts so long, which cannot be, is given up. */
export const STALL_MS = 60 * MINUTE_MS;

const MAX_CHARACTERS = 1_000;

/** True while a run has not ended. */
export function isOpen({ state }: Pick<MaintenanceRun, "state">): boolean {
  return state !== "Succeeded" && state !== "Failed";
}

/** True while a run disturbs its member. */
export function isUnderWay(run: Pick<MaintenanceRun, "state">): boolean {
  return isOpen(run) && run.state !== "Requested";
}

/** A new run; `since` is when it was wished for, if that was earlier. */
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
    message: "waits for its turn",
    requestedAt: instant(since ?? now),
    held: undefined,
    freeSince: undefined,
    stateAt: instant(now),
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
    isLate(run, now) ? over(run, "the node could not be asked to begin", now) : { do: "resume", run },
  Running: working,
  Stopping: (run, _view, now) =>
    isLate(run, now) ? over(run, `${run.message}; it could not be stopped`, now) : { do: "stop", run },
  Verifying: verifying,
  Succeeded: (run) => ({ do: "end", run }),
  Failed: (run) => ({ do: "end", run }),
};

/** What is next for a run. */
export function planMaintenance(run: MaintenanceRun, view: PreflightView, now: number): MaintenanceStep {
  const { member } = view;
  if (member === undefined && isOpen(run)) return over(run, "the replica is gone", now);
  if (member === undefined) return { do: "end", run };
  if (isUnderWay(run) && member.suspended) return over(run, "the replica was suspended", now);
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
    const starting = enterState(run, "Starting", "the node is asked to begin", now);
    return { do: "begin", run: { ...starting, startedAt: instant(now), height } };
  }
  if (isLate(run, now)) return over(run, `given up after a day: ${trouble.message}`, now);
  return { do: "wait", run: { ...run, ...trouble, message: cut(trouble.message) } };
}

/** Why it is not its turn; undefined when it is. */
function turnTrouble(
  run: MaintenanceRun,
  { member, turns }: PreflightView & { readonly member: MaintainedMember },
  now: number,
): Trouble | undefined {
  const before = askedBefore({ ...run, node: member.node }, turns);
  const freeSince = run.freeSince ?? instant(now);
  if (before[0] === undefined || mayPass(freeSince, before, now)) return undefined;
  return { message: `${before[0].member} asked first`, held: undefined, freeSince };
}

function working(run: MaintenanceRun, _view: PreflightView, now: number): MaintenanceStep {
  const idleMs = now - Date.parse(run.progressAt ?? run.stateAt);
  if (!isLate(run, now) && idleMs < STALL_MS) return { do: "look", run };
  if (run.operation === "save-cache") return over(run, "it did not end within an hour", now);
  const why = isLate(run, now) ? "it took longer than 12 hours" : "it did not come on for an hour";
  return { do: "stop", run: enterState(run, "Stopping", why, now) };
}

/** Blocks must follow: the first height that was told since the node was done is noted, then a higher one waited for. */
function verifying(
  run: MaintenanceRun,
  { member }: { readonly member: MaintainedMember },
  now: number,
): MaintenanceStep {
  const { height, toldAt } = member;
  const isFresh = height !== undefined && toldAt > Date.parse(run.stateAt);
  if (isFresh && run.height === undefined) return { do: "wait", run: { ...run, height } };
  if (isFresh && member.ready && height > (run.height ?? height)) {
    return { do: "end", run: endRun(run, "Succeeded", `${run.message}; block ${height} followed`, now) };
  }
  if (isLate(run, now)) return over(run, `${run.message}, and no block followed for 10 minutes`, now);
  return { do: "wait", run };
}

/** What the node's answer to the beginning makes of a run. */
export function afterStart(run: MaintenanceRun, answer: Answer, now: number): MaintenanceRun {
  // What runs already was begun by hand, or by an operator that ended before it could note the answer.
  if (!answer.ok && !/\balready\b/.test(answer.message)) return endRun(run, "Failed", answer.message, now);
  if (run.operation === "save-cache") return enterState(run, "Running", "the node saves its cache", now);
  return { ...enterState(run, "Running", "the node migrates", now), percent: 0, progressAt: instant(now) };
}

/** What a migration tells that may have been begun before; undefined when it has not been. */
export function afterResume(
  run: MaintenanceRun,
  progress: MigrationProgress,
  now: number,
): MaintenanceRun | undefined {
  if (progress.running) return afterProgress(afterStart(run, { ok: true }, now), progress, now);
  return isOf(run, progress) ? afterProgress(run, progress, now) : undefined;
}

/** Whether a migration that was not seen to run can be this run's: those before it copied an earlier state. */
function isOf({ height }: MaintenanceRun, { block }: MigrationProgress): boolean {
  return height !== undefined && block > 0 && block >= height;
}

/** What a look at a migration makes of its run. */
export function afterProgress(run: MaintenanceRun, progress: MigrationProgress, now: number): MaintenanceRun {
  const percent = Math.max(0, Math.min(100, Math.floor(progress.percent)));
  if (progress.running) {
    const isFurther = percent > (run.percent ?? -1);
    const height = progress.block > 0 ? progress.block : run.height;
    return { ...run, percent, height, progressAt: isFurther ? instant(now) : run.progressAt };
  }
  if (progress.isPast && !isOf(run, progress)) return afterLoss(run, "migration", now);
  if (progress.error !== undefined) return endRun(run, "Failed", progress.error, now);
  if (percent >= 100) return { ...verify(run, "the node has migrated", now), percent };
  return afterLoss(run, "migration", now);
}

/** What a look at a saving makes of its run; undefined: its gateway or its release of knit cannot tell. */
export function afterSaving(
  run: MaintenanceRun,
  saving: SavingProgress | undefined,
  now: number,
): MaintenanceRun {
  if (saving === undefined)
    return verify(run, "the node saves its cache, and cannot tell how that ends", now);
  const { running, bytes, error } = saving;
  if (running) return run;
  if (error !== undefined) return endRun(run, "Failed", error, now);
  if (bytes > 0) return verify(run, `the node saved ${bytes} bytes of trie nodes`, now);
  return afterLoss(run, "saving", now);
}

function afterLoss(run: MaintenanceRun, what: "migration" | "saving", now: number): MaintenanceRun {
  return endRun(run, "Failed", `the node started anew and knows of no ${what}`, now);
}

/** What the node's answer to being stopped makes of a run: the state stays as it was, nothing else is to be undone. */
export function afterStop(run: MaintenanceRun, answer: Answer, now: number): MaintenanceRun {
  const how = answer.ok ? "it was stopped" : `stopping it: ${answer.message}`;
  return endRun(run, "Failed", `${run.message}; ${how}`, now);
}

function isLate({ state, stateAt }: MaintenanceRun, now: number): boolean {
  const most = Object.hasOwn(deadlines, state) ? deadlines[state as keyof typeof deadlines] : 0;
  return now - Date.parse(stateAt) >= most;
}

function verify(run: MaintenanceRun, message: string, now: number): MaintenanceRun {
  return { ...enterState(run, "Verifying", message, now), height: undefined };
}

function enterState(
  run: MaintenanceRun,
  state: MaintenanceRun["state"],
  message: string,
  now: number,
): MaintenanceRun {
  const waits = { held: undefined, freeSince: undefined };
  return { ...run, ...waits, state, message: cut(message), stateAt: instant(now) };
}

function endRun(
  run: MaintenanceRun,
  state: "Succeeded" | "Failed",
  message: string,
  now: number,
): MaintenanceRun {
  return { ...enterState(run, state, message, now), finishedAt: instant(now) };
}

function over(run: MaintenanceRun, message: string, now: number): MaintenanceStep {
  return { do: "end", run: endRun(run, "Failed", message, now) };
}

function cut(text: string): string {
  return text.slice(0, MAX_CHARACTERS);
}
