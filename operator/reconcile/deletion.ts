/**
 * The end of a Node: its pods end with their grace, in which they save their caches; the nodes around it let go of it
 * as a peer, each in its own reconciling; then the Node goes, and with it what it owns. What does not come in time is
 * told in an event and waited for no longer.
 */
import { keyOf, type NodeResource } from "../api/resource.ts";
import { formerMembersOf, type Member, membersOf, objectNames } from "../build/names.ts";
import { TERMINATION_GRACE_SECONDS } from "../build/stateful-set.ts";
import type { CachedObject } from "../kube/cached-object.ts";
import { kinds } from "../kube/resources.ts";
import { messageOf } from "../observe/message-of.ts";
import { planDeletion } from "../plan/deletion.ts";
import { peerId } from "../plan/mesh.ts";
import { concludeDeletion } from "./conclude.ts";
import { createContext, saveStatus } from "./context.ts";
import type { ReconcileDeps } from "./deps.ts";
import { hasFinalizer, removeFinalizer } from "./finalizer.ts";
import { viewMember } from "./group.ts";
import { isOwned } from "./owned.ts";

/** How long a Node that is being deleted may wait: as long as a pod may take to end, and a minute. */
export const DELETION_MS = (TERMINATION_GRACE_SECONDS + 60) * 1_000;
/** How soon it is looked at again. */
const LOOK_MS = 2_000;
const RESYNC_MS = 300_000;
/** The finalizer with which the API server notes that what belongs to an object is to stay. */
const ORPHAN = "orphan";

/** Does what is next for a Node that is being deleted; gives the milliseconds after which to look again. */
export async function endNode(node: NodeResource, deps: ReconcileDeps): Promise<number> {
  const { meta } = node;
  if (!hasFinalizer(meta)) return RESYNC_MS; // what it owns goes with it
  const pods = podsOf(node, deps);
  const plan = planDeletion(
    {
      until: (meta.deletedAt ?? 0) + DELETION_MS,
      orphans: meta.finalizers.includes(ORPHAN),
      pods: pods.map(({ name }) => name),
      keepers: keepersOf(node, deps),
    },
    deps.clock.now(),
  );
  if (plan.isOver) return end(node, deps, plan.left);
  await note(node, deps, plan.left ?? "");
  for (const { name, set } of pods) if (set !== undefined) await endPod(node, deps, name, set);
  return LOOK_MS;
}

/** A Node that this release cannot read is let go at once, so that no namespace waits for it. */
export async function endUnread(
  seen: CachedObject | undefined,
  deps: ReconcileDeps,
): Promise<number | undefined> {
  if (seen?.meta.deleted !== true || !hasFinalizer(seen.meta)) return undefined;
  await removeFinalizer(deps.client, seen.meta);
  return RESYNC_MS;
}

async function end(node: NodeResource, deps: ReconcileDeps, left: string | undefined): Promise<number> {
  if (left !== undefined) {
    const message = `deleted after ${DELETION_MS / 1_000} s in spite of ${left}`;
    deps.events.record(node, "DeletionUnfinished", message);
  }
  await removeFinalizer(deps.client, node.meta);
  deps.log.info({ node: keyOf(node.meta), left }, "node let go");
  return RESYNC_MS;
}

/** The status is for those who look; that it cannot be written keeps no Node. */
async function note(node: NodeResource, deps: ReconcileDeps, left: string): Promise<void> {
  const context = createContext(node, deps);
  concludeDeletion(context, left);
  await saveStatus(context).catch((error: unknown) => {
    deps.log.warn(
      { node: context.key, error: messageOf(error) },
      "status of a node that goes is not written",
    );
  });
}

interface PodLeft {
  readonly name: string;
  /** The StatefulSet that would make it again; undefined once that goes. */
  readonly set: CachedObject | undefined;
}

/** Members whose pods are there; not those whose StatefulSet is not the Node's, or no more. */
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

/** Without its StatefulSet a pod ends as pods do: what it runs before its end, SIGTERM, and its grace. */
async function endPod(
  { meta }: NodeResource,
  deps: ReconcileDeps,
  member: string,
  set: CachedObject,
): Promise<void> {
  const { namespace, name, uid } = set.meta;
  await deps.client.remove(kinds.statefulSet, { namespace, name }, uid);
  deps.log.info({ node: keyOf(meta), member }, "pod is to end");
}

/** One that does not answer lets go when it does again; one that was given the URL by its spec keeps it. */
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
