/** Status of a Network: sums over its nodes, and conditions. */
import { annotations, type NetworkConditionType } from "../api/names.ts";
import type { NetworkStatus } from "../api/network-status.ts";
import { type PublicNetwork, publicNetworks } from "../api/public-networks.ts";
import { networkReasons } from "../api/reasons.ts";
import { keyOf, type NetworkResource, type NodeResource } from "../api/resource.ts";
import { membersOf } from "../build/names.ts";
import { nextConditions, type Verdict } from "../plan/conditions.ts";
import { type Council, maxMissing, nameOf } from "../plan/council.ts";
import { missingForks } from "../plan/forks.ts";
import type { GenesisRecord } from "../plan/genesis.ts";
import type { Production } from "../plan/production.ts";
import { isAllowed, truncatePermission } from "../plan/stop.ts";
import type { ReconcileDeps } from "./deps.ts";
import { type ForkSchedule, forkedNodes, scheduleText } from "./network-forks.ts";

/** A genesis with its ConfigMap and its record, a public network, or the reason that there is none. */
export type GenesisFound =
  | { readonly name: string; readonly text: string; readonly note: GenesisRecord }
  | { readonly public: PublicNetwork }
  | { readonly missing: string }
  | { readonly lost: string };

/** Inputs of the status. */
export interface NetworkView {
  readonly network: NetworkResource;
  /** Nodes of the network. */
  readonly nodes: readonly NodeResource[];
  readonly genesis: GenesisFound;
  readonly production: Production["verdict"];
  readonly forks: ForkSchedule;
  /** Councils of the chain, the newest first. */
  readonly councils: readonly Council[];
  /** True when the newest council is reported by a node, and not only recorded. */
  readonly isReported: boolean;
  /** Nodes of `spec.nodes` that were not applied, with the reason. */
  readonly refusedNodes: readonly string[];
  /** Words of the refusal of the validators' budget. */
  readonly refusedBudget: string | undefined;
  readonly deps: Pick<ReconcileDeps, "poller" | "clock">;
}

/** Derives the status. */
export function concludeNetwork(view: NetworkView): NetworkStatus {
  const { network, nodes, genesis, deps } = view;
  const { meta, status } = network;
  const hashes = hashesOf(view);
  const genesisHash = hashOf(view, hashes);
  const producing = { type: "Producing", ...view.production } as const;
  const verdicts = [
    readiness(view, hashes),
    genesisVerdict(genesis),
    producing,
    toleranceVerdict(view),
    ...forkVerdicts(view),
  ];
  const now = deps.clock.now();
  return {
    observedGeneration: meta.generation,
    genesisConfigMap: "name" in genesis ? genesis.name : undefined,
    genesis: noteOf(view),
    allowedNewChain: followedPermission(view),
    genesisHash,
    formerGenesis: genesisHash === undefined ? status.formerGenesis : undefined,
    validators: validatorsOf(view),
    council: councilOf(view),
    nodes: nodes.reduce((sum, { spec }) => sum + spec.replicas, 0),
    readyNodes: nodes.reduce((sum, node) => sum + (node.status.readyMembers ?? 0), 0),
    height: heightOf(view, genesisHash),
    conditions: nextConditions(status.conditions, verdicts, { generation: meta.generation, now }),
  };
}

/**
 * Returns the highest block of the nodes. A height above 0 is not replaced by 0, with which a validator on an empty volume
 * would begin another chain. Nodes that may still be of the former chain do not count.
 */
function heightOf({ nodes, network: { status } }: NetworkView, hash: string | undefined): number | undefined {
  if (hash === undefined && status.formerGenesis !== undefined) return status.height;
  const heights = nodes.flatMap((node) => node.status.height ?? []);
  const highest = Math.max(0, ...heights);
  return highest > 0 ? highest : (status.height ?? heights[0]);
}

/** Lists the genesis hashes that nodes report; several after the start of another chain. */
function hashesOf({ nodes, deps }: NetworkView): readonly string[] {
  const reported = nodes.flatMap((node) =>
    membersOf(node).flatMap(({ name }) => {
      const observation = deps.poller.latest(keyOf({ namespace: node.meta.namespace, name }));
      return observation?.ok === true ? (observation.genesis ?? []) : [];
    }),
  );
  return [...new Set(reported)].sort();
}

/** Returns the record of the genesis; that of the status for a lost one. */
function noteOf({ genesis, network: { status } }: NetworkView): GenesisRecord | undefined {
  return "note" in genesis ? genesis.note : status.genesis;
}

/**
 * Returns the genesis hash. A recorded one stays, unless a new chain is permitted and all nodes report it. That of the
 * chain before a permitted one is not recorded again.
 */
function hashOf(view: NetworkView, hashes: readonly string[]): string | undefined {
  if ("public" in view.genesis) return publicNetworks[view.genesis.public].genesisHash;
  const { genesisHash: recorded, formerGenesis: former } = view.network.status;
  const isFirst = recorded === undefined || permits(view);
  return isFirst && hashes.length === 1 && hashes[0] !== former?.hash ? hashes[0] : recorded;
}

function permits({ network: { meta, status } }: NetworkView): boolean {
  return isAllowed(meta.annotations[annotations.allowNewChain], status.allowedNewChain);
}

/** Returns the permission that has taken effect, or was not needed, once there is a genesis. */
function followedPermission({ genesis, network: { meta, status } }: NetworkView): string | undefined {
  const value = meta.annotations[annotations.allowNewChain];
  if (value === undefined) return undefined;
  return "name" in genesis || "public" in genesis ? truncatePermission(value) : status.allowedNewChain;
}

/** Returns the reported council; without one the recorded one stays. */
function councilOf({ councils: [council], isReported, network }: NetworkView): NetworkStatus["council"] {
  if (!isReported || council === undefined) return network.status.council;
  return council.flatMap(({ address, member }) => (address === undefined ? [] : [{ address, member }]));
}

/** Compares the missing validators with the number that may be missing. */
function toleranceVerdict({
  councils: [council = []],
  network: { meta },
}: NetworkView): Verdict<"FaultTolerant"> {
  if (council.length === 0) return verdict("FaultTolerant", "CouncilUnknown");
  const most = maxMissing(council.length);
  const missing = council.filter(({ isMissing }) => isMissing);
  const figures = `at most ${most} of ${council.length} validators may be unavailable`;
  const away = missing.length === 0 ? "" : `, unavailable: ${missing.map(nameOf).join(", ")}`;
  const isLimited = meta.annotations[annotations.allowChainStop] === undefined;
  const message = `${figures}${away}${isLimited ? "" : `; drains are not limited: ${annotations.allowChainStop}`}`;
  if (missing.length > most) return verdict("FaultTolerant", "BelowQuorum", message);
  if (most === 0) return verdict("FaultTolerant", "TooFewValidators", message);
  if (missing.length === most) return verdict("FaultTolerant", "AtLimit", message);
  return verdict("FaultTolerant", "Tolerant", message);
}

/** Judges the schedule of later forks; none for a network without. */
function forkVerdicts({ network, nodes, forks, deps }: NetworkView): readonly Verdict<"ForksReady">[] {
  const { recorded, trouble } = forks;
  if (trouble !== undefined) return [verdict("ForksReady", "ForkRefused", trouble)];
  if (recorded === undefined) return [];
  const missing = forkedNodes(nodes, deps).flatMap((node) => {
    const text = missingForks(node, recorded, network.status.height);
    return text === undefined ? [] : [`${node.name}: ${text}`];
  });
  if (missing.length === 0) return [verdict("ForksReady", "Scheduled", scheduleText(recorded))];
  return [verdict("ForksReady", "ForkMissing", missing.slice(0, 5).join("; "))];
}

/** Lists the validators of a created genesis with their Nodes. */
function validatorsOf(view: NetworkView): NetworkStatus["validators"] {
  const names = view.network.spec.genesis.create?.validators;
  const addresses = noteOf(view)?.validators ?? [];
  return names?.flatMap((name, index) => {
    const address = addresses[index];
    return address === undefined ? [] : [{ name, address }];
  });
}

/** Lists validators whose Nodes have other keys than in the genesis. */
function validatorsWithoutKey(view: NetworkView): readonly string[] {
  const known = validatorsOf(view) ?? [];
  const names = view.network.spec.genesis.create?.validators ?? [];
  return names.filter((name) => {
    const address = view.nodes.find(({ meta }) => meta.name === name)?.status.address;
    return address === undefined || known.find((each) => each.name === name)?.address !== address;
  });
}

function genesisVerdict(genesis: GenesisFound): Verdict<"GenesisReady"> {
  if ("lost" in genesis) return verdict("GenesisReady", "GenesisLost", genesis.lost);
  if ("public" in genesis)
    return verdict("GenesisReady", "GenesisFound", `knit contains that of ${genesis.public}`);
  return "missing" in genesis
    ? verdict("GenesisReady", "GenesisMissing", genesis.missing)
    : verdict("GenesisReady", "GenesisFound", `in the ConfigMap ${genesis.name}`);
}

/** Describes nodes of different chains, or of another than the recorded one; undefined for none. */
function hashTrouble(view: NetworkView, hashes: readonly string[]): string | undefined {
  if (hashes.length > 1)
    return `nodes report ${hashes.length} different genesis hashes: ${hashes.join(", ")}`;
  const [hash] = hashes;
  const recorded = hashOf(view, hashes);
  if (hash === undefined || hash === recorded) return undefined;
  const other = recorded === undefined ? "it is that of the former chain" : `the recorded one is ${recorded}`;
  return `nodes report the genesis hash ${hash}; ${other}`;
}

function readiness(view: NetworkView, hashes: readonly string[]): Verdict<"Ready"> {
  const { nodes, genesis, refusedNodes, refusedBudget } = view;
  if (refusedNodes.length > 0) return verdict("Ready", "NodesRefused", refusedNodes.slice(0, 5).join("; "));
  if ("lost" in genesis) return verdict("Ready", "GenesisLost", genesis.lost);
  if ("missing" in genesis) return verdict("Ready", "GenesisMissing", genesis.missing);
  const difference = hashTrouble(view, hashes);
  if (difference !== undefined) return verdict("Ready", "GenesisDiffers", difference);
  const without = validatorsWithoutKey(view);
  if (without.length > 0)
    return verdict(
      "Ready",
      "ValidatorsMissing",
      `validators of the genesis without a node with their key: ${without.join(", ")}`,
    );
  if (nodes.length === 0) return verdict("Ready", "NoNodes");
  if (refusedBudget !== undefined) return verdict("Ready", "ObjectRefused", refusedBudget);
  if (view.production.status === "False") return verdict("Ready", "ChainStalled", view.production.message);
  const waiting = nodes.filter((node) => !isReadyNode(node));
  if (waiting.length > 0)
    return verdict(
      "Ready",
      "NodesNotReady",
      waiting
        .map(({ meta }) => meta.name)
        .sort()
        .join(", "),
    );
  return verdict("Ready", "Ready");
}

function isReadyNode({ status, spec }: NodeResource): boolean {
  const isReady = status.conditions?.some(({ type, status: value }) => type === "Ready" && value === "True");
  return isReady === true && (status.readyMembers ?? 0) >= spec.replicas;
}

/** Returns a condition with the text of its reason, or with `message`. */
function verdict<T extends NetworkConditionType>(
  type: T,
  reason: keyof (typeof networkReasons)[T] & string,
  message?: string,
): Verdict<T> {
  const rows: Readonly<Record<string, readonly [Verdict["status"], string]>> = networkReasons[type];
  const [status, words] = rows[reason] ?? ["Unknown", ""];
  return { type, status, reason, message: message ?? words };
}
