/**
 * The members of a network in a namespace: readiness, lag, and the number of core nodes that may be
 * unavailable.
 */
import type { NodeType } from "../api/node-types.ts";

/** Observed state of a member. */
export interface MemberView {
  /** Name of the member, unique in the group. */
  readonly name: string;
  /** Name of its Node. */
  readonly node: string;
  readonly type: NodeType;
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
 * Returns the number of `cores` validators that may be unavailable: floor((n-1)/3). It is 1 below four
 * validators, because they must be restarted at times.
 */
export function mayMiss(cores: number): number {
  return Math.max(1, Math.floor((cores - 1) / 3));
}

/** Returns the reason not to stop a core node now; undefined when it may stop or is no core node. */
export function quorumTrouble(member: MemberView, members: readonly MemberView[]): string | undefined {
  if (member.type !== "core") return undefined;
  const cores = members.filter(({ type }) => type === "core");
  const missing = cores.filter((each) => each.name !== member.name && !isSteady(each, members));
  const most = mayMiss(cores.length);
  if (missing.length + 1 <= most) return undefined;
  const names = missing.map(({ name }) => name).join(", ");
  return `at most ${most} of ${cores.length} core nodes may be unavailable, and ${names} already ${missing.length === 1 ? "is" : "are"}`;
}
