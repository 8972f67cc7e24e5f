/** The group of a Node, all nodes of its network in its namespace, as last observed. */
import { annotations } from "../api/names.ts";
import type { MaintenanceRun, Rollout } from "../api/node-runs.ts";
import { keyOf, type NetworkResource, type NodeResource } from "../api/resource.ts";
import { addressOfId } from "../build/identity.ts";
import { type Member, membersOf, objectNames } from "../build/names.ts";
import type { CachedObject } from "../kube/cached-object.ts";
import { type MemberView, newestOf, type ReportedHeight } from "../plan/group.ts";
import { isUnderWay } from "../plan/maintenance.ts";
import type { Context } from "./context.ts";
import type { ReconcileDeps } from "./deps.ts";
import type { Observation } from "./observation.ts";
import { type PodView, readPod } from "./pod-view.ts";

/** A group. */
export interface Group {
  /** Key of the group. */
  readonly key: string;
  readonly nodes: readonly NodeResource[];
  readonly members: readonly MemberView[];
  /** Rollouts in progress, by Node. */
  readonly rollouts: ReadonlyMap<string, Rollout>;
  /** Maintenance in progress of other Nodes. */
  readonly others: readonly MaintenanceRun[];
}

/**
 * Returns the key of a Node's group for locks. Groups of one chain in several namespaces have one key, because their
 * validators are of one council.
 */
export function groupKey({ node, network }: Pick<Context, "node" | "network">): string {
  return network?.status.genesisHash ?? `${node.meta.namespace}/${node.spec.network.name}`;
}

/** Returns the Network of a Node. */
export function networkOf(
  { meta: { namespace }, spec }: Pick<NodeResource, "meta" | "spec">,
  cache: Pick<ReconcileDeps["cache"], "network">,
): NetworkResource | undefined {
  return cache.network(keyOf({ namespace, name: spec.network.name }));
}

/** Returns the key of a Node's group as the cluster cache knows it. */
export function chainKey(node: NodeResource, cache: Pick<ReconcileDeps["cache"], "network">): string {
  return groupKey({ node, network: networkOf(node, cache) });
}

/** Observes the group; the Node itself has the status of the context. */
export function groupOf(context: Context): Group {
  const { node, deps, status } = context;
  const others = deps.cache
    .nodes(node.meta.namespace)
    .filter(
      ({ meta, spec }) =>
        spec.network.name === node.spec.network.name && !meta.deleted && meta.name !== node.meta.name,
    );
  const nodes = [{ ...node, status }, ...others];
  return {
    key: groupKey(context),
    nodes,
    members: nodes.flatMap(membersOf).map((member) => viewMember(member, deps)),
    rollouts: new Map(
      nodes.flatMap(({ meta, status: { rollout } }) => (rollout === undefined ? [] : [[meta.name, rollout]])),
    ),
    others: others.flatMap(({ status: { maintenance } }) =>
      maintenance !== undefined && isUnderWay(maintenance) ? [maintenance] : [],
    ),
  };
}

/** True for a genesis hash that is not the one of the Node's Network; an unknown hash is none. */
export function isForeignGenesis(
  node: NodeResource,
  hash: string | undefined,
  cache: Pick<ReconcileDeps["cache"], "network">,
): boolean {
  const recorded = networkOf(node, cache)?.status.genesisHash;
  return recorded !== undefined && hash !== undefined && hash !== recorded;
}

/**
 * Returns the last observation of the node in a member's current pod, unless it is too old. A node of another chain than
 * its Network's has none: its height, council and peers say nothing about this chain.
 */
export function freshObservation(
  member: Member,
  { poller, cache, clock }: Pick<ReconcileDeps, "poller" | "cache" | "clock">,
): (Observation & { readonly ok: true }) | undefined {
  const observation = poller.latest(keyOf({ ...member.node.meta, name: member.name }));
  if (observation?.ok !== true || clock.now() > observation.until) return undefined;
  if (isForeignGenesis(member.node, observation.genesis, cache)) return undefined;
  return observation.address === readPresentPod(member, cache)?.address ? observation : undefined;
}

/** Returns the pod of a member; undefined for none, or one that is being deleted. */
export function presentPod(
  { node, name }: Member,
  cache: Pick<ReconcileDeps["cache"], "find">,
): CachedObject | undefined {
  const seen = cache.find("pod", keyOf({ ...node.meta, name: objectNames(name).pod }));
  return seen?.meta.deleted === false ? seen : undefined;
}

/** Returns the address of the key that the pod of a member was made with; undefined for none. */
export function podAddressOf(
  member: Member,
  cache: Pick<ReconcileDeps["cache"], "find">,
): string | undefined {
  return presentPod(member, cache)?.meta.annotations[annotations.address];
}

/** Returns the pod of a member as it is read. */
export function readPresentPod(
  member: Member,
  cache: Pick<ReconcileDeps["cache"], "find">,
): PodView | undefined {
  const seen = presentPod(member, cache);
  return seen && readPod(seen.object);
}

/** Observes a member as the node of its recorded address, or of another one. */
export function viewMember(
  member: Member,
  deps: Pick<ReconcileDeps, "poller" | "cache" | "clock">,
  as?: string,
): MemberView {
  const { node, name } = member;
  const key = keyOf({ ...node.meta, name });
  const report = freshObservation(member, deps);
  const address = as ?? node.status.members?.find((each) => each.name === name)?.address;
  // A pod that has read another key is not the node of the recorded address.
  const isOwn = report !== undefined && (address === undefined || reportedAddress(report) === address);
  return {
    key,
    name,
    node: node.meta.name,
    type: node.spec.type,
    address,
    suspended: node.spec.suspend,
    ready: isOwn && readPresentPod(member, deps.cache)?.ready === true,
    height: report?.height,
    reportedAt: deps.poller.latest(key)?.at ?? 0,
  };
}

/** Addresses by the report that they follow from: each report is looked at many times. */
const addresses = new WeakMap<Observation, string>();

function reportedAddress(report: Observation & { readonly id: string }): string {
  const known = addresses.get(report) ?? addressOfId(report.id);
  addresses.set(report, known);
  return known;
}

/**
 * Returns the newest reported height of the group. Silent Nodes count with the height in their status, and nodes of
 * another chain not at all.
 */
export function newestOfGroup({ node, deps, members }: Context): ReportedHeight | undefined {
  const own = members.map(({ facts: { report } }) => heightOf(node, report, deps));
  const others = deps.cache
    .nodes(node.meta.namespace)
    .filter(({ meta, spec }) => meta.name !== node.meta.name && spec.network.name === node.spec.network.name);
  const theirs = others.flatMap((other) =>
    membersOf(other).map(({ name }): ReportedHeight => {
      const observation = deps.poller.latest(keyOf({ namespace: other.meta.namespace, name }));
      return observation?.ok === true
        ? heightOf(other, observation, deps)
        : { height: other.status.height, reportedAt: 0 };
    }),
  );
  return newestOf([...own, ...theirs]);
}

function heightOf(
  node: NodeResource,
  report: (Observation & { readonly ok: true }) | undefined,
  { cache }: Pick<ReconcileDeps, "cache">,
): ReportedHeight {
  if (report === undefined || isForeignGenesis(node, report.genesis, cache))
    return { height: undefined, reportedAt: 0 };
  return { height: report.height, reportedAt: report.at };
}
