/** What the objects of a Node are called, and what all of them carry. */
import { API_VERSION, FIELD_MANAGER, labels } from "../api/names.ts";
import { MOST_REPLICAS, type NodeSpec } from "../api/node-spec.ts";
import type { DraftMeta, NodeResource, Part } from "../api/resource.ts";

/** A replica of a Node: a node of the chain with a key, a volume and a StatefulSet of its own. */
export interface Member {
  readonly node: NodeResource;
  /** The Node's own name for the first, NAME-m1 and so on for the others. */
  readonly name: string;
}

/** The members that a Node asks for. */
export function membersOf(node: NodeResource): readonly Member[] {
  return membersBetween(node, 0, node.spec.replicas);
}

/** The members that a Node may have had when it asked for more. */
export function formerMembersOf(node: NodeResource): readonly Member[] {
  return membersBetween(node, node.spec.replicas, MOST_REPLICAS);
}

function membersBetween(node: NodeResource, from: number, to: number): readonly Member[] {
  return Array.from({ length: to - from }, (_, place) => ({ node, name: memberName(node, from + place) }));
}

function memberName({ meta }: NodeResource, index: number): string {
  return index === 0 ? meta.name : `${meta.name}-m${index}`;
}

/** The Node of a member, by its name or its key: no Node's name ends as a member's does. */
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

/** Names of the objects of the member called `name`. */
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

/** Names of the objects that the members of a Node share. */
export interface SharedNames {
  readonly rpcService: string;
  readonly membersService: string;
  readonly serviceAccount: string;
  readonly networkPolicy: string;
  readonly disruptionBudget: string;
  readonly serviceMonitor: string;
}

/** Names of what the members of the Node called `name` share. */
export function sharedNames(name: string): SharedNames {
  return {
    rpcService: name,
    membersService: `${name}-members`,
    serviceAccount: `${name}-node`,
    networkPolicy: name,
    disruptionBudget: name,
    serviceMonitor: name,
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

/** The name that a member's gateway has in its certificate. */
export function gatewayName(member: string, namespace: string): string {
  return `${member}.${namespace}.gateway.knit.dev`;
}

/** What selects the pods of a Node. */
export function selectorOf(name: string): Record<string, string> {
  return { [labels.name]: "knit", [labels.node]: name };
}

/** What selects the pod of a member. */
export function memberSelector({ node, name }: Member): Record<string, string> {
  return { ...selectorOf(node.meta.name), [labels.member]: name };
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

/** The labels of all objects of a member. */
export function memberLabels(member: Member): Record<string, string> {
  return { ...labelsOf(member.node), [labels.member]: member.name };
}

/** Metadata of an object that the members share; it goes when the Node goes. */
export function sharedMeta(node: NodeResource, name: string): DraftMeta {
  return { name, namespace: node.meta.namespace, labels: labelsOf(node), ownerReferences: [ownerOf(node)] };
}

/** Metadata of a member's object that goes when the Node goes. */
export function ownedMeta(member: Member, name: string): DraftMeta {
  return {
    name,
    namespace: member.node.meta.namespace,
    labels: memberLabels(member),
    ownerReferences: [ownerOf(member.node)],
  };
}

/** Metadata of a member's object that stays when the Node goes, unless it is asked to go as well. */
export function retainedMeta(member: Member, name: string): DraftMeta {
  return member.node.spec.whenDeleted === "Delete" ? ownedMeta(member, name) : keptMeta(member, name);
}

function keptMeta(member: Member, name: string): DraftMeta {
  const { [labels.instance]: _instance, ...others } = memberLabels(member);
  return { name, namespace: member.node.meta.namespace, labels: others, annotations: unpruned };
}

/**
 * On what outlives its Node or Network: Argo CD and Flux do not delete it, and no label of an application claims it.
 */
export const unpruned: Readonly<Record<string, string>> = {
  "argocd.argoproj.io/compare-options": "IgnoreExtraneous",
  "argocd.argoproj.io/sync-options": "Prune=false,Delete=false",
  "kustomize.toolkit.fluxcd.io/prune": "disabled",
};

function ownerOf({ meta }: NodeResource): Part {
  return { apiVersion: API_VERSION, kind: "Node", name: meta.name, uid: meta.uid, controller: true };
}
