/** Scenes of random histories: the Networks and Nodes that people create, in one namespace or a validator in each. */
import type { Draft } from "../../../operator/api/resource.ts";
import { genesisFile } from "../../../operator/build/genesis.ts";
import { identityOf } from "../../../operator/build/identity.ts";
import type { ClusterApi, Stored } from "./api.ts";
import type { Chain } from "./chain.ts";

const API_VERSION = "knit.dev/v1alpha1";
/** Manager of what people write. */
export const PEOPLE = "kubectl";

const PARAMETERS = {
  chainId: 7,
  validators: [],
  balances: [],
  consensus: { epoch: 604_800, policy: "WeightedRandom", committeeSize: 22 },
  governance: {
    mode: "none",
    unitPrice: 25_000_000_000,
    mintingAmount: "9600000000000000000",
    ratio: "34/54/12",
    deferredTxFee: true,
    stakingUpdateInterval: 86_400,
    proposerUpdateInterval: 3_600,
    minimumStake: "5000000",
  },
} as unknown as Parameters<typeof genesisFile>[0]; // of a test: the spec's decoder adds no more that matters

/** Objects that people have created, to create them again. */
export interface Scene {
  readonly networks: readonly Draft[];
  readonly nodes: readonly Draft[];
  /** `namespace/name` of the Nodes. */
  readonly nodeKeys: readonly string[];
}

/** Source of what a scene has by chance. */
export interface SceneOptions {
  readonly random: () => number;
  readonly createKey: () => string;
  /** Of endpoints. */
  readonly whenScaled: "Retain" | "Delete";
}

/** Creates the objects of a scene. */
export function setScene(api: ClusterApi, { random, createKey, whenScaled }: SceneOptions): Scene {
  const validators = [1, 1, 2, 3, 4, 4, 4, 5, 7][Math.floor(random() * 9)] ?? 4;
  const isSpread = validators > 1 && random() < 0.3;
  const scene = isSpread
    ? spreadScene(api, validators, createKey)
    : oneNamespace(validators, random, whenScaled);
  for (const draft of [...scene.networks, ...scene.nodes]) api.create(draft, PEOPLE);
  return { ...scene, nodeKeys: scene.nodes.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`) };
}

type Drafts = Omit<Scene, "nodeKeys">;

function oneNamespace(
  validators: number,
  random: () => number,
  whenScaled: SceneOptions["whenScaled"],
): Drafts {
  const names = Array.from({ length: validators }, (_, index) => `core${index}`);
  // A sole validator is often the only node that has the chain.
  const isAlone = validators === 1 && random() < 0.6;
  const spares = Array.from(
    { length: isAlone ? 0 : Math.floor(random() * 3) },
    (_, index) => `spare${index}`,
  );
  const others = !isAlone && random() < 0.5 ? ["endpoint"] : [];
  const spec = { genesis: { create: { chainId: 7, validators: names } } };
  return {
    networks: [aResource("Network", { namespace: "demo", name: "net" }, spec)],
    nodes: [
      ...[...names, ...spares].map((name) => aNode({ namespace: "demo", name }, { type: "core" })),
      ...others.map((name) =>
        aNode({ namespace: "demo", name }, { type: "endpoint", replicas: 2, storage: { whenScaled } }),
      ),
    ],
  };
}

/** A validator in each namespace, with a key and a genesis that people keep. */
function spreadScene(api: ClusterApi, validators: number, createKey: () => string): Drafts {
  const namespaces = Array.from({ length: validators }, (_, index) => `space${index}`);
  const keys = namespaces.map(createKey);
  const addresses = keys.map((key) => identityOf(key)?.address ?? "");
  const text = genesisFile(PARAMETERS, addresses, 1_767_225_600);
  for (const [index, namespace] of namespaces.entries()) {
    const data = { nodekey: Buffer.from(keys[index] ?? "").toString("base64") };
    api.create(aThing("Secret", { namespace, name: "core-own" }, data), PEOPLE);
    api.create(aThing("ConfigMap", { namespace, name: "own-genesis" }, { "genesis.json": text }), PEOPLE);
  }
  const genesis = { configMap: { name: "own-genesis" } };
  const peers = { namespaces };
  return {
    networks: namespaces.map((namespace) => aResource("Network", { namespace, name: "net" }, { genesis })),
    nodes: namespaces.map((namespace) =>
      aNode({ namespace, name: "core" }, { type: "core", peers, nodeKeySecret: { name: "core-own" } }),
    ),
  };
}

interface Place {
  readonly namespace: string;
  readonly name: string;
}

function aThing(kind: string, metadata: Place, data: object): Draft {
  return { apiVersion: "v1", kind, metadata, data } as Draft;
}

function aResource(kind: string, metadata: Place, spec: object): Draft {
  return { apiVersion: API_VERSION, kind, metadata, spec } as Draft;
}

/** Creates the draft of a Node of the network `net`. */
export function aNode(place: Place, spec: object): Draft {
  return aResource("Node", place, { network: { name: "net" }, ...spec });
}

/** True for a Node that is to have no pod. */
export function isSuspended(node: Stored): boolean {
  return (node["spec"] as { suspend?: boolean }).suspend === true;
}

/** Status of a Node or a Network, as far as it is looked at. */
export interface SeenStatus {
  readonly address?: string;
  readonly genesis?: { readonly validators?: readonly string[] };
  readonly validators?: readonly { readonly name: string; readonly address: string }[];
  readonly council?: readonly unknown[];
  readonly members?: readonly {
    readonly name: string;
    readonly address?: string;
    readonly volume?: string;
  }[];
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason: string;
    readonly message: string;
  }[];
}

/** Reads the status of an object. */
export function statusOf(object: Stored | undefined): SeenStatus {
  return object?.["status"] ?? {};
}

/** Judges that a created Secret is no second key, and a created genesis no second one; returns the offence. */
export function identityOffence(
  api: ClusterApi,
  object: Stored,
  genesis: string | undefined,
): string | undefined {
  const { kind, metadata } = object;
  const { "genesis.json": text, nodekey = "" } = dataOf(object);
  const place = `${metadata.namespace}/${metadata.name}`;
  if (kind === "ConfigMap" && text !== undefined && genesis !== undefined && text !== genesis)
    return `another genesis is written to ${place}`;
  if (kind !== "Secret" || !place.endsWith("-nodekey")) return undefined;
  const recorded = recordedAddress(api, place.replace(/-nodekey$/, ""));
  const made = identityOf(Buffer.from(nodekey, "base64").toString());
  return recorded === undefined || recorded === made?.address ? undefined : `${place} gets a second key`;
}

/** True for a validator of a genesis whose validators all have Nodes here, or of one that is not known. */
function canBeginChain(
  api: ClusterApi,
  address: string | undefined,
  validators: readonly string[] | undefined,
): boolean {
  if (validators === undefined) return true;
  const here = new Set(
    api.list("Node").flatMap((node) => statusOf(node).members?.map((member) => member.address)),
  );
  return validators.includes(address ?? "") && validators.every((each) => here.has(each));
}

/**
 * A volume for a validator of the genesis that had blocks is made only while another core node still has the chain, or
 * may have it: a validator without a Node can run in another cluster. Another core node cannot make block 1: it waits
 * on an empty volume as well as without one.
 */
export function chainOffence(api: ClusterApi, { volumes }: Chain, object: Stored): string | undefined {
  const { kind, metadata } = object;
  if (kind !== "PersistentVolumeClaim") return undefined;
  const key = `${metadata.namespace}/${metadata.name}`;
  const [member] = statusOf(api.find("Node", key.replace(/-data$/, ""))).members ?? [];
  const { genesis } = statusOf(api.find("Network", `${metadata.namespace}/net`));
  const canBegin = canBeginChain(api, member?.address, genesis?.validators);
  if (member?.volume === undefined || !canBegin) return undefined;
  const isKept = api.list("PersistentVolumeClaim").some((claim) => {
    const { volumeName = "" } = claim["spec"] as { readonly volumeName?: string };
    return claim.metadata.deletionTimestamp === undefined && volumes.get(volumeName)?.chain !== undefined;
  });
  return isKept ? undefined : `${key} is made although nobody has the chain`;
}

/** Returns the address of a member that the status of its Node or Network records. */
function recordedAddress(api: ClusterApi, key: string): string | undefined {
  const [namespace, name] = key.split("/");
  const { members = [] } = statusOf(api.find("Node", key.replace(/-m\d+$/, "")));
  const { validators = [] } = statusOf(api.find("Network", `${namespace}/net`));
  return [...members, ...validators].find((each) => each.name === name)?.address;
}

function dataOf(object: Stored): Readonly<Record<string, string>> {
  const { data } = object as { readonly data?: Readonly<Record<string, string>> };
  return data ?? {};
}
