/** Memory limit of a node from flags and the container's limit. */
import type { FlagValues } from "./flags.ts";
import type { ResolvedFlags } from "./flags-values.ts";
import {
  containerShare,
  type MemoryPlan,
  type MemoryShares,
  MIN_MEMORY_BYTES,
  planMemory,
} from "./memory-plan.ts";
import { OptionError } from "./options-error.ts";
import type { HostSystem } from "./options-paths.ts";

const MEBIBYTE = 1 << 20;

/**
 * Plans the memory. Throws `OptionError` `bad-value` when `--max-memory` is too low for the other flags; a container
 * that is too small gives a warning.
 */
export function memoryOptions(
  { values, given }: ResolvedFlags,
  { containerBytes }: Pick<HostSystem, "containerBytes">,
  warnings: string[],
): MemoryPlan {
  const asked = values["max-memory"];
  const chosen = sizesFromFlags(values, given);
  if (asked !== undefined) return planOrThrow(asked === 0 ? undefined : asked, chosen);
  const share = containerShare(containerBytes);
  const plan = planMemory(share, chosen);
  if ("limit" in plan) return plan;
  warnings.push(
    `the container's memory limit is ${mebibytes(containerBytes ?? 0)}: a node with these flags needs ${mebibytes(plan.needed)}`,
  );
  return planOrThrow(plan.needed, chosen);
}

function planOrThrow(limit: number | undefined, chosen: Partial<MemoryShares>): MemoryPlan {
  const plan = planMemory(limit, chosen);
  if ("limit" in plan) return plan;
  const needs = plan.needed > MIN_MEMORY_BYTES ? "with the configured caches a node needs" : "a node needs";
  throw new OptionError(
    "bad-value",
    `--max-memory ${mebibytes(limit ?? 0)} is too little: ${needs} ${mebibytes(plan.needed)}`,
  );
}

/** Returns the sizes of the parts that flags configure. */
function sizesFromFlags(values: FlagValues, given: ResolvedFlags["given"]): Partial<MemoryShares> {
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
