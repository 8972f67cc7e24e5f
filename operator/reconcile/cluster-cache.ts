/**
 * The cluster cache: objects as the informers saw them, and Nodes as the API server answered the operator's own writes.
 * It also maps a changed object to the keys of the Nodes that it affects.
 */
import { ApiError } from "../api/error.ts";
import { labels, pod } from "../api/names.ts";
import { keyOf, type NetworkResource, type NodeResource, readNetwork, readNode } from "../api/resource.ts";
import { gatewayName, membersOf, nodeOfMember, objectNames } from "../build/names.ts";
import type { GatewayAddress } from "../control/exchange.ts";
import type { CachedObject } from "../kube/cached-object.ts";
import type { Reflector } from "../kube/reflector.ts";
import type { Log } from "../observe/log.ts";
import { isForeign } from "../plan/owner.ts";
import type { AddressBook } from "./address-book.ts";
import { isOlder } from "./applier.ts";
import { nodeFingerprint, peerFingerprint } from "./fingerprint.ts";
import { readPod } from "./pod-view.ts";

/** Kinds of owned objects that informers watch, by the operator's label. */
export const watchedKinds = [
  "statefulSet",
  "pod",
  "service",
  "configMap",
  "secret",
  "claim",
  "networkPolicy",
  "serviceAccount",
  "disruptionBudget",
  "ingress",
] as const;

/** Kinds that a cluster may or may not serve, which can change at any time. */
export const optionalKinds = ["serviceMonitor", "httpRoute"] as const;

/** A kind that a cluster may not serve. */
export type OptionalKind = (typeof optionalKinds)[number];

/** A kind of owned objects. */
export type WatchedKind = (typeof watchedKinds)[number] | OptionalKind;

/** Dependencies of the cache. */
export interface ClusterCacheDeps {
  readonly log: Log;
  /** Receives the addresses of all members. */
  readonly addresses: AddressBook;
}

/** The cache. */
export class ClusterCache {
  readonly #deps: ClusterCacheDeps;
  readonly #informers = new Map<WatchedKind | "node" | "network", Reflector>();
  /** Namespaces whose first lists are complete; undefined stands for all. */
  readonly #synced = new Set<string | undefined>();
  readonly #missing = new Set<string>();
  readonly #ending = new Set<string>();
  /** Parsed Nodes by cached object; undefined for an object that cannot be parsed. */
  readonly #parsedNodes = new WeakMap<CachedObject, { readonly node: NodeResource | undefined }>();
  readonly #parsedNetworks = new WeakMap<CachedObject, { readonly network: NetworkResource | undefined }>();
  /** Nodes as the API server answered a write, until an informer sees that version or a newer one. */
  readonly #written = new Map<string, NodeResource>();

  constructor(deps: ClusterCacheDeps) {
    this.#deps = deps;
  }

  /** Adds the informer of a kind. */
  addInformer(kind: WatchedKind | "node" | "network", informer: Reflector): void {
    this.#informers.set(kind, informer);
  }

  /** Removes the informer of a kind and returns it. */
  removeInformer(kind: OptionalKind): Reflector | undefined {
    const informer = this.#informers.get(kind);
    this.#informers.delete(kind);
    return informer;
  }

  /** True once the first lists of all kinds in a namespace are complete. */
  isSynced(namespace: string): boolean {
    return this.#synced.has(undefined) || this.#synced.has(namespace);
  }

  /** Declares the first lists of a namespace, or of all, complete. */
  markSynced(namespace?: string): void {
    this.#synced.add(namespace);
  }

  /** Lists the namespaces that cannot be read: they do not exist, or the operator has no rights in them. */
  get missingNamespaces(): readonly string[] {
    return [...this.#missing];
  }

  /** Declares that a namespace cannot be read. */
  markMissing(namespace: string): void {
    this.#missing.add(namespace);
  }

  /** Declares that a namespace can be read. */
  markFound(namespace: string): void {
    this.#missing.delete(namespace);
  }

  /** True for a namespace that is being deleted, and with it the rights of the operator there. */
  isEnding(namespace: string): boolean {
    return this.#ending.has(namespace);
  }

  /** Records the begin of a namespace's deletion, or its end. */
  recordEnding(namespace: string, isEnding: boolean): void {
    if (isEnding) this.#ending.add(namespace);
    else this.#ending.delete(namespace);
  }

  /** True for a kind that the cluster serves. */
  serves(kind: OptionalKind): boolean {
    return this.#informers.has(kind);
  }

  /** Returns an object as an informer saw it last. */
  find(kind: WatchedKind | "node" | "network", key: string): CachedObject | undefined {
    return this.#informers.get(kind)?.get(key);
  }

  /** Lists all objects of a kind. */
  list(kind: WatchedKind | "node" | "network", namespace?: string): Iterable<CachedObject> {
    return this.#informers.get(kind)?.list(namespace) ?? [];
  }

  /** Returns the newer of a Node as seen and as written; undefined for one that is deleted or cannot be parsed. */
  node(key: string): NodeResource | undefined {
    const seen = this.find("node", key);
    if (seen === undefined) return undefined;
    const written = this.#written.get(key);
    if (
      written?.meta.uid === seen.meta.uid &&
      isOlder(seen.meta.resourceVersion, written.meta.resourceVersion)
    ) {
      return written;
    }
    this.#written.delete(key);
    return this.#parseNode(key, seen);
  }

  /** Lists all Nodes, or those of a namespace. */
  nodes(namespace?: string): readonly NodeResource[] {
    return [...this.list("node", namespace)].flatMap(({ meta }) => this.node(keyOf(meta)) ?? []);
  }

  /** Records a Node as the API server answered a write. */
  recordWrite(object: unknown): void {
    const node = readNode(object);
    this.#written.set(keyOf(node.meta), node);
    this.#recordAddresses(node);
  }

  /** Returns a Network; undefined for one that does not exist or cannot be parsed. */
  network(key: string): NetworkResource | undefined {
    const seen = this.find("network", key);
    return seen && this.#parseNetwork(key, seen);
  }

  /** Lists all Networks that can be parsed. */
  networks(): readonly NetworkResource[] {
    return [...this.list("network")].flatMap(({ meta }) => this.network(keyOf(meta)) ?? []);
  }

  #parseNetwork(key: string, seen: CachedObject): NetworkResource | undefined {
    const known = this.#parsedNetworks.get(seen) ?? { network: this.#tryParse(readNetwork, key, seen) };
    this.#parsedNetworks.set(seen, known);
    return known.network;
  }

  /** True when a Network's recorded genesis changed, on which its Nodes depend. */
  isGenesisChanged(now: CachedObject | undefined, before: CachedObject | undefined): boolean {
    const [after, earlier] = [now, before].map((seen) => seen && this.#parseNetwork(keyOf(seen.meta), seen));
    return genesisOf(after) !== genesisOf(earlier);
  }

  /** Lists the keys of all members of an operator's Nodes. */
  memberKeys(operator: string): readonly string[] {
    const own = this.nodes().filter(({ meta }) => !isForeign(meta, operator));
    return own.flatMap((node) =>
      membersOf(node).map(({ name }) => keyOf({ namespace: node.meta.namespace, name })),
    );
  }

  /** Returns the gateway address of a member; undefined while its pod has no address. */
  gateway(key: string): GatewayAddress | undefined {
    const node = this.node(nodeOfMember(key));
    if (node === undefined) return undefined;
    const cached = this.find("pod", objectNames(key).pod);
    const address = cached === undefined || cached.meta.deleted ? undefined : readPod(cached.object).address;
    return address === undefined ? undefined : gatewayOf(key, address);
  }

  /** Lists the keys of Nodes that a changed object affects: its Node, or all Nodes of its network. */
  nodesAffectedBy({ meta }: CachedObject): readonly string[] {
    const name = meta.labels[labels.node];
    if (name !== undefined) return [keyOf({ namespace: meta.namespace, name })];
    return this.nodesOfNetwork(meta.namespace, meta.labels[labels.network]);
  }

  /** Lists the keys of a network's Nodes. */
  nodesOfNetwork(namespace: string, name: string | undefined): readonly string[] {
    return this.nodes(namespace)
      .filter(({ spec }) => spec.network.name === name)
      .map(({ meta }) => keyOf(meta));
  }

  /**
   * True when a changed Node must be reconciled. A change of figures alone is none: the operator writes them itself, and
   * would reconcile after each of its own writes.
   */
  isChanged(now: CachedObject | undefined, before: CachedObject | undefined): boolean {
    if (now === undefined || before === undefined) return true;
    const [earlier, after] = [before, now].map((seen) => this.#parseNode(keyOf(seen.meta), seen));
    return (
      earlier === undefined || after === undefined || nodeFingerprint(earlier) !== nodeFingerprint(after)
    );
  }

  /** True when a user changed a Node: its spec, its annotations or its deletion. */
  isRequestChanged(now: CachedObject | undefined, before: CachedObject | undefined): boolean {
    return JSON.stringify(requestOf(now)) !== JSON.stringify(requestOf(before));
  }

  /** Lists the keys of Nodes that a changed Node affects: those of its network when its URLs or its runs changed. */
  peersAffectedBy(now: CachedObject | undefined, before: CachedObject | undefined): readonly string[] {
    const [earlier, after] = [before, now].map((seen) => seen && this.#parseNode(keyOf(seen.meta), seen));
    if (peerFingerprint(after) === peerFingerprint(earlier)) return [];
    const { meta, spec } = after ?? earlier ?? {};
    if (meta === undefined || spec === undefined) return [];
    const namespaces = new Set([meta.namespace, ...spec.peers.namespaces]);
    return [...namespaces].flatMap((namespace) => this.nodesOfNetwork(namespace, spec.network.name));
  }

  #parseNode(key: string, seen: CachedObject): NodeResource | undefined {
    const known = this.#parsedNodes.get(seen) ?? {
      node: this.#asWritten(key, seen) ?? this.#tryParse(readNode, key, seen),
    };
    if (!this.#parsedNodes.has(seen) && known.node !== undefined) this.#recordAddresses(known.node);
    this.#parsedNodes.set(seen, known);
    return known.node;
  }

  #recordAddresses({ meta: { namespace }, status }: NodeResource): void {
    for (const { name, address } of status.members ?? [])
      if (address !== undefined) this.#deps.addresses.note(address, keyOf({ namespace, name }));
  }

  /** Returns the written Node of this version, which need not be parsed again. */
  #asWritten(key: string, { meta }: CachedObject): NodeResource | undefined {
    const written = this.#written.get(key);
    const isThis = written?.meta.uid === meta.uid && written.meta.resourceVersion === meta.resourceVersion;
    return isThis ? written : undefined;
  }

  #tryParse<T>(read: (object: unknown) => T, key: string, { object }: CachedObject): T | undefined {
    try {
      return read(object);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#deps.log.warn({ key, error: error.message }, "resource ignored: it cannot be parsed");
      return undefined;
    }
  }

  /** Returns the key of a Node's Network, whether or not that exists. */
  networkKey(seen: CachedObject | undefined): string | undefined {
    const node = seen && this.#parseNode(keyOf(seen.meta), seen);
    return node && keyOf({ namespace: node.meta.namespace, name: node.spec.network.name });
  }

  /** Forgets a deleted Node. */
  delete(key: string): void {
    this.#written.delete(key);
  }
}

/** Returns the address of a member's gateway at the address of its pod. */
export function gatewayOf(key: string, address: string): GatewayAddress {
  const [namespace = "", member = ""] = key.split("/");
  return { host: address, port: pod.gatewayPort, name: gatewayName(member, namespace) };
}

function genesisOf(network: NetworkResource | undefined): string {
  const { genesis, genesisHash, conditions } = network?.status ?? {};
  const verdict = conditions?.find(({ type }) => type === "GenesisReady")?.reason;
  return JSON.stringify([genesis?.digest, genesis?.forks, genesisHash, verdict]);
}

function requestOf({ meta }: Partial<CachedObject> = {}): unknown {
  return [meta?.generation, meta?.annotations, meta?.deleted];
}
