/** One Node while it is reconciled: what it asks for, what the steps found out, and the status that will be written. */
import { API_VERSION, pod } from "../api/names.ts";
import type { MemberStatus, NodeStatus } from "../api/node-status.ts";
import { keyOf, type NetworkResource, type NodeResource, readNode } from "../api/resource.ts";
import { type Identity } from "../build/identity.ts";
import { gatewayName, type Member, membersOf } from "../build/names.ts";
import { withNetworkDefaults } from "../build/network-defaults.ts";
import type { GatewayAddress } from "../control/exchange.ts";
import type { RolloutPlan } from "../plan/rollout.ts";
import type { Stop } from "../plan/stop.ts";
import type { VolumeVerdict } from "../plan/storage.ts";
import { statusWithoutFigures } from "./news.ts";
import type { Outcome } from "./outcome.ts";
import type { PodView } from "./pod-view.ts";
import type { Observation } from "./poller.ts";
import type { Surroundings } from "./surroundings.ts";

/** What steps find out about a member for those after them. */
export interface Facts {
  identity?: Identity;
  /** The node key is waited for, or is none. */
  key?: Outcome;
  /** False: no claim is made for it. */
  claims?: boolean;
  /** The permissions that were judged: everything was as noted, or what was not was allowed. */
  judged?: { key?: true; chain?: true };
  /** It may not go on before a person has judged. */
  stop?: Stop;
  pod?: PodView;
  /** The node's own word; there only when it is fresh. */
  told?: Observation & { readonly ok: true };
  /** True when it keeps what its StatefulSet was given: it is not its turn to be replaced. */
  keeps?: boolean;
  volume?: VolumeVerdict;
  /** Milliseconds after which to look again, even when every step goes on. */
  againMs?: number;
  /** True while a pod is there, one that ends included. */
  hasPod?: boolean;
  /** Why it cannot be made what the spec asks for: what went wrong before its node was looked at. */
  trouble?: Outcome | undefined;
}

/** A member while its Node is reconciled. */
export interface MemberContext {
  /** `namespace/name` of the member. */
  readonly key: string;
  readonly member: Member;
  /** The Node, with what its Network adds. */
  readonly node: NodeResource;
  readonly around: Surroundings;
  readonly facts: Facts;
  /** What will be written. */
  status: MemberStatus;
}

/** One Node while it is reconciled. */
export interface Context {
  readonly key: string;
  /** The Node, with what its Network adds. */
  readonly node: NodeResource;
  readonly network: NetworkResource | undefined;
  readonly around: Surroundings;
  readonly members: readonly MemberContext[];
  /** What will be written; the members' parts are put in at the end. */
  status: NodeStatus;
  /** Whose turn it is to be replaced; there only while somebody is due. */
  rollout?: RolloutPlan;
  /** Milliseconds after which to look again, even when every step goes on. */
  againMs?: number;
}

/** A step, and its name for the log. */
export interface Step<C = Context> {
  readonly name: string;
  readonly run: (context: C) => Promise<Outcome> | Outcome;
  /** True when no step behind it builds on it: those go on although it does not. */
  readonly isAlone?: boolean;
}

/** Begins with the status that is there. */
export function createContext(given: NodeResource, around: Surroundings): Context {
  const network = around.network(given.meta.namespace, given.spec.network.name);
  const node = withNetworkDefaults(given, network);
  const { namespace } = node.meta;
  const members = membersOf(node).map((member): MemberContext => {
    const known = node.status.members?.find(({ name }) => name === member.name);
    const key = keyOf({ namespace, name: member.name });
    return { key, member, node, around, facts: {}, status: known ?? newMember(member) };
  });
  return { key: keyOf(node.meta), node, network, around, members, status: node.status };
}

function newMember({ name }: Member): MemberStatus {
  return {
    name,
    ready: false,
    reason: undefined,
    address: undefined,
    url: undefined,
    externalUrl: undefined,
    volume: undefined,
    height: undefined,
    syncing: undefined,
    version: undefined,
    peers: undefined,
    peersWanted: undefined,
    peersMissing: undefined,
    mesh: undefined,
    disk: undefined,
    lastExit: undefined,
  };
}

/** Where a member's gateway is, once its pod has an address. */
export function gatewayOf(key: string, address: string): GatewayAddress {
  const [namespace = "", member = ""] = key.split("/");
  return { host: address, port: pod.gatewayPort, name: gatewayName(member, namespace) };
}

/**
 * Writes the status now, if it is another than the one that is there, or only its figures are when it is time for those;
 * the steps after this build on it.
 */
export async function saveStatus(context: Context): Promise<void> {
  const { around, node, status } = context;
  const known = around.node(context.key);
  const gist = around.figuresDue.has(context.key) ? same : statusWithoutFigures;
  if (known === undefined || JSON.stringify(gist(known.status)) === JSON.stringify(gist(status))) return;
  const { name, namespace } = node.meta;
  const written = await around.client.applyStatus({
    apiVersion: API_VERSION,
    kind: "Node",
    metadata: { name, namespace },
    status: JSON.parse(JSON.stringify(status)) as NodeStatus, // absent members go
  });
  around.figuresDue.delete(context.key);
  around.wrote(written);
  context.status = readNode(written).status;
}

function same(status: NodeStatus): NodeStatus {
  return status;
}
