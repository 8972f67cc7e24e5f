/** A network on Kubernetes: manifests for knit-operator. */
import { bareHex } from "../bytes/hex.ts";
import { type NetworkFile, openFile, secretFile } from "./files.ts";
import { TYPES } from "./local.ts";
import { type MadeNetwork, type MadeNode, peersOf } from "./network.ts";

/** API version of the resources Network and Node. */
const API_VERSION = "knit.dev/v1alpha1";

/**
 * Returns Secrets with node keys, a ConfigMap with the genesis, a Network called `name`, and a Node for each
 * node.
 */
export function kubernetesFiles({ nodes, genesis }: MadeNetwork, name: string): readonly NetworkFile[] {
  const configMap = `${name}-genesis-file`;
  const genesisMap = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: configMap },
    data: { "genesis.json": genesis },
  };
  const network = {
    apiVersion: API_VERSION,
    kind: "Network",
    metadata: { name },
    spec: { genesis: { configMap: { name: configMap } } },
  };
  const usage =
    "# kubectl -n NAMESPACE apply -f keys.yaml -f network.yaml (knit-operator has to be installed)\n";
  return [
    secretFile("keys.yaml", usage + documents(nodes.map((node) => keySecret(node, name)))),
    openFile(
      "network.yaml",
      usage + documents([genesisMap, network, ...nodes.map((node) => nodeResource(node, nodes, name))]),
    ),
  ];
}

/** Formats documents of YAML as JSON, a subset of YAML without rules for quotes. */
function documents(objects: readonly object[]): string {
  return objects.map((each) => `---\n${JSON.stringify(each, undefined, 2)}\n`).join("");
}

function keySecret(node: MadeNode, network: string): object {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: secretName(node, network) },
    type: "Opaque",
    data: { nodekey: Buffer.from(bareHex(node.key)).toString("base64") }, // stringData would differ at each apply
  };
}

function secretName({ name }: MadeNode, network: string): string {
  return `${network}-${name}-key`;
}

function nodeResource(node: MadeNode, nodes: readonly MadeNode[], network: string): object {
  const above = new Set(peersOf(node, nodes).map(({ kind }) => kind));
  return {
    apiVersion: API_VERSION,
    kind: "Node",
    metadata: { name: `${network}-${node.name}` },
    spec: {
      type: TYPES[node.kind],
      network: { name: network },
      nodeKeySecret: { name: secretName(node, network) },
      // an endpoint looks for proxies by itself
      ...(node.kind === "en" && above.has("cn") ? { peers: { types: [TYPES.cn] } } : {}),
      ...(node.kind === "en" ? { api: { ws: { enabled: true } } } : {}),
      storage: { size: "10Gi" },
    },
  };
}
