/** What a Node asks for by itself: its schedules that have come up, and its full volumes. */
import type { ScheduleMark } from "../api/node-runs.ts";
import type { NodeSpec } from "../api/node-spec.ts";
import {
  diskRequests,
  followSchedule,
  type MaintenanceRequest,
  type MemberDisk,
  type RunBook,
} from "./requests.ts";
import { isOpenWindow } from "./windows.ts";

/** What is looked at. */
export interface StandingView {
  readonly maintenance: NodeSpec["maintenance"];
  /** How far its schedules were followed. */
  readonly marks: readonly ScheduleMark[];
  /** All its members. */
  readonly disks: readonly MemberDisk[];
  readonly book: RunBook;
}

/** What comes of it. */
export interface StandingRequests {
  readonly wishes: readonly MaintenanceRequest[];
  /** How far schedules are followed now; it is to be in the status together with the wishes. */
  readonly marks: readonly ScheduleMark[];
  /** Schedules that are none. */
  readonly refused: readonly Pick<ScheduleMark, "operation" | "schedule">[];
}

/** Looks at schedules and volumes. */
export function standingRequests(view: StandingView, now: number): StandingRequests {
  const { windows, stateMigration, trieCache } = view.maintenance;
  const isWindowOpen = isOpenWindow(windows, now);
  const wishes: MaintenanceRequest[] = [];
  const marks: ScheduleMark[] = [];
  const refused: Pick<ScheduleMark, "operation" | "schedule">[] = [];
  const given = [
    ["migrate", stateMigration.schedule],
    ["save-cache", trieCache.schedule],
  ] as const;
  for (const [operation, schedule] of given) {
    if (schedule === undefined) continue;
    const before = view.marks.find((mark) => mark.operation === operation);
    const followed = followSchedule({ operation, schedule }, before, { now, isWindowOpen });
    if (followed === undefined) {
      refused.push({ operation, schedule });
      continue;
    }
    marks.push(followed.mark);
    const { due } = followed;
    if (due !== undefined) wishes.push(...forAll(view.disks, { operation, cause: "Schedule", since: due }));
  }
  const { diskPercent: atPercent } = stateMigration;
  if (atPercent !== undefined && isWindowOpen)
    wishes.push(...diskRequests(view.disks, { atPercent, book: view.book }, now));
  return { wishes, marks, refused };
}

/** A wish for each of them. */
export function forAll(
  members: readonly Pick<MemberDisk, "member">[],
  wish: Omit<MaintenanceRequest, "member">,
): readonly MaintenanceRequest[] {
  return members.map(({ member }) => ({ ...wish, member }));
}
