/**
 * Runs rollouts. The decision is written to the status before a StatefulSet is changed; members that wait
 * keep their template.
 */
import type { V1PodTemplateSpec } from "@kubernetes/client-node";
import { annotations, type EventReason, isVolumeOperation } from "../api/names.ts";
import type { Rollout } from "../api/node-runs.ts";
import { stopReasons } from "../api/reasons.ts";
import { keyOf } from "../api/resource.ts";
import { type Member, membersOf, objectNames } from "../build/names.ts";
import { withNetworkDefaults } from "../build/network-defaults.ts";
import {
  formerInputs,
  inputDigest,
  isScaledUp,
  lastAppliedTemplate,
  latestRestart,
  templateDigest,
  templateRestart,
} from "../build/template.ts";
import type { CachedObject } from "../kube/cached-object.ts";
import { isUnderWay } from "../plan/maintenance.ts";
import { peerId } from "../plan/mesh.ts";
import { planRollout, ROLLOUT_ORDER, type RolloutMember } from "../plan/rollout.ts";
import { type Context, type MemberContext, saveStatus } from "./context.ts";
import { limitingCouncils } from "./council.ts";
import type { ReconcileDeps } from "./deps.ts";
import { awaitsForks } from "./genesis.ts";
import { type Group, groupKey, groupOf, presentPod, viewMember } from "./group.ts";
import { goOn, type Outcome } from "./outcome.ts";
import { isPaused } from "./paused.ts";
import { readPod } from "./pod-view.ts";

/** Interval of checks during a rollout. */
const LOOK_MS = 5_000;

/** Decides on the members that may be recreated now. */
export async function rolloutStep(context: Context): Promise<Outcome> {
  const { node, deps, members, status } = context;
  const own = members.map(rolloutMember);
  const isQuiet = status.rollout === undefined && own.every(({ applied, wanted }) => applied === wanted);
  if (isQuiet) return goOn;
  const group = groupOf(context);
  // An operation that another worker starts is in no status until that is written.
  const isBusy = deps.memory.isGroupLocked(group.key);
  const [maintained] = isBusy
    ? ["another member"]
    : [...group.others, ...ownRun(context)].map(({ member }) => member);
  const councils = limitingCouncils(context);
  const earlier = earlierMember(context, group);
  const view = { node: node.meta.name, own, ...group, councils, earlier, maintained };
  const plan = planRollout(view, deps.clock.now());
  for (const { member, facts } of members) facts.keeps = plan.keep.includes(member.name);
  for (const { member, facts } of members)
    facts.rollsBack = plan.rollout?.state === "RolledBack" && plan.rollout.member === member.name;
  context.rollout = plan;
  if (plan.rollout !== undefined || plan.keep.length > 0) context.againMs = LOOK_MS;
  await note(context, plan.rollout);
  return goOn;
}

/** Returns a member of another Node whose type is replaced before, and which has another template than its spec. */
function earlierMember({ node, network, deps }: Context, { nodes }: Group): string | undefined {
  const place = ROLLOUT_ORDER.indexOf(node.spec.type);
  for (const other of nodes) {
    if (ROLLOUT_ORDER.indexOf(other.spec.type) >= place || other.spec.suspend || isPaused(other.meta))
      continue;
    for (const member of membersOf(withNetworkDefaults(other, network))) {
      const { url, reason } = other.status.members?.find(({ name }) => name === member.name) ?? {};
      const { digest: applied, restart } = appliedInputs(member, deps);
      if (url === undefined || applied === undefined || isStop(reason)) continue;
      const last = latestRestart(member, restart);
      if (inputDigest(member, peerId(url), last) !== applied) return member.name;
    }
  }
  return undefined;
}

function isStop(reason: string | undefined): boolean {
  return reason !== undefined && Object.hasOwn(stopReasons, reason);
}

/** Returns the digest of the template for a rollback; undefined for a template of another node key. */
function formerDigest(set: unknown, address: string | undefined): string | undefined {
  const template = formerInputs(set)?.template;
  return template?.metadata?.annotations?.[annotations.address] === address
    ? templateDigest(template)
    : undefined;
}

/** Digest and restart of an applied template. */
interface AppliedInputs {
  readonly digest: string | undefined;
  readonly restart: string | undefined;
}

/** Inputs of templates by cached object, which is packed. Many core nodes compare them. */
const inputs = new WeakMap<CachedObject, AppliedInputs>();

function appliedInputs({ node, name }: Member, { cache }: ReconcileDeps): AppliedInputs {
  const seen = cache.find("statefulSet", keyOf({ ...node.meta, name: objectNames(name).statefulSet }));
  if (seen === undefined) return { digest: undefined, restart: undefined };
  const template = inputs.has(seen) ? undefined : lastAppliedTemplate(seen.object);
  const found = inputs.get(seen) ?? { digest: templateDigest(template), restart: templateRestart(template) };
  inputs.set(seen, found);
  return found;
}

/** Returns the Node's own run. One on a new volume does not hold up a spec with which its replica can start. */
function ownRun({ status: { maintenance } }: Context) {
  const isHolding = maintenance !== undefined && isUnderWay(maintenance);
  return isHolding && !isVolumeOperation(maintenance.operation) ? [maintenance] : [];
}

async function note(context: Context, after: Rollout | undefined): Promise<void> {
  const before = context.status.rollout;
  if (JSON.stringify(before) === JSON.stringify(after)) return;
  {
    using _lock = after && context.deps.memory.lockGroup(groupKey(context));
    context.status = { ...context.status, rollout: after };
    await saveStatus(context);
  }
  tell(context, before, after);
}

function tell(
  { node, deps, rollout }: Context,
  before: Rollout | undefined,
  after: Rollout | undefined,
): void {
  const say = (reason: EventReason, message: string): void => deps.events.record(node, reason, message);
  if (after === undefined) {
    const isDone = before !== undefined && rollout?.keep.includes(before.member) !== true;
    if (isDone) say("RolloutSucceeded", `${before.member} matches the spec`);
  } else if (after.state === "Paused") say("RolloutPaused", after.message);
  else if (after.state === "RolledBack") say("RolloutRolledBack", after.message);
  else if (before?.member !== after.member || before.revision !== after.revision)
    say("RolloutStarted", after.message);
}

/**
 * Returns the digest to apply; a member that is stopped, has no key, or whose claim would go with its pod, keeps its own,
 * and one whose Network has not recorded its forks again.
 */
function wantedDigest(context: MemberContext, template: V1PodTemplateSpec | undefined): string {
  const { member, facts } = context;
  const { stop, volume, identity } = facts;
  const isStopped = stop !== undefined || identity === undefined;
  const keeps = isStopped || volume?.reason === "Terminating" || awaitsForks(context, template);
  const kept = keeps ? templateDigest(template) : undefined;
  return kept ?? inputDigest(member, identity?.id, latestRestart(member, templateRestart(template)));
}

/** Observes a member with the digests of its StatefulSet and its pod. */
function rolloutMember(context: MemberContext): RolloutMember {
  const { member, facts, node, deps } = context;
  const { namespace } = node.meta;
  const names = objectNames(member.name);
  const key = `${namespace}/${names.statefulSet}`;
  const set = deps.applier.latest("StatefulSet", key, deps.cache.find("statefulSet", key));
  const template = lastAppliedTemplate(set);
  const applied = isScaledUp(set) ? templateDigest(template) : undefined; // without a pod nothing waits
  const seen = presentPod(member, deps.cache);
  const pod = seen && readPod(seen.object);
  return {
    ...viewMember(member, deps),
    applied,
    wanted: wantedDigest(context, template),
    former: formerDigest(set, facts.identity?.address),
    isCurrent: seen !== undefined && seen.meta.annotations[annotations.settings] === applied,
    isDown: pod === undefined || (!pod.ready && !pod.started),
    isServing: pod?.ready === true,
    podAddress: seen?.meta.annotations[annotations.address],
  };
}
