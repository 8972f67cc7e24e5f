/** What is known of the cluster at the moment: Nodes as they were last seen or written, and their objects. */
import { ApiError } from "./api/error.ts";
import { labels } from "./api/names.ts";
import { keyOf, type NetworkResource, type NodeResource, readNetwork, readNode } from "./api/resource.ts";
import { membersOf, nodeOfMember, objectNames } from "./build/names.ts";
import type { GatewayAddress } from "./control/exchange.ts";
import type { Reflector } from "./kube/reflector.ts";
import type { Seen } from "./kube/seen.ts";
import type { Log } from "./observe/log.ts";
import { AddressBook } from "./reconcile/address-book.ts";
import { isOlder } from "./reconcile/applier.ts";
import type { RefusedGrowth } from "./reconcile/claim.ts";
import { gatewayOf } from "./reconcile/context.ts";
import type { MeshMemory } from "./reconcile/mesh-memory.ts";
import { statusWithoutFigures } from "./reconcile/news.ts";
import { readPod } from "./reconcile/pod-view.ts";
import type { FollowedKind } from "./reconcile/surroundings.ts";

/** Everything that is known. */
export class Board {
  readonly followed = new Map<FollowedKind, Reflector>();
  /** What members' nodes were told of their peers. */
  readonly meshes = new Map<string, MeshMemory>();
  readonly refusedGrowths = new Map<string, RefusedGrowth>();
  /** Nodes whose figures it is time to note. */
  readonly figuresDue = new Set<string>();
  /** Who has which address. */
  readonly addresses = new AddressBook();
  /** The Nodes; there once their reflector is open. */
  seen: Reflector | undefined;
  /** The Networks, likewise. */
  networks: Reflector | undefined;
  /** True when all first lists are there: sums before would be wrong. */
  complete = false;
  readonly #log: Log;
  /** Nodes as they were read; undefined when one cannot be. */
  readonly #read = new WeakMap<Seen, { readonly node: NodeResource | undefined }>();
  readonly #readNetworks = new WeakMap<Seen, { readonly network: NetworkResource | undefined }>();
  /** Nodes as the API server answered a write, until they are seen so. */
  readonly #written = new Map<string, NodeResource>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** A Node as it was last seen or written, whichever is newer; undefined when it is gone or cannot be read. */
  node(key: string): NodeResource | undefined {
    const seen = this.seen?.get(key);
    if (seen === undefined) return undefined;
    const written = this.#written.get(key);
    if (
      written?.meta.uid === seen.meta.uid &&
      isOlder(seen.meta.resourceVersion, written.meta.resourceVersion)
    ) {
      return written;
    }
    this.#written.delete(key);
    return this.#readSeen(key, seen);
  }

  /** All Nodes, or those of a namespace. */
  nodes(namespace?: string): readonly NodeResource[] {
    return [...(this.seen?.all(namespace) ?? [])].flatMap(({ meta }) => this.node(keyOf(meta)) ?? []);
  }

  /** Notes a Node as the API server answered it. */
  wrote(object: unknown): void {
    const node = readNode(object);
    this.#written.set(keyOf(node.meta), node);
    this.#noteAddresses(node);
  }

  /** A Network as it was last seen; undefined when it is not there or cannot be read. */
  network(key: string): NetworkResource | undefined {
    const seen = this.networks?.get(key);
    return seen && this.#readNetwork(key, seen);
  }

  #readNetwork(key: string, seen: Seen): NetworkResource | undefined {
    const known = this.#readNetworks.get(seen) ?? { network: this.#tryRead(readNetwork, key, seen) };
    this.#readNetworks.set(seen, known);
    return known.network;
  }

  /** Whether a Network's status says something else of its genesis, which its Nodes go by. */
  isOtherGenesis(now: Seen | undefined, before: Seen | undefined): boolean {
    const [after, earlier] = [now, before].map((seen) => seen && this.#readNetwork(keyOf(seen.meta), seen));
    return genesisOf(after) !== genesisOf(earlier);
  }

  /** The keys of all members. */
  members(): readonly string[] {
    return this.nodes().flatMap((node) =>
      membersOf(node).map(({ name }) => keyOf({ namespace: node.meta.namespace, name })),
    );
  }

  /** The gateway of a member; undefined while its pod has no address. */
  gateway(key: string): GatewayAddress | undefined {
    const node = this.node(nodeOfMember(key));
    if (node === undefined) return undefined;
    const pod = this.followed.get("pod")?.get(objectNames(key).pod);
    const address = pod === undefined || pod.meta.deleted ? undefined : readPod(pod.object).address;
    return address === undefined ? undefined : gatewayOf(key, address);
  }

  /** Whom the change of an object concerns: its Node, or all Nodes of its network. */
  concerned({ meta }: Seen): readonly string[] {
    const name = meta.labels[labels.node];
    if (name !== undefined) return [keyOf({ namespace: meta.namespace, name })];
    return this.inNetwork(meta.namespace, meta.labels[labels.network]);
  }

  /** The keys of a network's Nodes. */
  inNetwork(namespace: string, name: string | undefined): readonly string[] {
    return this.nodes(namespace)
      .filter(({ spec }) => spec.network.name === name)
      .map(({ meta }) => keyOf(meta));
  }

  /**
   * Whether a Node that changed is to be looked at again: not because of figures alone. The operator notes those itself,
   * and would note them again and again if it looked each time that it had.
   */
  isNews(now: Seen | undefined, before: Seen | undefined): boolean {
    if (now === undefined || before === undefined) return true;
    const [earlier, after] = [before, now].map((seen) => this.#readSeen(keyOf(seen.meta), seen));
    return earlier === undefined || after === undefined || gist(earlier) !== gist(after);
  }

  /** Whether somebody has asked for something of a Node: another spec, an operation, its end. */
  isAsked(now: Seen | undefined, before: Seen | undefined): boolean {
    return JSON.stringify(asked(now)) !== JSON.stringify(asked(before));
  }

  /** Whom else the change of a Node concerns: its network, when it can be reached elsewhere or is done. */
  neighbours(now: Seen | undefined, before: Seen | undefined): readonly string[] {
    const [earlier, after] = [before, now].map((seen) => seen && this.#readSeen(keyOf(seen.meta), seen));
    if (face(after) === face(earlier)) return [];
    const { meta, spec } = after ?? earlier ?? {};
    if (meta === undefined || spec === undefined) return [];
    const namespaces = new Set([meta.namespace, ...spec.peers.namespaces]);
    return [...namespaces].flatMap((namespace) => this.inNetwork(namespace, spec.network.name));
  }

  #readSeen(key: string, seen: Seen): NodeResource | undefined {
    const known = this.#read.get(seen) ?? {
      node: this.#asWritten(key, seen) ?? this.#tryRead(readNode, key, seen),
    };
    if (!this.#read.has(seen) && known.node !== undefined) this.#noteAddresses(known.node);
    this.#read.set(seen, known);
    return known.node;
  }

  #noteAddresses({ meta: { namespace }, status }: NodeResource): void {
    for (const { name, address } of status.members ?? [])
      if (address !== undefined) this.addresses.note(address, keyOf({ namespace, name }));
  }

  /** What the API server answered a write need not be read again when it comes as a change. */
  #asWritten(key: string, { meta }: Seen): NodeResource | undefined {
    const written = this.#written.get(key);
    const isThis = written?.meta.uid === meta.uid && written.meta.resourceVersion === meta.resourceVersion;
    return isThis ? written : undefined;
  }

  #tryRead<T>(read: (object: unknown) => T, key: string, { object }: Seen): T | undefined {
    try {
      return read(object);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#log.warn({ key, error: error.message }, "a resource that cannot be read is left alone");
      return undefined;
    }
  }

  /** The key of a Node's Network, whether that is there or not. */
  networkKey(seen: Seen | undefined): string | undefined {
    const node = seen && this.#readSeen(keyOf(seen.meta), seen);
    return node && keyOf({ namespace: node.meta.namespace, name: node.spec.network.name });
  }

  /** Forgets a Node that is gone. */
  forget(key: string): void {
    this.#written.delete(key);
    for (const memory of [this.meshes, this.refusedGrowths])
      for (const member of memory.keys()) if (nodeOfMember(member) === key) memory.delete(member);
    this.figuresDue.delete(key);
    this.addresses.forget((member) => nodeOfMember(member) === key);
  }
}

function genesisOf(network: NetworkResource | undefined): string {
  const { genesis, genesisHash, conditions } = network?.status ?? {};
  const verdict = conditions?.find(({ type }) => type === "GenesisReady")?.reason;
  return JSON.stringify([genesis?.digest, genesisHash, verdict]);
}

function asked({ meta }: Partial<Seen> = {}): unknown {
  return [meta?.generation, meta?.annotations, meta?.deleted];
}

/** All of a Node but what changes with every block. */
function gist({ meta, spec, status }: NodeResource): string {
  const { resourceVersion: _version, ...place } = meta;
  return JSON.stringify([place, spec, statusWithoutFigures(status)]);
}

/** What of a Node matters to the others of its network. */
function face(node: NodeResource | undefined): string {
  const urls = node?.status.members?.map(({ name, url }) => [name, url]);
  const { maintenance, rollout } = node?.status ?? {};
  return JSON.stringify([node?.meta.deleted, urls, maintenance?.state, rollout?.member, rollout?.state]);
}
