/** Choices of the operator for the pods of all Nodes, from its command line and its machine. */
import { networkInterfaces } from "node:os";
import type { PodDefaults } from "../build/stateful-set.ts";
import type { KubeClient } from "../kube/client.ts";
import { kinds } from "../kube/resources.ts";
import { UsageError, type Values } from "./command-line.ts";

const POLICIES = ["Always", "IfNotPresent", "Never"];
const ID_SOURCES = ["fixed", "assigned", "detected"];

/** Reads the choices. Throws `UsageError` for a word that is none of an option's. */
export function readPodDefaults(values: Values, addresses = networkInterfaces()): PodDefaults {
  const nodePullPolicy = wordOf(values, "node-pull-policy", POLICIES);
  const gatewayPullPolicy = wordOf(values, "gateway-pull-policy", POLICIES);
  const names = (values["pull-secrets"] ?? "").split(",").filter((name) => name !== "");
  return {
    ...(nodePullPolicy === undefined ? {} : { nodePullPolicy }),
    ...(gatewayPullPolicy === undefined ? {} : { gatewayPullPolicy }),
    ...(names.length === 0 ? {} : { pullSecrets: names }),
    ...(wordOf(values, "pod-ids", ID_SOURCES) === "assigned" ? { assignsIds: true } : {}),
    ...(hasIpv6(addresses) ? { listenHost: "::" } : {}),
  };
}

/** Returns true when the cluster assigns user ids to pods, as OpenShift does. */
export function assignsIds(client: Pick<KubeClient, "serves">): Promise<boolean> {
  return client.serves(kinds.securityConstraints);
}

function wordOf(values: Values, name: string, words: readonly string[]): string | undefined {
  const word = values[name] || undefined;
  if (word !== undefined && !words.includes(word))
    throw new UsageError(`--${name} must be one of ${words.join(", ")}`);
  return word;
}

/** True when the operator's pod has an IPv6 address of the cluster: other pods then have one, too. */
function hasIpv6(interfaces: ReturnType<typeof networkInterfaces>): boolean {
  const all = Object.values(interfaces).flatMap((each) => each ?? []);
  return all.some(
    ({ family, internal, address }) => family === "IPv6" && !internal && !/^fe80:/i.test(address),
  );
}
