/** Reconciles a Network: its genesis, the disruption budget of its validators and its status. */
import { API_VERSION, annotations } from "../api/names.ts";
import type { NetworkStatus } from "../api/network-status.ts";
import { keyOf, type NetworkResource, type NodeResource, readNetwork } from "../api/resource.ts";
import {
  type BudgetedValidators,
  validatorBudget,
  validatorBudgetName,
} from "../build/disruption-budgets.ts";
import { membersOf, nodeOfMember } from "../build/names.ts";
import type { CachedObject } from "../kube/cached-object.ts";
import { kinds } from "../kube/resources.ts";
import { type Council, minHealthy, namespacesOf, openNamespace, seatsIn } from "../plan/council.ts";
import { isForeign } from "../plan/owner.ts";
import { type HeightReport, judgeProduction, type Production } from "../plan/production.ts";
import { councilsOf, lonePods, reportedAddresses } from "./council.ts";
import type { ReconcileDeps } from "./deps.ts";
import { isForeignGenesis, networkOf } from "./group.ts";
import { type ForkSchedule, followForks } from "./network-forks.ts";
import { findGenesis } from "./network-genesis.ts";
import { followNodes } from "./network-nodes.ts";
import { concludeNetwork, type GenesisFound } from "./network-verdict.ts";
import { refusalOf } from "./outcome.ts";

/** Interval of reconciliations. */
const RESYNC_MS = 300_000;
/** Interval of the judgement of block production, while a node reports. */
const PRODUCTION_MS = 20_000;
/** Interval while validators are in several namespaces, whose budgets are open one after another. */
const BUDGET_MS = 5_000;
/** Interval while the genesis is missing, because its ConfigMap may not be watched. */
const WAIT_MS = 10_000;

/** Returns the milliseconds until the next reconciliation. Throws errors of the API server. */
export async function reconcileNetwork(network: NetworkResource, deps: ReconcileDeps): Promise<number> {
  if (network.meta.deleted || isOfAnother(network, deps)) return RESYNC_MS;
  const refusedNodes = await followNodes(network, deps);
  const nodes = deps.cache
    .nodes(network.meta.namespace)
    .filter(({ meta, spec }) => spec.network.name === network.meta.name && !meta.deleted);
  const save = (status: NetworkStatus) => writeStatus(network, status, deps);
  const [found, recordedNetwork] = await findGenesis({ network, nodes, deps, save });
  const [forks, genesis, current] = await findForks(found, recordedNetwork, nodes, deps);
  if ("lost" in genesis) deps.events.record(network, "GenesisLost", genesis.lost);
  const recorded = "note" in genesis ? genesis.note : current.status.genesis;
  const chain = { network: { ...current, status: { ...current.status, genesis: recorded } }, nodes, deps };
  const councils = councilsOf(chain);
  const lone = lonePods(councils, deps);
  const drained = withLonePods(councils, lone);
  const refusedBudget = await applyBudget(current, { councils: drained, lone }, deps).then(
    () => undefined,
    (error: unknown) => refusalOf(error).message,
  );
  const isReported = reportedAddresses(chain).length > 0;
  const production = judge(current, nodes, deps);
  const status = concludeNetwork({
    network: current,
    nodes,
    genesis,
    production,
    forks,
    councils,
    isReported,
    refusedNodes,
    refusedBudget,
    deps,
  });
  if (JSON.stringify(current.status) !== JSON.stringify(status)) await writeStatus(current, status, deps);
  if (!("name" in genesis) && !("public" in genesis)) return WAIT_MS;
  if (namespacesOf(drained).length > 1) return BUDGET_MS;
  return deps.memory.blockMark(keyOf(network.meta)) === undefined ? RESYNC_MS : PRODUCTION_MS;
}

const NO_FORKS: ForkSchedule = { recorded: undefined, trouble: undefined };

/** Follows the later forks of a created genesis, which its record then contains. Those of a user's file are as it has them. */
async function findForks(
  genesis: GenesisFound,
  network: NetworkResource,
  nodes: readonly NodeResource[],
  deps: ReconcileDeps,
): Promise<readonly [ForkSchedule, GenesisFound, NetworkResource]> {
  if (!("note" in genesis)) return [NO_FORKS, genesis, network];
  if (network.spec.genesis.create === undefined)
    return [{ recorded: genesis.note.forks, trouble: undefined }, genesis, network];
  const save = (status: NetworkStatus) => writeStatus(network, status, deps);
  const [forks, after] = await followForks({ network, nodes, record: genesis.note, deps, save });
  return [forks, { ...genesis, note: { ...genesis.note, forks: forks.recorded } }, after];
}

/** Judges the block production, and records an event when it stops or goes on. */
function judge(
  network: NetworkResource,
  nodes: readonly NodeResource[],
  deps: ReconcileDeps,
): Production["verdict"] {
  const { meta, status } = network;
  const { memory, events } = deps;
  const condition = status.conditions?.find(({ type }) => type === "Producing");
  const { mark, verdict } = judgeProduction({
    reports: nodes.flatMap((node) => reportsOf(node, deps)),
    mark: memory.blockMark(keyOf(meta)),
    condition,
    height: status.height,
  });
  memory.recordBlockMark(keyOf(meta), mark);
  if (verdict.status === "False" && condition?.status !== "False")
    events.record(network, "ChainStalled", verdict.message);
  if (verdict.status === "True" && condition?.status === "False")
    events.record(network, "ChainResumed", `block ${mark?.height} is reported`);
  return verdict;
}

/** Lists the recent reports of a Node's members that are of the Network's chain. */
function reportsOf(node: NodeResource, { poller, cache, clock }: ReconcileDeps): readonly HeightReport[] {
  return membersOf(node).flatMap(({ name }) => {
    const report = poller.latest(keyOf({ namespace: node.meta.namespace, name }));
    if (report?.ok !== true || clock.now() > report.until) return [];
    return isForeignGenesis(node, report.genesis, cache) ? [] : [{ height: report.height, at: report.at }];
  });
}

/** True for a Network whose first Node by name another operator manages. */
function isOfAnother({ meta }: NetworkResource, { cache, settings }: ReconcileDeps): boolean {
  const nodes = cache.nodes(meta.namespace).filter(({ spec }) => spec.network.name === meta.name);
  const [first] = nodes.toSorted((a, b) => (a.meta.name < b.meta.name ? -1 : 1));
  return first !== undefined && isForeign(first.meta, settings.operatorId);
}

/** Validators that drains may not evict at will. */
interface DrainView {
  /** Councils of the chain, with the pods that have no Node in their seats. */
  readonly councils: readonly Council[];
  /** Replicas whose pods have no Node that can be read, by the addresses of their keys. */
  readonly lone: ReadonlyMap<string, string>;
}

/** Returns the councils with the replicas of lone pods: a drain evicts these pods as those of Nodes. */
function withLonePods(councils: readonly Council[], lone: DrainView["lone"]): readonly Council[] {
  return councils.map((council) =>
    council.map((seat) => ({ ...seat, member: seat.member ?? lone.get(seat.address ?? "") })),
  );
}

/** Limits drains of validators, unless the Network's annotation permits that the chain stops. */
async function applyBudget(network: NetworkResource, view: DrainView, deps: ReconcileDeps): Promise<void> {
  const { councils } = view;
  const { namespace, annotations: given } = network.meta;
  const name = validatorBudgetName(network.meta.name);
  const seen = deps.cache.find("disruptionBudget", keyOf({ namespace, name }));
  const isLimited = given[annotations.allowChainStop] === undefined;
  const needed = isLimited ? minHealthy(councils, namespace) : undefined;
  if (needed !== undefined) {
    const isOpen = mayOpen(network, councils, deps);
    const minAvailable = isOpen ? needed : Math.max(needed, seatsIn(councils, namespace));
    const nodes = budgetedNodes(view, namespace, deps);
    await deps.applier.apply(validatorBudget(network, { nodes, minAvailable }), seen);
  } else if (seen !== undefined)
    await deps.client.remove(kinds.disruptionBudget, { namespace, name }, seen.meta.uid);
}

/** Lists the Nodes of a namespace in the councils or with a key of these, and the names of those whose pods were left. */
function budgetedNodes(
  { councils, lone }: DrainView,
  namespace: string,
  { cache, memory }: ReconcileDeps,
): BudgetedValidators["nodes"] {
  const left = new Set([...lone.values()].map(nodeOfMember));
  const keys = new Set([...nodesOf(councils), ...holdersOf(councils, memory), ...left]);
  return [...keys]
    .filter((key) => key.startsWith(`${namespace}/`))
    .flatMap((key) => {
      const uid = cache.find("node", key)?.meta.uid;
      return uid === undefined && !left.has(key) ? [] : [{ name: key.slice(namespace.length + 1), uid }];
    });
}

/** Lists the Nodes with the key of a validator. Of several with one key the one that runs may be another than the one that is to. */
function holdersOf(councils: readonly Council[], { addresses }: ReconcileDeps["memory"]): readonly string[] {
  return councils
    .flat()
    .flatMap(({ address }) => (address === undefined ? [] : [...addresses.membersAt(address)]))
    .map(nodeOfMember);
}

/** True when it is the turn of this namespace, and the budgets of the others are closed. */
function mayOpen({ meta }: NetworkResource, councils: readonly Council[], deps: ReconcileDeps): boolean {
  const namespaces = namespacesOf(councils);
  if (openNamespace(namespaces, deps.clock.now()) !== meta.namespace) return false;
  const name = validatorBudgetName(meta.name);
  return namespaces
    .filter((namespace) => namespace !== meta.namespace)
    .every((namespace) => {
      const seen = deps.cache.find("disruptionBudget", keyOf({ namespace, name }));
      return isClosed(seen, seatsIn(councils, namespace));
    });
}

/** True for a budget that allows no eviction, as the API server has observed it, and for none. */
function isClosed(seen: CachedObject | undefined, seats: number): boolean {
  if (seen === undefined) return true;
  const { spec, status } = seen.object as {
    spec?: { minAvailable?: unknown };
    status?: { observedGeneration?: number; disruptionsAllowed?: number };
  };
  const isObserved = (status?.observedGeneration ?? 0) >= seen.meta.generation;
  return Number(spec?.minAvailable) >= seats && isObserved && (status?.disruptionsAllowed ?? 0) === 0;
}

/** Lists the keys of the Nodes that are in a council. */
function nodesOf(councils: readonly Council[]): readonly string[] {
  return councils.flat().flatMap(({ member }) => (member === undefined ? [] : nodeOfMember(member)));
}

/**
 * Records in the Network of a core node that is about to be gone that its chain has blocks: another Node with the key
 * would begin another chain on an empty volume. Throws `KubeError`, `conflict` when the Network has changed.
 */
export async function recordChain(node: NodeResource, deps: ReconcileDeps): Promise<void> {
  const network = networkOf(node, deps.cache);
  const height = node.spec.type === "core" ? (node.status.height ?? 0) : 0;
  if (network === undefined || network.meta.deleted || height === 0 || (network.status.height ?? 0) > 0)
    return;
  await writeStatus(network, { ...network.status, height }, deps);
}

/** Writes the status with the version as precondition, to preserve a concurrently recorded genesis. */
async function writeStatus(
  { meta }: NetworkResource,
  status: NetworkStatus,
  { client }: ReconcileDeps,
): Promise<NetworkResource> {
  const { name, namespace, resourceVersion } = meta;
  const written = await client.applyStatus({
    apiVersion: API_VERSION,
    kind: "Network",
    metadata: { name, namespace, resourceVersion },
    status: JSON.parse(JSON.stringify(status)) as NetworkStatus, // absent members go
  });
  return readNetwork(written);
}
