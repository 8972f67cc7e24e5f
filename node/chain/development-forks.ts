/** The forks of development chains, apart from their genesis: the command line names them without loading it. */
import { type ForkRow, forks } from "../config/forks.ts";

/**
 * Forks that are active from block 0: all but those that need contracts of their own in the genesis, randomness with its
 * registry of keys and the forks after it that cannot be without.
 */
export const DEVELOPMENT_FORKS: readonly ForkRow[] = forks.filter(
  ({ ordered, changes }) => ordered && changes.randao !== true && changes.blobGas !== true,
);

const nameOf = ({ configKey }: ForkRow): string => configKey.replace(/CompatibleBlock$/, "");

/** Names of the forks that a development chain can end with, as in the chain configuration. */
export const DEVELOPMENT_FORK_NAMES: readonly string[] = DEVELOPMENT_FORKS.map(nameOf);
