/**
 * Keeps a node connected to its required peers, which are its static nodes as well, with `admin_addPeer` and `admin_removePeer`. The status
 * records a peer before it is added, so that it can always be removed again.
 */

import type { NodeResource } from "../api/resource.ts";
import { readBoolean } from "../control/answers.ts";
import type { Channel } from "../control/channel.ts";
import { ControlError } from "../control/error.ts";
import { NO_PEERS } from "../plan/health.ts";
import { type AddAttempts, type MeshPlan, planMesh } from "../plan/mesh.ts";
import { type PeerCandidate, peersToKeep } from "../plan/topology.ts";
import { gatewayOf } from "./cluster-cache.ts";
import { type MemberContext } from "./context.ts";
import { networkOf } from "./group.ts";
import { goOn, type Outcome, waitFor } from "./outcome.ts";
import { unreadableNodes, unreadablePeers } from "./unreadable.ts";

/** Delay of the poll after peers were added. */
const LOOK_AGAIN_MS = 2_000;

/** Maximum number of URLs in the status. */
const MAX_MESH = 128;

/** Adds and removes peers of the node. */
export async function meshStep(context: MemberContext): Promise<Outcome> {
  const { deps, facts, key, status } = context;
  const { pod, report } = facts;
  if (report === undefined || pod?.address === undefined) return goOn;
  const wanted = requiredPeers(context);
  facts.needsPeers = dependsOnPeers(context, wanted.length);
  const before = status.mesh ?? [];
  const plan = planMesh(
    { wanted, mesh: before, connected: report.peers, attempts: attemptsOf(context, pod.incarnation) },
    deps.clock.now(),
  );
  const add = plan.add.filter((url) => before.includes(url));
  const trouble = await callNode(context, pod.address, { remove: plan.remove, add });
  if (trouble !== undefined) return waitFor(trouble.reason, trouble.message, LOOK_AGAIN_MS);
  const isComplete = add.length === plan.add.length;
  if (isComplete)
    deps.memory.recordAddedPeers(key, { incarnation: pod.incarnation, attempts: plan.attempts });
  const mesh = wanted.slice(0, MAX_MESH);
  context.status = { ...status, mesh, peersWanted: wanted.length, peersMissing: plan.missing };
  if (add.length > 0) setTimeout(() => deps.poller.pollSoon(key), LOOK_AGAIN_MS).unref();
  return goOn;
}

/** Waits for a first peer; a sole validator needs none. */
export function peersStep({ facts }: MemberContext): Outcome {
  const { report, needsPeers } = facts;
  return needsPeers && report?.peers.size === 0 ? waitFor("NoPeers", NO_PEERS, LOOK_AGAIN_MS) : goOn;
}

/** True for a proxy, an endpoint or a standby core node, for a required peer, and for one of several validators. */
function dependsOnPeers({ node, status, deps }: MemberContext, wanted: number): boolean {
  if (node.spec.type !== "core" || status.validator === false || wanted > 0) return true;
  const network = networkOf(node, deps.cache);
  return (network?.status.genesis?.validators.length ?? 0) > 1;
}

/** Returns the URLs of the peers that a member is to have. */
export function requiredPeers(context: MemberContext): readonly string[] {
  return peersToKeep(seekerOf(context), peerCandidates(context));
}

function attemptsOf({ deps, key }: MemberContext, incarnation: string): AddAttempts {
  const known = deps.memory.addedPeers(key);
  return known?.incarnation === incarnation ? known.attempts : new Map();
}

/** Calls the node; returns the error of a failed call. */
async function callNode(
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
      if (!taken) deps.log.warn({ node: key, url }, "node refused a peer");
    }
  } catch (error) {
    if (error instanceof ControlError) return error;
    throw error;
  }
  if (remove.length + add.length > 0)
    deps.log.info({ node: key, add: add.length, remove: remove.length }, "peers changed");
  return undefined;
}

function seekerOf({ node, member, status }: MemberContext) {
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
    isStandby: type === "core" && status.validator === false,
  };
}

/** Lists members of the Node's namespace and of the namespaces in `peers.namespaces`. */
function peerCandidates({ node, deps }: MemberContext): readonly PeerCandidate[] {
  const namespaces = new Set([node.meta.namespace, ...node.spec.peers.namespaces]);
  return [...namespaces].flatMap((namespace) => [
    ...deps.cache.nodes(namespace).flatMap(membersOf),
    ...unreadableNodes(deps.cache, namespace).flatMap(unreadablePeers),
  ]);
}

/** A deleted Node stays a peer until its deletion is carried out. */
function membersOf({ meta, spec, status }: NodeResource): readonly PeerCandidate[] {
  const isLeaving = meta.deleted && status.phase === "Deleting";
  return (status.members ?? []).map(({ name, url, validator }) => ({
    name,
    namespace: meta.namespace,
    network: spec.network.name,
    type: spec.type,
    namespaces: spec.peers.namespaces,
    url: isLeaving ? undefined : url,
    isStandby: spec.type === "core" && validator === false,
  }));
}
