/** Objects that a step needs now: one that the cache does not have yet is asked for. */
import { keyOf } from "../api/resource.ts";
import { kinds } from "../kube/resources.ts";
import type { ReconcileDeps } from "./deps.ts";

/** Returns an object from the cache, or else from the API server; undefined when it does not exist. */
export async function presentObject(
  kind: "claim" | "configMap" | "secret",
  place: { readonly namespace: string; readonly name: string },
  { cache, client }: Pick<ReconcileDeps, "cache" | "client">,
): Promise<unknown> {
  return cache.find(kind, keyOf(place))?.object ?? (await client.get(kinds[kind], place));
}
