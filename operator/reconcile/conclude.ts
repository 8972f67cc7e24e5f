/** Derives the status of a Node after its steps: sums, phase and conditions. */
import { privilegedModules } from "../api/node-api.ts";
import type { MemberStatus } from "../api/node-status.ts";
import type { NodeResource } from "../api/resource.ts";
import { selectorText } from "../build/names.ts";
import { judgeBackup } from "../plan/backup.ts";
import { nextConditions, type Verdict } from "../plan/conditions.ts";
import { missingForks } from "../plan/forks.ts";
import { lagOf, type ReportedHeight } from "../plan/group.ts";
import { type HealthView, judge, type MemberHealth, phaseOf } from "../plan/health.ts";
import { worstVolume } from "../plan/storage.ts";
import type { Context, MemberContext } from "./context.ts";
import { newestOfGroup } from "./group.ts";
import { forkedNodes, scheduleOf, scheduleText } from "./network-forks.ts";
import type { Outcome } from "./outcome.ts";
import { outdatedPods } from "./outdated.ts";
import { contestedVerdicts } from "./ownership.ts";
import { pausedVerdicts } from "./paused.ts";

/** Writes members, sums, phase and conditions to the status of the context. */
export function conclude(context: Context, outcome: Outcome): void {
  const { node, deps } = context;
  const members = context.members.map(({ status }) => status);
  const view = healthOf(context, outcome);
  const { generation } = node.meta;
  const terms = { generation, now: deps.clock.now() };
  const warnings = [...contestedVerdicts(node, deps), ...pausedVerdicts(node), ...privileges(node)];
  const verdicts = [...judge(view), ...backupVerdicts(context), ...forkVerdicts(context), ...warnings];
  context.status = {
    ...context.status,
    observedGeneration: generation,
    phase: phaseOf(view),
    ...sumsOf(members),
    selector: selectorText(node.meta.name),
    members,
    outdated: outdatedPods(context),
    conditions: nextConditions(context.status.conditions, verdicts, terms),
  };
}

/** Conditions that observation alone cannot judge. */
const UNOBSERVED: ReadonlySet<string> = new Set(["Progressing", "StorageHealthy"]);

/** Writes the status of a paused Node, as it is observed; what was decided before the pause stays. */
export function concludePaused(context: Context, seen: Outcome): void {
  const { observedGeneration, outdated, conditions: before } = context.status;
  conclude(context, seen);
  const kept = before?.filter(({ type }) => UNOBSERVED.has(type)) ?? [];
  context.status = {
    ...context.status,
    phase: "Paused",
    observedGeneration,
    outdated,
    conditions: context.status.conditions?.map(
      (condition) => kept.find(({ type }) => type === condition.type) ?? condition,
    ),
  };
}

/** Writes the conditions of a Node that is being deleted; other conditions stay. */
export function concludeDeletion(context: Context, message: string): void {
  const { node, deps, status } = context;
  const terms = { generation: node.meta.generation, now: deps.clock.now() };
  const said = nextConditions(status.conditions, deletionVerdicts(message), terms);
  const others = status.conditions?.filter(({ type }) => !said.some((each) => each.type === type)) ?? [];
  context.status = {
    ...status,
    observedGeneration: node.meta.generation,
    phase: "Deleting",
    conditions: [...said, ...others],
  };
}

function deletionVerdicts(message: string): readonly Verdict[] {
  return [
    { type: "Ready", status: "False", reason: "Deleting", message },
    { type: "Progressing", status: "True", reason: "Deleting", message },
  ];
}

function healthOf(context: Context, outcome: Outcome): HealthView {
  const { members, status, rollout } = context;
  const newest = newestOfGroup(context);
  return {
    suspension: suspensionOf(context),
    held: context.stop?.isHeld === true ? context.stop.message : undefined,
    step: outcome.kind === "continue" ? undefined : outcome,
    members: members.map((member) => healthOfMember(member, newest)),
    rollout: status.rollout,
    keep: rollout?.keep ?? [],
    waits: rollout?.waits,
    maintenance: status.maintenance,
    storage: worstVolume(
      members.flatMap(({ member: { name }, facts: { volume } }) =>
        volume === undefined ? [] : [{ name, verdict: volume }],
      ),
    ),
  };
}

function suspensionOf({ node, members }: Context): HealthView["suspension"] {
  if (!node.spec.suspend) return undefined;
  return members.some(({ facts }) => facts.hasPod) ? "Suspending" : "Suspended";
}

function healthOfMember(
  { member, status, facts }: MemberContext,
  newest: ReportedHeight | undefined,
): MemberHealth {
  const { report, failing, needsPeers } = facts;
  return {
    name: member.name,
    ready: status.ready,
    reason: status.reason,
    hasReport: report !== undefined,
    lag: report && lagOf({ height: report.height, reportedAt: report.at }, newest),
    syncing: report?.syncing ?? false,
    peersWanted: status.peersWanted ?? 0,
    peersMissing: status.peersMissing ?? 0,
    failing,
    isIsolated: needsPeers === true && report?.peers.size === 0,
  };
}

/** Computes the status of the Node from those of its members. */
function sumsOf(members: readonly MemberStatus[]) {
  const [first] = members;
  const heights = members.flatMap(({ height }) => height ?? []);
  const peers = members.flatMap(({ peers: each }) => each ?? []);
  return {
    readyMembers: members.filter(({ ready }) => ready).length,
    replicas: members.length,
    height: heights.length === 0 ? undefined : Math.max(...heights),
    syncing: members.some(({ syncing }) => syncing),
    peers: peers.length === 0 ? undefined : Math.min(...peers),
    url: first?.url,
    address: first?.address,
    validator: first?.validator,
    version: first?.version,
  };
}

/** Returns the condition of backups, present only while they have a schedule. */
function backupVerdicts({ node, status, deps }: Context): Verdict[] {
  const { schedule } = node.spec.backup ?? {};
  return schedule === undefined ? [] : [judgeBackup(schedule, status.backup, deps.clock.now())];
}

/** Returns the condition of later forks, present only while the Network has some. */
function forkVerdicts({ node, network, deps }: Context): Verdict[] {
  const schedule = network && (scheduleOf(network) ?? network.status.genesis?.forks);
  if (network === undefined || schedule === undefined) return [];
  const missing = forkedNodes([node], deps).flatMap((member) => {
    const text = missingForks(member, schedule, network.status.height);
    return text === undefined ? [] : [`${member.name}: ${text}`];
  });
  const [reason, status] =
    missing.length === 0 ? (["Scheduled", "True"] as const) : (["ForkMissing", "False"] as const);
  const message = missing.length === 0 ? scheduleText(schedule) : missing.join("; ");
  return [{ type: "ForksReady", status, reason, message }];
}

/** Returns the warning condition, present only while it is True. */
function privileges({ spec: { api } }: NodeResource): Verdict[] {
  const served = [...(api.http.enabled ? api.http.modules : []), ...(api.ws.enabled ? api.ws.modules : [])];
  const open = privilegedModules.filter((name) => served.includes(name));
  if (!api.privileged || open.length === 0) return [];
  const message = `${open.join(", ")} are served to every client that reaches the node's port`;
  return [{ type: "PrivilegedApi", status: "True", reason: "Allowed", message }];
}
