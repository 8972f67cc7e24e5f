/**
 * Reads all table files of a running node once, well behind everything else: opening has checked the newest ones
 * alone. What is damaged is said before somebody needs it.
 */
import { setTimeout } from "node:timers/promises";
import type { Log } from "../observe/log.ts";
import { runInSlices } from "../runtime/scheduler.ts";
import { checkAllTables } from "../store/check-tables.ts";

/** Directories to read, and the log. */
export interface TableWatchDeps {
  readonly directories: () => Promise<readonly string[]>;
  readonly log: Log;
  /** Milliseconds after each file, of 2 MiB as a rule. */
  readonly restMs?: number;
}

const REST_MS = 250;

/** Disposing it ends the reading. */
export interface TableWatch extends AsyncDisposable {
  /** True when a file has failed its check. */
  hasDamage(): boolean;
}

/** Begins to read. */
export function openTableWatch(parts: TableWatchDeps): TableWatch {
  const closing = new AbortController();
  let hasDamage = false;
  const reading = readAll(parts, closing.signal).catch((error: unknown) => {
    if (closing.signal.aborted) return;
    hasDamage = true;
    parts.log.error(
      { error },
      "a table file is damaged; stop the node, run `knit db verify`, restore a copy",
    );
  });
  return {
    hasDamage: () => hasDamage,
    async [Symbol.asyncDispose]() {
      closing.abort();
      await reading;
    },
  };
}

async function readAll(
  { directories, restMs = REST_MS }: TableWatchDeps,
  signal: AbortSignal,
): Promise<void> {
  const run = async <Result>(steps: Generator<undefined, Result>): Promise<Result> => {
    const result = await runInSlices(steps, signal);
    await setTimeout(restMs, undefined, { signal, ref: false });
    return result;
  };
  await setTimeout(restMs, undefined, { signal, ref: false });
  for (const directory of await directories()) await checkAllTables(directory, run);
}
