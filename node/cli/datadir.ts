/** A data directory made ready for a command: not a Go node's, and there. */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OptionError } from "../config/options-error.ts";
import type { NodePaths } from "../config/options-paths.ts";

/** Makes the directories. Throws `OptionError` `clash` when a Go node's chain is inside. */
export async function prepareDatadir({ dataDirectory, instance }: NodePaths): Promise<void> {
  if (existsSync(join(dataDirectory, "klay", "chaindata"))) {
    throw new OptionError(
      "clash",
      `${dataDirectory} holds a Go node's chain (klay/chaindata), which knit cannot read. Export it there ` +
        "(admin.exportChain), then import the file into a new directory: knit import --datadir DIR FILE",
    );
  }
  await mkdir(instance, { recursive: true, mode: 0o700 });
}

/** A directory that is removed when it is disposed. */
export interface TemporaryDirectory extends AsyncDisposable {
  readonly path: string;
}

/** Makes a directory among the system's temporary files. */
export async function openTemporaryDirectory(): Promise<TemporaryDirectory> {
  const path = await mkdtemp(join(tmpdir(), "knit-dev-"));
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 3 }),
  };
}
