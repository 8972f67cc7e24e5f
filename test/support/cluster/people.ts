/** People, machines and mishaps of random histories. */
import { annotations } from "../../../operator/api/names.ts";
import type { Draft } from "../../../operator/api/resource.ts";
import type { ClusterApi, Stored } from "./api.ts";
import type { History } from "./history.ts";
import { BROKEN_IMAGE } from "./kubernetes.ts";
import { allowKey, annotate, keyOf, restoreOne, TWIN } from "./repair.ts";
import { aNode, isSuspended, PEOPLE, statusOf } from "./scene.ts";

const HOUR_MS = 3_600_000;
/** Height from which every operator has recorded the volumes. */
const RECORDED_HEIGHT = 60;

/** People. */
export class People {
  /** True once keys, volumes or second Nodes give a reason to end a pod. */
  touchesIdentity = false;
  /** Objects that were deleted or changed, to restore them. */
  readonly copies = new Map<string, Stored>();
  /** Nodes whose volumes were to be given up. */
  readonly renewed = new Set<string>();
  readonly #history: History;
  readonly #random: () => number;

  constructor(history: History, random: () => number) {
    this.#history = history;
    this.#random = random;
  }

  get #api(): ClusterApi {
    return this.#history.api;
  }

  /** Somebody does something. */
  act(): void {
    const acts: readonly (readonly [weight: number, act: () => string | undefined])[] = [
      [10, () => this.#suspend()],
      [6, () => this.#delete()],
      [8, () => this.#recreate()],
      [16, () => this.#setImage()],
      [3, () => this.#deleteSecret()],
      [2, () => this.#changeSecret()],
      [6, () => this.restore()],
      [2, () => this.#deleteGenesis()],
      [3, () => this.#deleteClaim()],
      [2, () => this.#wipe()],
      [5, () => this.#deletePod()],
      [5, () => this.#crash()],
      [10, () => this.#changeMachine()],
      [4, () => this.#forceDelete()],
      [6, () => this.#drain()],
      [2, () => this.#addTwin()],
      [3, () => this.#changeCouncil()],
      [3, () => this.#jump()],
      [2, () => this.#deleteNetwork()],
      [2, () => this.#scale()],
      ...(this.#history.renews ? ([[12, () => this.#renew()]] as const) : []),
      ...(this.#history.moves ? ([[4, () => this.#orphan()]] as const) : []),
      ...(this.#history.moves ? ([[6, () => this.#moveKey()]] as const) : []),
    ];
    let left = this.#random() * acts.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, act] of acts) {
      left -= weight;
      if (left >= 0) continue;
      const text = act();
      if (text !== undefined) this.#history.note(text);
      return;
    }
  }

  /** Puts one object back. */
  restore(): string | undefined {
    const copy = this.#pick([...this.copies.values()]);
    if (copy === undefined || !restoreOne(this.#api, copy)) return undefined;
    this.copies.delete(`${copy.kind} ${copy.metadata.namespace}/${copy.metadata.name}`);
    return `restore ${copy.kind} ${copy.metadata.name}`;
  }

  #pick<T>(list: readonly T[]): T | undefined {
    return list[Math.floor(this.#random() * list.length)];
  }

  #node(): Stored | undefined {
    return this.#pick(this.#api.list("Node"));
  }

  #suspend(): string | undefined {
    const node = this.#node();
    if (node === undefined) return undefined;
    const suspend = !isSuspended(node);
    this.#api.patch(node, { spec: { ...(node["spec"] as object), suspend } });
    return `${suspend ? "suspend" : "resume"} ${keyOf(node)}`;
  }

  /** The records are in the statuses of Nodes and Networks: one of both always stays. */
  #delete(): string | undefined {
    const node = this.#node();
    const network = this.#api.find("Network", `${node?.metadata.namespace}/net`);
    if (node === undefined || statusOf(network).genesis === undefined) return undefined;
    this.#api.remove(node);
    return `delete ${keyOf(node)}`;
  }

  #recreate(): string | undefined {
    const { networks, nodes } = this.#history.scene;
    const missing = [...networks, ...nodes].filter(
      ({ kind, metadata: { namespace, name } }) => this.#api.find(kind, `${namespace}/${name}`) === undefined,
    );
    const draft = this.#pick(missing.filter((each) => !this.#hasChangedSecret(each)));
    if (draft === undefined) return undefined;
    this.#api.create(draft, PEOPLE);
    return `create ${draft.kind} ${draft.metadata.namespace}/${draft.metadata.name}`;
  }

  /** True for a Node that names a changed Secret: no status has its former key, so it would have the other one for good. */
  #hasChangedSecret(draft: Draft): boolean {
    const { nodeKeySecret } = (draft as unknown as Stored)["spec"] as {
      readonly nodeKeySecret?: { readonly name: string };
    };
    const key = `${draft.metadata.namespace}/${nodeKeySecret?.name}`;
    return this.copies.has(`Secret ${key}`) && this.#api.find("Secret", key) !== undefined;
  }

  #setImage(): string | undefined {
    const node = this.#node();
    const image = this.#random() < 0.15 ? BROKEN_IMAGE : this.#pick(["knit:1", "knit:2", "knit:3"]);
    if (node === undefined) return undefined;
    this.#api.patch(node, { spec: { ...(node["spec"] as object), image } });
    return `${keyOf(node)} gets ${image}`;
  }

  #secret(): Stored | undefined {
    const node = this.#node();
    if (node === undefined || node.metadata.name === TWIN || statusOf(node).address === undefined)
      return undefined;
    return this.#api.find("Secret", `${node.metadata.namespace}/${keySecretOf(node).name}`);
  }

  #deleteSecret(): string | undefined {
    const secret = this.#secret();
    if (secret === undefined) return undefined;
    this.#copy(secret);
    this.#api.remove(secret);
    return `delete Secret ${keyOf(secret)}`;
  }

  #changeSecret(): string | undefined {
    const secret = this.#secret();
    const isShared = this.#api.list("Node").some(({ metadata }) => metadata.name === TWIN);
    if (secret === undefined || isShared || this.copies.has(`Secret ${keyOf(secret)}`)) return undefined;
    const other = this.#random() < 0.5 ? this.#otherSecret(secret) : undefined;
    this.#copy(secret);
    const made = { nodekey: Buffer.from(this.#history.createKey()).toString("base64") };
    this.#api.patch(secret, { data: other?.["data"] ?? made });
    return `${other === undefined ? "another key" : `the key of ${keyOf(other)}`} in Secret ${keyOf(secret)}`;
  }

  /** Another validator's Secret, for that of a validator whose address its Network records if its Node is deleted. */
  #otherSecret(secret: Stored): Stored | undefined {
    const others = this.#api.list("Secret").filter((each) => each !== secret && isValidators(each));
    return isValidators(secret) ? this.#pick(others) : undefined;
  }

  #copy(object: Stored): void {
    this.touchesIdentity = true;
    const key = `${object.kind} ${keyOf(object)}`;
    if (!this.copies.has(key)) this.copies.set(key, object);
  }

  #deleteGenesis(): string | undefined {
    const network = this.#pick(this.#api.list("Network"));
    if (network === undefined || statusOf(network).genesis === undefined) return undefined;
    const maps = this.#api.list("ConfigMap").filter(({ metadata }) => metadata.name.endsWith("genesis"));
    const map = maps.find(({ metadata }) => metadata.namespace === network.metadata.namespace);
    if (map === undefined) return undefined;
    // One that an operator made is its own to rebuild, byte for byte.
    const isMade = map.metadata.name === `${network.metadata.name}-genesis`;
    if (!isMade || this.#random() < 0.5) this.#copy(map);
    this.#api.remove(map);
    return `delete ConfigMap ${keyOf(map)}`;
  }

  /** A Node whose volume is recorded, beside a Network. */
  #recordedNode(): Stored | undefined {
    const node = this.#node();
    const network = this.#api.find("Network", `${node?.metadata.namespace}/net`);
    const { volume } = statusOf(node).members?.[0] ?? {};
    const isDeep = (this.#history.chain.main?.height ?? 0) > RECORDED_HEIGHT;
    return network !== undefined && volume !== undefined && isDeep ? node : undefined;
  }

  #deleteClaim(): string | undefined {
    const node = this.#recordedNode();
    const claim = node && this.#api.find("PersistentVolumeClaim", `${keyOf(node)}-data`);
    if (claim === undefined || this.copies.has(`PersistentVolumeClaim ${keyOf(claim)}`)) return undefined;
    this.#copy(claim);
    this.#api.remove(claim);
    return `delete claim ${keyOf(claim)}`;
  }

  /** Empties a volume in place, while another node has the chain. */
  #wipe(): string | undefined {
    const node = this.#recordedNode();
    const { chain, kubernetes } = this.#history;
    if (node === undefined || node.metadata.deletionTimestamp !== undefined) return undefined;
    const pod = this.#api.find("Pod", `${keyOf(node)}-0`);
    const process = chain.processes.get(pod?.metadata.uid ?? "");
    const isKept = chain.connected.some((each) => {
      const claim = this.#api.find("PersistentVolumeClaim", `${each.member}-data`);
      const stays = claim !== undefined && claim.metadata.deletionTimestamp === undefined;
      return each !== process && each.volume.chain !== undefined && stays;
    });
    const isFirst = [...chain.processes.values()].every(({ volume }) => volume.height > 0);
    if (pod === undefined || process === undefined || !isKept || !isFirst) return undefined;
    this.touchesIdentity = true;
    kubernetes.crash(pod.metadata.uid);
    Object.assign(process.volume, { genesis: undefined, chain: undefined, height: 0 });
    return `wipe the volume of ${keyOf(node)}`;
  }

  #deletePod(): string | undefined {
    const pod = this.#pick(this.#api.list("Pod"));
    if (pod === undefined) return undefined;
    this.#api.remove(pod);
    return `delete pod ${keyOf(pod)}`;
  }

  #crash(): string | undefined {
    const pod = this.#pick(this.#api.list("Pod"));
    if (pod === undefined) return undefined;
    this.#history.kubernetes.crash(pod.metadata.uid);
    return `crash ${keyOf(pod)}`;
  }

  #changeMachine(): string | undefined {
    const { machines, processes } = this.#history.chain;
    const [name, state] = this.#pick([...machines]) ?? ["", "up"];
    if (state !== "up") machines.set(name, "up");
    else machines.set(name, this.#random() < 0.5 ? "cut" : "dead");
    const next = machines.get(name);
    for (const [pod, { machine }] of next === "dead" ? [...processes] : [])
      if (machine === name) processes.delete(pod);
    return `${name} is ${next}`;
  }

  /** A pod of a machine that has failed for good, as the message of `MachineLost` says. */
  #forceDelete(): string | undefined {
    const { chain, kubernetes } = this.#history;
    const pods = this.#api.list("Pod").filter((pod) => chain.machines.get(machineOf(pod)) === "dead");
    const pod = this.#pick(pods);
    if (pod === undefined) return undefined;
    kubernetes.forget(pod);
    return `force the deletion of ${keyOf(pod)}`;
  }

  /** Drains a machine, or all of them one after another, as the renewal of a cluster does. */
  #drain(): string | undefined {
    const { machines } = this.#history.chain;
    const one = this.#pick([...machines.keys()]) ?? "";
    const drained = this.#random() < 0.4 ? [...machines.keys()] : [one];
    for (const machine of drained) {
      for (const pod of this.#api.list("Pod")) {
        const isThere = machineOf(pod) === machine && pod.metadata.deletionTimestamp === undefined;
        if (isThere && machines.get(machine) === "up") this.#history.evict(pod);
      }
    }
    return `drain ${drained.length > 1 ? "every machine" : one}`;
  }

  /** Another Node that names a key in use. */
  #addTwin(): string | undefined {
    const node = this.#node();
    const { height = 0 } = this.#history.chain.main ?? {};
    // Blocks that no status shows are nobody's: a sole validator would make the first ones again.
    const validators = this.#history.scene.nodeKeys.filter((key) => key.includes("/core")).length;
    const isFirst = height === 0 && validators > 1;
    const isRecorded = isFirst || height > RECORDED_HEIGHT;
    if (node === undefined || statusOf(node).address === undefined || !isRecorded) return undefined;
    const { namespace, name } = node.metadata;
    if (name === TWIN || this.#api.find("Node", `${namespace}/${TWIN}`) !== undefined) return undefined;
    const nodeKeySecret = keySecretOf(node);
    if (this.copies.has(`Secret ${namespace}/${nodeKeySecret.name}`)) return undefined;
    this.touchesIdentity = true;
    this.#api.create(aNode({ namespace, name: TWIN }, { type: "core", nodeKeySecret }), PEOPLE);
    return `a second Node with the key of ${keyOf(node)}`;
  }

  /** Deletes a Node without its objects, and gives its key to another Node. */
  #orphan(): string | undefined {
    const node = this.#recordedNode();
    if (node === undefined || node.metadata.name === TWIN || statusOf(node).address === undefined)
      return undefined;
    const { namespace, name, uid } = node.metadata;
    if (this.#api.find("Node", `${namespace}/${TWIN}`) !== undefined) return undefined;
    const nodeKeySecret = keySecretOf(node);
    if (this.copies.has(`Secret ${namespace}/${nodeKeySecret.name}`)) return undefined;
    this.touchesIdentity = true;
    for (const object of this.#api.objects.values()) {
      const { ownerReferences = [] } = object.metadata;
      if (!ownerReferences.some((owner) => owner.uid === uid)) continue;
      const others = ownerReferences.filter((owner) => owner.uid !== uid);
      this.#api.patch(object, { metadata: { ownerReferences: others } });
    }
    this.#api.drop(node);
    this.#api.create(aNode({ namespace, name: TWIN }, { type: "core", nodeKeySecret }), PEOPLE);
    return `delete ${namespace}/${name} without its objects, for a Node with its key`;
  }

  /** A core node gets the key of another one, with permission. */
  #moveKey(): string | undefined {
    const cores = this.#api
      .list("Node")
      .filter((node) => statusOf(node).address !== undefined && isCore(node));
    const [node, other] = [this.#pick(cores), this.#pick(cores)];
    if (node === undefined || other === undefined || node === other) return undefined;
    const { namespace, name } = node.metadata;
    const isRecorded = statusOf(this.#api.find("Network", `${namespace}/net`)).genesis !== undefined;
    const isFirst = !isRecorded && !other.metadata.name.startsWith("core"); // the genesis would have the other key
    if (namespace !== other.metadata.namespace || !name.startsWith("core") || isFirst) return undefined;
    const nodeKeySecret = keySecretOf(other);
    if (this.copies.has(`Secret ${namespace}/${nodeKeySecret.name}`)) return undefined;
    this.touchesIdentity = true;
    allowKey(this.#api, node, { ...(node["spec"] as object), nodeKeySecret }, `${this.#random()}`);
    return `${keyOf(node)} gets the key of ${keyOf(other)}`;
  }

  #changeCouncil(): string | undefined {
    const node = this.#node();
    if (node === undefined || (node["spec"] as { type: string }).type !== "core") return undefined;
    const operation = this.#random() < 0.5 ? "join-council" : "leave-council";
    annotate(this.#api, node, { [annotations.run]: operation });
    return `${operation} ${keyOf(node)}`;
  }

  /** Asks for another volume of a replica. */
  #renew(): string | undefined {
    const node = this.#node();
    if (node === undefined) return undefined;
    const { replicas = 1 } = node["spec"] as { replicas?: number };
    const operation = this.#random() < 0.7 ? "replace" : "resync";
    const index = Math.floor(this.#random() * replicas);
    const member = index === 0 ? node.metadata.name : `${node.metadata.name}-m${index}`;
    annotate(this.#api, node, { [annotations.run]: `${operation}:${member}` });
    this.renewed.add(keyOf(node));
    return `${operation} ${member} of ${node.metadata.namespace}`;
  }

  #jump(): string {
    const reach = this.#history.moves && this.#random() < 0.5 ? 30 * 24 : 4;
    const to = this.#random() < 0.4 ? 0 : (this.#random() - 0.5) * reach * HOUR_MS;
    this.#history.skew = Math.round(to);
    return `the operator's clock differs by ${this.#history.skew / 1_000} s`;
  }

  #deleteNetwork(): string | undefined {
    const network = this.#pick(this.#api.list("Network"));
    if (network === undefined) return undefined;
    const { namespace } = network.metadata;
    const nodes = this.#history.scene.nodeKeys.filter((key) => key.startsWith(`${namespace}/`));
    const areThere = nodes.every((key) => {
      const node = this.#api.find("Node", key);
      return node?.metadata.deletionTimestamp === undefined && statusOf(node).genesis !== undefined;
    });
    if (!areThere || [...this.copies.keys()].some((key) => key.includes("Claim"))) return undefined;
    // The genesis, or the record of it in the Network, is needed to have the same chain again.
    const maps = this.#api.list("ConfigMap").filter(({ metadata }) => metadata.namespace === namespace);
    if (!maps.some(({ metadata }) => metadata.name.endsWith("genesis"))) return undefined;
    this.#api.remove(network);
    return `delete Network ${keyOf(network)}`;
  }

  #scale(): string | undefined {
    const node = this.#api.find("Node", "demo/endpoint");
    if (node === undefined) return undefined;
    const replicas = 1 + Math.floor(this.#random() * 3);
    this.#api.patch(node, { spec: { ...(node["spec"] as object), replicas } });
    return `endpoint has ${replicas} replicas`;
  }
}

/** Returns the Secret with the key of a Node: the named one, or that which the operator creates. */
function keySecretOf(node: Stored): { readonly name: string } {
  const given = (node["spec"] as { nodeKeySecret?: { name: string } }).nodeKeySecret;
  return given ?? { name: `${node.metadata.name}-nodekey` };
}

function isCore(node: Stored): boolean {
  return (node["spec"] as { type: string }).type === "core";
}

function isValidators({ metadata }: Stored): boolean {
  return /^core\d+-nodekey$/.test(metadata.name);
}

function machineOf(pod: Stored): string {
  return (pod["spec"] as { nodeName?: string }).nodeName ?? "";
}
