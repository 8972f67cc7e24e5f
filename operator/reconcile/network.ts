/** Makes one Network so: its block 0, the limit to drains of its core nodes, and what is seen of it. */
import { API_VERSION, FIELD_MANAGER, labels } from "../api/names.ts";
import type { NetworkStatus } from "../api/network-status.ts";
import { type Draft, keyOf, type NetworkResource, type NodeResource } from "../api/resource.ts";
import { genesisText } from "../build/genesis.ts";
import { GENESIS_FILE, genesisName } from "../build/names.ts";
import { budgetName, validatorBudget } from "../build/validator-budget.ts";
import { isKubeError } from "../kube/error.ts";
import { kinds } from "../kube/resources.ts";
import { concludeNetwork, type GenesisFound } from "./network-verdict.ts";
import { configText } from "./secret-text.ts";
import type { Surroundings } from "./surroundings.ts";

/** A Network that is well is looked at again after this long. */
const RESYNC_MS = 300_000;
/** One that waits for a genesis, after this long: who makes it may be nobody that is followed. */
const WAIT_MS = 10_000;

/** Gives the milliseconds after which to look again. Throws what the API server refused. */
export async function reconcileNetwork(network: NetworkResource, around: Surroundings): Promise<number> {
  if (network.meta.deleted) return RESYNC_MS;
  const nodes = around
    .nodes(network.meta.namespace)
    .filter(({ meta, spec }) => spec.network.name === network.meta.name && !meta.deleted);
  const genesis = await genesisOf(network, nodes, around);
  await applyBudget(network, nodes, around);
  await saveNetworkStatus(network, concludeNetwork({ network, nodes, genesis, around }), around);
  return "missing" in genesis ? WAIT_MS : RESYNC_MS;
}

/** The genesis that is named or was made before, or the one that is made now. */
async function genesisOf(
  network: NetworkResource,
  nodes: readonly NodeResource[],
  around: Surroundings,
): Promise<GenesisFound> {
  const { namespace } = network.meta;
  const { configMap, create } = network.spec.genesis;
  const { name, key } = configMap ?? { name: genesisName(network.meta.name), key: GENESIS_FILE };
  const object =
    around.find("configMap", `${namespace}/${name}`)?.object ??
    (await around.client.get(kinds.configMap, { namespace, name }));
  const text = configText(object, key);
  if (text !== undefined) return { name, text };
  if (object !== undefined) return { missing: `the ConfigMap ${name} has no member ${key}` };
  if (create === undefined) return { missing: `there is no ConfigMap ${name}` };
  const validators = create.validators.map((validator) => addressOf(validator, nodes));
  const waited = validators.flatMap((found) => ("waits" in found ? found.waits : []));
  if (waited.length > 0) return { missing: waited.join("; ") };
  const addresses = validators.flatMap((found) => ("address" in found ? found.address : []));
  return make(network, genesisText(create, addresses, Math.floor(around.clock.now() / 1000)), around);
}

/** The address of a validator's key, which is there before the node itself. */
function addressOf(
  name: string,
  nodes: readonly NodeResource[],
): { readonly address: string } | { readonly waits: string } {
  const node = nodes.find(({ meta }) => meta.name === name);
  if (node === undefined) return { waits: `there is no Node ${name} of this network` };
  if (node.spec.type !== "core") return { waits: `the Node ${name} is no core node` };
  const { address } = node.status;
  return address === undefined ? { waits: `the Node ${name} has no key yet` } : { address };
}

/** It never changes afterwards, and stays when the Network goes: volumes of nodes begin with it. */
async function make(network: NetworkResource, text: string, around: Surroundings): Promise<GenesisFound> {
  const name = genesisName(network.meta.name);
  const draft: Draft = {
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
    },
    immutable: true,
    data: { [GENESIS_FILE]: text },
  };
  try {
    await around.client.create(draft);
  } catch (error) {
    if (!isKubeError(error, "already-exists")) throw error;
    return { missing: `the ConfigMap ${name} was made a moment ago` };
  }
  const count = network.spec.genesis.create?.validators.length;
  around.events.tell(network, "GenesisMade", `made the ConfigMap ${name} with ${count} validators`);
  return { name, text };
}

async function applyBudget(
  network: NetworkResource,
  nodes: readonly NodeResource[],
  around: Surroundings,
): Promise<void> {
  const { namespace } = network.meta;
  const name = budgetName(network.meta.name);
  const seen = around.find("disruptionBudget", keyOf({ namespace, name }));
  const draft = validatorBudget(network, nodes.filter(({ spec }) => spec.type === "core").length);
  if (draft !== undefined) await around.applier.apply(draft, seen);
  else if (seen !== undefined)
    await around.client.remove(kinds.disruptionBudget, { namespace, name }, seen.meta.uid);
}

/** Writes the status when it is another than the one that is there. */
async function saveNetworkStatus(
  { meta, status: known }: NetworkResource,
  status: NetworkStatus,
  { client }: Surroundings,
): Promise<void> {
  if (JSON.stringify(known) === JSON.stringify(status)) return;
  await client.applyStatus({
    apiVersion: API_VERSION,
    kind: "Network",
    metadata: { name: meta.name, namespace: meta.namespace },
    status: JSON.parse(JSON.stringify(status)) as unknown, // absent members go
  });
}
