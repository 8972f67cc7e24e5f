/**
 * The council of a Node's chain as its nodes report it, with the replicas of this cluster that have its addresses, in
 * any namespace. While no node reports it, the last known one counts.
 */
import { annotations } from "../api/names.ts";
import { keyOf, type NetworkResource, type NodeResource } from "../api/resource.ts";
import { addressOfId } from "../build/identity.ts";
import { membersOf, nodeOfMember } from "../build/names.ts";
import {
  type Council,
  type CouncilReport,
  quorumTrouble,
  reportedCouncils,
  type Seat,
  signerOfPod,
} from "../plan/council.ts";
import { isSteady, type MemberView } from "../plan/group.ts";
import { isUnderWay } from "../plan/maintenance.ts";
import { isAllowed } from "../plan/stop.ts";
import type { Context } from "./context.ts";
import type { ReconcileDeps } from "./deps.ts";
import { freshObservation, groupOf, podAddressOf, viewMember } from "./group.ts";

type CouncilDeps = Pick<ReconcileDeps, "cache" | "clock" | "memory" | "poller">;

/** A network in its namespace. */
export interface ChainView {
  readonly network: NetworkResource | undefined;
  /** Nodes of the network in the namespace. */
  readonly nodes: readonly NodeResource[];
  readonly deps: CouncilDeps;
}

/** Returns the addresses of each council that synced nodes report, the newest first. */
export function reportedAddresses({ nodes, deps }: ChainView): readonly (readonly string[])[] {
  return reportedCouncils(nodes.flatMap((node) => reportsOf(node, deps)));
}

function reportsOf(node: NodeResource, deps: CouncilDeps): readonly CouncilReport[] {
  return membersOf(node).flatMap((member) => {
    const report = freshObservation(member, deps);
    if (report?.council === undefined) return [];
    return [{ council: report.council, height: report.height, reportedAt: report.at }];
  });
}

/** Returns the last known council of a Network: the recorded one, or that of a created genesis. */
export function recordedAddresses(network: NetworkResource | undefined): readonly string[] | undefined {
  const { council, genesis } = network?.status ?? {};
  if (council !== undefined && council.length > 0) return council.map(({ address }) => address);
  return network?.spec.genesis.create === undefined ? undefined : genesis?.validators;
}

/**
 * Returns the councils in which an action must be safe: the reported ones, else the last known one, else all core nodes
 * with the genesis, in any namespace.
 */
export function councilsOf(view: ChainView): readonly Council[] {
  const { network, nodes, deps } = view;
  const reported = reportedAddresses(view);
  const recorded = recordedAddresses(network);
  if (reported.length === 0 && recorded === undefined) return [coreSeats(nodesOfChain(view), deps)];
  const views = nodes.flatMap(membersOf).map((member) => viewMember(member, deps));
  const councils = reported.length === 0 && recorded !== undefined ? [recorded] : reported;
  const [peers, pods] = [peerAddresses(view), podsByAddress(deps)];
  return councils.map((council) =>
    council.map((address) => {
      const seat = seatAt(address, views, deps);
      if (seat?.isMissing === false) return seat;
      const other = seatOfPod(address, pods().get(address), { views, deps });
      return (other?.isMissing === false ? other : seat) ?? other ?? strangerSeat(address, peers());
    }),
  );
}

/** Returns the councils of the Node's chain. */
export function councilsOfNode(context: Context): readonly Council[] {
  const { network, deps } = context;
  return councilsOf({ network, nodes: groupOf(context).nodes, deps });
}

/**
 * Returns the councils that limit the restarts of a Node; none when its annotation permits that the chain stops. Such a
 * permission is kept while it is needed.
 */
export function limitingCouncils(context: Context): readonly Council[] {
  if (context.node.spec.type !== "core") return [];
  const councils = councilsOfNode(context);
  if (!mayStopChain(context)) return councils;
  const isNeeded = context.members.some(({ key, member, status: { address }, deps: { cache } }) => {
    const signer = signerOfPod({ key, address }, podAddressOf(member, cache));
    return quorumTrouble(signer, councils) !== undefined;
  });
  if (isNeeded) context.isStopPending = true;
  return [];
}

/** True when the annotation of a Node permits that the chain stops. */
export function mayStopChain({ node: { meta, status } }: Pick<Context, "node">): boolean {
  return isAllowed(meta.annotations[annotations.allowChainStop], status.allowed?.chainStop);
}

/** Lists the given Nodes, and those of other namespaces with the same recorded genesis. */
function nodesOfChain({ nodes, deps }: ChainView): readonly NodeResource[] {
  const digests = new Set(nodes.flatMap(({ status }) => status.genesis ?? []));
  const known = new Set(nodes.map(({ meta }) => keyOf(meta)));
  const others = deps.cache
    .nodes()
    .filter(({ meta, status }) => !known.has(keyOf(meta)) && digests.has(status.genesis ?? ""));
  return [...nodes, ...others];
}

/** Seats of all core nodes of a chain, while no council is known. */
function coreSeats(nodes: readonly NodeResource[], deps: CouncilDeps): Council {
  const views = nodes.flatMap(membersOf).map((member) => viewMember(member, deps));
  return views
    .filter(({ type }) => type === "core")
    .map((view) => {
      const node = nodes.find(
        ({ meta }) => keyOf({ ...meta, name: view.name }) === view.key && meta.name === view.node,
      );
      return seatOf(view, node, views);
    });
}

/**
 * Returns the seat of an address that replicas of this cluster have. Of several with one key it is that of the one which
 * takes part, else of one that is to.
 */
function seatAt(address: string, views: readonly MemberView[], deps: CouncilDeps): Seat | undefined {
  const seats = [...deps.memory.addresses.membersAt(address)].flatMap((key): readonly Seat[] => {
    const node = deps.cache.node(nodeOfMember(key));
    const member = node && membersOf(node).find(({ name }) => keyOf({ ...node.meta, name }) === key);
    if (node === undefined || member === undefined) return [];
    if (node.status.members?.find(({ name }) => name === member.name)?.address !== address) return [];
    return [{ ...seatOf(viewMember(member, deps), node, views), address }];
  });
  return seats.find(({ isMissing }) => !isMissing) ?? seats.find(({ isWanted }) => isWanted) ?? seats[0];
}

/** Returns the seat of an address that a pod still has whose replica has another one by now. */
function seatOfPod(
  address: string,
  key: string | undefined,
  { views, deps }: { readonly views: readonly MemberView[]; readonly deps: CouncilDeps },
): Seat | undefined {
  const node = key === undefined ? undefined : deps.cache.node(nodeOfMember(key));
  const member = node && membersOf(node).find(({ name }) => keyOf({ ...node.meta, name }) === key);
  return member && seatOf(viewMember(member, deps, address), node, views);
}

/** Returns a function that finds once the replicas of all pods by the addresses of their keys. */
function podsByAddress({ cache }: CouncilDeps): () => ReadonlyMap<string, string> {
  let found: ReadonlyMap<string, string> | undefined;
  return () => {
    found ??= new Map(
      [...cache.list("pod")].flatMap(({ meta }) => {
        const address = meta.annotations[annotations.address];
        return address === undefined || meta.deleted ? [] : [[address, keyOf(meta).replace(/-0$/, "")]];
      }),
    );
    return found;
  };
}

/**
 * Lists the replicas of a council whose pods have no Node that can be read, by the addresses of their keys: their Nodes were
 * deleted with `--cascade=orphan`, or are of another version.
 */
export function lonePods(councils: readonly Council[], deps: CouncilDeps): ReadonlyMap<string, string> {
  const pods = podsByAddress(deps);
  const away = councils.flat().filter(({ member, isMissing }) => member === undefined || isMissing);
  const lone = away.flatMap(({ address = "" }): readonly (readonly [string, string])[] => {
    const key = pods().get(address);
    return key === undefined || deps.cache.node(nodeOfMember(key)) !== undefined ? [] : [[address, key]];
  });
  return new Map(lone);
}

function seatOf(view: MemberView, node: NodeResource | undefined, all: readonly MemberView[]): Seat {
  const isDeleted = node?.meta.deleted === true;
  const isMissing = isDeleted || !isSteady(view, [view, ...all]) || isStopped(view, node);
  const isWanted = !isDeleted && !view.suspended;
  return { address: view.address, member: view.key, isMissing, isWanted };
}

/** True for a replica that is being recreated or maintained. */
function isStopped({ name }: MemberView, node: NodeResource | undefined): boolean {
  const { rollout, maintenance } = node?.status ?? {};
  const isRolling = rollout?.state === "Rolling" && rollout.member === name;
  return isRolling || (maintenance !== undefined && maintenance.member === name && isUnderWay(maintenance));
}

/** Returns the seat of an address without a replica here: it is present while a node is connected to it. */
function strangerSeat(address: string, peers: ReadonlySet<string>): Seat {
  return { address, member: undefined, isMissing: !peers.has(address), isWanted: peers.has(address) };
}

/** Returns a function that computes the addresses of all connected peers once. */
function peerAddresses({ nodes, deps }: ChainView): () => ReadonlySet<string> {
  let found: ReadonlySet<string> | undefined;
  return () => {
    found ??= new Set(
      nodes.flatMap(membersOf).flatMap((member) => {
        const { peers = [] } = freshObservation(member, deps) ?? {};
        return [...peers].map(addressOfId);
      }),
    );
    return found;
  };
}
