/** Genesis of a Network: created once, recorded, then used or recreated byte for byte. Pure. */
import type { LaterForks } from "../api/network-spec.ts";
import { allowCommand } from "./stop.ts";

/** Recorded summary of a genesis. */
export interface GenesisRecord {
  readonly digest: string;
  readonly time: number;
  readonly validators: readonly string[];
  /** Forks after block 0 that the nodes get; not part of the digest. */
  readonly forks: LaterForks | undefined;
}

/** Observed state of a genesis. */
export interface GenesisView {
  readonly network: string;
  readonly configMap: string;
  /** Genesis in the Network's status. */
  readonly recorded: GenesisRecord | undefined;
  /** Genesis in the ConfigMap; undefined when that does not exist. */
  readonly found: GenesisRecord | undefined;
  /** Genesis that the spec and the record produce; undefined for a file of the user, or without a record. */
  readonly rebuilt: GenesisRecord | undefined;
  /** Nodes of the network that recorded a genesis, with its digest. */
  readonly nodes: readonly { readonly name: string; readonly digest: string }[];
  /** True when the operator creates the genesis. */
  readonly isMade: boolean;
  readonly isAllowed: boolean;
}

/** `use`: the existing genesis. `rebuild`: the recorded one. `make`: a new one. */
export type GenesisPlan =
  | { readonly do: "use" | "rebuild" | "make" | "wait" }
  | { readonly do: "stop"; readonly message: string };

/** Decides on the genesis of a Network. */
export function planGenesis(view: GenesisView): GenesisPlan {
  const { found, recorded, rebuilt, isMade, isAllowed } = view;
  if (found !== undefined) {
    const trouble = otherThanNoted(view, found.digest);
    return trouble === undefined || isAllowed ? { do: "use" } : { do: "stop", message: trouble };
  }
  if (recorded !== undefined && rebuilt?.digest === recorded.digest) return { do: "rebuild" };
  if (isMade && isAllowed) return { do: "make" };
  if (recorded !== undefined) return { do: "stop", message: missingGenesis(view, recorded) };
  const trouble = nodesTrouble(view, undefined);
  if (trouble !== undefined) return { do: "stop", message: trouble };
  return { do: isMade ? "make" : "wait" };
}

function otherThanNoted(view: GenesisView, digest: string): string | undefined {
  const { recorded, configMap, network } = view;
  if (recorded === undefined) return nodesTrouble(view, digest);
  if (recorded.digest === digest) return undefined;
  return `the ConfigMap ${configMap} contains another genesis than the recorded one. Restore the recorded one. To start a new chain: ${allowCommand("knet", network, "new-chain")}`;
}

/** Compares with the Nodes' records, because a recreated Network has none. */
function nodesTrouble({ nodes, network }: GenesisView, digest: string | undefined): string | undefined {
  const others = nodes.filter((node) => node.digest !== digest).map(({ name }) => name);
  if (others.length === 0) return undefined;
  return `${others.slice(0, 5).join(", ")} started with another genesis. Restore that one. To start a new chain: ${allowCommand("knet", network, "new-chain")}`;
}

function missingGenesis({ configMap, isMade, network }: GenesisView, { digest }: GenesisRecord): string {
  const text = `the ConfigMap ${configMap} with the genesis is missing`;
  if (!isMade) return `${text}. Restore it.`;
  return `${text}, and this release cannot recreate it with the digest ${digest}. Restore it from a copy. To start a new chain: ${allowCommand("knet", network, "new-chain")}`;
}
