/** Maintenance requests of a Node's spec: due schedules and disk usage. */
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

/** Inputs of the requests. */
export interface StandingView {
  readonly maintenance: NodeSpec["maintenance"];
  readonly backup: NodeSpec["backup"];
  /** Replica that makes the next backup. */
  readonly backedUp: string | undefined;
  /** Progress of the schedules. */
  readonly marks: readonly ScheduleMark[];
  /** Volumes of all members. */
  readonly disks: readonly MemberDisk[];
  readonly book: RunBook;
}

/** Requests and updated schedules. */
export interface StandingRequests {
  readonly requests: readonly MaintenanceRequest[];
  /** Progress of the schedules, to be written to the status together with the requests. */
  readonly marks: readonly ScheduleMark[];
  /** Invalid schedules. */
  readonly refused: readonly Pick<ScheduleMark, "operation" | "schedule">[];
}

/** Evaluates schedules and disk usage. */
export function standingRequests(view: StandingView, now: number): StandingRequests {
  const { windows, stateMigration, trieCache } = view.maintenance;
  const isWindowOpen = isOpenWindow(windows, now);
  const requests: MaintenanceRequest[] = [];
  const marks: ScheduleMark[] = [];
  const refused: Pick<ScheduleMark, "operation" | "schedule">[] = [];
  const given = [
    ["migrate", stateMigration.schedule],
    ["save-cache", trieCache.schedule],
    ["checkpoint", view.backup?.schedule],
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
    const members = operation === "checkpoint" ? backedUpOf(view) : view.disks;
    if (due !== undefined) requests.push(...forAll(members, { operation, cause: "Schedule", since: due }));
  }
  const { diskPercent: atPercent } = stateMigration;
  if (atPercent !== undefined && isWindowOpen)
    requests.push(...diskRequests(view.disks, { atPercent, book: view.book }, now));
  return { requests, marks, refused };
}

function backedUpOf({ backedUp }: StandingView): readonly Pick<MemberDisk, "member">[] {
  return backedUp === undefined ? [] : [{ member: backedUp }];
}

/** Returns a request for each member. */
export function forAll(
  members: readonly Pick<MemberDisk, "member">[],
  request: Omit<MaintenanceRequest, "member">,
): readonly MaintenanceRequest[] {
  return members.map(({ member }) => ({ ...request, member }));
}
