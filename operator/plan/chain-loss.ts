/**
 * A core node without its volume may sync the chain from its peers, as long as validators with empty volumes
 * cannot agree on another block 1. Pure.
 */
import { allowCommand, type Stop } from "./stop.ts";

/** Observed state of a volume. */
export interface ChainVolume {
  /** False when there is no claim. */
  readonly isClaimed: boolean;
  /** PersistentVolume of the claim; undefined until it is bound. */
  readonly volume: string | undefined;
  /** PersistentVolume of the chain, as recorded in the status. */
  readonly recorded: string | undefined;
  /** True when the node once had a block above 0. */
  readonly hadBlocks: boolean;
}

/** True for a volume that does not contain the chain that its node once had. */
export function isLost({ isClaimed, volume, recorded, hadBlocks }: ChainVolume): boolean {
  if (!isClaimed) return hadBlocks || recorded !== undefined;
  return recorded !== undefined && volume !== recorded;
}

/** True for a volume without a chain. */
export function isEmpty(seen: ChainVolume): boolean {
  return isLost(seen) || (!seen.hadBlocks && seen.recorded === undefined);
}

/** Returns the quorum of Istanbul BFT, as the Go node computes it. */
function quorumOf(validators: number): number {
  return validators < 4 ? validators : Math.ceil((2 * validators) / 3);
}

/** Observed state of a lost volume and of its network. */
export interface LossView {
  /** Name of the Node, for the command in the message. */
  readonly node: string;
  readonly address: string | undefined;
  /** Validators of the genesis, which alone can make block 1; undefined when unknown. */
  readonly validators: readonly string[] | undefined;
  /** Maximum number of validators that agree on a block; undefined when all do. */
  readonly committee: number | undefined;
  /** Addresses of this cluster's nodes with empty volumes, including this one. */
  readonly empty: ReadonlySet<string>;
  readonly isAllowed: boolean;
}

/** Returns the reason not to start with an empty volume; undefined when it is safe. */
export function lossTrouble(view: LossView): Stop | undefined {
  const { node, address, validators, committee, empty, isAllowed } = view;
  if (isAllowed) return undefined;
  if (validators !== undefined) {
    if (address === undefined || !validators.includes(address)) return undefined;
    const without = validators.filter((each) => empty.has(each)).length;
    if (without < quorumOf(Math.min(validators.length, committee ?? validators.length))) return undefined;
  }
  return {
    reason: "ChainLost",
    message: `the volume with the chain is missing, and the validators with empty volumes could agree on another block 1. Restore the volume or a copy of it under the name of the claim. To start a new chain: ${allowCommand("kn", node, "new-chain")}`,
    pod: "ends",
  };
}
