/** The finalizer of Nodes: added before any object is created, removed at the end of the deletion. */
import { annotations, FINALIZER } from "../api/names.ts";
import type { ObjectMeta } from "../api/resource.ts";
import type { KubeClient } from "../kube/client.ts";
import { kinds } from "../kube/resources.ts";
import type { Context } from "./context.ts";
import { goOn, type Outcome } from "./outcome.ts";

/** Finalizer by which the API server marks a deletion that orphans dependents. */
export const ORPHAN = "orphan";

/** True for a Node with the operator's finalizer. */
export function hasFinalizer({ finalizers }: Pick<ObjectMeta, "finalizers">): boolean {
  return finalizers.includes(FINALIZER);
}

/**
 * Records this operator as that of the Node, and adds the finalizer, except in the operator's own namespace, where a
 * deletion may remove the operator first.
 */
export async function finalizerStep({ node, deps, key }: Context): Promise<Outcome> {
  const { meta } = deps.cache.node(key) ?? node;
  const { operatorNamespace, operatorId } = deps.settings;
  const isHeld = hasFinalizer(meta) || meta.namespace === operatorNamespace;
  if (isHeld && meta.annotations[annotations.operator] === operatorId) return goOn;
  const finalizers = isHeld ? meta.finalizers : [...meta.finalizers, FINALIZER];
  deps.cache.recordWrite(await writeHold(deps.client, meta, { finalizers, operator: operatorId }));
  return goOn;
}

/** True for a Node that the operator holds, or that has no operator and the finalizer. */
export function isHeldBy(meta: Pick<ObjectMeta, "finalizers" | "annotations">, operator: string): boolean {
  const owner = meta.annotations[annotations.operator] ?? "";
  return owner === operator || (owner === "" && hasFinalizer(meta));
}

/** Removes the finalizer and the record of the operator. Throws `KubeError`, `conflict` when the Node has changed. */
export async function removeFinalizer(client: Pick<KubeClient, "merge">, meta: ObjectMeta): Promise<void> {
  const others = meta.finalizers.filter((each) => each !== FINALIZER);
  await writeHold(client, meta, { finalizers: others, operator: null });
}

/** Replaces the list of finalizers with the version as precondition, to preserve those of others. */
function writeHold(
  client: Pick<KubeClient, "merge">,
  { name, namespace, resourceVersion }: ObjectMeta,
  { finalizers, operator }: { readonly finalizers: readonly string[]; readonly operator: string | null },
): Promise<unknown> {
  const noted = { [annotations.operator]: operator };
  return client.merge(
    kinds.node,
    { name, namespace },
    { metadata: { resourceVersion, finalizers, annotations: noted } },
  );
}
