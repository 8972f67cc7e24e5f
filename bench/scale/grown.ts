/** A grown data directory and copies of it, so that each part of the bench begins with the same state. */
import { existsSync } from "node:fs";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { databaseNames } from "../../node/checkpoint/create.ts";
import { cloneLevel } from "../../node/store/clone-level.ts";
import { optionsOf } from "../../test/support/whole-directory.ts";
import type { ChainSize } from "../support/grown-chain.ts";
import { runWork, type WorkResult } from "./work.ts";

/** A grown directory, which nothing is written to. Disposing deletes it when it is not kept. */
export interface GrownDirectory extends AsyncDisposable {
  readonly path: string;
  /** The growth; undefined when the directory was there. */
  readonly made: WorkResult | undefined;
  /** Opens a place for one part of the bench. */
  openPlace(): Promise<Grown>;
}

/** A place for copies of a grown directory and other files, on the same file system. Disposing deletes all of them. */
export interface Grown extends ChainSize, AsyncDisposable {
  readonly scratch: string;
  readonly maxMemory: string;
  /** Returns a new data directory with the databases; its table files are links. */
  copy(): Promise<string>;
}

/** Size, limit of memory, and the absolute path of a directory to use and keep; a temporary one when undefined. */
export interface GrownOptions extends ChainSize {
  readonly maxMemory: string;
  readonly kept: string | undefined;
}

/** Opens a grown directory; grows it when it is absent. */
export async function openGrown({ kept, ...options }: GrownOptions): Promise<GrownDirectory> {
  const beside = join(kept === undefined ? tmpdir() : dirname(kept), "knit-bench-scale-");
  const scratch = await mkdtemp(beside);
  const remove = (): Promise<void> => rm(scratch, { recursive: true, force: true });
  const path = kept ?? join(scratch, "grown");
  let made: WorkResult | undefined;
  try {
    if (!existsSync(path)) {
      const draft = join(scratch, "draft");
      made = runWork("grow", { ...options, datadir: draft });
      await rename(draft, path);
    }
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    path,
    made,
    openPlace: async () => openPlace(path, await mkdtemp(beside), options),
    [Symbol.asyncDispose]: remove,
  };
}

function openPlace(path: string, scratch: string, options: Omit<GrownOptions, "kept">): Grown {
  let copies = 0;
  return {
    ...options,
    scratch,
    async copy() {
      const to = join(scratch, `copy-${copies++}`);
      await copyDatabases(path, to);
      return to;
    },
    [Symbol.asyncDispose]: () => rm(scratch, { recursive: true, force: true }),
  };
}

/** Copies the databases as a checkpoint has them: nothing is written to the files that both have. */
async function copyDatabases(from: string, to: string): Promise<void> {
  const [source, target] = [databasesIn(from), databasesIn(to)];
  for (const database of await databaseNames(source))
    await cloneLevel(join(source, database), join(target, database));
}

/** The directory with the databases of a data directory. */
export function databasesIn(datadir: string): string {
  return optionsOf(datadir).paths.chainData;
}
