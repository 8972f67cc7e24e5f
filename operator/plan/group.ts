/**
 * The members of a network in a namespace, as planners see them: who is well, who is behind, and how many core nodes
 * may be missing before no block is made.
 */
import type { NodeType } from "../api/node-types.ts";

/** A member: one replica of a Node. */
export interface MemberView {
  /** Its own name, unlike all others of the group. */
  readonly name: string;
  /** The Node that it is a replica of. */
  readonly node: string;
  readonly type: NodeType;
  /** Not meant to run. */
  readonly suspended: boolean;
  /** Its pod is ready, and it has answered of late. */
  readonly ready: boolean;
  /** The number of its newest block; undefined while it has not told. */
  readonly height: number | undefined;
  /** When it told that, milliseconds since the epoch. */
  readonly toldAt: number;
}

/** A height, and when it was told. */
export type ReportedHeight = Pick<MemberView, "height" | "toldAt">;

/** Members this many blocks behind the highest still count as level. */
export const LEVEL_BLOCKS = 30;

/** A block comes every second. */
const BLOCK_MS = 1_000;

/** Who told the newest block of all; undefined while nobody has. */
export function newestOf<T extends ReportedHeight>(members: readonly T[]): T | undefined {
  let newest: T | undefined;
  for (const member of members)
    if (member.height !== undefined && member.height > (newest?.height ?? -1)) newest = member;
  return newest;
}

/**
 * How many blocks a member is behind the newest; undefined while it has not told its height. Members are not asked at
 * one moment: blocks that came since a member was asked are not held against it.
 */
export function lagOf(
  { height, toldAt }: ReportedHeight,
  newest: ReportedHeight | undefined,
): number | undefined {
  if (height === undefined) return undefined;
  const since = Math.max(0, Math.ceil(((newest?.toldAt ?? 0) - toldAt) / BLOCK_MS));
  return Math.max(0, (newest?.height ?? 0) - height - since);
}

/** True for a member that is ready and level with the highest. */
export function isSteady(member: MemberView, members: readonly MemberView[]): boolean {
  const lag = lagOf(member, newestOf(members));
  return member.ready && !member.suspended && lag !== undefined && lag <= LEVEL_BLOCKS;
}

/**
 * How many of `cores` validators may be missing: floor((n-1)/3), with which blocks go on. Fewer than four cannot
 * spare one, yet they have to be restarted at times: then one at a time.
 */
export function mayMiss(cores: number): number {
  return Math.max(1, Math.floor((cores - 1) / 3));
}

/** Why a core node cannot be spared now; undefined when it can, or is none. */
export function quorumTrouble(member: MemberView, members: readonly MemberView[]): string | undefined {
  if (member.type !== "core") return undefined;
  const cores = members.filter(({ type }) => type === "core");
  const missing = cores.filter((each) => each.name !== member.name && !isSteady(each, members));
  const most = mayMiss(cores.length);
  if (missing.length + 1 <= most) return undefined;
  const names = missing.map(({ name }) => name).join(", ");
  return `of ${cores.length} core nodes ${most} may be missing, and ${names} already ${missing.length === 1 ? "is" : "are"}`;
}
