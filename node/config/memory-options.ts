/** The memory that a node may take, from flags and the container that it runs in. */
import type { FlagValues } from "./flags.ts";
import type { ResolvedFlags } from "./flags-values.ts";
import {
  containerShare,
  LEAST_MEMORY,
  type MemoryPlan,
  type MemoryShares,
  planMemory,
} from "./memory-plan.ts";
import { OptionError } from "./options-error.ts";
import type { Surroundings } from "./options-paths.ts";

const MEBIBYTE = 1 << 20;

/**
 * Plans it. Throws `OptionError` `bad-value` when a limit that was given is too low for what else was; a container that
 * is too small gives a warning.
 */
export function memoryOptions(
  { values, given }: ResolvedFlags,
  { containerBytes }: Pick<Surroundings, "containerBytes">,
  warnings: string[],
): MemoryPlan {
  const asked = values["max-memory"];
  const chosen = chosenParts(values, given);
  if (asked !== undefined) return planned(asked === 0 ? undefined : asked, chosen);
  const share = containerShare(containerBytes);
  const plan = planMemory(share, chosen);
  if ("limit" in plan) return plan;
  warnings.push(
    `the container may take ${mebibytes(containerBytes ?? 0)}: a node with these flags needs ${mebibytes(plan.needed)}`,
  );
  return planned(plan.needed, chosen);
}

function planned(limit: number | undefined, chosen: Partial<MemoryShares>): MemoryPlan {
  const plan = planMemory(limit, chosen);
  if ("limit" in plan) return plan;
  const needs =
    plan.needed > LEAST_MEMORY ? "with the caches that are asked for a node needs" : "a node needs";
  throw new OptionError(
    "bad-value",
    `--max-memory ${mebibytes(limit ?? 0)} is too little: ${needs} ${mebibytes(plan.needed)}`,
  );
}

/** Parts that have a flag of their own, where it is used. */
function chosenParts(values: FlagValues, given: ResolvedFlags["given"]): Partial<MemoryShares> {
  const trieCache = values["state.trie-cache-limit"];
  return {
    ...(trieCache >= 0 ? { trieCache: trieCache * MEBIBYTE } : {}),
    ...(given.has("db.leveldb.cache-size")
      ? { databaseCache: values["db.leveldb.cache-size"] * MEBIBYTE }
      : {}),
    ...(given.has("rpc.max-answer-bytes") ? { answer: values["rpc.max-answer-bytes"] } : {}),
  };
}

function mebibytes(bytes: number): string {
  return `${Math.ceil(bytes / MEBIBYTE)}MiB`;
}
