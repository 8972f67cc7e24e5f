/** A cluster in memory for reconciling: objects by kind and name, nodes that answer by script, time that stands. */
import { setImmediate as immediate } from "node:timers/promises";
import { ApiError } from "../../operator/api/error.ts";
import { annotations } from "../../operator/api/names.ts";
import {
  type DraftMeta,
  keyOf,
  type NetworkResource,
  type NodeResource,
  readMeta,
  readNetwork,
  readNode,
} from "../../operator/api/resource.ts";
import { identityOf, randomKey } from "../../operator/build/identity.ts";
import type { Credentials } from "../../operator/control/authority.ts";
import type { Authorities } from "../../operator/control/rotation.ts";
import type { CachedObject } from "../../operator/kube/cached-object.ts";
import type { KubeClient } from "../../operator/kube/client.ts";
import { KubeError } from "../../operator/kube/error.ts";
import { kinds } from "../../operator/kube/resources.ts";
import { formatInstant } from "../../operator/observe/clock.ts";
import { silentLog } from "../../operator/observe/log.ts";
import { Applier } from "../../operator/reconcile/applier.ts";
import type { ReconcileDeps } from "../../operator/reconcile/deps.ts";
import { ReconcileMemory } from "../../operator/reconcile/memory.ts";
import type { Observation } from "../../operator/reconcile/observation.ts";
import type { AnyDraft } from "./a-draft.ts";
import { aPod, type PodOptions } from "./a-pod.ts";

/** The core node that is the network's validator. */
export const CORE = { type: "core", network: { name: "net" } };
/** The network: the core node's chain. */
export const NETWORK = { genesis: { create: { chainId: 7, validators: ["core"] } } };

const KEYS = { core: "1".repeat(64), proxy: "2".repeat(64), endpoint: "3".repeat(64) } as const;
type Name = keyof typeof KEYS;

/** The id of the key of a node that runs here. */
export function idOf(name: Name): string {
  return identityOf(KEYS[name])?.id ?? "";
}

type Stored = Record<string, unknown> & { metadata: Record<string, unknown> };

/** A merge patch of annotations: null takes one away. */
function mergeMaps(present: Readonly<Record<string, string>>, patch: object = {}): Record<string, string> {
  const all = Object.entries<string | null>({ ...present, ...patch });
  return Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== null));
}

/** A Node; undefined for one that cannot be read. */
function tryReadNode(object: unknown): NodeResource | undefined {
  try {
    return readNode(object);
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** The cluster. */
export class FakeCluster {
  readonly objects = new Map<string, Stored>();
  /** Writes, a line each. */
  readonly writes: string[] = [];
  readonly events: string[] = [];
  /** Calls to nodes, and their answers. */
  readonly calls: string[] = [];
  answer: (node: string, method: string) => unknown = () => true;
  /** True if the cluster has the kind ServiceMonitor. */
  servesMonitors = false;
  /** Watched namespaces that cannot be read. */
  missingNamespaces: readonly string[] = [];
  /** True while the namespaces of all Nodes are being deleted. */
  isEnding = false;
  /** True if the cluster has the kind HTTPRoute. */
  servesRoutes = false;
  /** Called before a status is written. */
  onStatus: (name: string) => void = () => undefined;
  /** Called before an object is written. */
  onWrite: (kind: string) => void = () => undefined;
  /** Called before an object is deleted. */
  onRemove: (kind: string) => void = () => undefined;
  readonly observations = new Map<string, Observation>();
  now = Date.parse("2026-01-01T00:00:00Z");
  #version = 0;
  authorities: Authorities;

  constructor(authority: Credentials) {
    this.authorities = { current: authority, next: undefined, previous: undefined };
    this.putNetwork(NETWORK);
  }

  /** Puts the Network there to which all Nodes belong. */
  putNetwork(spec: object, noted: Record<string, string> = {}): void {
    const metadata = { name: "net", namespace: "demo", annotations: noted };
    this.put({ apiVersion: "knit.dev/v1alpha1", kind: "Network", metadata, spec });
  }

  /** Puts an object there, as if somebody else had. */
  put(draft: AnyDraft, manager = "knit-operator"): void {
    const known = this.objects.get(this.#key(draft.kind, draft.metadata));
    const generation = Number(known?.metadata["generation"] ?? 0) + 1;
    const metadata = {
      uid: known?.metadata["uid"] ?? `uid-${draft.metadata.name}`,
      finalizers: known?.metadata["finalizers"],
      ...draft.metadata,
      generation,
      resourceVersion: String(++this.#version),
      managedFields: [{ manager }],
    };
    this.objects.set(this.#key(draft.kind, draft.metadata), { ...known, ...draft, metadata });
  }

  /** Puts a Node there. */
  putNode(name: string, spec: object, noted: Record<string, string> = {}): void {
    const present = this.objects.get(`Node demo/${name}`)?.metadata["annotations"] as
      | Readonly<Record<string, string>>
      | undefined;
    const operator = present?.[annotations.operator];
    const kept = operator === undefined ? {} : { [annotations.operator]: operator };
    const metadata = { name, namespace: "demo", annotations: { ...kept, ...noted } };
    const all = { network: { name: "net" }, ...spec };
    this.put({ apiVersion: "knit.dev/v1alpha1", kind: "Node", metadata, spec: all });
  }

  /** Puts a Secret there that a person made. */
  putSecret(name: string, texts: Record<string, string>): void {
    const data = Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString("base64")]);
    const metadata = { name, namespace: "demo" };
    this.put({ apiVersion: "v1", kind: "Secret", metadata, data: Object.fromEntries(data) }, "kubectl");
  }

  /** Puts a Node there whose pod runs and whose knit answers. */
  putRunning(name: Name, peers: readonly Name[], noted: Record<string, string> = {}): void {
    this.putGenesis();
    this.putSecret(`${name}-own`, { nodekey: KEYS[name] });
    const spec = name === "core" ? CORE : { type: name };
    this.putNode(name, { ...spec, nodeKeySecret: { name: `${name}-own` } }, noted);
    this.putPod(name);
    this.observations.set(`demo/${name}`, {
      ok: true,
      at: this.now,
      until: this.now + 45_000,
      address: "10.0.0.1",
      id: idOf(name),
      version: "Knit",
      genesis: `0x${"ab".repeat(32)}`,
      height: 5,
      syncing: false,
      peers: new Set(peers.map(idOf)),
      council: undefined,
      disk: undefined,
    });
  }

  /** Puts the pod of a member there. */
  putPod(name: string, more: PodOptions = {}): void {
    this.put(aPod(name, more));
  }

  /** Deletes a Node as the API server does: it stays while it has finalizers. */
  deleteNode(name: string, ...others: string[]): void {
    const finalizers = [...this.node(name).meta.finalizers, ...others];
    this.#change("Node", name, { metadata: { deletionTimestamp: formatInstant(this.now), finalizers } });
    this.#hold(name, finalizers);
  }

  /** Lets a node tell something else, now. */
  tell(name: string, more: Partial<Observation & { ok: true }>): void {
    const reported = this.observations.get(`demo/${name}`);
    if (reported?.ok !== true) throw new Error(`${name} does not answer`);
    this.observations.set(`demo/${name}`, { ...reported, at: this.now, until: this.now + 45_000, ...more });
  }

  /** A Node's conditions, a line each. */
  conditions(name: string): readonly string[] {
    return (this.node(name).status.conditions ?? []).map(
      ({ type, status, reason }) => `${type} ${status} ${reason}`,
    );
  }

  /** Puts the genesis of the network there. */
  putGenesis(): void {
    const metadata = { name: "net-genesis", namespace: "demo" };
    this.put({ apiVersion: "v1", kind: "ConfigMap", metadata, data: { "genesis.json": "{}" } });
  }

  network(): NetworkResource {
    return readNetwork(this.objects.get("Network demo/net"));
  }

  node(name: string): NodeResource {
    return readNode(this.objects.get(`Node demo/${name}`));
  }

  get(kind: string, name: string): Readonly<Record<string, unknown>> | undefined {
    return this.objects.get(`${kind} demo/${name}`);
  }

  deps(): ReconcileDeps {
    const client = this.#client();
    return {
      client,
      applier: new Applier(client, { now: () => this.now }),
      events: {
        record: (about, reason, message) => void this.events.push(`${about.meta.name} ${reason}: ${message}`),
      },
      channel: {
        call: async (gateway, method, ...params) => {
          const [name = ""] = gateway.name.split(".");
          this.calls.push([name, method, ...params.map((url) => url.slice(0, 14))].join(" "));
          return this.answer(name, method);
        },
        [Symbol.dispose]: () => undefined,
      },
      authorities: () => this.authorities,
      settings: {
        nodeImage: "knit:1",
        gatewayImage: "operator:1",
        operatorNamespace: "ops",
        operatorId: "ops/knit-operator",
        version: "1.0.0",
        peerAddress: "service",
      },
      createKey: randomKey,
      clock: { now: () => this.now },
      monotonicMs: () => this.now,
      log: silentLog,
      memory: new ReconcileMemory(),
      poller: { latest: (key) => this.observations.get(key), pollSoon: () => undefined },
      cache: this.#cache(),
    };
  }

  #cache(): ReconcileDeps["cache"] {
    const missing = (): readonly string[] => this.missingNamespaces;
    return {
      get missingNamespaces() {
        return missing();
      },
      isEnding: () => this.isEnding,
      find: (kind, key) => this.#cached(`${kinds[kind].kind} ${key}`),
      list: (kind) =>
        [...this.objects.keys()]
          .filter((key) => key.startsWith(`${kinds[kind].kind} `))
          .flatMap((key) => this.#cached(key) ?? []),
      node: (key) => {
        const object = this.objects.get(`Node ${key}`);
        return object && tryReadNode(object);
      },
      nodes: () =>
        [...this.objects.values()]
          .filter((each) => each["kind"] === "Node")
          .flatMap((each) => tryReadNode(each) ?? []),
      network: (key) => {
        const object = this.objects.get(`Network ${key}`);
        return object && readNetwork(object);
      },
      serves: (kind) => (kind === "httpRoute" ? this.servesRoutes : this.servesMonitors),
      recordWrite: () => undefined,
    };
  }

  #client(): KubeClient {
    const write = (how: string, draft: AnyDraft): unknown => {
      this.onWrite(draft.kind);
      this.writes.push(`${how} ${draft.kind} ${draft.metadata.name}`);
      this.put(this.#withVolume(draft));
      return this.objects.get(this.#key(draft.kind, draft.metadata));
    };
    return {
      get: async ({ kind }: { kind: string }, place: DraftMeta) => this.objects.get(this.#key(kind, place)),
      page: async ({ kind: { kind } }: { kind: { kind: string } }) => ({
        items: [...this.objects.values()].filter((each) => each["kind"] === kind),
      }),
      apply: async (draft: AnyDraft) => write("apply", draft),
      applyStatus: async (draft: AnyDraft) => {
        this.writes.push(`status ${draft.metadata.name}`);
        this.onStatus(draft.metadata.name);
        await immediate(); // others work meanwhile
        this.#checkVersion(draft);
        return this.#change(draft.kind, draft.metadata.name, { status: draft["status"] });
      },
      replace: async (draft: AnyDraft) => {
        const known = this.objects.get(this.#key(draft.kind, draft.metadata));
        if (known?.metadata["resourceVersion"] !== draft.metadata.resourceVersion)
          throw new KubeError("conflict", "another version");
        return write("replace", draft);
      },
      create: async (draft: AnyDraft) => {
        if (this.objects.has(this.#key(draft.kind, draft.metadata)))
          throw new KubeError("already-exists", "there");
        return write("create", draft);
      },
      merge: async (
        { kind }: { kind: string },
        { name }: DraftMeta,
        { metadata }: { metadata: { resourceVersion: string; annotations?: object; finalizers?: string[] } },
      ) => {
        if (this.get(kind, name) === undefined) throw new KubeError("not-found", name);
        const { annotations: present, resourceVersion } = this.node(name).meta;
        if (metadata.resourceVersion !== resourceVersion) throw new KubeError("conflict", "another version");
        if (metadata.finalizers !== undefined) {
          this.writes.push(`finalizers ${name}`);
          this.#change("Node", name, { metadata: { annotations: mergeMaps(present, metadata.annotations) } });
          return this.#hold(name, metadata.finalizers);
        }
        this.writes.push(`merge ${name}`);
        return this.#change("Node", name, {
          metadata: { annotations: mergeMaps(present, metadata.annotations) },
        });
      },
      remove: async ({ kind }: { kind: string }, place: DraftMeta) => {
        this.onRemove(kind);
        this.writes.push(`delete ${kind} ${place.name}`);
        this.objects.delete(this.#key(kind, place));
      },
    } as unknown as KubeClient; // reconciling uses no more of it
  }

  /** A claim keeps the volume that it was bound to. */
  #withVolume(draft: AnyDraft): AnyDraft {
    if (draft.kind !== "PersistentVolumeClaim") return draft;
    const spec = this.objects.get(this.#key(draft.kind, draft.metadata))?.["spec"] as object | undefined;
    return { ...draft, spec: { ...spec, ...(draft["spec"] as object) } };
  }

  /** A draft that carries a version is refused when the object has another one. */
  #checkVersion({ kind, metadata }: AnyDraft): void {
    const version = this.objects.get(this.#key(kind, metadata))?.metadata["resourceVersion"];
    if (metadata.resourceVersion !== undefined && metadata.resourceVersion !== version)
      throw new KubeError("conflict", "another version");
  }

  /** A Node that is being deleted goes with its last finalizer. */
  #hold(name: string, finalizers: readonly string[]): Stored {
    const changed = this.#change("Node", name, { metadata: { finalizers } });
    if (this.node(name).meta.deleted && finalizers.length === 0) this.objects.delete(`Node demo/${name}`);
    return changed;
  }

  #change(
    kind: string,
    name: string,
    { metadata, ...rest }: { metadata?: object; status?: unknown },
  ): Stored {
    const known = this.objects.get(`${kind} demo/${name}`);
    if (known === undefined) throw new KubeError("not-found", name);
    const meta = { ...known.metadata, ...metadata, resourceVersion: String(++this.#version) };
    const changed = { ...known, ...rest, metadata: meta };
    this.objects.set(`${kind} demo/${name}`, changed);
    return changed;
  }

  #cached(key: string): CachedObject | undefined {
    const object = this.objects.get(key);
    return object && { meta: readMeta(object), object };
  }

  #key(kind: string, { namespace, name }: DraftMeta): string {
    return `${kind} ${keyOf({ namespace, name })}`;
  }
}
