/** Block 0: in the ConfigMap that is named, or in the one that a core node makes for its network, once. */
import { FIELD_MANAGER, labels } from "../api/names.ts";
import type { Draft } from "../api/resource.ts";
import { genesisText } from "../build/genesis.ts";
import { GENESIS_FILE, genesisName, genesisPlace } from "../build/names.ts";
import { isKubeError } from "../kube/error.ts";
import { kinds } from "../kube/resources.ts";
import type { Context } from "./context.ts";
import { goOn, type Outcome, waitFor } from "./outcome.ts";
import { configText } from "./secret-text.ts";

/** Waits for the genesis, or makes it. */
export async function genesisStep(context: Context): Promise<Outcome> {
  const { node, around } = context;
  const { namespace } = node.meta;
  const { name: network, genesis } = node.spec.network;
  const { name, key } = genesisPlace(node.spec.network);
  if (around.observed(context.key)?.ok === true) return goOn; // the node has read it
  const object =
    around.find("configMap", `${namespace}/${name}`)?.object ??
    (await around.client.get(kinds.configMap, { namespace, name }));
  if (configText(object, key) !== undefined) return goOn;
  if (object !== undefined) return waitFor("GenesisMissing", `the ConfigMap ${name} has no member ${key}`);
  if (genesis?.create !== undefined) return make(context);
  return waitFor("GenesisMissing", `there is no ConfigMap ${name} with the genesis of ${network}`);
}

/** It never changes afterwards, and stays when the Node goes: other nodes' volumes begin with it. */
async function make({ node, around, facts }: Context): Promise<Outcome> {
  const { name: network, genesis } = node.spec.network;
  const { identity } = facts;
  if (genesis?.create === undefined || identity === undefined) return waitFor("GenesisMissing", "no key yet");
  const name = genesisName(network);
  const time = Math.floor(around.clock.now() / 1000);
  const draft: Draft = {
    apiVersion: kinds.configMap.apiVersion,
    kind: kinds.configMap.kind,
    metadata: {
      name,
      namespace: node.meta.namespace,
      labels: { [labels.name]: "knit", [labels.managedBy]: FIELD_MANAGER, [labels.network]: network },
    },
    immutable: true,
    data: { [GENESIS_FILE]: genesisText(genesis.create, identity.address, time) },
  };
  try {
    await around.client.create(draft);
  } catch (error) {
    if (!isKubeError(error, "already-exists")) throw error;
    return goOn;
  }
  around.events.tell(
    node,
    "GenesisMade",
    `made the ConfigMap ${name} with ${identity.address} as the validator`,
  );
  return goOn;
}
