/**
 * Takes blocks from a chain file into the chain. Blocks ahead of the one that executes are decoded and their
 * senders recovered in a helper thread meanwhile. Blocks that are here already are checked and skipped; a file
 * may begin with block 0 when it is this chain's.
 */
import { equalBytes } from "../bytes/compare.ts";
import type { Recoverer } from "../crypto/recoverer.ts";
import { type Block, decodeBlock } from "../model/block.ts";
import { setSender, signingJob, type Transaction } from "../model/transaction.ts";
import { type FileBlock, readBlockFile } from "./block-file.ts";
import { ChainError } from "./error.ts";

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
const AHEAD_BLOCKS = 32;
const AHEAD_BYTES = 4 * 1024 * 1024;

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
  for await (const { file, block } of ahead(prepare(target, readBlockFile(path)))) {
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
    equalBytes(a.header.extra, b.header.extra) &&
    a.transactions.length === b.transactions.length &&
    a.transactions.every((tx, i) => equalBytes(tx.raw, b.transactions[i]?.raw ?? tx.raw.subarray(1)))
  );
}

async function* prepare(
  target: ImportTarget,
  files: AsyncIterable<FileBlock>,
): AsyncGenerator<{ size: number; ready: Promise<Prepared> }> {
  for await (const file of files) {
    const block = decoded(file);
    const ready = recoverSenders(target, block.transactions).then(() => ({ file, block }));
    ready.catch(() => undefined); // awaited in order by the consumer
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

/** Fills in senders in one batch; a transaction without a usable signature is left to execution to refuse. */
async function recoverSenders(
  { recoverer, chainId }: ImportTarget,
  transactions: readonly Transaction[],
): Promise<void> {
  const usable: Transaction[] = [];
  const jobs: { digest: Uint8Array; signature: Uint8Array }[] = [];
  for (const tx of transactions) {
    try {
      jobs.push(signingJob(tx, chainId));
      usable.push(tx);
    } catch {
      // Execution meets the same error at its place in the block and names it.
    }
  }
  const senders = await recoverer.recover(jobs);
  for (const [i, tx] of usable.entries()) {
    const sender = senders[i];
    if (sender !== undefined) setSender(tx, chainId, sender);
  }
}

/** Keeps a bounded number of prepared blocks in front of the consumer, in order. */
async function* ahead(
  source: AsyncGenerator<{ size: number; ready: Promise<Prepared> }>,
): AsyncGenerator<Prepared> {
  const queue: { size: number; ready: Promise<Prepared> }[] = [];
  let bytes = 0;
  let ended: unknown;
  let open = true;
  try {
    while (open || queue.length > 0) {
      while (open && queue.length < AHEAD_BLOCKS && bytes < AHEAD_BYTES) {
        const next = await source.next().catch((error: unknown) => {
          ended = error;
          return { done: true as const, value: undefined };
        });
        if (next.done === true) {
          open = false;
        } else {
          queue.push(next.value);
          bytes += next.value.size;
        }
      }
      const first = queue.shift();
      if (first === undefined) break;
      bytes -= first.size;
      yield await first.ready;
    }
    if (ended !== undefined) throw ended;
  } finally {
    await source.return(undefined);
  }
}
