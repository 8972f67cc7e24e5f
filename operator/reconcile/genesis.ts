/** Block 0: a Node waits for the ConfigMap that it or its Network names, or that its Network makes. */
import { genesisPlace } from "../build/names.ts";
import { kinds } from "../kube/resources.ts";
import type { Context } from "./context.ts";
import { goOn, type Outcome, waitFor } from "./outcome.ts";
import { configText } from "./secret-text.ts";

/** Waits for the Network: without it, what the Node is to be is not known. */
export function networkStep({ node, network }: Context): Outcome {
  const { name, genesis } = node.spec.network;
  if (network !== undefined || genesis !== undefined) return goOn;
  return waitFor("NetworkMissing", `there is no Network ${name} here, and the Node names no genesis`);
}

/** Waits for the genesis. */
export async function genesisStep({ node, members, around }: Context): Promise<Outcome> {
  if (members.some(({ key }) => around.observed(key)?.ok === true)) return goOn; // the node has read it
  const { namespace } = node.meta;
  const { name, key } = genesisPlace(node.spec.network);
  const object =
    around.find("configMap", `${namespace}/${name}`)?.object ??
    (await around.client.get(kinds.configMap, { namespace, name }));
  if (configText(object, key) !== undefined) return goOn;
  if (object !== undefined) return waitFor("GenesisMissing", `the ConfigMap ${name} has no member ${key}`);
  return waitFor(
    "GenesisMissing",
    `there is no ConfigMap ${name} with the genesis of ${node.spec.network.name}`,
  );
}
