/**
 * An operator of random histories: the real reconciliation over informers that lag behind, observations of its own
 * polls and a client that the history interrupts. It ends at any request, and another one begins with empty memory.
 */
import { labels } from "../../../operator/api/names.ts";
import type { Draft, DraftMeta } from "../../../operator/api/resource.ts";
import { membersOf } from "../../../operator/build/names.ts";
import { ControlError } from "../../../operator/control/error.ts";
import type { Authorities } from "../../../operator/control/rotation.ts";
import { type CachedObject, projectObject } from "../../../operator/kube/cached-object.ts";
import type { KubeClient } from "../../../operator/kube/client.ts";
import { KubeError } from "../../../operator/kube/error.ts";
import type { Reflector } from "../../../operator/kube/reflector.ts";
import { type Kind, kinds } from "../../../operator/kube/resources.ts";
import { Store } from "../../../operator/kube/store.ts";
import { silentLog } from "../../../operator/observe/log.ts";
import { Applier } from "../../../operator/reconcile/applier.ts";
import { ClusterCache, watchedKinds } from "../../../operator/reconcile/cluster-cache.ts";
import type { ReconcileDeps } from "../../../operator/reconcile/deps.ts";
import { ReconcileMemory } from "../../../operator/reconcile/memory.ts";
import { reconcileNetwork } from "../../../operator/reconcile/network.ts";
import type { Observation } from "../../../operator/reconcile/observation.ts";
import { projectPod } from "../../../operator/reconcile/pod-view.ts";
import { ReconcileError, reconcile } from "../../../operator/reconcile/reconcile.ts";
import type { ClusterApi, Stored } from "./api.ts";
import type { Chain, Process } from "./chain.ts";

/** The cluster as an operator reaches it. */
export interface OperatorWorld {
  readonly api: ClusterApi;
  readonly chain: Chain;
  readonly random: () => number;
  /** Time that no jump changes, and the operator's own clock. */
  readonly now: () => number;
  readonly clock: () => number;
  readonly authorities: Authorities;
  readonly createKey: () => string;
  /** Others act, before a request arrives. */
  readonly interrupt: () => void;
  /** Sees each write of the operator. */
  readonly onWrite: (before: Stored | undefined, after: Stored | undefined) => void;
}

/** The operator has ended at a request. */
class OperatorEnded extends Error {
  override readonly name = "OperatorEnded";
}

const MANAGER = "knit-operator";
const watched = [...watchedKinds, "network", "node"] as const;
/** Maximum age of events that an informer has not seen. */
const LAG_MS = 15_000;
const FRESH_MS = 45_000;

const cachedObjects = new WeakMap<Stored, CachedObject>();

function cachedObject(object: Stored): CachedObject {
  const known = cachedObjects.get(object);
  if (known !== undefined) return known;
  const made = object.kind === "Pod" ? projectPod(object) : projectObject(object, (each) => each);
  cachedObjects.set(object, made);
  return made;
}

interface Informer {
  readonly kind: Kind;
  readonly store: Store<CachedObject>;
  position: number;
}

/** The operator. */
export class SimulatedOperator {
  readonly #world: OperatorWorld;
  readonly #informers: readonly Informer[];
  readonly #observations = new Map<string, Observation>();
  readonly #deps: ReconcileDeps;
  readonly #cache: ClusterCache;
  readonly #busy = new Set<string>();
  /** Requests until it ends. */
  #life: number;
  hasEnded = false;

  /** `life` is the number of its requests. */
  constructor(world: OperatorWorld, life: number) {
    this.#world = world;
    this.#life = life;
    const memory = new ReconcileMemory();
    this.#cache = new ClusterCache({ log: silentLog, addresses: memory.addresses });
    this.#informers = watched.map((name) => {
      const informer = { kind: kinds[name], store: new Store<CachedObject>(), position: 0 };
      const { store } = informer;
      const reflector = { get: (key: string) => store.get(key), list: (of?: string) => store.values(of) };
      this.#cache.addInformer(name, reflector as unknown as Reflector); // the cache only reads it
      return informer;
    });
    this.#deps = this.#createDeps(memory);
    this.#list();
    this.#cache.markSynced();
  }

  /** Keys of the Nodes and Networks that it knows. */
  get keys(): readonly { readonly kind: "node" | "network"; readonly key: string }[] {
    const of = (kind: "node" | "network") =>
      [...this.#cache.list(kind)].map(({ meta }) => ({ kind, key: `${meta.namespace}/${meta.name}` }));
    return [...of("node"), ...of("network")];
  }

  /** Reconciles a Node or a Network, unless another worker does. */
  async reconcile(kind: "node" | "network", key: string): Promise<void> {
    if (this.#busy.has(`${kind} ${key}`) || this.hasEnded) return;
    this.#busy.add(`${kind} ${key}`);
    try {
      const node = kind === "node" ? this.#cache.node(key) : undefined;
      const network = kind === "network" ? this.#cache.network(key) : undefined;
      if (node !== undefined) await reconcile(node, this.#deps);
      if (network !== undefined) await reconcileNetwork(network, this.#deps);
    } catch (error) {
      const isExpected = [OperatorEnded, KubeError, ReconcileError].some((type) => error instanceof type);
      if (!isExpected) throw error;
    } finally {
      this.#busy.delete(`${kind} ${key}`);
    }
  }

  /** An informer sees some of its events; those that are too old are seen by all. */
  watch(): void {
    const informer = this.#informers[Math.floor(this.#world.random() * this.#informers.length)];
    if (informer === undefined) return;
    const { length } = this.#world.api.changes(informer.kind.kind);
    this.#see(informer, informer.position + Math.ceil(this.#world.random() * (length - informer.position)));
  }

  /** Time passes: no event and no observation is too old. */
  keepUp(lagMs = LAG_MS): void {
    for (const informer of this.#informers) {
      const changes = this.#world.api.changes(informer.kind.kind);
      let seen = informer.position;
      while (seen < changes.length && (changes[seen]?.at ?? 0) <= this.#world.now() - lagMs) seen++;
      this.#see(informer, seen);
    }
  }

  /** Polls all nodes. */
  poll(): void {
    const keys = new Set(this.#memberKeys());
    for (const key of this.#observations.keys()) if (!keys.has(key)) this.#observations.delete(key);
    for (const key of keys) this.#pollOne(key);
  }

  #memberKeys(): readonly string[] {
    return this.#cache
      .nodes()
      .flatMap((node) => membersOf(node).map(({ name }) => `${node.meta.namespace}/${name}`));
  }

  #pollOne(key: string): void {
    const address = this.#cache.gateway(key)?.host;
    if (address === undefined) return;
    const process = this.#processAt(address);
    const at = this.#world.clock();
    this.#observations.set(
      key,
      process === undefined
        ? { ok: false, at, address, reason: "GatewayUnreachable", message: "no connection" }
        : { ok: true, at, until: at + FRESH_MS, address, ...this.#report(process) },
    );
  }

  #processAt(address: string): Process | undefined {
    return this.#world.chain.connected.find(({ ip }) => ip === address);
  }

  #report(process: Process) {
    const { chain } = this.#world;
    const { volume, id } = process;
    const peers = chain.connected.filter(
      (each) => each !== process && each.volume.genesis === volume.genesis,
    );
    return {
      id,
      version: "Knit/v0.1.0",
      genesis: hashOf(volume.genesis),
      height: volume.height,
      syncing: false,
      peers: new Set(peers.map((each) => each.id)),
      council: chain.councilOf(process),
      disk: undefined,
    };
  }

  /** Lists all kinds, Nodes last. */
  #list(): void {
    for (const informer of this.#informers) {
      informer.position = this.#world.api.changes(informer.kind.kind).length;
      for (const object of this.#world.api.list(informer.kind.kind))
        if (isWatched(object))
          informer.store.set(`${object.metadata.namespace}/${object.metadata.name}`, cachedObject(object));
    }
    this.#cache.nodes();
  }

  #see(informer: Informer, end: number): void {
    const changes = this.#world.api.changes(informer.kind.kind);
    for (; informer.position < end; informer.position++) {
      const { key, object } = changes[informer.position] ?? { key: "", object: undefined };
      const before = informer.store.get(key);
      if (object !== undefined && isWatched(object)) informer.store.set(key, cachedObject(object));
      else if (before !== undefined) this.#forget(informer, key, before);
    }
  }

  /** As the informers of the operator do it. */
  #forget({ kind, store }: Informer, key: string, before: CachedObject): void {
    store.delete(key);
    if (kind.kind === "Network") this.#deps.memory.recordBlockMark(key, undefined);
    else if (kind.kind === "Node") {
      this.#cache.delete(key);
      this.#deps.memory.deleteNode(key);
    } else this.#deps.applier.forget(kind.kind, before);
  }

  #createDeps(memory: ReconcileMemory): ReconcileDeps {
    const client = this.#client();
    const clock = { now: this.#world.clock };
    const settings = {
      nodeImage: "knit:1",
      gatewayImage: "operator:1",
      operatorNamespace: "ops",
      operatorId: "ops/knit-operator",
      version: "1.0.0",
      peerAddress: "service",
    } as const;
    return {
      client,
      applier: new Applier(client, clock, settings.operatorId),
      events: { record: () => undefined },
      channel: {
        call: async (gateway, method, ...params) => this.#call(gateway.host, method, params),
        [Symbol.dispose]: () => undefined,
      },
      authorities: () => this.#world.authorities,
      settings,
      createKey: this.#world.createKey,
      clock,
      monotonicMs: this.#world.now,
      log: silentLog,
      memory,
      poller: { latest: (key) => this.#observations.get(key), pollSoon: () => undefined },
      cache: this.#cache,
    };
  }

  #call(address: string, method: string, [name, validator]: readonly string[]): boolean {
    if (this.hasEnded) throw new OperatorEnded();
    if (this.#processAt(address) === undefined) throw new ControlError("connect", "no connection");
    if (method === "governance_vote" && validator !== undefined)
      this.#world.chain.vote(validator, name === "governance.addvalidator");
    return true;
  }

  #client(): KubeClient {
    const { api } = this.#world;
    const find = ({ kind }: { kind: string }, { namespace, name }: DraftMeta) =>
      api.find(kind, `${namespace}/${name}`);
    const write = (draft: Draft, act: () => Stored | undefined) =>
      this.#request(() => {
        const before = find(draft, draft.metadata);
        const after = act();
        this.#world.onWrite(before, after);
        return after;
      });
    return {
      get: (kind: Kind, place: DraftMeta) => this.#request(() => find(kind, place)),
      page: () => Promise.resolve({ items: [] }), // events of refused pods, which this API server does not have
      apply: (draft: Draft) => write(draft, () => api.apply(draft, MANAGER)),
      create: (draft: Draft) => write(draft, () => api.create(draft, MANAGER)),
      applyStatus: (draft: Draft & { readonly status: object }) =>
        this.#request(() => {
          const known = present(find(draft, draft.metadata), draft.metadata.resourceVersion);
          return api.patch(known, { status: draft.status });
        }),
      merge: (kind: Kind, place: DraftMeta, { metadata }: { metadata: MetadataPatch }) =>
        this.#request(() => {
          const known = present(find(kind, place), metadata.resourceVersion);
          const merged = { ...known.metadata.annotations, ...metadata.annotations };
          const entries = Object.entries(merged).filter(([, value]) => value !== null);
          const annotations = Object.fromEntries(entries) as Record<string, string>;
          const { finalizers = known.metadata.finalizers } = metadata;
          return api.patch(known, { metadata: { annotations, finalizers } });
        }),
      remove: (kind: Kind, place: DraftMeta, uid: string) =>
        this.#request(() => {
          const known = find(kind, place);
          if (known?.metadata.uid !== uid) return;
          this.#world.onWrite(known, undefined);
          api.remove(known);
        }),
    } as unknown as KubeClient; // reconciliation uses no more of it
  }

  /** Others act first; then the request fails, the operator ends before or after it, or it succeeds. */
  async #request<T>(act: () => T): Promise<T> {
    const { random } = this.#world;
    for (let turn = Math.floor(random() * 3); turn > 0; turn--) await Promise.resolve();
    this.#endIf(--this.#life < 0 && random() < 0.5);
    this.#world.interrupt();
    this.#endIf(this.hasEnded);
    if (this.#life < 1e9 && random() < 0.01) throw new KubeError("server", "the API server is busy");
    const result = act();
    this.#endIf(this.#life < 0);
    if (this.#life < 1e9 && random() < 0.005) throw new KubeError("unreachable", "the response is lost");
    await Promise.resolve();
    return result;
  }

  #endIf(ends: boolean): void {
    if (!ends) return;
    this.hasEnded = true;
    throw new OperatorEnded();
  }
}

interface MetadataPatch {
  readonly resourceVersion?: string;
  readonly annotations?: Readonly<Record<string, string | null>>;
  readonly finalizers?: readonly string[];
}

/** Returns the object of a write with a precondition. Throws `KubeError`. */
function present(known: Stored | undefined, version: string | undefined): Stored {
  if (known === undefined) throw new KubeError("not-found", "no such object");
  if (version !== undefined && version !== known.metadata.resourceVersion)
    throw new KubeError("conflict", "another version");
  return known;
}

function isWatched({ kind, metadata }: Stored): boolean {
  return kind === "Node" || kind === "Network" || metadata.labels?.[labels.managedBy] === MANAGER;
}

const hashes = new Map<string, string>();

/** A hash of block 0, which differs for each genesis. */
function hashOf(genesis: string | undefined): string | undefined {
  if (genesis === undefined) return undefined;
  const known = hashes.get(genesis) ?? `0x${(hashes.size + 1).toString(16).padStart(64, "0")}`;
  hashes.set(genesis, known);
  return known;
}
