/** Where maintenance comes from: the annotation, schedules and full disks make wishes; wishes become runs that wait. */
import { type Operation, operations } from "../api/names.ts";
import type { MaintenanceRun, ScheduleMark } from "../api/node-runs.ts";
import { MAX_REPLICAS } from "../api/node-spec.ts";
import { instant } from "../observe/clock.ts";
import { nextTick, parseCron } from "./cron.ts";
import { isOpen, newRun } from "./maintenance.ts";

/** What the annotation asks for: an operation, or a word that is none. */
export type AnnotationRequest = { readonly operation: Operation } | { readonly unknown: string };

/** A wish for one member. */
export interface MaintenanceRequest extends Pick<MaintenanceRun, "operation" | "member" | "cause"> {
  /** When its schedule came up, milliseconds since the epoch; it is as old as its note when absent. */
  readonly since?: number;
}

/** The runs of a Node: the one that is on its way or the last, those that wait, and those that ended, newest first. */
export interface RunBook {
  readonly current: MaintenanceRun | undefined;
  readonly queue: readonly MaintenanceRun[];
  readonly history: readonly MaintenanceRun[];
}

const DAY_MS = 86_400_000;

/** After a migration the volume must fill up again for so long before another is begun because of it. */
export const DISK_REST_MS = { Succeeded: DAY_MS, Failed: DAY_MS / 4 } as const;

/** Reads the annotation. */
export function parseRequest(text: string): AnnotationRequest {
  return Object.hasOwn(operations, text) ? { operation: text as Operation } : { unknown: text.slice(0, 64) };
}

/** Notes wishes; one that waits or is on its way already is not noted twice. */
export function addRequests(book: RunBook, wishes: readonly MaintenanceRequest[], now: number): RunBook {
  const queue = [...book.queue];
  for (const wish of wishes) {
    const open = [...(book.current === undefined ? [] : [book.current]), ...queue].filter(isOpen);
    const isNoted = open.some(
      ({ operation, member }) => operation === wish.operation && member === wish.member,
    );
    if (!isNoted) queue.push(newRun(wish, now));
  }
  return { ...book, queue: queue.slice(0, 2 * MAX_REPLICAS) };
}

/** When the last run has ended, the next that waits comes to its place. */
export function startNext(book: RunBook): RunBook {
  const { current, queue, history } = book;
  const [next, ...rest] = queue;
  if (next === undefined || (current !== undefined && isOpen(current))) return book;
  const ended = current === undefined ? history : [current, ...history];
  return { current: next, queue: rest, history: ended.slice(0, 2 * MAX_REPLICAS) };
}

/** How a schedule stands: how far it was followed, and whether it has come up since. */
export interface ScheduleView {
  readonly mark: ScheduleMark;
  /** When it came up first since, milliseconds since the epoch; undefined when it is not due. */
  readonly due: number | undefined;
}

/**
 * Follows a schedule. One that is new or was changed begins now; one that came up several times, or while no window
 * was open, comes up once. Undefined when it is no schedule.
 */
export function followSchedule(
  { operation, schedule }: Pick<ScheduleMark, "operation" | "schedule">,
  before: ScheduleMark | undefined,
  { now, isWindowOpen }: { readonly now: number; readonly isWindowOpen: boolean },
): ScheduleView | undefined {
  const cron = parseCron(schedule);
  if (cron === undefined) return undefined;
  const fresh = { operation, schedule, since: instant(now) };
  if (before?.schedule !== schedule) return { mark: fresh, due: undefined };
  const tick = nextTick(cron, Date.parse(before.since));
  const isDue = isWindowOpen && tick !== undefined && tick <= now;
  return isDue ? { mark: fresh, due: tick } : { mark: before, due: undefined };
}

/** A member's volume. */
export interface MemberDisk {
  readonly member: string;
  /** How full it is; undefined when nobody has told. */
  readonly percent: number | undefined;
}

/** Migrations that full volumes ask for. */
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
