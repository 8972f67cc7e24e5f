/**
 * Takes blocks from a chain file into the chain. Blocks ahead of the one that executes are decoded and their
 * senders recovered in a helper thread meanwhile. Blocks that are here already are checked and skipped; a file
 * may begin with block 0 when it is this chain's.
 */
import { equalBytes } from "../bytes/compare.ts";
import type { Recoverer } from "../crypto/recoverer.ts";
import { type Block, decodeBlock } from "../model/block.ts";
import { type Ahead, inOrder } from "./ahead.ts";
import { type FileBlock, readBlockFile } from "./block-file.ts";
import { ChainError } from "./error.ts";
import { recoverSenders } from "./recover-senders.ts";

/** What the importer needs of the chain. */
export interface ImportTarget {
  readonly chainId: bigint;
  readonly recoverer: Recoverer;
  /** Number of the newest block, durable or not. */
  tip(): number;
  /** A block of the chain by number. */
  block(number: number): Block | undefined;
  /** Checks header and body of a block that is known by its hash but not by its bytes. Throws `ChainError`. */
  recheck(block: Block): void;
  insert(block: Block): Promise<void>;
}

/** How far an import has come. */
export interface ImportProgress {
  /** Blocks taken from the file, known ones included. */
  readonly blocks: number;
  readonly imported: number;
  readonly transactions: number;
  /** Bytes of the file read so far. */
  readonly bytesRead: number;
  readonly number: number;
}

/** Settings of one import. */
export interface ImportOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
}

interface Prepared {
  readonly file: FileBlock;
  readonly block: Block;
}

/** Blocks and bytes that may wait, decoded, for the one that executes. */
const AHEAD = { items: 32, bytes: 512 * 1024 };

/**
 * Imports every block of `path` in order. Throws `ChainError` naming the block that was refused and why; blocks
 * before it stay. Ends early without error when the signal is aborted.
 */
export async function importBlockFile(
  target: ImportTarget,
  path: string,
  { signal, onProgress }: ImportOptions,
): Promise<ImportProgress> {
  let progress: ImportProgress = { blocks: 0, imported: 0, transactions: 0, bytesRead: 0, number: 0 };
  for await (const { file, block } of inOrder(prepare(target, readBlockFile(path)), AHEAD)) {
    if (signal?.aborted === true) break;
    const isNew = await take(target, block);
    progress = {
      blocks: progress.blocks + 1,
      imported: progress.imported + (isNew ? 1 : 0),
      transactions: progress.transactions + (isNew ? block.transactions.length : 0),
      bytesRead: file.bytesRead,
      number: block.header.number,
    };
    onProgress?.(progress);
  }
  return progress;
}

/** Inserts a new block, checks and skips a known one. True when it was new. */
async function take(target: ImportTarget, block: Block): Promise<boolean> {
  const number = block.header.number;
  if (number > target.tip()) {
    await target.insert(block);
    return true;
  }
  const known = target.block(number);
  if (known === undefined || !equalBytes(known.hash, block.hash)) throw differentBlock(number);
  if (!sameBytes(known, block)) target.recheck(block);
  return false;
}

function differentBlock(number: number): ChainError {
  const what =
    number === 0 ? "the file is of another chain: its genesis block" : `block ${number}: the file's block`;
  return new ChainError("genesis-mismatch", `${what} differs from the one in the database`, {
    block: number,
  });
}

function sameBytes(a: Block, b: Block): boolean {
  return (
    sameExtra(a.header.extra, b.header.extra) &&
    a.transactions.length === b.transactions.length &&
    a.transactions.every((tx, i) => equalBytes(tx.raw, b.transactions[i]?.raw ?? tx.raw.subarray(1)))
  );
}

const ROUND_BYTE = 31;

/** True when nothing but the round differs, to which neither hash nor seal commits. */
function sameExtra(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i] || i === ROUND_BYTE);
}

/** Decodes and starts on a file's blocks; each is ready when its senders are found. */
async function* prepare(
  target: ImportTarget,
  files: AsyncIterable<FileBlock>,
): AsyncGenerator<Ahead<Prepared>> {
  for await (const file of files) {
    const block = decoded(file);
    const ready = recoverSenders(target.recoverer, target.chainId, block.transactions).then(() => ({
      file,
      block,
    }));
    yield { size: file.raw.length, ready };
  }
}

function decoded(file: FileBlock): Block {
  try {
    return decodeBlock(file.raw);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ChainError("bad-block", `block ${file.index}: failed to parse: ${why}`, {
      block: file.index,
      cause,
    });
  }
}
