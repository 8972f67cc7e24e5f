/** Nodes and Networks of a namespace, or of all, as the plugin reads them. */
import { ApiError } from "../api/error.ts";
import { type NetworkResource, type NodeResource, readNetwork, readNode } from "../api/resource.ts";
import { itemPages, type KubeClient } from "../kube/client.ts";
import { type Kind, kinds } from "../kube/resources.ts";

/** Client for reading lists. */
export type Lister = Pick<KubeClient, "page">;

/** Lists Nodes page by page. One that this version cannot parse is left out. */
export async function listNodes(
  client: Lister,
  namespace: string | undefined,
): Promise<readonly NodeResource[]> {
  return (await listObjects(client, kinds.node, namespace)).flatMap((object) => tryRead(readNode, object));
}

/** Lists Networks in the same way. */
export async function listNetworks(
  client: Lister,
  namespace: string | undefined,
): Promise<readonly NetworkResource[]> {
  const objects = await listObjects(client, kinds.network, namespace);
  return objects.flatMap((object) => tryRead(readNetwork, object));
}

/** Lists the objects of a kind, unparsed. Throws `KubeError`. */
export async function listObjects(
  client: Lister,
  kind: Kind,
  namespace: string | undefined,
  labelSelector?: string,
): Promise<readonly unknown[]> {
  const signal = new AbortController().signal;
  const objects: unknown[] = [];
  for await (const items of itemPages(client, { kind, namespace, labelSelector }, signal))
    objects.push(...items);
  return objects;
}

function tryRead<T>(read: (object: unknown) => T, object: unknown): readonly T[] {
  try {
    return [read(object)];
  } catch (error) {
    if (error instanceof ApiError) return [];
    throw error;
  }
}
