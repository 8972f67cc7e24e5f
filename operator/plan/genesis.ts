/** A Network's genesis: made once, noted, and from then on this one, made again byte for byte, or none. Pure. */
import { allowCommand } from "./stop.ts";

/** What a genesis is known by. */
export interface GenesisRecord {
  readonly digest: string;
  readonly time: number;
  readonly validators: readonly string[];
}

/** What is decided by. */
export interface GenesisView {
  readonly network: string;
  readonly configMap: string;
  /** What the Network's status says. */
  readonly noted: GenesisRecord | undefined;
  /** What the ConfigMap holds; undefined when it is not there. */
  readonly found: GenesisRecord | undefined;
  /** What its own terms and what was noted give; undefined where people keep the file, or nothing was noted. */
  readonly rebuilt: GenesisRecord | undefined;
  /** Nodes of the network that noted a genesis, and its digest. */
  readonly nodes: readonly { readonly name: string; readonly digest: string }[];
  /** It is made here. */
  readonly isMade: boolean;
  readonly isAllowed: boolean;
}

/** `use`: the one that is there, which is noted. `rebuild`: the noted one. `make`: a first or another one. */
export type GenesisPlan =
  | { readonly do: "use" | "rebuild" | "make" | "wait" }
  | { readonly do: "stop"; readonly message: string };

/** Decides about a genesis. */
export function planGenesis(view: GenesisView): GenesisPlan {
  const { found, noted, rebuilt, isMade, isAllowed } = view;
  if (found !== undefined) {
    const trouble = otherThanNoted(view, found.digest);
    return trouble === undefined || isAllowed ? { do: "use" } : { do: "stop", message: trouble };
  }
  if (noted !== undefined && rebuilt?.digest === noted.digest) return { do: "rebuild" };
  if (isMade && isAllowed) return { do: "make" };
  if (noted !== undefined) return { do: "stop", message: missingGenesis(view, noted) };
  const trouble = nodesTrouble(view, undefined);
  if (trouble !== undefined) return { do: "stop", message: trouble };
  return { do: isMade ? "make" : "wait" };
}

function otherThanNoted(view: GenesisView, digest: string): string | undefined {
  const { noted, configMap, network } = view;
  if (noted === undefined) return nodesTrouble(view, digest);
  if (noted.digest === digest) return undefined;
  return `the ConfigMap ${configMap} holds another genesis than the noted one: put that back. Only for another chain: ${allowCommand("knet", network, "new-chain")}`;
}

/** A Network that is made again does not know its genesis; its Nodes do. */
function nodesTrouble({ nodes, network }: GenesisView, digest: string | undefined): string | undefined {
  const others = nodes.filter((node) => node.digest !== digest).map(({ name }) => name);
  if (others.length === 0) return undefined;
  return `${others.slice(0, 5).join(", ")} began with another genesis: put that back. Only for another chain: ${allowCommand("knet", network, "new-chain")}`;
}

function missingGenesis({ configMap, isMade, network }: GenesisView, { digest }: GenesisRecord): string {
  const text = `the ConfigMap ${configMap} with the genesis is gone`;
  if (!isMade) return `${text}: put it back`;
  return `${text}, and this release cannot make it again with the digest ${digest}: put it back from a copy. Only for another chain: ${allowCommand("knet", network, "new-chain")}`;
}
