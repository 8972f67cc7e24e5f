/** One Node while it is reconciled: what it asks for, what the steps found out, and the status that will be written. */
import { API_VERSION } from "../api/names.ts";
import type { MemberStatus, NodeStatus } from "../api/node-status.ts";
import { keyOf, type NetworkResource, type NodeResource, readNode } from "../api/resource.ts";
import { type Identity } from "../build/identity.ts";
import { type Member, membersOf } from "../build/names.ts";
import { withNetworkDefaults } from "../build/network-defaults.ts";
import type { RolloutPlan } from "../plan/rollout.ts";
import type { Stop } from "../plan/stop.ts";
import type { VolumeVerdict } from "../plan/storage.ts";
import type { ReconcileDeps } from "./deps.ts";
import { statusWithoutFigures } from "./fingerprint.ts";
import type { Observation } from "./observation.ts";
import type { Outcome } from "./outcome.ts";
import type { PodView } from "./pod-view.ts";

/** What steps find out about a member for those after them. */
export interface MemberFacts {
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
  readonly deps: ReconcileDeps;
  readonly facts: MemberFacts;
  /** What will be written. */
  status: MemberStatus;
}

/** One Node while it is reconciled. */
export interface Context {
  readonly key: string;
  /** The Node, with what its Network adds. */
  readonly node: NodeResource;
  readonly network: NetworkResource | undefined;
  readonly deps: ReconcileDeps;
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
export function createContext(given: NodeResource, deps: ReconcileDeps): Context {
  const network = deps.cache.network(
    keyOf({ namespace: given.meta.namespace, name: given.spec.network.name }),
  );
  const node = withNetworkDefaults(given, network);
  const { namespace } = node.meta;
  const members = membersOf(node).map((member): MemberContext => {
    const known = node.status.members?.find(({ name }) => name === member.name);
    const key = keyOf({ namespace, name: member.name });
    return { key, member, node, deps, facts: {}, status: known ?? newMember(member) };
  });
  return { key: keyOf(node.meta), node, network, deps, members, status: node.status };
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

/**
 * Writes the status now if it changed. A change of figures alone is written only when they are stale. The steps after
 * this one rely on the written status.
 */
export async function saveStatus(context: Context): Promise<void> {
  const { deps, node, status } = context;
  const known = deps.cache.node(context.key);
  const relevant = deps.memory.areFiguresStale(context.key) ? identity : statusWithoutFigures;
  if (known === undefined || JSON.stringify(relevant(known.status)) === JSON.stringify(relevant(status)))
    return;
  const { name, namespace } = node.meta;
  const written = await deps.client.applyStatus({
    apiVersion: API_VERSION,
    kind: "Node",
    metadata: { name, namespace },
    status: JSON.parse(JSON.stringify(status)) as NodeStatus, // absent members go
  });
  deps.memory.markFiguresWritten(context.key);
  deps.cache.recordWrite(written);
  context.status = readNode(written).status;
}

function identity(status: NodeStatus): NodeStatus {
  return status;
}
