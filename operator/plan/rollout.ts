/**
 * Rollouts: which members of a Node may take what is newly asked for, while the others keep what they have. In a
 * group one member at a time starts anew; the next one only when it is ready and level with its siblings. One that
 * does not get there in time stops the rollout until its Node's spec changes or it recovers.
 */
import type { Rollout } from "../api/node-runs.ts";
import { instant } from "../observe/clock.ts";
import { isSteady, type MemberView, quorumTrouble } from "./group.ts";

/** A member, and what its pod is made of. */
export interface RolloutMember extends MemberView {
  /** What its StatefulSet was last given; undefined while there is none. */
  readonly applied: string | undefined;
  readonly wanted: string;
  /** True when its pod is the one that was last asked for. */
  readonly isCurrent: boolean;
  /**
   * True when its program does not run: there is no pod, or its containers wait for something. Where nobody is on the
   * way such members need not wait for each other: a mistake that lets none of them start is put right at once.
   */
  readonly isDown: boolean;
}

/** What is looked at. */
export interface RolloutView {
  /** The Node to plan for. */
  readonly node: string;
  /** Its members. */
  readonly own: readonly RolloutMember[];
  /** All members of the group, the Node's own among them. */
  readonly members: readonly MemberView[];
  /** What the statuses of the group's Nodes say, by Node. */
  readonly rollouts: ReadonlyMap<string, Rollout>;
  /** The member whose maintenance has begun and has not ended. */
  readonly maintained: string | undefined;
}

/** What is decided. */
export interface RolloutPlan {
  /** For the status; undefined when nobody is on the way. */
  readonly rollout: Rollout | undefined;
  /** Members of the Node that may be given what is wanted; it is in the status first. */
  readonly take: ReadonlySet<string>;
  /** Members of the Node that keep what they have until it is their turn. */
  readonly keep: readonly string[];
  /** Why nobody else is next. */
  readonly waits: string | undefined;
}

/** How long a member may take to be ready and level. */
export const ROLLOUT_MS = 20 * 60_000;

/** Plans for one Node. */
export function planRollout(view: RolloutView, now: number): RolloutPlan {
  const { own } = view;
  const rollout = currentRollout(view, now);
  const isQuiet = rollout === undefined && othersOf(view).length === 0;
  const free = own.filter((member) => isFree(member) || (isQuiet && member.isDown)).map(({ name }) => name);
  if (rollout?.state === "Rolling") return goOn(view, free, { rollout, now });
  const [next] = own.filter(({ name }) => name !== rollout?.member && !free.includes(name)).sort(byTurn);
  const trouble = next === undefined ? rollout?.message : troubleWith(next, view, rollout);
  if (next === undefined || trouble !== undefined) return planOf(own, free, rollout, trouble);
  const begun = begin(next, now);
  return planOf(own, [...free, next.name], begun, begun.message);
}

/** A member whose turn it is, and that has not been given anything yet, waits when others fell over meanwhile. */
function goOn(
  view: RolloutView,
  free: readonly string[],
  { rollout, now }: { readonly rollout: Rollout; readonly now: number },
): RolloutPlan {
  const { own } = view;
  const member = own.find(({ name }) => name === rollout.member);
  if (member === undefined || !isDue(member)) return planOf(own, free, rollout, rollout.message);
  const trouble = member.ready ? troubleWith(member, view, undefined) : undefined;
  if (trouble !== undefined) return planOf(own, free, rollout, trouble);
  return planOf(own, [...free, rollout.member], begin(member, now), rollout.message);
}

function planOf(
  own: readonly RolloutMember[],
  taking: readonly string[],
  rollout: Rollout | undefined,
  waits: string | undefined,
): RolloutPlan {
  const take = new Set(taking);
  const keep = own.filter((member) => isDue(member) && !take.has(member.name)).map(({ name }) => name);
  return { rollout, take, keep, waits };
}

/** True when it disturbs nobody: there is no pod, or none is meant to be, or nothing changes. */
function isFree({ applied, wanted, suspended }: RolloutMember): boolean {
  return applied === undefined || applied === wanted || suspended;
}

function isDue(member: RolloutMember): boolean {
  return !isFree(member);
}

/** Who is not ready anyway comes first, then in the order of names. */
function byTurn(a: RolloutMember, b: RolloutMember): number {
  if (a.ready !== b.ready) return a.ready ? 1 : -1;
  return a.name < b.name ? -1 : 1;
}

function begin({ name, wanted }: RolloutMember, now: number): Rollout {
  return {
    member: name,
    revision: wanted,
    state: "Rolling",
    startedAt: instant(now),
    message: `${name} starts anew`,
  };
}

/** What has become of the Node's own rollout. */
function currentRollout(view: RolloutView, now: number): Rollout | undefined {
  const rollout = view.rollouts.get(view.node);
  const member = view.own.find(({ name }) => name === rollout?.member);
  if (rollout === undefined || member === undefined || member.suspended) return undefined;
  if (member.wanted !== rollout.revision) return begin(member, now);
  if (isDue(member)) return { ...rollout, state: "Rolling" };
  if (hasArrived(member, view.members)) return undefined;
  if (rollout.state === "Paused" || now - Date.parse(rollout.startedAt) < ROLLOUT_MS) return rollout;
  const message = `${member.name} was not ready and level within ${ROLLOUT_MS / 60_000} minutes`;
  return { ...rollout, state: "Paused", message };
}

function hasArrived(member: RolloutMember, members: readonly MemberView[]): boolean {
  return member.isCurrent && isSteady(member, members);
}

/** Why it is not the member's turn; `stopped` is the Node's own rollout that came to no end. */
function troubleWith(
  next: RolloutMember,
  view: RolloutView,
  stopped: Rollout | undefined,
): string | undefined {
  const { members, maintained } = view;
  const others = othersOf(view);
  const rolling = others.find(({ state }) => state === "Rolling");
  if (rolling !== undefined) return rolling.message;
  if (maintained !== undefined) return `${maintained} is being maintained`;
  // One that is not ready is missed already, and perhaps the others cannot be ready before it is.
  if (!next.ready) return undefined;
  const failed = stopped ?? others[0];
  if (failed !== undefined) return `stopped: ${failed.message}`;
  const sibling = members.find((each) => isSibling(each, next) && !isSteady(each, members));
  return sibling === undefined ? quorumTrouble(next, members) : `${sibling.name} is not ready and level`;
}

/** The rollouts of the group's other Nodes. */
function othersOf({ node, rollouts }: RolloutView): readonly Rollout[] {
  return [...rollouts].filter(([of]) => of !== node).map(([, rollout]) => rollout);
}

function isSibling({ node, name, suspended }: MemberView, of: MemberView): boolean {
  return node === of.node && name !== of.name && !suspended;
}
