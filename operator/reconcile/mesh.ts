/**
 * Knits the node into its network: tells it whom to keep, and whom no longer. A peer is in the status before the node
 * is told of it, so that none is ever taken for somebody else's and left behind.
 */

import type { NodeResource } from "../api/resource.ts";
import { readBoolean } from "../control/answers.ts";
import type { Channel } from "../control/channel.ts";
import { ControlError } from "../control/error.ts";
import { type AddAttempts, type MeshPlan, planMesh } from "../plan/mesh.ts";
import { type Member, peersToKeep } from "../plan/topology.ts";
import { gatewayOf } from "./cluster-cache.ts";
import { type MemberContext } from "./context.ts";
import { goOn, type Outcome, waitFor } from "./outcome.ts";

/** After peers were told, the node is looked at again this soon. */
const LOOK_AGAIN_MS = 2_000;

/** As many URLs as the status takes. */
const MAX_NOTED = 128;

/** Tells the node what differs. */
export async function meshStep(context: MemberContext): Promise<Outcome> {
  const { deps, facts, key, status } = context;
  const { pod, told } = facts;
  if (told === undefined || pod?.address === undefined) return goOn;
  const wanted = peersToKeep(seekerOf(context), membersAround(context));
  const noted = status.mesh ?? [];
  const plan = planMesh(
    { wanted, told: noted, connected: told.peers, tellings: tellingsOf(context, pod.incarnation) },
    deps.clock.now(),
  );
  const add = plan.add.filter((url) => noted.includes(url));
  const trouble = await tell(context, pod.address, { remove: plan.remove, add });
  if (trouble !== undefined) return waitFor(trouble.reason, trouble.message, LOOK_AGAIN_MS);
  const isTold = add.length === plan.add.length;
  if (isTold) deps.memory.recordAddedPeers(key, { incarnation: pod.incarnation, attempts: plan.tellings });
  const mesh = wanted.slice(0, MAX_NOTED);
  context.status = { ...status, mesh, peersWanted: wanted.length, peersMissing: plan.missing };
  if (add.length > 0) setTimeout(() => deps.poller.pollSoon(key), LOOK_AGAIN_MS).unref();
  return goOn;
}

function tellingsOf({ deps, key }: MemberContext, incarnation: string): AddAttempts {
  const known = deps.memory.addedPeers(key);
  return known?.incarnation === incarnation ? known.attempts : new Map();
}

/** Gives why the node could not be told. */
async function tell(
  { deps, key }: MemberContext,
  address: string,
  { remove, add }: Pick<MeshPlan, "remove" | "add">,
): Promise<ControlError | undefined> {
  const ask = (
    ...call: readonly ["admin_addPeer" | "admin_removePeer", string]
  ): ReturnType<Channel["call"]> => deps.channel.call(gatewayOf(key, address), ...call);
  try {
    for (const url of remove) readBoolean(await ask("admin_removePeer", url));
    for (const url of add) {
      const taken = readBoolean(await ask("admin_addPeer", url));
      if (!taken) deps.log.warn({ node: key, url }, "the node does not take this peer");
    }
  } catch (error) {
    if (error instanceof ControlError) return error;
    throw error;
  }
  if (remove.length + add.length > 0)
    deps.log.info({ node: key, add: add.length, remove: remove.length }, "told peers");
  return undefined;
}

function seekerOf({ node, member }: MemberContext) {
  const { type, network, peers, p2p } = node.spec;
  return {
    name: member.name,
    namespace: node.meta.namespace,
    network: network.name,
    type,
    namespaces: peers.namespaces,
    types: peers.types,
    urls: peers.urls,
    maxPeers: p2p.maxPeers,
  };
}

/** The members of its own namespace, and of those that it takes for its own. */
function membersAround({ node, deps }: MemberContext): readonly Member[] {
  const namespaces = new Set([node.meta.namespace, ...node.spec.peers.namespaces]);
  return [...namespaces].flatMap((namespace) => deps.cache.nodes(namespace).flatMap(membersOf));
}

function membersOf({ meta, spec, status }: NodeResource): readonly Member[] {
  return (status.members ?? []).map(({ name, url }) => ({
    name,
    namespace: meta.namespace,
    network: spec.network.name,
    type: spec.type,
    namespaces: spec.peers.namespaces,
    url: meta.deleted ? undefined : url,
  }));
}
