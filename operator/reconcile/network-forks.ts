/**
 * Later forks of a created genesis. An accepted schedule gets a ConfigMap of its own, then the status records it, and the
 * Nodes are rolled to it.
 */
import type { V1ConfigMap } from "@kubernetes/client-node";
import { FIELD_MANAGER, labels } from "../api/names.ts";
import { type LaterForks, laterForks } from "../api/network-spec.ts";
import type { NetworkStatus } from "../api/network-status.ts";
import { type DraftOf, keyOf, type NetworkResource, type NodeResource } from "../api/resource.ts";
import { genesisFile } from "../build/genesis.ts";
import { genesisRecord } from "../build/genesis-record.ts";
import {
  createdGenesisName,
  forkedGenesisName,
  GENESIS_FILE,
  membersOf,
  pruneProtection,
} from "../build/names.ts";
import { isKubeError } from "../kube/error.ts";
import { kinds } from "../kube/resources.ts";
import { type ForkedNode, scheduleTrouble } from "../plan/forks.ts";
import type { GenesisRecord } from "../plan/genesis.ts";
import type { ReconcileDeps } from "./deps.ts";
import { refusalOf } from "./outcome.ts";
import { presentObject } from "./present-object.ts";
import { configText } from "./secret-text.ts";

/** Schedule of later forks. */
export interface ForkSchedule {
  /** Undefined while the nodes get none. */
  readonly recorded: LaterForks | undefined;
  /** Reason that the schedule of the spec waits. */
  readonly trouble: string | undefined;
}

/** Inputs of the schedule. */
export interface ForkSearch {
  readonly network: NetworkResource;
  /** Nodes of the network. */
  readonly nodes: readonly NodeResource[];
  readonly record: GenesisRecord;
  readonly deps: ReconcileDeps;
  /** Writes the status. */
  readonly save: (status: NetworkStatus) => Promise<NetworkResource>;
}

/** Accepts or refuses the schedule of the spec; returns it with the updated Network. */
export async function followForks(search: ForkSearch): Promise<readonly [ForkSchedule, NetworkResource]> {
  const { network, nodes, record, deps, save } = search;
  const wanted = scheduleOf(network);
  const recorded = recordedForks(search);
  const { height } = network.status;
  const isKept = wanted === undefined || textOf(wanted) === textOf(recorded);
  const trouble = isKept
    ? undefined
    : scheduleTrouble({ wanted, recorded, height, nodes: forkedNodes(nodes, deps) });
  const forks = isKept || trouble !== undefined ? recorded : wanted;
  const refusal = forks && (await ensureMap(search, forks));
  if (isKept || trouble !== undefined || refusal !== undefined)
    return [{ recorded, trouble: trouble ?? refusal }, network];
  const after = await save({ ...network.status, genesis: { ...record, forks: wanted } });
  deps.events.record(network, "ForksScheduled", scheduleText(wanted));
  return [{ recorded: wanted, trouble: undefined }, after];
}

/**
 * Returns the schedule that the nodes get. A Network that was created again has no record: the files of its chain have the
 * schedules that were accepted, of which the last one has the latest blocks.
 */
function recordedForks({ network: { meta, status }, record, deps }: ForkSearch): LaterForks | undefined {
  if (status.genesis !== undefined) return status.genesis.forks;
  const prefix = `${createdGenesisName(meta.name)}-`;
  const files = [...deps.cache.list("configMap", meta.namespace)].filter(
    (seen) => seen.meta.namespace === meta.namespace && seen.meta.name.startsWith(prefix),
  );
  return files
    .map(({ object }) => forksOfChain(object, record))
    .reduce<LaterForks | undefined>(
      (last, forks) => (forks !== undefined && isLater(forks, last) ? forks : last),
      undefined,
    );
}

/** Returns the later forks of a created file; undefined for one of another chain. */
function forksOfChain(object: unknown, { digest }: GenesisRecord): LaterForks | undefined {
  const text = configText(object, GENESIS_FILE);
  if (text === undefined || genesisRecord(text, true).digest !== digest) return undefined;
  return genesisRecord(text, false).forks;
}

function isLater(forks: LaterForks, than: LaterForks | undefined): boolean {
  return laterForks.some((fork) => (forks[fork] ?? 0) > (than?.[fork] ?? 0));
}

/** Returns the schedule of the spec; undefined for a network without later forks. */
export function scheduleOf({ spec }: Pick<NetworkResource, "spec">): LaterForks | undefined {
  const { forks } = spec.genesis.create ?? {};
  return forks === undefined || laterForks.every((fork) => forks[fork] === undefined) ? undefined : forks;
}

function textOf(forks: LaterForks | undefined): string {
  return JSON.stringify(laterForks.map((fork) => forks?.[fork]));
}

/** Formats a schedule: `osaka at block 1000`. */
export function scheduleText(forks: LaterForks): string {
  return laterForks
    .flatMap((fork) => (forks[fork] === undefined ? [] : [`${fork} at block ${forks[fork]}`]))
    .join(", ");
}

/** Lists the replicas of Nodes with the versions and forks that they report. */
export function forkedNodes(
  nodes: readonly NodeResource[],
  { poller }: Pick<ReconcileDeps, "poller">,
): readonly ForkedNode[] {
  return nodes.flatMap((node) =>
    membersOf(node).map(({ name }) => {
      const report = poller.latest(keyOf({ ...node.meta, name }));
      const known = node.status.members?.find((member) => member.name === name)?.version;
      return {
        name,
        version: report?.ok === true ? report.version : known,
        forks: report?.ok === true ? report.forks : undefined,
      };
    }),
  );
}

/** Creates the immutable ConfigMap of a schedule unless it exists. Returns the words of a refusal. */
async function ensureMap(
  { network, record, deps }: ForkSearch,
  forks: LaterForks,
): Promise<string | undefined> {
  const { create } = network.spec.genesis;
  const { namespace } = network.meta;
  const name = forkedGenesisName(network.meta.name, forks);
  if (create === undefined) return undefined;
  const known = await presentObject("configMap", { namespace, name }, deps);
  if (known !== undefined) {
    const isSame = textOf(forksOfChain(known, record)) === textOf(forks);
    return isSame ? undefined : `the ConfigMap ${name} contains another genesis or other forks: delete it`;
  }
  const draft: DraftOf<V1ConfigMap> = {
    apiVersion: kinds.configMap.apiVersion,
    kind: kinds.configMap.kind,
    metadata: {
      name,
      namespace,
      labels: {
        [labels.name]: "knit",
        [labels.managedBy]: FIELD_MANAGER,
        [labels.network]: network.meta.name,
      },
      annotations: pruneProtection,
    },
    immutable: true,
    data: { [GENESIS_FILE]: genesisFile(create, record.validators, record.time, forks) },
  };
  try {
    await deps.client.create(draft);
    return undefined;
  } catch (error) {
    if (isKubeError(error, "already-exists")) return `the ConfigMap ${name} was created concurrently`;
    return `the ConfigMap ${name} cannot be created: ${refusalOf(error).message}`;
  }
}
