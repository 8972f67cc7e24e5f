/** Changes of a stored configuration: forks that lie ahead may move, those that blocks were made under may not. */
import { type ForkRow, type ForkSchedule, forks } from "../config/forks.ts";
import { ChainError } from "./error.ts";

/** A fork that one of two configurations already has at the head and that they do not agree on. */
export interface ConfigConflict {
  /** The sentence of the Go node, with both blocks. */
  readonly message: string;
  /** The newest block that both configurations agree on. */
  readonly rewindTo: number;
}

/**
 * Returns the lowest conflict of two configurations at block `head`, undefined where blocks up to it are the same under
 * both. The treasury rebalances are not compared (`params/config.go@v2.2.2`, `CheckCompatible`).
 */
export function configConflict(
  stored: ForkSchedule,
  next: ForkSchedule,
  head: number,
): ConfigConflict | undefined {
  let lowest: ConfigConflict | undefined;
  for (const row of forks) {
    const conflict = row.ordered ? forkConflict(row, stored, next) : undefined;
    if (conflict === undefined || conflict.first > head) continue;
    if (lowest === undefined || conflict.rewindTo < lowest.rewindTo) lowest = conflict;
  }
  // As in the Go node, a conflict that reaches back to block 0 does not hold the new configuration up.
  return lowest?.rewindTo === 0 ? undefined : lowest;
}

/** The conflict over one fork, with the first block that differs; undefined when both have it at the same block. */
function forkConflict(
  { name, configKey }: ForkRow,
  stored: ForkSchedule,
  next: ForkSchedule,
): (ConfigConflict & { readonly first: number }) | undefined {
  const have = stored.forks.get(configKey);
  const want = next.forks.get(configKey);
  if (have === want) return undefined;
  const first = Math.min(have ?? Number.POSITIVE_INFINITY, want ?? Number.POSITIVE_INFINITY);
  const rewindTo = Math.max(0, first - 1);
  const blocks = `have ${have ?? "<nil>"}, want ${want ?? "<nil>"}, rewindto ${rewindTo}`;
  return { first, rewindTo, message: `mismatching ${title(name)} in database (${blocks})` };
}

/** Throws `ChainError` `genesis-mismatch` when `next` moves a fork that is behind block `head` in either. */
export function checkConfigChange(stored: ForkSchedule, next: ForkSchedule, head: number): void {
  const conflict = configConflict(stored, next, head);
  if (conflict !== undefined) throw new ChainError("genesis-mismatch", conflict.message);
}

/** `istanbulBlock` as the Go node's message names it: `Istanbul Block`. */
function title(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1).replace(/Block$/, " Block")}`;
}
