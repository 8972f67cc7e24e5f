/**
 * Creates the context of a reconciliation. A suspension or deletion of a validator that the council needs is held there
 * until it is permitted.
 */
import { annotations } from "../api/names.ts";
import type { MemberStatus } from "../api/node-status.ts";
import { keyOf, type NetworkResource, type NodeResource } from "../api/resource.ts";
import { type Member, membersOf, objectNames } from "../build/names.ts";
import { withNetworkDefaults } from "../build/network-defaults.ts";
import { isScaledUp } from "../build/template.ts";
import { type StopTrouble, signerOfPod, stopTrouble } from "../plan/council.ts";
import { withoutFuture } from "../plan/future.ts";
import { allowCommand } from "../plan/stop.ts";
import type { Context, MemberContext } from "./context.ts";
import { councilsOf, mayStopChain } from "./council.ts";
import type { ReconcileDeps } from "./deps.ts";
import { hasFinalizer, ORPHAN } from "./finalizer.ts";
import { podAddressOf } from "./group.ts";

/** Creates a context from the current status. */
export function createContext(given: NodeResource, deps: ReconcileDeps): Context {
  const network = deps.cache.network(
    keyOf({ namespace: given.meta.namespace, name: given.spec.network.name }),
  );
  const status = withoutFuture(given.status, deps.clock.now());
  const wanted = withNetworkDefaults({ ...given, status }, network);
  const { suspend } = wanted.spec;
  const stop = suspend || wanted.meta.deleted ? stopTroubleOf(wanted, network, deps) : undefined;
  const isHeld = stop?.isRefused === true && isHoldable(wanted) && !mayStopChain({ node: wanted });
  const node = isHeld && suspend ? { ...wanted, spec: { ...wanted.spec, suspend: false } } : wanted;
  const { namespace } = node.meta;
  const members = membersOf(node).map((member): MemberContext => {
    const known = node.status.members?.find(({ name }) => name === member.name);
    const key = keyOf({ namespace, name: member.name });
    return { key, member, node, deps, facts: {}, status: known ?? newMember(member) };
  });
  return {
    key: keyOf(node.meta),
    node,
    network,
    deps,
    members,
    status: node.status,
    isStopPending: stop !== undefined,
    stop: stop && { message: stopMessage(wanted, stop.message, isHeld), isHeld },
  };
}

/** Returns the trouble of stopping a Node's pod for good; undefined when there is none, or no pod that could stop. */
function stopTroubleOf(
  node: NodeResource,
  network: NetworkResource | undefined,
  deps: ReconcileDeps,
): StopTrouble | undefined {
  const [member] = membersOf(node);
  if (node.spec.type !== "core" || member === undefined || !keepsPod(member.name, node, deps))
    return undefined;
  const nodes = deps.cache
    .nodes(node.meta.namespace)
    .filter(({ spec }) => spec.network.name === node.spec.network.name);
  const key = keyOf({ ...node.meta, name: member.name });
  const address = node.status.members?.find(({ name }) => name === member.name)?.address;
  const councils = councilsOf({ network, nodes, deps });
  return stopTrouble(signerOfPod({ key, address }, podAddressOf(member, deps.cache)), councils);
}

/** True while the StatefulSet of a member keeps its pod. */
function keepsPod(member: string, { meta }: NodeResource, deps: ReconcileDeps): boolean {
  const key = keyOf({ ...meta, name: objectNames(member).statefulSet });
  const seen = deps.cache.find("statefulSet", key);
  return seen?.meta.deleted !== true && isScaledUp(deps.applier.latest("StatefulSet", key, seen));
}

/** A deletion can be held by the operator's finalizer only, and one that keeps the pod need not be. */
function isHoldable({ meta }: NodeResource): boolean {
  return !meta.deleted || (hasFinalizer(meta) && !meta.finalizers.includes(ORPHAN));
}

function stopMessage({ meta }: NodeResource, trouble: string, isHeld: boolean): string {
  const action = meta.deleted ? "deletion" : "suspension";
  if (!isHeld) return `the ${action} stops the chain: ${trouble}`;
  const command = allowCommand("kn", meta.name, "chain-stop");
  return `the ${action} would stop the chain: ${trouble}. Remove the validator from the council first (${annotations.run}=leave-council), or permit it: ${command}`;
}

function newMember({ name }: Member): MemberStatus {
  return {
    name,
    ready: false,
    reason: undefined,
    address: undefined,
    validator: undefined,
    url: undefined,
    externalUrl: undefined,
    volume: undefined,
    height: undefined,
    syncing: undefined,
    version: undefined,
    peers: undefined,
    peersWanted: undefined,
    peersMissing: undefined,
    mesh: undefined,
    disk: undefined,
    lastExit: undefined,
  };
}
