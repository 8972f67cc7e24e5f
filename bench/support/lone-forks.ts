/** Forks that a lone validator can run. */
import { forks } from "../../node/config/forks.ts";

/** The configuration keys of all forks that a lone validator without a registry of keys can run. */
export const loneForks: readonly string[] = forks
  .filter(({ ordered, changes }) => ordered && changes.randao === undefined && changes.blobGas === undefined)
  .map(({ configKey }) => configKey);
