/** What reconciling works with: the cluster's objects, the way to the nodes, time. */
import type { NetworkResource, NodeResource } from "../api/resource.ts";
import type { PodOptions } from "../build/stateful-set.ts";
import type { Channel } from "../control/channel.ts";
import type { Authorities } from "../control/rotation.ts";
import type { KubeClient } from "../kube/client.ts";
import type { Seen } from "../kube/seen.ts";
import type { Clock } from "../observe/clock.ts";
import type { Log } from "../observe/log.ts";
import type { AddressBook } from "./address-book.ts";
import type { Applier } from "./applier.ts";
import type { RefusedGrowth } from "./claim.ts";
import type { EventRecorder } from "./events.ts";
import type { MeshMemory } from "./mesh-memory.ts";
import type { Observation } from "./poller.ts";

/** The kinds of objects that are followed besides Nodes: those that carry the operator's label. */
export const followedKinds = [
  "statefulSet",
  "pod",
  "service",
  "configMap",
  "secret",
  "claim",
  "networkPolicy",
  "serviceAccount",
  "disruptionBudget",
] as const;

/** Kinds that a cluster may have or not, and may get at any time. */
export const optionalKinds = ["serviceMonitor"] as const;

/** A kind that a cluster may not have. */
export type OptionalKind = (typeof optionalKinds)[number];

/** A kind that is followed. */
export type FollowedKind = (typeof followedKinds)[number] | OptionalKind;

/** What is decided once, at the start. */
export interface OperatorSettings extends Pick<PodOptions, "nodeImage" | "gatewayImage"> {
  /** Where the operator itself is. */
  readonly operatorNamespace: string;
  /** Whether peers are told a node's Service, which stays, or its pod's address. */
  readonly peerAddress: "service" | "pod";
}

/** All of it. */
export interface Surroundings {
  readonly client: KubeClient;
  readonly applier: Applier;
  readonly events: EventRecorder;
  readonly channel: Channel;
  readonly authorities: () => Authorities;
  readonly settings: OperatorSettings;
  readonly clock: Clock;
  readonly log: Log;
  /** Networks, with their namespaces, in which a node is asked to begin maintenance at this moment. */
  readonly beginning: Set<string>;
  /** Who has which address. */
  readonly addresses: AddressBook;
  /** Nodes whose figures it is time to note, though nothing else of their status has changed. */
  readonly figuresDue: Set<string>;
  /** What members' nodes were told of their peers since they started. */
  readonly meshes: Map<string, MeshMemory>;
  /** What the API server refused to let members' volumes grow to. */
  readonly refusedGrowths: Map<string, RefusedGrowth>;
  /** An object as it was last seen. */
  find(kind: FollowedKind, key: string): Seen | undefined;
  /** A Node as it was last seen or written, whichever is newer. */
  node(key: string): NodeResource | undefined;
  /** A Network as it was last seen. */
  network(namespace: string, name: string): NetworkResource | undefined;
  /** Whether the cluster has this kind. */
  serves(kind: OptionalKind): boolean;
  /** All Nodes, or those of a namespace. */
  nodes(namespace?: string): readonly NodeResource[];
  /** All objects of a kind as they were last seen. */
  all(kind: FollowedKind): Iterable<Seen>;
  /** What the member's node itself last told; `key` is the member's. */
  observed(key: string): Observation | undefined;
  /** Asks the member's node soon. */
  look(key: string): void;
  /** Notes what was written. */
  wrote(object: unknown): void;
}
