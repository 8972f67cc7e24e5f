/** A network on Kubernetes: manifests for knit-operator that apply as they are. */
import { bareHex } from "../bytes/hex.ts";
import { type NetworkFile, openFile, secretFile } from "./files.ts";
import { TYPES } from "./local.ts";
import type { MadeNetwork, MadeNode } from "./network.ts";

/** What the resource of a node is called in the API. */
const API_VERSION = "knit.dev/v1alpha1";

/** Secrets with node keys, a ConfigMap with the genesis, and a Node for each node. `name` is the network's. */
export function kubernetesFiles({ nodes, genesis }: MadeNetwork, name: string): readonly NetworkFile[] {
  const configMap = `${name}-genesis-file`;
  const genesisMap = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: configMap },
    data: { "genesis.json": genesis },
  };
  const usage =
    "# kubectl -n NAMESPACE apply -f keys.yaml -f network.yaml (knit-operator has to be installed)\n";
  return [
    secretFile("keys.yaml", usage + documents(nodes.map((node) => keySecret(node, name)))),
    openFile(
      "network.yaml",
      usage + documents([genesisMap, ...nodes.map((node) => nodeResource(node, name, configMap))]),
    ),
  ];
}

/** JSON is YAML, and needs no rules about quoting. */
function documents(objects: readonly object[]): string {
  return objects.map((each) => `---\n${JSON.stringify(each, undefined, 2)}\n`).join("");
}

function keySecret(node: MadeNode, network: string): object {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: secretName(node, network) },
    type: "Opaque",
    stringData: { nodekey: bareHex(node.key) },
  };
}

function secretName({ name }: MadeNode, network: string): string {
  return `${network}-${name}-key`;
}

function nodeResource(node: MadeNode, network: string, configMap: string): object {
  return {
    apiVersion: API_VERSION,
    kind: "Node",
    metadata: { name: `${network}-${node.name}` },
    spec: {
      type: TYPES[node.kind],
      network: { name: network, genesis: { configMap: { name: configMap } } },
      nodeKeySecret: { name: secretName(node, network) },
      ...(node.kind === "en" ? { api: { ws: { enabled: true } } } : {}),
      storage: { size: "10Gi" },
    },
  };
}
