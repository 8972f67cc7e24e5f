/** The finalizer of Nodes: set before anything is made for one, taken away when it may go. */
import { FINALIZER } from "../api/names.ts";
import type { ObjectMeta } from "../api/resource.ts";
import type { KubeClient } from "../kube/client.ts";
import { kinds } from "../kube/resources.ts";
import type { Context } from "./context.ts";
import { goOn, type Outcome } from "./outcome.ts";

/** True for a Node that waits for the operator when it is deleted. */
export function hasFinalizer({ finalizers }: Pick<ObjectMeta, "finalizers">): boolean {
  return finalizers.includes(FINALIZER);
}

/** Holds the Node; not one in the operator's own namespace, which may be deleted as a whole, the operator first. */
export async function finalizerStep({ node, deps, key }: Context): Promise<Outcome> {
  const { meta } = deps.cache.node(key) ?? node;
  if (hasFinalizer(meta) || meta.namespace === deps.settings.operatorNamespace) return goOn;
  deps.cache.recordWrite(await writeFinalizers(deps.client, meta, [...meta.finalizers, FINALIZER]));
  return goOn;
}

/** Lets the Node go. Throws `KubeError`, `conflict` when it has changed since it was read. */
export async function removeFinalizer(client: Pick<KubeClient, "merge">, meta: ObjectMeta): Promise<void> {
  const others = meta.finalizers.filter((each) => each !== FINALIZER);
  await writeFinalizers(client, meta, others);
}

/** A patch replaces the whole list: guarded by the version, no other's finalizer is lost or comes back. */
function writeFinalizers(
  client: Pick<KubeClient, "merge">,
  { name, namespace, resourceVersion }: ObjectMeta,
  finalizers: readonly string[],
): Promise<unknown> {
  return client.merge(kinds.node, { name, namespace }, { metadata: { resourceVersion, finalizers } });
}
