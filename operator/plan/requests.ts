/**
 * Maintenance requests from the annotation, schedules and disk usage, and the queue of runs that they become.
 */
import { isVolumeOperation, type Operation, operationNames } from "../api/names.ts";
import { MAX_HISTORY, type MaintenanceRun, type ScheduleMark } from "../api/node-runs.ts";
import { formatInstant } from "../observe/clock.ts";
import { nextTick, parseCron } from "./cron.ts";
import { isOpen, newRun } from "./maintenance.ts";

/** Request of the annotation: an operation, of one replica if it is named, or an unknown word. */
export type AnnotationRequest =
  | { readonly operation: Operation; readonly member: string | undefined }
  | { readonly unknown: string };

/** A request for one member. */
export interface MaintenanceRequest extends Pick<MaintenanceRun, "operation" | "member" | "cause"> {
  /** Scheduled time, milliseconds since the epoch; the time of recording when absent. */
  readonly since?: number;
}

/** Runs of a Node: the current or last one, queued ones, and completed ones, newest first. */
export interface RunBook {
  readonly current: MaintenanceRun | undefined;
  readonly queue: readonly MaintenanceRun[];
  readonly history: readonly MaintenanceRun[];
}

const DAY_MS = 86_400_000;

/** Minimum time after a migration before disk usage requests another. */
export const DISK_REST_MS = { Succeeded: DAY_MS, Failed: DAY_MS / 4 } as const;

/** Parses the annotation: an operation, and behind a colon the name of a replica. */
export function parseRequest(text: string): AnnotationRequest {
  const [word = "", ...rest] = text.split(":");
  const operation = operationNames.find((name) => name === word);
  if (operation === undefined || rest.length > 1) return { unknown: text.slice(0, 64) };
  return { operation, member: rest[0] };
}

/**
 * Returns the members that a request is for: the named one, or all. A volume is replaced for a named replica alone, or
 * for the only one. Undefined when the request is to be refused.
 */
export function requestedMembers(
  { operation, member }: Extract<AnnotationRequest, { operation: Operation }>,
  names: readonly string[],
): readonly string[] | undefined {
  if (member !== undefined) return names.includes(member) ? [member] : undefined;
  return isVolumeOperation(operation) && names.length !== 1 ? undefined : names;
}

/**
 * Adds requests to the queue. One that is queued or in progress is not added again, so that the queue has each operation of
 * each replica once at most, and is never full.
 */
export function addRequests(book: RunBook, requests: readonly MaintenanceRequest[], now: number): RunBook {
  const queue = [...book.queue];
  for (const request of requests) {
    const open = [...(book.current === undefined ? [] : [book.current]), ...queue].filter(isOpen);
    const isNoted = open.some(
      ({ operation, member }) => operation === request.operation && member === request.member,
    );
    if (!isNoted) queue.push(newRun(request, now));
  }
  return { ...book, queue };
}

/**
 * Makes the next queued run the current one after the last has completed. The time in which it must start begins then: the
 * runs before it may have taken days.
 */
export function startNext(book: RunBook, now: number): RunBook {
  const { current, queue, history } = book;
  const [next, ...rest] = queue;
  if (next === undefined || (current !== undefined && isOpen(current))) return book;
  const ended = current === undefined ? history : [current, ...history];
  return { current: { ...next, stateAt: formatInstant(now) }, queue: rest, history: trimHistory(ended) };
}

/**
 * Drops the oldest runs above the limit. The last migration of each replica stays, because disk usage requests none for some
 * time after it.
 */
function trimHistory(runs: readonly MaintenanceRun[]): readonly MaintenanceRun[] {
  const migrations = runs.filter(({ operation }) => operation === "migrate");
  const last = new Set(new Map(migrations.toReversed().map((run) => [run.member, run])).values());
  let room = MAX_HISTORY - last.size;
  return runs.filter((run) => last.has(run) || room-- > 0);
}

/** Progress of a schedule, and whether it is due. */
export interface ScheduleView {
  readonly mark: ScheduleMark;
  /** First scheduled time since then, milliseconds since the epoch; undefined when it is not due. */
  readonly due: number | undefined;
}

/**
 * Updates the progress of a schedule. A new or changed one starts now. Several missed times, or those outside
 * of windows, count as one. Undefined for a schedule that is invalid or never due.
 */
export function followSchedule(
  { operation, schedule }: Pick<ScheduleMark, "operation" | "schedule">,
  before: ScheduleMark | undefined,
  { now, isWindowOpen }: { readonly now: number; readonly isWindowOpen: boolean },
): ScheduleView | undefined {
  const cron = parseCron(schedule);
  if (cron === undefined || nextTick(cron, now) === undefined) return undefined;
  const fresh = { operation, schedule, since: formatInstant(now) };
  if (before?.schedule !== schedule) return { mark: fresh, due: undefined };
  const tick = nextTick(cron, Date.parse(before.since));
  const isDue = isWindowOpen && tick !== undefined && tick <= now;
  return isDue ? { mark: fresh, due: tick } : { mark: before, due: undefined };
}

/** Volume of a member. */
export interface MemberDisk {
  readonly member: string;
  /** Usage in percent; undefined when unknown. */
  readonly percent: number | undefined;
}

/** Returns requests of migrations by disk usage. */
export function diskRequests(
  disks: readonly MemberDisk[],
  { atPercent, book }: { readonly atPercent: number; readonly book: RunBook },
  now: number,
): readonly MaintenanceRequest[] {
  const ended = [...(book.current === undefined ? [] : [book.current]), ...book.history];
  return disks
    .filter(({ member, percent }) => {
      const last = ended.find((run) => run.member === member && run.operation === "migrate");
      return percent !== undefined && percent >= atPercent && !isResting(last, now);
    })
    .map(({ member }) => ({ operation: "migrate", member, cause: "DiskUse" }));
}

function isResting(last: MaintenanceRun | undefined, now: number): boolean {
  if (last?.finishedAt === undefined) return false;
  const restMs = last.state === "Succeeded" ? DISK_REST_MS.Succeeded : DISK_REST_MS.Failed;
  return now - Date.parse(last.finishedAt) < restMs;
}
