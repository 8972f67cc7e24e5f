/**
 * Rollouts: selects the members of a Node that may be recreated with the current spec. In a group one member at a time
 * is recreated, endpoints before proxies before core nodes; the next one follows when it is ready and synced. A member
 * that is not ready in time pauses the rollout, or is rolled back if it is the first one with its template, unless the
 * council needs it meanwhile. Pure.
 */
import type { Rollout } from "../api/node-runs.ts";
import { formatInstant } from "../observe/clock.ts";
import { type Council, quorumTrouble, signerOfPod } from "./council.ts";
import { isSteady, type MemberView } from "./group.ts";
import { cutMessage } from "./run-states.ts";

/** A member with the digests of its pod. */
export interface RolloutMember extends MemberView {
  /** Digest in its StatefulSet; undefined when that does not exist. */
  readonly applied: string | undefined;
  readonly wanted: string;
  /** Digest of the last template with which it was ready; undefined when there is none. */
  readonly former: string | undefined;
  /** True when its pod is from the current template. */
  readonly isCurrent: boolean;
  /**
   * True when its node does not run: there is no pod, or its containers wait. Such members need not wait for
   * each other while no rollout is in progress, so that a spec which prevents every start can be corrected at
   * once.
   */
  readonly isDown: boolean;
  /** True when its pod is ready, also while its node has not responded to the operator. */
  readonly isServing: boolean;
  /** Address of the key that its pod was made with; undefined for none, and for a pod of an early release. */
  readonly podAddress: string | undefined;
}

/** Inputs of the plan. */
export interface RolloutView {
  /** Name of the Node. */
  readonly node: string;
  /** Members of the Node. */
  readonly own: readonly RolloutMember[];
  /** Members of the group, including those of the Node. */
  readonly members: readonly MemberView[];
  /** Rollouts in the statuses of the group's Nodes, by Node. */
  readonly rollouts: ReadonlyMap<string, Rollout>;
  /** Councils of the chain; none when it may stop. */
  readonly councils: readonly Council[];
  /** Member of a type that is replaced before, and waits for the current spec too. */
  readonly earlier: string | undefined;
  /** Member with maintenance in progress. */
  readonly maintained: string | undefined;
}

/** Decision on a rollout. */
export interface RolloutPlan {
  /** Rollout for the status; undefined when none is in progress. */
  readonly rollout: Rollout | undefined;
  /** Members that may be recreated, once the status records it. */
  readonly take: ReadonlySet<string>;
  /** Members that keep their template for now. */
  readonly keep: readonly string[];
  /** Reason for which the next member waits. */
  readonly waits: string | undefined;
}

/** Maximum time until a recreated member is ready and synced. */
export const ROLLOUT_MS = 20 * 60_000;

/** Types in the order of their replacement: a bad spec is found where it costs least. */
export const ROLLOUT_ORDER = ["endpoint", "proxy", "core"] as const;

/** Decides on the rollout of one Node. */
export function planRollout(view: RolloutView, now: number): RolloutPlan {
  const { own } = view;
  const rollout = currentRollout(view, now);
  const isQuiet = rollout === undefined && othersOf(view).length === 0;
  const free = own.filter((member) => isFree(member) || (isQuiet && member.isDown)).map(({ name }) => name);
  if (rollout?.state === "Rolling") return goOn(view, free, { rollout, now });
  if (rollout?.state === "RolledBack") return planOf(own, free, rollout, rollout.message);
  const [next] = own.filter(({ name }) => name !== rollout?.member && !free.includes(name)).sort(byTurn);
  const trouble = next === undefined ? rollout?.message : troubleWith(next, view, rollout);
  if (next === undefined || trouble !== undefined) return planOf(own, free, rollout, trouble);
  const begun = begin(next, now);
  return planOf(own, [...free, next.name], begun, begun.message);
}

/**
 * Continues a rollout. A selected member that was not recreated yet is deselected when it has to wait meanwhile: it
 * became ready, or others failed. Otherwise it would hold up the members that it waits for.
 */
function goOn(
  view: RolloutView,
  free: readonly string[],
  { rollout, now }: { readonly rollout: Rollout; readonly now: number },
): RolloutPlan {
  const { own } = view;
  const member = own.find(({ name }) => name === rollout.member);
  if (member === undefined || !isDue(member)) return planOf(own, free, rollout, rollout.message);
  const trouble = member.isServing ? troubleWith(member, view, undefined) : undefined;
  if (trouble !== undefined) return planOf(own, free, undefined, trouble);
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

/** True when a change affects no running pod. */
function isFree({ applied, wanted, suspended }: RolloutMember): boolean {
  return applied === undefined || applied === wanted || suspended;
}

function isDue(member: RolloutMember): boolean {
  return !isFree(member);
}

/** Orders members: those that are not ready first, then by name. */
function byTurn(a: RolloutMember, b: RolloutMember): number {
  if (a.ready !== b.ready) return a.ready ? 1 : -1;
  return a.name < b.name ? -1 : 1;
}

function begin({ name, wanted }: RolloutMember, now: number): Rollout {
  return {
    member: name,
    revision: wanted,
    state: "Rolling",
    startedAt: formatInstant(now),
    message: `${name} is being recreated`,
  };
}

/** Returns the state of the Node's own rollout. */
function currentRollout(view: RolloutView, now: number): Rollout | undefined {
  const rollout = view.rollouts.get(view.node);
  const member = view.own.find(({ name }) => name === rollout?.member);
  if (rollout === undefined || member === undefined || member.suspended) return undefined;
  if (member.wanted !== rollout.revision) return begin(member, now);
  // A recorded rollback that was not written, because its operator ended, is decided again.
  if (rollout.state === "RolledBack" && isDue(member)) return rollout;
  if (isDue(member)) return { ...rollout, state: "Rolling" };
  if (hasArrived(member, view.members)) return undefined;
  if (rollout.state === "Paused" || now - Date.parse(rollout.startedAt) < ROLLOUT_MS) return rollout;
  return lateRollout(rollout, member, view);
}

/** Returns the state of a rollout whose member was not ready in time. */
function lateRollout(rollout: Rollout, member: RolloutMember, view: RolloutView): Rollout {
  const message = `${member.name} was not ready and synced within ${ROLLOUT_MS / 60_000} minutes`;
  if (!canRollBack(member, view)) return { ...rollout, state: "Paused", message };
  // One that is not synced, or that an operator with another clock judges, may take part in consensus.
  const trouble = member.isServing ? quorumTrouble(member, view.councils) : undefined;
  if (trouble !== undefined)
    return {
      ...rollout,
      state: "Rolling",
      message: cutMessage(`${message}; its rollback waits: ${trouble}`),
    };
  return { ...rollout, state: "RolledBack", message: `${message}; its former pod template is restored` };
}

/**
 * True for the first member with the current spec, if it was ready with another one. Digests of two members differ by their
 * node ids, so each is compared with its own. Each template is rolled back once.
 */
function canRollBack({ name, former, wanted }: RolloutMember, { own }: RolloutView): boolean {
  const isFirst = own.every((other) => other.name === name || !servesSpec(other));
  return isFirst && former !== undefined && former !== wanted;
}

/** True for a member whose pod is ready with the current spec. */
function servesSpec({ applied, wanted, isCurrent, isServing }: RolloutMember): boolean {
  return applied === wanted && isCurrent && isServing;
}

function hasArrived(member: RolloutMember, members: readonly MemberView[]): boolean {
  return member.isCurrent && isSteady(member, members);
}

/** Returns the reason not to recreate a member now; `stopped` is the Node's own unfinished rollout. */
function troubleWith(
  next: RolloutMember,
  view: RolloutView,
  stopped: Rollout | undefined,
): string | undefined {
  const { members, maintained, councils, earlier } = view;
  const others = othersOf(view);
  const rolling = others.find(({ state }) => state === "Rolling");
  if (rolling !== undefined) return rolling.message;
  if (maintained !== undefined) return `${maintained} is being maintained`;
  // One whose pod is not ready is missed already, and perhaps the others cannot be ready before it is. One that only
  // does not respond may take part in consensus.
  if (!next.isServing) return undefined;
  const failed = stopped ?? others[0];
  if (failed !== undefined) return `the rollout is paused: ${failed.message}`;
  if (earlier !== undefined) return `${earlier} is recreated first`;
  const sibling = members.find((each) => isSibling(each, next) && !isSteady(each, members));
  if (sibling !== undefined) return `${sibling.name} is not ready and synced`;
  return quorumTrouble(signerOfPod(next, next.podAddress), councils);
}

/** Lists the rollouts of the group's other Nodes. */
function othersOf({ node, rollouts }: RolloutView): readonly Rollout[] {
  return [...rollouts].filter(([of]) => of !== node).map(([, rollout]) => rollout);
}

function isSibling({ node, name, suspended }: MemberView, of: MemberView): boolean {
  return node === of.node && name !== of.name && !suspended;
}
