/** Chain files of a running node: written and taken in beside everything else. */
import { frameBlocks, readBlockFile } from "../chain/block-file.ts";
import { exportBlocks } from "../chain/exporter.ts";
import type { ImportOutcome } from "../chain/importer.ts";
import type { OpenChain } from "../chain/open-chain.ts";
import type { Recoverer } from "../crypto/recoverer.ts";
import type { DiskSpace } from "../observe/disk-space.ts";
import type { ChainFiles } from "../rpc/admin-chain.ts";
import type { Clock } from "../runtime/clock.ts";
import { createPause } from "../runtime/scheduler.ts";
import { importInto } from "./consensus-chain.ts";
import type { Database } from "./database.ts";

/** The chain that files are exported from and imported into. */
export interface BlockFilesDeps {
  readonly database: Pick<Database, "store"> & { readonly disk: Pick<DiskSpace, "shortage"> };
  readonly open: OpenChain;
  readonly recoverer: Recoverer;
  readonly clock: Clock;
}

/** Disposing it ends what is under way, each import behind a block, and waits for that. */
export interface NodeFiles extends ChainFiles, AsyncDisposable {}

/** Nothing runs before the first call. */
export function openNodeFiles({ database, open, recoverer, clock }: BlockFilesDeps): NodeFiles {
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  const tracked = <T>(work: Promise<T>): Promise<T> => {
    running.add(work);
    const forget = (): void => void running.delete(work);
    work.then(forget, forget);
    return work;
  };
  const importAll = (files: Parameters<typeof importInto>[1]["files"]): Promise<ImportOutcome> =>
    tracked(importInto(open, { recoverer, clock, files }, { signal: closing.signal }));
  return {
    exportTo: (file, first, last) => {
      const head = open.chain.head().header.number;
      const source = { rows: database.store, head, pause: createPause(), disk: database.disk };
      return tracked(exportBlocks(source, { file, first, last, signal: closing.signal }));
    },
    importFrom: (file) => importAll(readBlockFile(file)),
    importBytes: (bytes) => importAll(frameBlocks([{ bytes, used: bytes.length }])),
    async [Symbol.asyncDispose]() {
      closing.abort();
      await Promise.allSettled(running);
    },
  };
}
