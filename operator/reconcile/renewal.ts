/** Runs that delete and recreate a volume. The claim goes with the StatefulSet, which is recreated afterwards. */
import { isVolumeOperation, type VolumeOperation } from "../api/names.ts";
import type { MaintenanceRun } from "../api/node-runs.ts";
import { keyOf } from "../api/resource.ts";
import { type Member, objectNames, publicNetworkOf } from "../build/names.ts";
import type { CachedObject } from "../kube/cached-object.ts";
import { kinds } from "../kube/resources.ts";
import { stopTrouble } from "../plan/council.ts";
import { isSteady } from "../plan/group.ts";
import { afterRenewal, afterVolumeDeletion, type RenewalView } from "../plan/renewal.ts";
import { endRun } from "../plan/run-states.ts";
import { couldBeginChain } from "./chain.ts";
import type { Context, MemberContext } from "./context.ts";
import { councilsOfNode, mayStopChain } from "./council.ts";
import type { ReconcileDeps } from "./deps.ts";
import { groupOf, newestOfGroup, viewMember } from "./group.ts";
import { isOwned } from "./owned.ts";
import { bindClaim, otherMembers } from "./replaced-volume.ts";

/** Observes a volume before it is replaced; undefined for other operations. */
export async function renewalViewOf(context: Context, run: MaintenanceRun): Promise<RenewalView | undefined> {
  const member = context.members.find((each) => each.member.name === run.member);
  if (!isVolumeOperation(run.operation) || run.state !== "Requested" || member === undefined)
    return undefined;
  const { deps } = context;
  const claim = claimOf(member.member, deps);
  const others = otherMembers(member.member, deps);
  const views = [viewMember(member.member, deps), ...others];
  return {
    claim: claim?.meta.deleted === false ? claim.meta.uid : undefined,
    stopped: member.facts.stop?.message,
    isElsewhere: others.some((each) => isSteady(each, views) && (each.height ?? 0) > 0),
    hasSource: hasSource(member.member, run.operation),
    couldBegin: await couldBeginChain(member),
    council: councilTrouble(context, member),
  };
}

function hasSource({ node: { spec } }: Member, operation: VolumeOperation): boolean {
  const { url, volumeSnapshot } = spec.bootstrap ?? {};
  const hasCopy = url !== undefined || volumeSnapshot !== undefined;
  return publicNetworkOf(spec.network) !== undefined || (operation === "replace" && hasCopy);
}

/** Returns the trouble of a council without the replica, which may take hours to come back. */
function councilTrouble(context: Context, { key, status }: MemberContext): string | undefined {
  if (context.node.spec.type !== "core") return undefined;
  const trouble = stopTrouble({ key, address: status.address }, councilsOfNode(context))?.message;
  if (trouble === undefined || !mayStopChain(context)) return trouble;
  context.isStopPending = true; // the permission is kept until the run has begun
  return undefined;
}

/** Deletes the StatefulSet of a replica with its claim; undefined while another deletion of it is under way. */
export async function deleteVolume(
  context: Context,
  run: MaintenanceRun,
): Promise<MaintenanceRun | undefined> {
  const { node, deps } = context;
  const now = deps.clock.now();
  const found = context.members.find(({ member }) => member.name === run.member);
  const claim = found && claimOf(found.member, deps);
  if (found === undefined || claim === undefined || claim.meta.uid !== run.claim)
    return afterVolumeDeletion(run, now); // it is gone already
  const { namespace } = node.meta;
  const name = objectNames(found.member.name).statefulSet;
  const set = deps.cache.find("statefulSet", keyOf({ namespace, name }));
  const isOwn = set !== undefined && isOwned(set.object, node.meta.uid);
  if (!goesWithSet(claim.object)) {
    if (!isOwn)
      return endRun(run, "Failed", "the replica has no StatefulSet with which its claim could go", now);
    if (set.meta.deleted) return undefined; // somebody else deletes it, and the claim would stay
  }
  if (isOwn && !set.meta.deleted) {
    await bindClaim(found.member, set, deps);
    await deps.client.remove(kinds.statefulSet, { namespace, name }, set.meta.uid);
    deps.log.info(
      { node: context.key, member: found.member.name, operation: run.operation },
      "volume deleted",
    );
  }
  return afterVolumeDeletion(run, now);
}

/** True for a claim that an earlier attempt has bound to a StatefulSet. */
function goesWithSet(claim: unknown): boolean {
  const { ownerReferences = [] } = (
    claim as { metadata: { ownerReferences?: readonly { kind?: unknown }[] } }
  ).metadata;
  return ownerReferences.some(({ kind }) => kind === kinds.statefulSet.kind);
}

/** Follows a replica on its new volume. */
export function followRenewal(context: Context, run: MaintenanceRun): MaintenanceRun {
  const { deps } = context;
  const found = context.members.find(({ member }) => member.name === run.member);
  if (found === undefined) return run;
  const claim = claimOf(found.member, deps);
  const pod = deps.cache.find(
    "pod",
    keyOf({ namespace: context.node.meta.namespace, name: objectNames(run.member).pod }),
  );
  const isDeleted = claim?.meta.uid !== run.claim;
  const isOnNew = claim !== undefined && pod !== undefined && pod.meta.createdAt >= claim.meta.createdAt;
  const view = viewMember(found.member, deps);
  const progress = {
    isDeleted,
    height: isOnNew ? view.height : undefined,
    newest: newestOfGroup(context)?.height ?? 0,
    isSteady: isOnNew && found.facts.report?.syncing === false && isSteady(view, groupOf(context).members),
  };
  return afterRenewal(run, progress, deps.clock.now());
}

function claimOf({ node, name }: Member, { cache }: Pick<ReconcileDeps, "cache">): CachedObject | undefined {
  return cache.find("claim", keyOf({ namespace: node.meta.namespace, name: objectNames(name).claim }));
}
