/** A configuration given again may move forks that lie ahead, never those that blocks were made under. */
import type { ForkSchedule } from "../config/forks.ts";
import { forks } from "../config/forks.ts";
import { ChainError } from "./error.ts";

/** Throws `ChainError` `genesis-mismatch` when `next` moves a fork that is behind block `head` in either. */
export function checkConfigChange(stored: ForkSchedule, next: ForkSchedule, head: number): void {
  for (const { name, configKey } of forks) {
    const have = stored.forks.get(configKey);
    const want = next.forks.get(configKey);
    if (have === want) continue;
    const first = Math.min(have ?? Number.POSITIVE_INFINITY, want ?? Number.POSITIVE_INFINITY);
    const rewindTo = Math.max(0, first - 1);
    if (first > head || head === 0 || rewindTo === 0) continue;
    throw new ChainError(
      "genesis-mismatch",
      `mismatching ${title(name)} in database (have ${have ?? "<nil>"}, want ${want ?? "<nil>"}, rewindto ${rewindTo})`,
    );
  }
}

/** `istanbulBlock` as the Go node's message names it: `Istanbul Block`. */
function title(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1).replace(/Block$/, " Block")}`;
}
