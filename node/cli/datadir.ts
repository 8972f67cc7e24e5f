/** Data directories of commands: creates them and rejects those of a Go node. */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HostSystem, NodePaths } from "../compose/paths.ts";
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

/** Facts by which the place of a temporary directory is chosen. */
export interface TemporaryPlaceOptions {
  readonly host: Pick<HostSystem, "platform" | "containerBytes">;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Directory whose files are in memory; that of Linux by default. */
  readonly memoryFiles?: string;
}

/** Free bytes without which a chain is not kept in memory. */
const MIN_FREE_MEMORY_FILES = 4 * 1024 ** 3;

/**
 * Returns the directory for temporary ones: on Linux one in memory, where a block takes half the time, unless it is short,
 * the container has a limit of memory, or `TMPDIR` names another. Otherwise that of the system.
 */
export async function temporaryPlace({
  host: { platform, containerBytes },
  environment,
  memoryFiles = "/dev/shm",
}: TemporaryPlaceOptions): Promise<string> {
  const isChosen = environment["TMPDIR"] !== undefined;
  if (platform !== "linux" || containerBytes !== undefined || isChosen) return tmpdir();
  const space = await statfs(memoryFiles).catch(() => undefined);
  const free = space === undefined ? 0 : space.bavail * space.bsize;
  return free < MIN_FREE_MEMORY_FILES ? tmpdir() : memoryFiles;
}

/** Creates a directory among the temporary files. */
export async function openTemporaryDirectory(options: TemporaryPlaceOptions): Promise<TemporaryDirectory> {
  const path = await mkdtemp(join(await temporaryPlace(options), "knit-dev-")).catch(() =>
    mkdtemp(join(tmpdir(), "knit-dev-")),
  );
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 3 }),
  };
}
