/**
 * Controllers and kubelets of random histories. Each acts in its own time on what the API server has: StatefulSets make
 * and end pods, claims are bound, machines start and end processes, and objects go with their owners.
 */
import { pod as podNames } from "../../../operator/api/names.ts";
import { identityOf } from "../../../operator/build/identity.ts";
import type { ClusterApi, Stored } from "./api.ts";
import type { Chain, Volume } from "./chain.ts";

interface SetSpec {
  readonly replicas: number;
  readonly template: { readonly metadata: object; readonly spec: PodSpec };
}

interface PodSpec {
  readonly nodeName?: string;
  readonly containers: readonly {
    readonly image: string;
    readonly env?: readonly { readonly name: string; readonly value?: string }[];
  }[];
  readonly volumes: readonly {
    readonly name: string;
    readonly configMap?: { readonly name: string; readonly items?: readonly { readonly key: string }[] };
    readonly secret?: { readonly secretName: string; readonly items?: readonly { readonly key: string }[] };
    readonly persistentVolumeClaim?: { readonly claimName: string };
  }[];
}

/** Image whose node never serves. */
export const BROKEN_IMAGE = "knit:broken";
const MANAGER = "kubernetes";
/** Time after which pods of an unreachable machine are not ready, and after which they are evicted. */
const UNREACHABLE_MS = 40_000;
const EVICTED_MS = 300_000;

const keyOf = ({ metadata }: Stored): string => `${metadata.namespace}/${metadata.name}`;
const uidOf = ({ metadata }: Stored): string => metadata.uid;

/** The controllers. */
export class Kubernetes {
  readonly #api: ClusterApi;
  readonly #chain: Chain;
  readonly #random: () => number;
  readonly #now: () => number;
  /** Time since which a machine is not reached. */
  readonly #awaySince = new Map<string, number>();
  /** Volumes of pods that have started, which a restarted container keeps. */
  readonly #mounted = new Map<string, Volume>();
  #address = 0;
  /** Called for each process that starts. */
  onStart: (pod: string) => void = () => undefined;

  constructor(
    api: ClusterApi,
    chain: Chain,
    options: { readonly random: () => number; readonly now: () => number },
  ) {
    this.#api = api;
    this.#chain = chain;
    this.#random = options.random;
    this.#now = options.now;
  }

  /** One controller acts once. */
  step(): void {
    const sets = this.#api.list("StatefulSet");
    const pods = this.#api.list("Pod");
    const acts = [
      ...sets.map((set) => () => this.#reconcileSet(set)),
      ...pods.map((pod) => () => this.#runPod(pod)),
      ...pods.map((pod) => () => this.#runPod(pod)),
      () => this.#bindClaims(),
      () => this.#collect(),
      () => this.#watchMachines(),
      () => this.#observeBudgets(),
    ];
    acts[Math.floor(this.#random() * acts.length)]?.();
  }

  /** All controllers act. */
  stepAll(): void {
    this.#watchMachines();
    this.#collect();
    this.#bindClaims();
    for (const set of this.#api.list("StatefulSet")) this.#reconcileSet(set);
    for (const pod of this.#api.list("Pod")) this.#runPod(pod);
    this.#observeBudgets();
  }

  /** Kubelets report the readiness of their pods, and controllers count it, which takes seconds at most. */
  reportPods(): void {
    this.#watchMachines();
    for (const pod of this.#api.list("Pod")) {
      const process = this.#chain.processes.get(uidOf(pod));
      const isReached = this.#chain.machines.get((pod["spec"] as PodSpec).nodeName ?? "") === "up";
      if (process !== undefined && isReached) this.#report(pod, this.#chain.isLevel(process), process.ip);
      else if (process === undefined && isReached && isReady(pod)) this.#report(pod, false, "");
    }
    this.#observeBudgets();
  }

  /** Evicts a pod as a drain does; false when a budget refuses it. */
  evict(pod: Stored): boolean {
    this.#observeBudgets(); // the disruption controller follows pods within a second
    const budgets = this.#api.list("PodDisruptionBudget").filter((budget) => selects(budget, pod));
    const isUnready = !isReady(pod);
    for (const budget of isUnready ? [] : budgets) {
      const { observedGeneration = 0, disruptionsAllowed = 0 } = (budget["status"] ?? {}) as BudgetStatus;
      if (observedGeneration < budget.metadata.generation || disruptionsAllowed <= 0) return false;
      const status = { observedGeneration, disruptionsAllowed: disruptionsAllowed - 1 };
      this.#api.patch(budget, { status });
    }
    this.#api.remove(pod);
    return true;
  }

  /** As the disruption controller counts: the pods that exist, and the scale of their controllers. */
  #observeBudgets(): void {
    for (const budget of this.#api.list("PodDisruptionBudget")) {
      const pods = this.#api.list("Pod").filter((pod) => selects(budget, pod));
      const { maxUnavailable, minAvailable } = budget["spec"] as BudgetSpec;
      const healthy = pods.filter(
        (pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined,
      ).length;
      const desired = minAvailable ?? pods.length - (maxUnavailable ?? 0);
      const disruptionsAllowed = Math.max(0, healthy - desired);
      const status = { observedGeneration: budget.metadata.generation, disruptionsAllowed };
      this.#api.patch(budget, { status });
    }
  }

  /** The process of a pod ends; its machine starts it again. */
  crash(uid: string): void {
    this.#chain.processes.delete(uid);
  }

  /** Ends a pod object at once, as `kubectl delete --force` does. */
  forget(pod: Stored): void {
    this.#chain.processes.delete(uidOf(pod));
    this.#api.drop(pod);
  }

  #reconcileSet(set: Stored): void {
    const { replicas, template } = set["spec"] as SetSpec;
    const key = `${keyOf(set)}-0`;
    const pod = this.#api.find("Pod", key);
    if (pod === undefined && replicas > 0) this.#createPod(set, template);
    const isOwn = pod?.metadata.ownerReferences?.some(({ uid }) => uid === uidOf(set)) === true;
    const isCurrent = replicas > 0 && pod?.["revision"] === JSON.stringify(template);
    if (pod !== undefined && isOwn && !isCurrent) this.#api.remove(pod);
    const status = {
      replicas: this.#api.find("Pod", key) === undefined ? 0 : 1,
      observedGeneration: set.metadata.generation,
    };
    this.#api.patch(set, { status });
  }

  #createPod(set: Stored, template: SetSpec["template"]): void {
    const { namespace, name } = set.metadata;
    const owner = { apiVersion: "apps/v1", kind: "StatefulSet", name, uid: uidOf(set), controller: true };
    const metadata = { ...template.metadata, namespace, name: `${name}-0`, ownerReferences: [owner] };
    const fields = { spec: template.spec, revision: JSON.stringify(template), status: { phase: "Pending" } };
    this.#api.create({ apiVersion: "v1", kind: "Pod", metadata, ...fields }, MANAGER);
  }

  #runPod(pod: Stored): void {
    const { nodeName } = pod["spec"] as PodSpec;
    if (nodeName === undefined) {
      const up = [...this.#chain.machines].filter(([, state]) => state === "up").map(([name]) => name);
      const machine = up[Math.floor(this.#random() * up.length)];
      if (pod.metadata.deletionTimestamp !== undefined) this.#api.drop(pod);
      else if (machine !== undefined && this.#claimed(pod) !== undefined)
        this.#api.patch(pod, { spec: { ...(pod["spec"] as object), nodeName: machine } });
      return;
    }
    if (this.#chain.machines.get(nodeName) !== "up") return;
    const process = this.#chain.processes.get(uidOf(pod));
    if (pod.metadata.deletionTimestamp !== undefined) {
      this.#chain.processes.delete(uidOf(pod));
      this.#api.drop(pod);
    } else if (process === undefined) this.#start(pod, nodeName);
    else this.#report(pod, this.#chain.isLevel(process), process.ip);
  }

  /** Starts the node of a pod when all that it mounts is there. */
  #start(pod: Stored, machine: string): void {
    const { namespace, name } = pod.metadata;
    const volume = this.#mounted.get(uidOf(pod)) ?? this.#claimed(pod);
    const files = this.#filesOf(pod);
    const identity = files && identityOf(files.key);
    if (files === undefined || identity === undefined || volume === undefined) return;
    const expected = expectedAddress(pod);
    if (expected !== undefined && expected !== identity.address) return; // the node refuses another key
    volume.genesis ??= files.genesis;
    if (volume.genesis !== files.genesis || this.#isMounted(volume)) return; // `init` refuses, or it does not attach
    const { isGated } = files;
    const isBroken = (pod["spec"] as PodSpec).containers[0]?.image === BROKEN_IMAGE;
    const ip = `10.0.${Math.floor(++this.#address / 250)}.${this.#address % 250}`;
    const member = `${namespace}/${name.replace(/-0$/, "")}`;
    this.#chain.processes.set(uidOf(pod), { member, machine, ip, volume, ...identity, isGated, isBroken });
    this.#mounted.set(uidOf(pod), volume);
    this.#report(pod, false, ip);
    this.onStart(uidOf(pod));
  }

  /** Returns what a pod mounts besides its volume; undefined while a part of it is missing. */
  #filesOf(pod: Stored) {
    const key = this.#fileOf(pod, "nodekey");
    const genesis = this.#fileOf(pod, "genesis");
    const settings = this.#mapOf(pod, "settings");
    if (key === undefined || genesis === undefined || settings === undefined) return undefined;
    const isGated = settings["min-height"] !== undefined;
    return { key: Buffer.from(key, "base64").toString(), genesis, isGated };
  }

  /** Returns the first file of a mounted Secret or ConfigMap. */
  #fileOf(pod: Stored, volume: string): string | undefined {
    const source = sourceOf(pod, volume);
    const [item] = source?.items ?? [];
    return item && this.#mapOf(pod, volume)?.[item.key];
  }

  #mapOf(pod: Stored, volume: string): Readonly<Record<string, string>> | undefined {
    const source = sourceOf(pod, volume);
    const found = source && this.#api.find(source.kind, `${pod.metadata.namespace}/${source.name}`);
    return found?.["data"] as Readonly<Record<string, string>> | undefined;
  }

  #isMounted(volume: Volume): boolean {
    return [...this.#chain.processes.values()].some((each) => each.volume === volume);
  }

  /** Returns the volume of a pod's claim, which a new pod gets only while the claim is not being deleted. */
  #claimed(pod: Stored): Volume | undefined {
    const { volumes } = pod["spec"] as PodSpec;
    const name = volumes.find((each) => each.persistentVolumeClaim)?.persistentVolumeClaim?.claimName;
    const found = this.#api.find("PersistentVolumeClaim", `${pod.metadata.namespace}/${name}`);
    if (found === undefined || found.metadata.deletionTimestamp !== undefined) return undefined;
    return this.#chain.volumes.get(volumeName(found) ?? "");
  }

  #report(pod: Stored, ready: boolean, ip: string): void {
    const { podIP = ip } = (pod["status"] ?? {}) as { podIP?: string };
    this.#api.patch(pod, {
      status: {
        phase: "Running",
        podIP: ip || podIP,
        conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
        containerStatuses: [{ name: "node", started: true, restartCount: 0 }],
      },
    });
  }

  /** Claims get volumes, and those that are deleted go once no pod has them. */
  #bindClaims(): void {
    for (const claim of this.#api.list("PersistentVolumeClaim")) {
      const pod = this.#api.find("Pod", keyOf(claim).replace(/-data$/, "-0"));
      if (claim.metadata.deletionTimestamp !== undefined) {
        if (pod === undefined || (pod["spec"] as PodSpec).nodeName === undefined) this.#api.drop(claim);
        continue;
      }
      const volume = volumeName(claim) ?? this.#chain.addVolume().name;
      const spec = { ...(claim["spec"] as object), volumeName: volume };
      this.#api.patch(claim, { spec, status: { phase: "Bound", capacity: { storage: "100Gi" } } });
    }
  }

  /** Objects whose owner is gone go, pods with their grace period. Certificates stay: issuing them is slow. */
  #collect(): void {
    const uids = new Set([...this.#api.objects.values()].map(uidOf));
    for (const object of this.#api.objects.values()) {
      const owners = object.metadata.ownerReferences ?? [];
      const isKept = owners.length === 0 || owners.some(({ uid }) => uids.has(uid));
      if (!isKept && !object.metadata.name.endsWith("-gateway")) this.#api.remove(object);
    }
  }

  /** Pods of unreachable machines are not ready, and evicted later. */
  #watchMachines(): void {
    for (const [machine, state] of this.#chain.machines) {
      if (state === "up") this.#awaySince.delete(machine);
      else if (!this.#awaySince.has(machine)) this.#awaySince.set(machine, this.#now());
    }
    for (const pod of this.#api.list("Pod")) {
      const since = this.#awaySince.get((pod["spec"] as PodSpec).nodeName ?? "");
      const away = since === undefined ? 0 : this.#now() - since;
      const { podIP } = pod["status"] as { podIP?: string };
      if (away > EVICTED_MS) this.#api.remove(pod);
      else if (away > UNREACHABLE_MS && podIP !== undefined) this.#report(pod, false, podIP);
    }
  }
}

interface Source {
  readonly kind: "Secret" | "ConfigMap";
  readonly name: string;
  readonly items?: readonly { readonly key: string }[] | undefined;
}

/** Returns the Secret or the ConfigMap of a pod's volume. */
function sourceOf(pod: Stored, volume: string): Source | undefined {
  const { secret, configMap } = (pod["spec"] as PodSpec).volumes.find(({ name }) => name === volume) ?? {};
  if (secret !== undefined) return { kind: "Secret", name: secret.secretName, items: secret.items };
  return configMap && { kind: "ConfigMap", ...configMap };
}

/** Returns the address that the node of a pod compares with its key. */
function expectedAddress(pod: Stored): string | undefined {
  const [container] = (pod["spec"] as PodSpec).containers;
  return container?.env?.find(({ name }) => name === podNames.addressVariable)?.value;
}

interface BudgetStatus {
  readonly observedGeneration?: number;
  readonly disruptionsAllowed?: number;
}

interface BudgetSpec {
  readonly maxUnavailable?: number;
  readonly minAvailable?: number;
  readonly selector: {
    readonly matchLabels: Readonly<Record<string, string>>;
    readonly matchExpressions?: readonly { readonly key: string; readonly values: readonly string[] }[];
  };
}

function selects(budget: Stored, { metadata: { namespace, labels = {} } }: Stored): boolean {
  const { matchLabels, matchExpressions = [] } = (budget["spec"] as BudgetSpec).selector;
  return (
    budget.metadata.namespace === namespace &&
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, values }) => values.includes(labels[key] ?? ""))
  );
}

/** True for a pod with the condition Ready. */
export function isReady(pod: Stored): boolean {
  const { conditions = [] } = pod["status"] as { conditions?: { type: string; status: string }[] };
  return conditions.some(({ type, status }) => type === "Ready" && status === "True");
}

function volumeName(claim: Stored): string | undefined {
  return (claim["spec"] as { volumeName?: string }).volumeName;
}
