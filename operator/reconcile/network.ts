/** Reconciles a Network: its genesis, the disruption budget of its validators and its status. */
import { API_VERSION } from "../api/names.ts";
import type { NetworkStatus } from "../api/network-status.ts";
import { keyOf, type NetworkResource, type NodeResource, readNetwork } from "../api/resource.ts";
import { validatorBudget, validatorBudgetName } from "../build/disruption-budgets.ts";
import { kinds } from "../kube/resources.ts";
import type { ReconcileDeps } from "./deps.ts";
import { findGenesis } from "./network-genesis.ts";
import { concludeNetwork } from "./network-verdict.ts";

/** Interval of reconciliations. */
const RESYNC_MS = 300_000;
/** Interval while the genesis is missing, because its ConfigMap may not be watched. */
const WAIT_MS = 10_000;

/** Returns the milliseconds until the next reconciliation. Throws errors of the API server. */
export async function reconcileNetwork(network: NetworkResource, deps: ReconcileDeps): Promise<number> {
  if (network.meta.deleted) return RESYNC_MS;
  const nodes = deps.cache
    .nodes(network.meta.namespace)
    .filter(({ meta, spec }) => spec.network.name === network.meta.name && !meta.deleted);
  const save = (status: NetworkStatus) => writeStatus(network, status, deps);
  const [genesis, current] = await findGenesis({ network, nodes, deps, save });
  if ("lost" in genesis) deps.events.record(network, "GenesisLost", genesis.lost);
  await applyBudget(network, nodes, deps);
  const status = concludeNetwork({ network: current, nodes, genesis, deps });
  if (JSON.stringify(current.status) !== JSON.stringify(status)) await writeStatus(current, status, deps);
  return "name" in genesis ? RESYNC_MS : WAIT_MS;
}

async function applyBudget(
  network: NetworkResource,
  nodes: readonly NodeResource[],
  deps: ReconcileDeps,
): Promise<void> {
  const { namespace } = network.meta;
  const name = validatorBudgetName(network.meta.name);
  const seen = deps.cache.find("disruptionBudget", keyOf({ namespace, name }));
  const draft = validatorBudget(network, nodes.filter(({ spec }) => spec.type === "core").length);
  if (draft !== undefined) await deps.applier.apply(draft, seen);
  else if (seen !== undefined)
    await deps.client.remove(kinds.disruptionBudget, { namespace, name }, seen.meta.uid);
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
