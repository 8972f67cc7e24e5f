/**
 * Volumes that maintenance replaces. The operator has no right to delete a claim: it makes the replica's StatefulSet
 * its only owner and deletes that, and the garbage collector of Kubernetes deletes the claim once its pod has ended.
 */
import { isVolumeOperation } from "../api/names.ts";
import type { MaintenanceRun } from "../api/node-runs.ts";
import { keyOf, type NodeResource } from "../api/resource.ts";
import { type Member, membersOf, objectNames } from "../build/names.ts";
import type { CachedObject } from "../kube/cached-object.ts";
import type { MemberView } from "../plan/group.ts";
import { isUnderWay } from "../plan/maintenance.ts";
import { existingClaim } from "./claim-view.ts";
import type { MemberContext } from "./context.ts";
import type { ReconcileDeps } from "./deps.ts";
import { viewMember } from "./group.ts";
import { isOwned } from "./owned.ts";

/** Makes a StatefulSet the only owner of the claim of its member; a claim that is missing or going stays as it is. */
export async function bindClaim(
  member: Member,
  { meta: { name, uid } }: CachedObject,
  { cache, applier, log }: Pick<ReconcileDeps, "cache" | "applier" | "log">,
): Promise<void> {
  const key = `${member.node.meta.namespace}/${objectNames(member.name).claim}`;
  const seen = cache.find("claim", key);
  if (seen === undefined || seen.meta.deleted) return;
  const goesWith = { claim: seen.meta.uid, set: { name, uid } };
  await applier.apply(existingClaim(member, seen.object, goesWith), seen);
  log.info({ node: member.node.meta.name, claim: key }, "claim goes with its stateful set");
}

/** Takes a StatefulSet's ownership from the claim of its member, which an unfinished deletion of both has given it. */
export async function keepClaim(
  member: Member,
  { meta: { uid } }: CachedObject,
  { cache, applier }: Pick<ReconcileDeps, "cache" | "applier">,
): Promise<void> {
  const seen = cache.find("claim", `${member.node.meta.namespace}/${objectNames(member.name).claim}`);
  if (seen === undefined || seen.meta.deleted || !isOwned(seen.object, uid)) return;
  await applier.apply(existingClaim(member, seen.object), seen);
}

/** Returns the run that replaces the volume of a member; undefined for none. */
export function renewalRun(
  { status: { maintenance: run } }: NodeResource,
  member: string,
): MaintenanceRun | undefined {
  const isOne = run !== undefined && run.member === member && isVolumeOperation(run.operation);
  return isOne && isUnderWay(run) ? run : undefined;
}

/** True while the claim that a run deletes exists: neither it nor the StatefulSet is written. */
export function isDeletingClaim({
  node,
  member,
  deps,
}: Pick<MemberContext, "node" | "member" | "deps">): boolean {
  const run = renewalRun(node, member.name);
  if (run === undefined) return false;
  const key = keyOf({ namespace: node.meta.namespace, name: objectNames(member.name).claim });
  return deps.cache.find("claim", key)?.meta.uid === run.claim;
}

/** Returns the member without the copies of `spec.bootstrap` while it takes in the chain from its peers. */
export function withoutCopies(member: MemberContext["member"]): MemberContext["member"] {
  if (renewalRun(member.node, member.name)?.operation !== "resync") return member;
  const { node } = member;
  return { ...member, node: { ...node, spec: { ...node.spec, bootstrap: undefined } } };
}

/** Observes the other members of a chain, in any namespace. */
export function otherMembers({ node, name }: Member, deps: ReconcileDeps): readonly MemberView[] {
  const isOfChain = ({ meta, spec, status }: NodeResource): boolean =>
    (meta.namespace === node.meta.namespace && spec.network.name === node.spec.network.name) ||
    (status.genesis !== undefined && status.genesis === node.status.genesis);
  const others = deps.cache.nodes().filter((each) => each.meta.uid !== node.meta.uid && isOfChain(each));
  const own = keyOf({ namespace: node.meta.namespace, name });
  const views = [node, ...others].flatMap(membersOf).map((member) => viewMember(member, deps));
  return views.filter(({ key }) => key !== own);
}
