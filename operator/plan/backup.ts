/** Backups: their runs, the replica that makes them, and their age. Pure. */
import type { BackupStatus } from "../api/node-backup.ts";
import type { MaintenanceRun } from "../api/node-runs.ts";
import type { MemberStatus } from "../api/node-status.ts";
import { verdictReasons } from "../api/reasons.ts";
import { formatInstant } from "../observe/clock.ts";
import type { Verdict } from "./conditions.ts";
import { nextTick, parseCron } from "./cron.ts";
import { beginRun, endRun, verifyRun } from "./run-states.ts";

/** Progress of a backup as its node reports it. */
export interface BackupProgress {
  readonly running: boolean;
  /** The work under way; undefined for none. */
  readonly step: string | undefined;
  /** Progress of the step. */
  readonly percent: number;
  /** Error of the last backup. */
  readonly error: string | undefined;
  /** The last backup since the node started; it stays when a later one fails. */
  readonly last: MadeBackup | undefined;
}

/** A backup that an archive has. */
export interface MadeBackup {
  readonly checkpoint: string;
  readonly archive: string;
  /** Number of its newest block. */
  readonly height: number;
  readonly bytes: number;
  readonly sentBytes: number;
  readonly verified: boolean;
}

/** Returns the run after its node has begun the backup. */
export function afterBackupStart(run: MaintenanceRun, now: number): MaintenanceRun {
  return beginRun(run, "the node is creating a checkpoint", now);
}

/** Returns the run after a report. A node that has restarted knows no backup. */
export function afterBackup(
  run: MaintenanceRun,
  { running, step, percent: part, error, last }: BackupProgress,
  now: number,
): MaintenanceRun {
  if (running) {
    const percent = Math.floor(part);
    const message = `the node is ${step ?? "creating"} a checkpoint`;
    const isFurther = percent !== run.percent || message !== run.message;
    return { ...run, message, percent, progressAt: isFurther ? formatInstant(now) : run.progressAt };
  }
  if (error !== undefined) return endRun(run, "Failed", error, now);
  if (!isOfRun(run, last)) return endRun(run, "Failed", "the node has restarted and reports no backup", now);
  const { checkpoint, sentBytes, bytes, verified } = last;
  const how = verified ? ", and read back" : "";
  const text = `${checkpoint}: ${sentBytes} of ${bytes} bytes were sent${how}`;
  return { ...verifyRun(run, text, now), percent: 100 };
}

/** Returns the run that an earlier operator may have begun; undefined when it did not. */
export function resumedBackup(
  run: MaintenanceRun,
  progress: BackupProgress,
  now: number,
): MaintenanceRun | undefined {
  if (progress.running) return afterBackup(afterBackupStart(run, now), progress, now);
  const isDone = progress.error === undefined && isOfRun(run, progress.last);
  return isDone ? afterBackup(run, progress, now) : undefined;
}

/** True for a backup that can be of this run: earlier ones end with an earlier block. */
function isOfRun({ height = 0 }: MaintenanceRun, last: MadeBackup | undefined): last is MadeBackup {
  return last !== undefined && last.height >= height;
}

/** Returns the status with a new backup, as old as its run. */
export function recordedBackup(
  before: BackupStatus | undefined,
  { member, startedAt, stateAt }: Pick<MaintenanceRun, "member" | "startedAt" | "stateAt">,
  { verified, ...made }: MadeBackup,
): BackupStatus {
  const at = startedAt ?? stateAt;
  const verifiedAt = verified ? at : before?.verifiedAt;
  return { since: before?.since ?? at, member, ...made, at, verifiedAt };
}

/** Returns the replica to back up: the one of the last backup, whose files the archive has, or another that is ready. */
export function backupMember(
  names: readonly string[],
  members: readonly Pick<MemberStatus, "name" | "ready">[],
  last: string | undefined,
): string | undefined {
  const candidates = last !== undefined && names.includes(last) ? [last, ...names] : names;
  const isReady = (name: string): boolean => members.some((each) => each.name === name && each.ready);
  return candidates.find(isReady) ?? candidates[0];
}

/**
 * Returns the verdict on the age of the newest backup: a backup that one scheduled time has missed is old at the next. Times
 * before the schedule was given do not count.
 */
export function judgeBackup(schedule: string, backup: BackupStatus | undefined, now: number): Verdict {
  const { at, since } = backup ?? { at: undefined, since: formatInstant(now) };
  const [first, second] = ticksAfter(schedule, Math.max(Date.parse(at ?? since), Date.parse(since)));
  const last = newestText(backup);
  if (first === undefined || second === undefined)
    return verdict("Overdue", `${last}; "${schedule}" is never due`);
  if (second <= now) return verdict("Overdue", `${last}; one was due at ${formatInstant(first)}`);
  return verdict(
    at === undefined ? "NotDue" : "Recent",
    `${last}; the next one is due at ${formatInstant(first)}`,
  );
}

/** Returns the next two times of a schedule; none of one that is never due. */
function ticksAfter(schedule: string, since: number): readonly number[] {
  const cron = parseCron(schedule);
  const first = cron && nextTick(cron, since);
  const second = cron && first !== undefined ? nextTick(cron, first) : undefined;
  return first === undefined || second === undefined ? [] : [first, second];
}

function newestText({ at, height }: Partial<BackupStatus> = {}): string {
  return at === undefined ? "no backup is made yet" : `the newest backup is of ${at}, block ${height}`;
}

function verdict(reason: keyof (typeof verdictReasons)["BackedUp"], message: string): Verdict {
  const [status] = verdictReasons.BackedUp[reason];
  return { type: "BackedUp", status, reason, message };
}
