/**
 * The genesis of a Node: waits for the ConfigMap that the Node or its Network names, or that the operator
 * creates, and stops on a change.
 */
import type { V1PodTemplateSpec } from "@kubernetes/client-node";
import { annotations } from "../api/names.ts";
import type { NetworkResource } from "../api/resource.ts";
import { genesisRecord } from "../build/genesis-record.ts";
import { genesisConfigMap, publicNetworkOf } from "../build/names.ts";
import { withNetworkDefaults } from "../build/network-defaults.ts";
import { kinds } from "../kube/resources.ts";
import { allowCommand, isAllowed } from "../plan/stop.ts";
import type { Context, MemberContext } from "./context.ts";
import { networkOf } from "./group.ts";
import { goOn, type Outcome, waitFor } from "./outcome.ts";
import { configText } from "./secret-text.ts";

/** Waits for the Network, on which the spec of the Node depends. */
export function networkStep({ node, network }: Context): Outcome {
  const { name, genesis } = node.spec.network;
  if (network !== undefined || genesis !== undefined) return goOn;
  return waitFor("NetworkMissing", `the Network ${name} does not exist, and the Node names no genesis`);
}

/**
 * True for a template with later forks while its Network, which was created again, has not recorded them: its Nodes would
 * be recreated without forks that may have begun.
 */
export function awaitsForks(
  { node, deps }: Pick<MemberContext, "node" | "deps">,
  template: V1PodTemplateSpec | undefined,
): boolean {
  const network = networkOf(node, deps.cache);
  if (network?.spec.genesis.create === undefined || network.status.genesis !== undefined) return false;
  const mounted = template?.spec?.volumes?.find(({ name }) => name === "genesis")?.configMap?.name;
  return mounted !== undefined && mounted !== genesisConfigMap(node.spec.network).name;
}

/** Waits for the genesis. A recorded one that is missing or has changed stops all members. */
export async function genesisStep(context: Context): Promise<Outcome> {
  const { node } = context;
  const lost = networkOfGenesis(context)?.status.conditions?.find(({ reason }) => reason === "GenesisLost");
  if (lost !== undefined) return stopAll(context, lost.message);
  if (publicNetworkOf(node.spec.network) !== undefined) return goOn;
  const { name, key } = genesisConfigMap(node.spec.network);
  const found = await findMap(context, name);
  if (found === "read") return goOn;
  const text = configText(found.object, key);
  if (text !== undefined) return compare(context, text);
  const isRemade = isMade(context);
  if (context.status.genesis !== undefined && !isRemade)
    return stopAll(context, `the ConfigMap ${name} with the genesis is missing. Restore it.`);
  const words =
    found.object === undefined
      ? `the ConfigMap ${name} does not exist; it must contain the genesis of ${node.spec.network.name}`
      : `the ConfigMap ${name} has no key ${key}`;
  return waitFor("GenesisMissing", words);
}

/** Reads the ConfigMap; `read` for one that is not watched, when a responding node has read it. */
async function findMap(
  { node, members, deps }: Context,
  name: string,
): Promise<"read" | { readonly object: unknown }> {
  const { namespace } = node.meta;
  const seen = deps.cache.find("configMap", `${namespace}/${name}`);
  if (seen !== undefined) return { object: seen.object };
  if (members.some(({ key }) => deps.poller.latest(key)?.ok === true)) return "read";
  return { object: await deps.client.get(kinds.configMap, { namespace, name }) };
}

/** Compares with the Network's record for the Network's genesis, else with the Node's own. */
function compare(context: Context, text: string): Outcome {
  const { node, status } = context;
  const { digest } = genesisRecord(text, isMade(context) || node.spec.network.genesis === undefined);
  const recorded = networkOfGenesis(context)?.status.genesis?.digest ?? status.genesis;
  const permission = node.meta.annotations[annotations.allowNewChain];
  if (
    recorded !== undefined &&
    recorded !== digest &&
    !isAllowed(permission, node.status.allowed?.newChain)
  ) {
    const { name } = genesisConfigMap(node.spec.network);
    const command = allowCommand("kn", node.meta.name, "new-chain");
    const words = `the ConfigMap ${name} contains another genesis than the recorded one. Restore the recorded one. To start a new chain: ${command}`;
    return stopAll(context, words);
  }
  context.status = { ...status, genesis: digest };
  return goOn;
}

/** Returns the Network if the Node uses its genesis. */
function networkOfGenesis({ node, network }: Context): NetworkResource | undefined {
  const own = genesisConfigMap(node.spec.network);
  const unnamed = { ...node, spec: { ...node.spec, network: { ...node.spec.network, genesis: undefined } } };
  const shared = genesisConfigMap(withNetworkDefaults(unnamed, network).spec.network);
  return own.name === shared.name && own.key === shared.key ? network : undefined;
}

/** True when the operator makes the genesis of the Node. */
function isMade(context: Context): boolean {
  return networkOfGenesis(context)?.spec.genesis.create !== undefined;
}

function stopAll({ members }: Context, message: string): Outcome {
  for (const { facts } of members) facts.stop ??= { reason: "GenesisLost", message, pod: "stays" };
  return goOn;
}
