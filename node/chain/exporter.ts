/** Writes blocks of the chain to a new file: all of the range, or no file at all. */
import { dirname } from "node:path";
import type { DiskSpace } from "../observe/disk-space.ts";
import type { Pause } from "../runtime/scheduler.ts";
import type { Rows } from "../store/store.ts";
import { refuseExisting, writeBlockFile } from "./block-file-writer.ts";
import { rawBlock } from "./block-rows.ts";
import { ChainError } from "./error.ts";
import { oldestBody } from "./kept-blocks.ts";

/** Source of the blocks. */
export interface ExportSource {
  readonly rows: Rows;
  /** Number of the newest block that may be seen. */
  readonly head: number;
  readonly pause: Pause;
  /** The database's disk: an export leaves it the room that blocks need. */
  readonly disk: Pick<DiskSpace, "shortage">;
}

/** It is looked for room after so many bytes. */
const LOOK_BYTES = 1024 * 1024;

/** Destination and range of an export; the whole chain by default. */
export interface ExportOrder {
  readonly file: string;
  readonly first: number | undefined;
  readonly last: number | undefined;
  readonly signal: AbortSignal;
  readonly onBlock?: (done: number, total: number) => void;
}

/** Resolves to how many blocks were written. Throws `ChainError` `bad-file`, or the signal's reason. */
export async function exportBlocks(source: ExportSource, order: ExportOrder): Promise<number> {
  const { first = 0, last = source.head } = order;
  await refuseExisting(order.file);
  if (first > last) {
    throw new ChainError("bad-file", `export failed: first (${first}) is greater than last (${last})`);
  }
  if (last > source.head) throw notFound(Math.max(first, source.head + 1));
  const oldest = oldestBody(source.rows);
  const missing = Math.max(first, 1);
  if (missing < oldest && missing <= last) throw prunedBodyError(missing, oldest);
  await writeBlockFile(order.file, rawBlocks(source, { ...order, first, last }));
  return last - first + 1;
}

async function* rawBlocks(
  { rows, pause, disk }: ExportSource,
  { file, first, last, signal, onBlock }: ExportOrder & { readonly first: number; readonly last: number },
): AsyncGenerator<Uint8Array> {
  let unseen = LOOK_BYTES;
  for (let number = first; number <= last; number++) {
    signal.throwIfAborted();
    const raw = rawBlock(rows, number);
    if (raw === undefined) throw notFound(number);
    unseen += raw.length;
    if (unseen >= LOOK_BYTES) {
      unseen = 0;
      await refuseShortage(disk, file);
    }
    onBlock?.(number - first + 1, last - first + 1);
    yield raw;
    const waiting = pause();
    if (waiting !== undefined) await waiting;
  }
}

async function refuseShortage(disk: ExportSource["disk"], file: string): Promise<void> {
  const shortage = await disk.shortage(dirname(file));
  if (shortage === undefined) return;
  const { free, needed } = shortage;
  throw new ChainError(
    "bad-file",
    `cannot write ${file}: ${free} bytes of disk are free, ${needed} are needed`,
  );
}

function prunedBodyError(number: number, oldest: number): ChainError {
  const rest = `the first whole block after block 0 is ${oldest}`;
  return new ChainError("bad-file", `export failed on #${number}: not found: its body was pruned, ${rest}`);
}

function notFound(number: number): ChainError {
  return new ChainError("bad-file", `export failed on #${number}: not found`);
}
