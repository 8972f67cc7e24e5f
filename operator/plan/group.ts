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
}

/**
 * Members this many blocks behind the highest still count as level: they are asked every ten seconds, not at one
 * moment, and a block comes every second.
 */
export const LEVEL_BLOCKS = 30;

/** The number of the newest block of all; undefined while nobody has told. */
export function highest(members: readonly MemberView[]): number | undefined {
  const heights = members.flatMap(({ height }) => height ?? []);
  return heights.length === 0 ? undefined : Math.max(...heights);
}

/** How many blocks a member is behind the highest; undefined while it has not told its height. */
export function lagOf({ height }: Pick<MemberView, "height">, highestOfAll: number): number | undefined {
  return height === undefined ? undefined : Math.max(0, highestOfAll - height);
}

/** True for a member that is ready and level with the highest. */
export function isSteady(member: MemberView, members: readonly MemberView[]): boolean {
  const lag = lagOf(member, highest(members) ?? 0);
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
