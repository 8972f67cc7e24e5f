/** Memory limit of a node from flags and the container's limit. */
import { responseOptions } from "../jsonrpc/options.ts";
import { OptionError } from "../options/error.ts";
import { byteSize, MEBIBYTE } from "../options/kinds.ts";
import { optionValues, type ResolvedFlags } from "../options/resolve.ts";
import { NODE, optionGroup } from "../options/rows.ts";
import { trieOptions } from "../state/options.ts";
import { storeOptions } from "../store/options.ts";
import {
  containerShare,
  type MemoryPlan,
  type MemoryShares,
  MIN_MEMORY_BYTES,
  planMemory,
} from "./memory-plan.ts";
import type { HostSystem } from "./paths.ts";

const node = optionGroup("Base", NODE);

/** Rows of the memory limit. */
export const memoryLimitOptions = {
  limit: node({
    flag: "max-memory",
    kind: byteSize,
    summary: "memory limit, such as 512MiB; the container's limit by default, 0 for none",
    own: true,
  }),
};

/**
 * Plans the memory. Throws `OptionError` `bad-value` when `--max-memory` is too low for the other flags; a container
 * that is too small gives a warning.
 */
export function memoryOptions(
  resolved: ResolvedFlags,
  { containerBytes }: Pick<HostSystem, "containerBytes">,
  warnings: string[],
): MemoryPlan {
  const { limit: asked } = optionValues(memoryLimitOptions, resolved);
  const chosen = sizesFromFlags(resolved);
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
function sizesFromFlags(resolved: ResolvedFlags): Partial<MemoryShares> {
  const { given } = resolved;
  const { cacheBytes: trieCache } = optionValues(trieOptions, resolved);
  const { cacheBytes: databaseCache } = optionValues(storeOptions, resolved);
  const { maxAnswerBytes: answer } = optionValues(responseOptions, resolved);
  return {
    ...(trieCache >= 0 ? { trieCache } : {}),
    ...(given.has(storeOptions.cacheBytes.flag) ? { databaseCache } : {}),
    ...(given.has(responseOptions.maxAnswerBytes.flag) ? { answer } : {}),
  };
}

function mebibytes(bytes: number): string {
  return `${Math.ceil(bytes / MEBIBYTE)}MiB`;
}
