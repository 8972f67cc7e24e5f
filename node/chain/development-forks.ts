/** The forks of development chains, apart from their genesis: the command line names them without loading it. */
import { type ForkRow, forks } from "../config/forks.ts";

/**
 * Forks that can be active from block 0: all but randomness, which needs a registry of keys in the genesis. A fork with
 * blobs after it leaves its members of headers empty, which Go nodes refuse, so it is active only where it is named.
 */
export const DEVELOPMENT_FORKS: readonly ForkRow[] = forks.filter(
  ({ ordered, changes }) => ordered && changes.randao !== true,
);

/** Those that are active by default. */
export const DEFAULT_DEVELOPMENT_FORKS: readonly ForkRow[] = DEVELOPMENT_FORKS.filter(
  ({ changes }) => changes.blobGas !== true,
);

const nameOf = ({ configKey }: ForkRow): string => configKey.replace(/CompatibleBlock$/, "");

/** Names of the forks that a development chain can end with, as in the chain configuration. */
export const DEVELOPMENT_FORK_NAMES: readonly string[] = DEVELOPMENT_FORKS.map(nameOf);
