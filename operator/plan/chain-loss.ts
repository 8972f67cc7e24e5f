/**
 * A core node whose volume is gone: it may take the chain from the others as long as validators with empty volumes
 * alone cannot agree on another block 1. Pure.
 */
import { allowCommand, type Stop } from "./stop.ts";

/** What is known of a volume. */
export interface VolumeSeen {
  /** False: there is no claim. */
  readonly isClaimed: boolean;
  /** The PersistentVolume of the claim; undefined while it is not bound. */
  readonly volume: string | undefined;
  /** The PersistentVolume that held the chain, as the status says. */
  readonly noted: string | undefined;
  /** It once had a block above 0. */
  readonly hadBlocks: boolean;
}

/** True for a volume that does not hold the chain that its node once had. */
export function isLost({ isClaimed, volume, noted, hadBlocks }: VolumeSeen): boolean {
  if (!isClaimed) return hadBlocks || noted !== undefined;
  return noted !== undefined && volume !== noted;
}

/** True for a volume on which there is no chain yet. */
export function isEmpty(seen: VolumeSeen): boolean {
  return isLost(seen) || (!seen.hadBlocks && seen.noted === undefined);
}

/** Validators that agree on a block, as Istanbul BFT in the Go node counts them. */
function quorumOf(validators: number): number {
  return validators < 4 ? validators : Math.ceil((2 * validators) / 3);
}

/** A lost volume among its network's. */
export interface LossView {
  /** The Node, for the command that people may need. */
  readonly node: string;
  readonly address: string | undefined;
  /** The addresses in block 0, which alone can make block 1; undefined when nobody knows them. */
  readonly validators: readonly string[] | undefined;
  /** Addresses of this cluster's nodes whose volumes hold no chain, this one's among them. */
  readonly empty: ReadonlySet<string>;
  readonly isAllowed: boolean;
}

/** Gives why it may not begin with an empty volume; undefined when it may. */
export function lossTrouble({ node, address, validators, empty, isAllowed }: LossView): Stop | undefined {
  if (isAllowed) return undefined;
  if (validators !== undefined) {
    if (address === undefined || !validators.includes(address)) return undefined;
    const without = validators.filter((each) => empty.has(each)).length;
    if (without < quorumOf(validators.length)) return undefined;
  }
  return {
    reason: "ChainLost",
    message: `the volume with the chain is gone, and validators with empty volumes would make another block 1: bring the volume or a copy of it back under the claim's name. Only to begin there: ${allowCommand("kn", node, "new-chain")}`,
    pod: "ends",
  };
}
