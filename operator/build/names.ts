/** What the objects of a Node are called, and what all of them carry. */
import { API_VERSION, FIELD_MANAGER, labels } from "../api/names.ts";
import type { NodeSpec } from "../api/node-spec.ts";
import type { DraftMeta, NodeResource, Part } from "../api/resource.ts";

/** Names of a Node's objects. */
export interface ObjectNames {
  readonly nodeKey: string;
  readonly gateway: string;
  readonly settings: string;
  readonly claim: string;
  readonly peerService: string;
  readonly rpcService: string;
  readonly statefulSet: string;
  readonly pod: string;
}

/** Names of the objects of the Node called `name`. */
export function objectNames(name: string): ObjectNames {
  return {
    nodeKey: `${name}-nodekey`,
    gateway: `${name}-gateway`,
    settings: `${name}-settings`,
    claim: `${name}-data`,
    peerService: `${name}-peer`,
    rpcService: name,
    statefulSet: name,
    pod: `${name}-0`,
  };
}

/** The genesis file, and the member of a made ConfigMap that holds it. */
export const GENESIS_FILE = "genesis.json";

/** The ConfigMap with the genesis that was made for a network. */
export function genesisName(network: string): string {
  return `${network}-genesis`;
}

/** The ConfigMap with a Node's genesis and its member: the one that is named, or the one that was made. */
export function genesisPlace({ name, genesis }: NodeSpec["network"]): {
  readonly name: string;
  readonly key: string;
} {
  return genesis?.configMap ?? { name: genesisName(name), key: GENESIS_FILE };
}

/** The name that a node's gateway has in its certificate. */
export function gatewayName(name: string, namespace: string): string {
  return `${name}.${namespace}.gateway.knit.dev`;
}

/** What selects a Node's pods. */
export function selectorOf(name: string): Record<string, string> {
  return { [labels.name]: "knit", [labels.node]: name };
}

/** The labels of all objects of a Node. */
export function labelsOf({ meta, spec }: NodeResource): Record<string, string> {
  return {
    ...selectorOf(meta.name),
    [labels.instance]: meta.name,
    [labels.component]: spec.type,
    [labels.managedBy]: FIELD_MANAGER,
    [labels.network]: spec.network.name,
  };
}

/** Metadata of an object that goes when the Node goes. */
export function ownedMeta(node: NodeResource, name: string): DraftMeta {
  return { ...keptMeta(node, name), ownerReferences: [ownerOf(node)] };
}

/** Metadata of an object that stays when the Node goes, unless it is asked to go as well. */
export function retainedMeta(node: NodeResource, name: string): DraftMeta {
  return node.spec.whenDeleted === "Delete" ? ownedMeta(node, name) : keptMeta(node, name);
}

/** Metadata of an object that stays. */
export function keptMeta(node: NodeResource, name: string): DraftMeta {
  return { name, namespace: node.meta.namespace, labels: labelsOf(node) };
}

function ownerOf({ meta }: NodeResource): Part {
  return { apiVersion: API_VERSION, kind: "Node", name: meta.name, uid: meta.uid, controller: true };
}
