/**
 * The end of a Node: its pods end with their grace, in which they save their caches; the nodes around it let go of it
 * as a peer, each in its own reconciling; then the Node goes, and with it what it owns. What does not come in time is
 * told in an event and waited for no longer.
 */
import { keyOf, type NodeResource } from "../api/resource.ts";
import { formerMembersOf, type Member, membersOf, objectNames } from "../build/names.ts";
import { TERMINATION_GRACE_SECONDS } from "../build/stateful-set.ts";
import { kinds } from "../kube/resources.ts";
import type { Seen } from "../kube/seen.ts";
import { messageOf } from "../observe/message-of.ts";
import { planDeletion } from "../plan/deletion.ts";
import { peerId } from "../plan/mesh.ts";
import { concludeDeletion } from "./conclude.ts";
import { createContext, saveStatus } from "./context.ts";
import { isHeld, letGo } from "./finalizer.ts";
import { viewMember } from "./group.ts";
import { isOwned } from "./owned.ts";
import type { Surroundings } from "./surroundings.ts";

/** How long a Node that is being deleted may wait: as long as a pod may take to end, and a minute. */
export const DELETION_MS = (TERMINATION_GRACE_SECONDS + 60) * 1_000;
/** How soon it is looked at again. */
const LOOK_MS = 2_000;
const RESYNC_MS = 300_000;
/** The finalizer with which the API server notes that what belongs to an object is to stay. */
const ORPHAN = "orphan";

/** Does what is next for a Node that is being deleted; gives the milliseconds after which to look again. */
export async function endNode(node: NodeResource, around: Surroundings): Promise<number> {
  const { meta } = node;
  if (!isHeld(meta)) return RESYNC_MS; // what it owns goes with it
  const pods = podsOf(node, around);
  const plan = planDeletion(
    {
      until: (meta.deletedAt ?? 0) + DELETION_MS,
      orphans: meta.finalizers.includes(ORPHAN),
      pods: pods.map(({ name }) => name),
      keepers: keepersOf(node, around),
    },
    around.clock.now(),
  );
  if (plan.isOver) return end(node, around, plan.left);
  await note(node, around, plan.left ?? "");
  for (const { name, set } of pods) if (set !== undefined) await endPod(node, around, name, set);
  return LOOK_MS;
}

/** A Node that this release cannot read is let go at once, so that no namespace waits for it. */
export async function endUnread(seen: Seen | undefined, around: Surroundings): Promise<number | undefined> {
  if (seen?.meta.deleted !== true || !isHeld(seen.meta)) return undefined;
  await letGo(around.client, seen.meta);
  return RESYNC_MS;
}

async function end(node: NodeResource, around: Surroundings, left: string | undefined): Promise<number> {
  if (left !== undefined) {
    const message = `deleted after ${DELETION_MS / 1_000} s in spite of ${left}`;
    around.events.tell(node, "DeletionUnfinished", message);
  }
  await letGo(around.client, node.meta);
  around.log.info({ node: keyOf(node.meta), left }, "node let go");
  return RESYNC_MS;
}

/** The status is for those who look; that it cannot be written keeps no Node. */
async function note(node: NodeResource, around: Surroundings, left: string): Promise<void> {
  const context = createContext(node, around);
  concludeDeletion(context, left);
  await saveStatus(context).catch((error: unknown) => {
    around.log.warn(
      { node: context.key, error: messageOf(error) },
      "status of a node that goes is not written",
    );
  });
}

interface PodLeft {
  readonly name: string;
  /** The StatefulSet that would make it again; undefined once that goes. */
  readonly set: Seen | undefined;
}

/** Members whose pods are there; not those whose StatefulSet is not the Node's, or no more. */
function podsOf(node: NodeResource, around: Surroundings): readonly PodLeft[] {
  const { namespace, uid } = node.meta;
  return [...membersOf(node), ...formerMembersOf(node)].flatMap(({ name }: Member): readonly PodLeft[] => {
    const names = objectNames(name);
    const set = around.find("statefulSet", keyOf({ namespace, name: names.statefulSet }));
    const isThere = around.find("pod", keyOf({ namespace, name: names.pod })) !== undefined;
    if (!isThere || (set !== undefined && !isOwned(set.object, uid))) return [];
    return [{ name, set: set?.meta.deleted === false ? set : undefined }];
  });
}

/** Without its StatefulSet a pod ends as pods do: what it runs before its end, SIGTERM, and its grace. */
async function endPod(
  { meta }: NodeResource,
  around: Surroundings,
  member: string,
  set: Seen,
): Promise<void> {
  const { namespace, name, uid } = set.meta;
  await around.client.remove(kinds.statefulSet, { namespace, name }, uid);
  around.log.info({ node: keyOf(meta), member }, "pod is to end");
}

/** One that does not answer lets go when it does again; one that was given the URL by its spec keeps it. */
function keepersOf(node: NodeResource, around: Surroundings): readonly string[] {
  const ids = new Set(node.status.members?.flatMap(({ url }) => (url === undefined ? [] : [peerId(url)])));
  const namespaces = new Set([node.meta.namespace, ...node.spec.peers.namespaces]);
  const others = [...namespaces]
    .flatMap((namespace) => around.nodes(namespace))
    .filter(({ meta }) => !meta.deleted);
  return others.flatMap((other) =>
    membersOf(other).flatMap((member) => {
      const { mesh = [] } = other.status.members?.find(({ name }) => name === member.name) ?? {};
      const keeps = mesh.some((url) => ids.has(peerId(url)) && !other.spec.peers.urls.includes(url));
      return keeps && viewMember(member, around).ready ? [member.name] : [];
    }),
  );
}
