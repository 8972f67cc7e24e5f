/**
 * Deletion of a Node: pods terminate within their grace period and save their caches, other nodes remove the
 * peer, then the finalizer is removed and owned objects are garbage-collected. An event lists what was not
 * completed in time.
 */
import { type Draft, keyOf, type NodeResource } from "../api/resource.ts";
import { formerMembersOf, type Member, membersOf, objectNames } from "../build/names.ts";
import { withNetworkDefaults } from "../build/network-defaults.ts";
import { NODE_KEY, nodeKeySecret } from "../build/secrets.ts";
import { graceSeconds } from "../build/stateful-set.ts";
import type { CachedObject } from "../kube/cached-object.ts";
import { isKubeError } from "../kube/error.ts";
import { kinds } from "../kube/resources.ts";
import { messageOf } from "../observe/message-of.ts";
import { planDeletion } from "../plan/deletion.ts";
import { peerId } from "../plan/mesh.ts";
import { existingClaim } from "./claim-view.ts";
import { concludeDeletion } from "./conclude.ts";
import { saveStatus } from "./context.ts";
import { createContext } from "./create-context.ts";
import type { ReconcileDeps } from "./deps.ts";
import { hasFinalizer, ORPHAN, removeFinalizer } from "./finalizer.ts";
import { networkOf, viewMember } from "./group.ts";
import { recordChain } from "./network.ts";
import { isOwned } from "./owned.ts";
import { secretText } from "./secret-text.ts";

/** Returns the timeout of the deletion of a Node with the defaults of its Network: the grace period of a pod and a minute. */
export function deletionMs(node: NodeResource): number {
  return (graceSeconds(node) + 60) * 1_000;
}
/** Interval of checks during a deletion. */
const LOOK_MS = 2_000;
const RESYNC_MS = 300_000;

/**
 * Continues a deletion; returns the milliseconds until the next check. The timeout is measured from the operator's
 * own first look: neither a clock that is ahead of the API server's nor a new operator ends the wait of a pod that
 * still runs.
 */
export async function endNode(node: NodeResource, deps: ReconcileDeps): Promise<number> {
  const { meta } = node;
  if (!hasFinalizer(meta)) return RESYNC_MS; // what it owns goes with it
  const timeoutMs = deletionMs(withNetworkDefaults(node, networkOf(node, deps.cache)));
  const pods = podsOf(node, deps);
  const plan = planDeletion(
    {
      until: deps.memory.startDeletion(meta, deps.monotonicMs()) + timeoutMs,
      orphans: meta.finalizers.includes(ORPHAN),
      pods: pods.map(({ name }) => name),
      keepers: keepersOf(node, deps),
    },
    deps.monotonicMs(),
  );
  const { isOver, left } = plan;
  if (isOver)
    return end(node, deps, left && `deleted after ${timeoutMs / 1_000} s with unmet conditions: ${left}`);
  await note(node, deps, left ?? "");
  for (const { name, set } of pods) if (set !== undefined) await endPod(node, deps, name, set);
  return LOOK_MS;
}

/**
 * Removes the finalizer of a Node whose namespace is being deleted, before the operator loses its rights there: pods,
 * volumes and keys are deleted with the namespace in any case.
 */
export async function endWithNamespace({ meta }: NodeResource, deps: ReconcileDeps): Promise<number> {
  if (!hasFinalizer(meta)) return RESYNC_MS;
  await removeFinalizer(deps.client, meta);
  deps.log.info({ node: keyOf(meta) }, "finalizer removed: the namespace is being deleted");
  return RESYNC_MS;
}

/** Removes the finalizer of a Node that cannot be parsed, so that it or its namespace can be deleted. */
export async function endUnread(
  seen: CachedObject | undefined,
  deps: ReconcileDeps,
): Promise<number | undefined> {
  if (seen === undefined || !hasFinalizer(seen.meta)) return undefined;
  if (!seen.meta.deleted && !deps.cache.isEnding(seen.meta.namespace)) return undefined;
  await removeFinalizer(deps.client, seen.meta);
  return RESYNC_MS;
}

async function end(node: NodeResource, deps: ReconcileDeps, unmet: string | undefined): Promise<number> {
  await retain(node, deps).catch(async (error: unknown) => {
    await note(node, deps, `volumes and keys that are not retained yet: ${messageOf(error)}`);
    throw error;
  });
  if (unmet !== undefined) deps.events.record(node, "DeletionUnfinished", unmet);
  await recordChain(node, deps).catch((error: unknown) => {
    if (isKubeError(error, "conflict")) throw error;
    deps.log.warn(
      { node: keyOf(node.meta), error: messageOf(error) },
      "the height of its network cannot be written",
    );
  });
  await removeFinalizer(deps.client, node.meta);
  deps.log.info({ node: keyOf(node.meta), unmet }, "finalizer removed");
  return RESYNC_MS;
}

/**
 * Takes the Node's ownership from the volumes and keys that its spec retains: an earlier spec may have given it, and no
 * reconciliation has seen the change, or none writes them because their member was removed. A volume that an operation
 * replaces has another owner.
 */
async function retain(node: NodeResource, { cache, applier }: ReconcileDeps): Promise<void> {
  if (node.spec.whenDeleted === "Delete") return;
  const { namespace, uid } = node.meta;
  const isOwn = (seen: CachedObject | undefined): seen is CachedObject =>
    seen?.meta.deleted === false && isOwned(seen.object, uid);
  for (const member of [...membersOf(node), ...formerMembersOf(node)]) {
    const names = objectNames(member.name);
    const claim = cache.find("claim", keyOf({ namespace, name: names.claim }));
    if (isOwn(claim)) await applyKept(existingClaim(member, claim.object), claim, applier);
    const secret = cache.find("secret", keyOf({ namespace, name: names.nodeKey }));
    const key = isOwn(secret) ? secretText(secret.object, NODE_KEY) : undefined;
    if (isOwn(secret) && key !== undefined) await applyKept(nodeKeySecret(member, key), secret, applier);
  }
}

/** Applies the draft to the object with the same UID; one that is gone needs nothing. */
async function applyKept(draft: Draft, seen: CachedObject, applier: ReconcileDeps["applier"]): Promise<void> {
  const metadata = { ...draft.metadata, uid: seen.meta.uid };
  try {
    await applier.apply({ ...draft, metadata }, seen);
  } catch (error) {
    if (!isKubeError(error, "not-found")) throw error;
  }
}

/** Writes the status; a failure does not hold up the deletion. */
async function note(node: NodeResource, deps: ReconcileDeps, left: string): Promise<void> {
  const context = createContext(node, deps);
  concludeDeletion(context, left);
  await saveStatus(context).catch((error: unknown) => {
    deps.log.warn(
      { node: context.key, error: messageOf(error) },
      "status of a deleted node cannot be written",
    );
  });
}

interface PodLeft {
  readonly name: string;
  /** StatefulSet that would recreate the pod; undefined once that is being deleted. */
  readonly set: CachedObject | undefined;
}

/** Lists members with pods of the Node's own StatefulSets. */
function podsOf(node: NodeResource, deps: ReconcileDeps): readonly PodLeft[] {
  const { namespace, uid } = node.meta;
  return [...membersOf(node), ...formerMembersOf(node)].flatMap(({ name }: Member): readonly PodLeft[] => {
    const names = objectNames(name);
    const set = deps.cache.find("statefulSet", keyOf({ namespace, name: names.statefulSet }));
    const isThere = deps.cache.find("pod", keyOf({ namespace, name: names.pod })) !== undefined;
    if (!isThere || (set !== undefined && !isOwned(set.object, uid))) return [];
    return [{ name, set: set?.meta.deleted === false ? set : undefined }];
  });
}

/** Deletes the StatefulSet, so that the pod terminates with its preStop hook and grace period. */
async function endPod(
  { meta }: NodeResource,
  deps: ReconcileDeps,
  member: string,
  set: CachedObject,
): Promise<void> {
  const { namespace, name, uid } = set.meta;
  await deps.client.remove(kinds.statefulSet, { namespace, name }, uid);
  deps.log.info({ node: keyOf(meta), member }, "stateful set deleted");
}

/**
 * Lists members that still have the peer. Silent ones remove it later; one whose spec names the URL keeps it.
 */
function keepersOf(node: NodeResource, deps: ReconcileDeps): readonly string[] {
  const ids = new Set(node.status.members?.flatMap(({ url }) => (url === undefined ? [] : [peerId(url)])));
  const namespaces = new Set([node.meta.namespace, ...node.spec.peers.namespaces]);
  const others = [...namespaces]
    .flatMap((namespace) => deps.cache.nodes(namespace))
    .filter(({ meta }) => !meta.deleted);
  return others.flatMap((other) =>
    membersOf(other).flatMap((member) => {
      const { mesh = [] } = other.status.members?.find(({ name }) => name === member.name) ?? {};
      const keeps = mesh.some((url) => ids.has(peerId(url)) && !other.spec.peers.urls.includes(url));
      return keeps && viewMember(member, deps).ready ? [member.name] : [];
    }),
  );
}
