/** Data directories of commands: creates them and rejects those of a Go node. */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NodePaths } from "../compose/paths.ts";
import { OptionError } from "../options/error.ts";

/**
 * Creates the directories. Throws `OptionError` `clash` when the data directory has the chain of a Go node.
 */
export async function prepareDatadir({ dataDirectory, instance }: NodePaths): Promise<void> {
  if (existsSync(join(dataDirectory, "klay", "chaindata"))) {
    throw new OptionError(
      "clash",
      `${dataDirectory} holds a Go node's chain (klay/chaindata). Import it into another directory: ` +
        `knit import-go --datadir DIR ${dataDirectory}`,
    );
  }
  await mkdir(instance, { recursive: true, mode: 0o700 });
}

/** A directory that is deleted when it is disposed. */
export interface TemporaryDirectory extends AsyncDisposable {
  readonly path: string;
}

/** Creates a directory among the system's temporary files. */
export async function openTemporaryDirectory(): Promise<TemporaryDirectory> {
  const path = await mkdtemp(join(tmpdir(), "knit-dev-"));
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 3 }),
  };
}
