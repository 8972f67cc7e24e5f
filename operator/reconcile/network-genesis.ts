/**
 * The genesis of a Network: found, created or recreated. The status records it before the ConfigMap is
 * written.
 */
import type { V1ConfigMap } from "@kubernetes/client-node";
import { annotations, FIELD_MANAGER, labels } from "../api/names.ts";
import type { NetworkStatus } from "../api/network-status.ts";
import type { DraftOf, NetworkResource, NodeResource } from "../api/resource.ts";
import { genesisFile } from "../build/genesis.ts";
import { genesisRecord } from "../build/genesis-record.ts";
import { createdGenesisName, GENESIS_FILE, pruneProtection } from "../build/names.ts";
import { isKubeError } from "../kube/error.ts";
import { kinds } from "../kube/resources.ts";
import { type GenesisRecord, type GenesisView, planGenesis } from "../plan/genesis.ts";
import { isAllowed, truncatePermission } from "../plan/stop.ts";
import type { ReconcileDeps } from "./deps.ts";
import type { GenesisFound } from "./network-verdict.ts";
import { refusalOf } from "./outcome.ts";
import { presentObject } from "./present-object.ts";
import { configText } from "./secret-text.ts";

/** Inputs of the search. */
export interface GenesisSearch {
  readonly network: NetworkResource;
  /** Nodes of the network. */
  readonly nodes: readonly NodeResource[];
  readonly deps: ReconcileDeps;
  /** Writes the status; throws `KubeError`, `conflict` when the Network has changed. */
  readonly save: (status: NetworkStatus) => Promise<NetworkResource>;
}

/** Returns the genesis, and the Network with its updated status. */
export async function findGenesis(search: GenesisSearch): Promise<readonly [GenesisFound, NetworkResource]> {
  const { network, nodes, deps, save } = search;
  const { public: named } = network.spec.genesis;
  if (named !== undefined) return [{ public: named }, network];
  const { namespace } = network.meta;
  const { name, key } = placeOf(network);
  const object = await presentObject("configMap", { namespace, name }, deps);
  const text = configText(object, key);
  const note = noteOf(text, network.spec.genesis.create !== undefined);
  const rebuilt = rebuiltText(network);
  const plan = planGenesis(viewOf(network, nodes, { found: note, rebuilt: noteOf(rebuilt, true) }));
  if (plan.do === "stop") return [{ lost: plan.message }, network];
  if (note !== undefined && text !== undefined)
    return [{ name, text, note }, await recordChange(network, note, save)];
  if (object !== undefined) return [{ missing: `the ConfigMap ${name} has no key ${key}` }, network];
  if (plan.do === "rebuild" && rebuilt !== undefined)
    return [await write(search, rebuilt, "GenesisRebuilt"), network];
  if (plan.do === "make") return createGenesis(search);
  return [{ missing: `the ConfigMap ${name} does not exist` }, network];
}

function placeOf({ meta, spec }: NetworkResource): { readonly name: string; readonly key: string } {
  return spec.genesis.configMap ?? { name: createdGenesisName(meta.name), key: GENESIS_FILE };
}

function noteOf(text: string | undefined, isMade: boolean): GenesisRecord | undefined {
  return text === undefined ? undefined : genesisRecord(text, isMade);
}

function viewOf(
  network: NetworkResource,
  nodes: readonly NodeResource[],
  files: Pick<GenesisView, "found" | "rebuilt">,
): GenesisView {
  const { meta, spec, status } = network;
  return {
    ...files,
    network: meta.name,
    configMap: placeOf(network).name,
    recorded: status.genesis,
    nodes: notesOf(network, nodes),
    isMade: spec.genesis.create !== undefined,
    isAllowed: isAllowed(meta.annotations[annotations.allowNewChain], status.allowedNewChain),
  };
}

/** Lists the Nodes' records; Nodes with their own genesis do not count. */
function notesOf(network: NetworkResource, nodes: readonly NodeResource[]) {
  return nodes.flatMap(({ meta, spec, status: { genesis: digest } }) => {
    const isShared = spec.network.genesis === undefined && network.status.genesis === undefined;
    return digest === undefined || !isShared ? [] : [{ name: meta.name, digest }];
  });
}

function rebuiltText({ spec, status: { genesis: recorded } }: NetworkResource): string | undefined {
  const { create } = spec.genesis;
  return create === undefined || recorded === undefined
    ? undefined
    : genesisFile(create, recorded.validators, recorded.time);
}

/** Creates a first genesis, or a permitted new one, once all validators have keys. */
async function createGenesis(search: GenesisSearch): Promise<readonly [GenesisFound, NetworkResource]> {
  const { network, nodes, deps, save } = search;
  const { create } = network.spec.genesis;
  const validators = create?.validators.map((validator) => addressOf(validator, nodes)) ?? [];
  const addresses = validators.flatMap((found) => ("address" in found ? found.address : []));
  const twins = create?.validators.filter((_name, index) => hasTwin(validators[index], addresses)) ?? [];
  const waited = [
    ...validators.flatMap((found) => ("waits" in found ? found.waits : [])),
    ...(twins.length === 0 ? [] : [`the Nodes ${twins.join(", ")} have one key`]),
  ];
  if (create === undefined || waited.length > 0) return [{ missing: waited.join("; ") }, network];
  const text = genesisFile(create, addresses, Math.floor(deps.clock.now() / 1000));
  const after = await save(statusWithGenesis(network, genesisRecord(text, true)));
  return [await write({ ...search, network: after }, text, "GenesisMade"), after];
}

/** True for an address that several validators have: a genesis with it has fewer validators than names, for good. */
function hasTwin(found: ReturnType<typeof addressOf> | undefined, addresses: readonly string[]): boolean {
  return (
    found !== undefined && "address" in found && addresses.filter((each) => each === found.address).length > 1
  );
}

/** Records a permitted genesis in place of another one. */
async function recordChange(
  network: NetworkResource,
  genesis: GenesisRecord,
  save: GenesisSearch["save"],
): Promise<NetworkResource> {
  const { genesis: recorded } = network.status;
  if (recorded === undefined || recorded.digest === genesis.digest) return network;
  return save(statusWithGenesis(network, genesis));
}

/** Returns the status with a new genesis. Its hash is unknown unless it is the former one, which returns. */
function statusWithGenesis({ meta, status }: NetworkResource, genesis: GenesisRecord): NetworkStatus {
  const permission = meta.annotations[annotations.allowNewChain];
  const allowedNewChain = permission === undefined ? undefined : truncatePermission(permission);
  const { genesis: recorded, genesisHash: hash } = status;
  const former =
    recorded === undefined || hash === undefined ? status.formerGenesis : { digest: recorded.digest, hash };
  const isBack = former?.digest === genesis.digest;
  const hashes = {
    genesisHash: isBack ? former.hash : undefined,
    formerGenesis: isBack ? undefined : former,
  };
  const isOther = recorded !== undefined && recorded.digest !== genesis.digest;
  const height = isOther ? undefined : status.height;
  return { ...status, ...hashes, genesis, height, council: undefined, allowedNewChain };
}

/** Returns the address of a validator's key, which exists before its node. */
function addressOf(
  name: string,
  nodes: readonly NodeResource[],
): { readonly address: string } | { readonly waits: string } {
  const node = nodes.find(({ meta }) => meta.name === name);
  if (node === undefined) return { waits: `the Node ${name} does not exist in this network` };
  if (node.spec.type !== "core") return { waits: `the Node ${name} is not a core node` };
  const { address } = node.status;
  return address === undefined ? { waits: `the Node ${name} has no key yet` } : { address };
}

/** Creates the immutable ConfigMap, which outlives the Network because volumes depend on it. */
async function write(
  { network, deps }: GenesisSearch,
  text: string,
  event: "GenesisMade" | "GenesisRebuilt",
): Promise<GenesisFound> {
  const name = createdGenesisName(network.meta.name);
  const draft: DraftOf<V1ConfigMap> = {
    apiVersion: kinds.configMap.apiVersion,
    kind: kinds.configMap.kind,
    metadata: {
      name,
      namespace: network.meta.namespace,
      labels: {
        [labels.name]: "knit",
        [labels.managedBy]: FIELD_MANAGER,
        [labels.network]: network.meta.name,
      },
      annotations: pruneProtection,
    },
    immutable: true,
    data: { [GENESIS_FILE]: text },
  };
  try {
    await deps.client.create(draft);
  } catch (error) {
    if (isKubeError(error, "already-exists"))
      return { missing: `the ConfigMap ${name} was created concurrently` };
    return { missing: `the ConfigMap ${name} cannot be created: ${refusalOf(error).message}` };
  }
  const count = network.spec.genesis.create?.validators.length;
  deps.events.record(network, event, `created the ConfigMap ${name} with ${count} validators`);
  return { name, text, note: genesisRecord(text, true) };
}
