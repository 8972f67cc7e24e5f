/**
 * The Nodes of `spec.nodes`: applied as Nodes that the Network owns, and deleted once they are removed from the list. A
 * Node of the same name that somebody else created is left alone.
 */
import { API_VERSION, FIELD_MANAGER, labels } from "../api/names.ts";
import type { OwnNode } from "../api/network-spec.ts";
import { type Draft, keyOf, type NetworkResource } from "../api/resource.ts";
import { kinds } from "../kube/resources.ts";
import type { ReconcileDeps } from "./deps.ts";
import { refusalOf } from "./outcome.ts";
import { isOwned } from "./owned.ts";

/** A Node to apply. */
interface NodeDraft extends Draft {
  readonly spec: object;
}

/**
 * Applies the Nodes and deletes former ones. Returns the troubles of refused ones. Without `spec.nodes`, as also after a
 * return to a definition that does not know the field, nothing is deleted.
 */
export async function followNodes(network: NetworkResource, deps: ReconcileDeps): Promise<readonly string[]> {
  const { nodes } = network.spec;
  if (nodes === undefined) return [];
  const troubles: string[] = [];
  for (const node of nodes) {
    const trouble = await applyNode(network, node, deps);
    if (trouble !== undefined) troubles.push(`${node.name}: ${trouble}`);
  }
  const names = new Set(nodes.map(({ name }) => name));
  const { namespace, uid } = network.meta;
  for (const { meta, object } of deps.cache.list("node", namespace))
    if (meta.namespace === namespace && isOwned(object, uid) && !meta.deleted && !names.has(meta.name))
      await deps.client.remove(kinds.node, meta, meta.uid).catch((error: unknown) => {
        troubles.push(`${meta.name}: ${refusalOf(error).message}`);
      });
  return troubles;
}

/** Applies a Node; returns the reason of a refusal. */
async function applyNode(
  network: NetworkResource,
  node: OwnNode,
  { applier, cache }: ReconcileDeps,
): Promise<string | undefined> {
  const { namespace, uid } = network.meta;
  const seen = cache.find("node", keyOf({ namespace, name: node.name }));
  if (seen?.meta.deleted === true) return undefined; // its end is reported by itself, and it is created again
  if (seen !== undefined && !isOwned(seen.object, uid))
    return `a Node of this name exists that the Network does not own: remove it from spec.nodes, or delete it`;
  try {
    await applier.apply(nodeDraft(network, node), seen);
    return undefined;
  } catch (error) {
    return refusalOf(error).message;
  }
}

function nodeDraft({ meta }: NetworkResource, { name, ...spec }: OwnNode): NodeDraft {
  const owner = {
    apiVersion: API_VERSION,
    kind: "Network",
    name: meta.name,
    uid: meta.uid,
    controller: true,
  };
  return {
    apiVersion: API_VERSION,
    kind: "Node",
    metadata: {
      name,
      namespace: meta.namespace,
      labels: { [labels.managedBy]: FIELD_MANAGER, [labels.network]: meta.name },
      ownerReferences: [owner],
    },
    spec: { ...spec, network: { name: meta.name } },
  };
}
