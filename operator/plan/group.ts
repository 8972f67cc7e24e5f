/** The members of a network in a namespace: readiness and lag. */
import type { NodeType } from "../api/node-types.ts";

/** Observed state of a member. */
export interface MemberView {
  /** `namespace/name`. */
  readonly key: string;
  /** Name of the member, unique in the group. */
  readonly name: string;
  /** Name of its Node. */
  readonly node: string;
  readonly type: NodeType;
  /** Address of its node key; undefined until that exists. */
  readonly address: string | undefined;
  /** True when it should have no pod. */
  readonly suspended: boolean;
  /** True when the pod is ready and the node responded recently. */
  readonly ready: boolean;
  /** Number of its newest block; undefined until it is reported. */
  readonly height: number | undefined;
  /** Time of the report, milliseconds since the epoch. */
  readonly reportedAt: number;
}

/** A height with the time of its report. */
export type ReportedHeight = Pick<MemberView, "height" | "reportedAt">;

/** Maximum lag of a member that counts as synced, in blocks. */
export const LEVEL_BLOCKS = 30;

/** Block interval. */
const BLOCK_MS = 1_000;

/** Returns the member with the newest block; undefined without reports. */
export function newestOf<T extends ReportedHeight>(members: readonly T[]): T | undefined {
  let newest: T | undefined;
  for (const member of members)
    if (member.height !== undefined && member.height > (newest?.height ?? -1)) newest = member;
  return newest;
}

/**
 * Computes the lag in blocks; undefined without a report. Reports are of different times: blocks since the
 * member's report do not count.
 */
export function lagOf(
  { height, reportedAt }: ReportedHeight,
  newest: ReportedHeight | undefined,
): number | undefined {
  if (height === undefined) return undefined;
  const since = Math.max(0, Math.ceil(((newest?.reportedAt ?? 0) - reportedAt) / BLOCK_MS));
  return Math.max(0, (newest?.height ?? 0) - height - since);
}

/** True for a member that is ready and synced. */
export function isSteady(member: MemberView, members: readonly MemberView[]): boolean {
  const lag = lagOf(member, newestOf(members));
  return member.ready && !member.suspended && lag !== undefined && lag <= LEVEL_BLOCKS;
}

/**
 * Returns the newest block that all synced members have, by their last reports; undefined without reports. Reports are
 * seconds apart, so it is older than the newest block of most.
 */
export function commonHeight(members: readonly ReportedHeight[]): number | undefined {
  const newest = newestOf(members);
  const level = members.flatMap((member) => {
    const lag = lagOf(member, newest);
    return lag === undefined || lag > LEVEL_BLOCKS ? [] : [member.height ?? 0];
  });
  return level.length === 0 ? undefined : Math.min(...level);
}

/**
 * Returns the height for the status: the common one for a member that has it, so that synced members agree, else its
 * own. A block above 0 is never reported as none.
 */
export function statusHeight(own: number, common: number | undefined): number {
  return common === undefined || common === 0 ? own : Math.min(own, common);
}
