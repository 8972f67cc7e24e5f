/** Names, labels, selectors and metadata of the objects of a Node and of its members. */
import type { V1OwnerReference } from "@kubernetes/client-node";
import { API_VERSION, FIELD_MANAGER, labels } from "../api/names.ts";
import { MAX_REPLICAS, type NodeSpec } from "../api/node-spec.ts";
import type { PublicNetwork } from "../api/public-networks.ts";
import type { DraftMeta, NodeResource } from "../api/resource.ts";

/** A replica of a Node: one blockchain node with its own key, volume and StatefulSet. */
export interface Member {
  readonly node: NodeResource;
  /** The name of the Node for the first member, NAME-m1 and so on for the others. */
  readonly name: string;
}

/** Lists the members of `spec.replicas`. */
export function membersOf(node: NodeResource): readonly Member[] {
  return membersBetween(node, 0, node.spec.replicas);
}

/** Lists the members beyond `spec.replicas`, which an earlier spec may have had. */
export function formerMembersOf(node: NodeResource): readonly Member[] {
  return membersBetween(node, node.spec.replicas, MAX_REPLICAS);
}

function membersBetween(node: NodeResource, from: number, to: number): readonly Member[] {
  return Array.from({ length: to - from }, (_, place) => ({ node, name: memberName(node, from + place) }));
}

function memberName({ meta }: NodeResource, index: number): string {
  return index === 0 ? meta.name : `${meta.name}-m${index}`;
}

/** Returns the name or key of a member's Node. The name of a Node never ends with a member's suffix. */
export function nodeOfMember(name: string): string {
  return name.replace(/-m\d+$/, "");
}

/** Names of a member's objects. */
export interface ObjectNames {
  readonly nodeKey: string;
  readonly gateway: string;
  readonly settings: string;
  readonly claim: string;
  readonly peerService: string;
  readonly externalService: string;
  readonly statefulSet: string;
  readonly pod: string;
}

/** Returns the names of the objects of the member `name`. */
export function objectNames(name: string): ObjectNames {
  return {
    nodeKey: `${name}-nodekey`,
    gateway: `${name}-gateway`,
    settings: `${name}-settings`,
    claim: `${name}-data`,
    peerService: `${name}-peer`,
    externalService: `${name}-external`,
    statefulSet: name,
    pod: `${name}-0`,
  };
}

/** Name of the port for discovery. */
export const DISCOVERY_PORT = "discovery";

/** Names of the objects that the members of a Node share. */
export interface SharedNames {
  readonly rpcService: string;
  readonly membersService: string;
  readonly serviceAccount: string;
  readonly networkPolicy: string;
  readonly disruptionBudget: string;
  readonly serviceMonitor: string;
  readonly ingress: string;
  readonly route: string;
  readonly wsRoute: string;
}

/** Returns the names of the shared objects of the Node `name`. */
export function sharedNames(name: string): SharedNames {
  return {
    rpcService: name,
    membersService: `${name}-members`,
    serviceAccount: `${name}-node`,
    networkPolicy: name,
    disruptionBudget: name,
    serviceMonitor: name,
    ingress: name,
    route: name,
    wsRoute: `${name}.ws`,
  };
}

/** Name of the genesis file, and its key in a created ConfigMap. */
export const GENESIS_FILE = "genesis.json";

/** Name of the ConfigMap with the genesis that the operator creates for a Network. */
export function createdGenesisName(network: string): string {
  return `${network}-genesis`;
}

/** Name of the ConfigMap with a created genesis and its later forks: each schedule has its own, which never changes. */
export function forkedGenesisName(
  network: string,
  forks: Readonly<Record<string, number | undefined>>,
): string {
  const parts = Object.entries(forks).flatMap(([name, block]) =>
    block === undefined ? [] : [`-${name}-${block}`],
  );
  return `${createdGenesisName(network)}${parts.sort().join("")}`;
}

/** Name and key of the ConfigMap with the genesis of a Node: the named one, or else the created one. */
export function genesisConfigMap({ name, genesis }: NodeSpec["network"]): {
  readonly name: string;
  readonly key: string;
} {
  return genesis?.configMap ?? { name: createdGenesisName(name), key: GENESIS_FILE };
}

/** Returns the public network of a Node; undefined for a chain with a genesis file. */
export function publicNetworkOf({ genesis }: NodeSpec["network"]): PublicNetwork | undefined {
  return genesis?.public;
}

/** True for a Node whose empty replicas ask siblings for a copy. */
export function startsFromSibling({ bootstrap }: Pick<NodeSpec, "bootstrap">): boolean {
  return bootstrap?.from !== undefined || bootstrap?.node !== undefined;
}

/** True for a node that finds peers by discovery, over UDP at the port for peers. */
export function isDiscovering({ network, settings }: Pick<NodeSpec, "network" | "settings">): boolean {
  const { nodiscover = String(publicNetworkOf(network) === undefined) } = settings;
  return nodiscover === "false";
}

/** DNS name in the certificate of a member's gateway. */
export function gatewayName(member: string, namespace: string): string {
  return `${member}.${namespace}.gateway.knit.dev`;
}

/** Selector of the pods of a Node. */
export function selectorOf(name: string): Record<string, string> {
  return { [labels.name]: "knit", [labels.node]: name };
}

/** Selector of the pods of a Node as text. */
export function selectorText(name: string): string {
  return Object.entries(selectorOf(name))
    .map(([label, value]) => `${label}=${value}`)
    .join(",");
}

/** Selector of the pod of a member. */
export function memberSelector({ node, name }: Member): Record<string, string> {
  return { ...selectorOf(node.meta.name), [labels.member]: name };
}

/** Labels of every object of a Node. */
export function labelsOf({ meta, spec }: NodeResource): Record<string, string> {
  return {
    ...selectorOf(meta.name),
    [labels.instance]: meta.name,
    [labels.component]: spec.type,
    [labels.managedBy]: FIELD_MANAGER,
    [labels.network]: spec.network.name,
  };
}

/** Labels of every object of a member. */
export function memberLabels(member: Member): Record<string, string> {
  return { ...labelsOf(member.node), [labels.member]: member.name };
}

/** Metadata of an object that the members share; the Node owns it. */
export function sharedMeta(node: NodeResource, name: string): DraftMeta {
  return { name, namespace: node.meta.namespace, labels: labelsOf(node), ownerReferences: [ownerOf(node)] };
}

/** Metadata of a member's object that the Node owns. */
export function ownedMeta(member: Member, name: string): DraftMeta {
  return {
    name,
    namespace: member.node.meta.namespace,
    labels: memberLabels(member),
    ownerReferences: [ownerOf(member.node)],
  };
}

/** Metadata of a member's object that outlives the Node, unless `spec.whenDeleted` is Delete. */
export function retainedMeta(member: Member, name: string): DraftMeta {
  return member.node.spec.whenDeleted === "Delete" ? ownedMeta(member, name) : orphanMeta(member, name);
}

/** Metadata without an owner, and without the instance label by which Argo CD claims an object. */
function orphanMeta(member: Member, name: string): DraftMeta {
  const { [labels.instance]: _instance, ...others } = memberLabels(member);
  return { name, namespace: member.node.meta.namespace, labels: others, annotations: pruneProtection };
}

/** Annotations that keep Argo CD and Flux from deleting an object that outlives its Node or Network. */
export const pruneProtection: Readonly<Record<string, string>> = {
  "argocd.argoproj.io/compare-options": "IgnoreExtraneous",
  "argocd.argoproj.io/sync-options": "Prune=false,Delete=false",
  "kustomize.toolkit.fluxcd.io/prune": "disabled",
};

function ownerOf({ meta }: NodeResource): V1OwnerReference {
  return { apiVersion: API_VERSION, kind: "Node", name: meta.name, uid: meta.uid, controller: true };
}
