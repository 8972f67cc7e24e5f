/**
 * Runs rollouts. The decision is written to the status before a StatefulSet is changed; members that wait
 * keep their template.
 */
import { annotations, type EventReason } from "../api/names.ts";
import type { Rollout } from "../api/node-runs.ts";
import { objectNames } from "../build/names.ts";
import { inputDigest, lastAppliedTemplate, templateDigest } from "../build/template.ts";
import { isUnderWay } from "../plan/maintenance.ts";
import { planRollout, type RolloutMember } from "../plan/rollout.ts";
import { type Context, type MemberContext, saveStatus } from "./context.ts";
import { limitingCouncils } from "./council.ts";
import { groupKey, groupOf, viewMember } from "./group.ts";
import { goOn, type Outcome } from "./outcome.ts";
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
  const view = { node: node.meta.name, own, ...group, councils, maintained };
  const plan = planRollout(view, deps.clock.now());
  for (const { member, facts } of members) facts.keeps = plan.keep.includes(member.name);
  context.rollout = plan;
  if (plan.rollout !== undefined || plan.keep.length > 0) context.againMs = LOOK_MS;
  await note(context, plan.rollout);
  return goOn;
}

function ownRun({ status: { maintenance } }: Context) {
  return maintenance !== undefined && isUnderWay(maintenance) ? [maintenance] : [];
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

function tell({ node, deps }: Context, before: Rollout | undefined, after: Rollout | undefined): void {
  const say = (reason: EventReason, message: string): void => deps.events.record(node, reason, message);
  if (after === undefined) say("RolloutSucceeded", `${before?.member} matches the spec`);
  else if (after.state === "Paused") say("RolloutPaused", after.message);
  else if (before?.member !== after.member || before.revision !== after.revision)
    say("RolloutStarted", after.message);
}

/** Returns the digest to apply; a stopped member, and one whose claim would go with its pod, keep their own. */
function wantedDigest(
  member: MemberContext["member"],
  { stop, volume, identity }: MemberContext["facts"],
  applied: string | undefined,
): string {
  const keeps = stop !== undefined || volume?.reason === "Terminating";
  return (keeps ? applied : undefined) ?? inputDigest(member, identity?.id);
}

/** Observes a member with the digests of its StatefulSet and its pod. */
function rolloutMember({ member, facts, node, deps }: MemberContext): RolloutMember {
  const { namespace } = node.meta;
  const names = objectNames(member.name);
  const key = `${namespace}/${names.statefulSet}`;
  const applied = templateDigest(
    lastAppliedTemplate(deps.applier.latest("StatefulSet", key, deps.cache.find("statefulSet", key))),
  );
  const seen = deps.cache.find("pod", `${namespace}/${names.pod}`);
  const pod = seen === undefined || seen.meta.deleted ? undefined : readPod(seen.object);
  return {
    ...viewMember(member, deps),
    applied,
    wanted: wantedDigest(member, facts, applied),
    isCurrent: pod !== undefined && seen?.meta.annotations[annotations.settings] === applied,
    isDown: pod === undefined || (!pod.ready && !pod.started),
  };
}
