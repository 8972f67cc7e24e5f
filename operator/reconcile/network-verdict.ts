/** What is seen of a Network: sums over its nodes, and what follows from them. */
import type { NetworkConditionType } from "../api/names.ts";
import type { NetworkStatus } from "../api/network-status.ts";
import { networkReasons } from "../api/reasons.ts";
import { keyOf, type NetworkResource, type NodeResource } from "../api/resource.ts";
import { membersOf } from "../build/names.ts";
import { nextConditions, type Verdict } from "../plan/conditions.ts";
import type { Surroundings } from "./surroundings.ts";

/** A genesis file and the ConfigMap that it is in, or why there is none. */
export type GenesisFound = { readonly name: string; readonly text: string } | { readonly missing: string };

/** What it is judged by. */
export interface NetworkView {
  readonly network: NetworkResource;
  /** The Nodes that belong to it. */
  readonly nodes: readonly NodeResource[];
  readonly genesis: GenesisFound;
  readonly around: Pick<Surroundings, "observed" | "clock">;
}

/** The status. */
export function concludeNetwork(view: NetworkView): NetworkStatus {
  const { network, nodes, genesis, around } = view;
  const { meta, status } = network;
  const hashes = hashesOf(view);
  const heights = nodes.flatMap((node) => node.status.height ?? []);
  const verdicts = [readiness(view, hashes), genesisVerdict(genesis)];
  const now = around.clock.now();
  return {
    observedGeneration: meta.generation,
    genesisConfigMap: "name" in genesis ? genesis.name : undefined,
    genesisHash: hashes.length === 1 ? hashes[0] : status.genesisHash,
    validators: validatorsOf(view),
    nodes: nodes.reduce((sum, { spec }) => sum + spec.replicas, 0),
    readyNodes: nodes.reduce((sum, node) => sum + (node.status.readyMembers ?? 0), 0),
    height: heights.length === 0 ? status.height : Math.max(...heights),
    conditions: nextConditions(status.conditions, verdicts, { generation: meta.generation, now }),
  };
}

/** The hashes of block 0 that nodes tell; more than one when somebody began another chain. */
function hashesOf({ nodes, around }: NetworkView): readonly string[] {
  const told = nodes.flatMap((node) =>
    membersOf(node).flatMap(({ name }) => {
      const observation = around.observed(keyOf({ namespace: node.meta.namespace, name }));
      return observation?.ok === true ? (observation.genesis ?? []) : [];
    }),
  );
  return [...new Set(told)].sort();
}

/** Validators whose present keys are those in the genesis. */
function validatorsOf({ network, nodes, genesis }: NetworkView): NetworkStatus["validators"] {
  if (!("text" in genesis)) return undefined;
  return network.spec.genesis.create?.validators.flatMap((name) => {
    const address = nodes.find(({ meta }) => meta.name === name)?.status.address;
    return address !== undefined && isIn(genesis.text, address) ? [{ name, address }] : [];
  });
}

function isIn(text: string, address: string): boolean {
  return text.includes(address.slice(2).toLowerCase());
}

function genesisVerdict(genesis: GenesisFound): Verdict<"GenesisReady"> {
  return "missing" in genesis
    ? verdict("GenesisReady", "GenesisMissing", genesis.missing)
    : verdict("GenesisReady", "GenesisFound", `in the ConfigMap ${genesis.name}`);
}

function readiness(view: NetworkView, hashes: readonly string[]): Verdict<"Ready"> {
  const { network, nodes, genesis } = view;
  if ("missing" in genesis) return verdict("Ready", "GenesisMissing", genesis.missing);
  if (hashes.length > 1)
    return verdict("Ready", "GenesisDiffers", `nodes tell of ${hashes.length} chains: ${hashes.join(", ")}`);
  const wanted = network.spec.genesis.create?.validators.length ?? 0;
  const known = validatorsOf(view)?.length ?? 0;
  if (known < wanted)
    return verdict(
      "Ready",
      "ValidatorsMissing",
      `${wanted - known} validators of block 0 have no node with their key`,
    );
  if (nodes.length === 0) return verdict("Ready", "NoNodes");
  const waiting = nodes.filter(({ status, spec }) => (status.readyMembers ?? 0) < spec.replicas);
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

/** A row of the table of reasons; its own words where nothing more is to be said. */
function verdict<T extends NetworkConditionType>(
  type: T,
  reason: keyof (typeof networkReasons)[T] & string,
  message?: string,
): Verdict<T> {
  const rows: Readonly<Record<string, readonly [Verdict["status"], string]>> = networkReasons[type];
  const [status, words] = rows[reason] ?? ["Unknown", ""];
  return { type, status, reason, message: message ?? words };
}
