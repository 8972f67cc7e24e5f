/**
 * Takes blocks from chain files into the chain, in order. Blocks that are here already are skipped by their bytes;
 * a file may begin with block 0 when it is this chain's. Blocks before a fault stay, and are reported with it.
 */

import { setTimeout } from "node:timers/promises";
import type { Hash } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { bareHex, toHex } from "../bytes/hex.ts";
import { messageOf } from "../bytes/message-of.ts";
import { encodeRlpList } from "../bytes/rlp.ts";
import type { Block } from "../model/block.ts";
import { blockHash, encodeHeader, type Header } from "../model/header.ts";
import type { Clock } from "../runtime/clock.ts";
import type { FileBlock } from "./block-file.ts";
import type { BlockHead } from "./chain.ts";
import { ChainError } from "./error.ts";
import { type PreparationDeps, type PreparedBlock, prepareBlocks } from "./file-blocks.ts";

/** The part of the chain that the importer needs. */
export interface ImportTarget extends PreparationDeps {
  readonly clock: Clock;
  /** A block of the chain by number, without its body. */
  header(number: number): BlockHead | undefined;
  /** True when the block of this number has this body and it is kept. */
  holdsBody(number: number, body: Uint8Array): boolean;
  /** Checks header and body of a block that is known by its hash but not by its bytes. Throws `ChainError`. */
  recheck(block: Block): Promise<void>;
  insert(block: Block): Promise<void>;
}

/** Progress of an import. */
export interface ImportProgress {
  /** Blocks taken from the file, known ones included. */
  readonly blocks: number;
  readonly imported: number;
  readonly transactions: number;
  /** Bytes of the file read so far. */
  readonly bytesRead: number;
  /** Of the newest block taken from the file, imported or known; -1 before the first. */
  readonly number: number;
}

/** Result of an import: `failure` is the error that ended it, `interrupted` is true after an interruption. */
export interface ImportOutcome extends ImportProgress {
  readonly interrupted: boolean;
  readonly failure: Error | undefined;
}

/** Settings of one import. */
export interface ImportOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
}

/** The Go node inserts this many blocks of a file at a time, and counts them so in its messages. */
export const BATCH_BLOCKS = 2500;
/** Seconds that a block may be ahead of the clock and is waited for. */
const MAX_EARLY_S = 30;
/** Seconds that the header rules allow it to be. */
const ALLOWED_EARLY_S = 1;

/**
 * Imports blocks in order until one is refused (`ChainError`, naming block and reason), the signal is aborted, or
 * all are taken. Never throws: blocks that were taken before a failure stay, and are reported.
 */
export async function importBlocks(
  target: ImportTarget,
  files: AsyncIterable<FileBlock>,
  { signal, onProgress }: ImportOptions,
): Promise<ImportOutcome> {
  let progress: ImportProgress = { blocks: 0, imported: 0, transactions: 0, bytesRead: 0, number: -1 };
  let before: PreparedBlock | undefined;
  try {
    for await (const next of prepareBlocks(target, files)) {
      if (signal?.aborted === true) break;
      const isNew = await take(target, next, { before, signal });
      if (isNew === undefined) break;
      progress = addProgress(progress, next, isNew);
      before = next;
      onProgress?.(progress);
    }
  } catch (error) {
    const failure = error as Error; // nothing else is thrown anywhere
    return { ...progress, interrupted: false, failure };
  }
  return { ...progress, interrupted: signal?.aborted === true, failure: undefined };
}

function addProgress(progress: ImportProgress, next: PreparedBlock, isNew: boolean): ImportProgress {
  return {
    blocks: progress.blocks + 1,
    imported: progress.imported + (isNew ? 1 : 0),
    transactions: progress.transactions + (isNew ? (next.block?.transactions.length ?? 0) : 0),
    bytesRead: next.file.bytesRead,
    number: next.header.number,
  };
}

interface Circumstances {
  /** The block before it in the file. */
  readonly before: PreparedBlock | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Inserts a new block (true), checks and skips a known one (false); undefined when the wait for it was aborted. */
async function take(
  target: ImportTarget,
  { file, header, block }: PreparedBlock,
  { before, signal }: Circumstances,
): Promise<boolean | undefined> {
  if (block === undefined) return false;
  try {
    if (header.number <= target.tip()) {
      await checkKnown(target, block);
      return false;
    }
    if (before !== undefined) checkContiguous(before, { file, header, block });
    if (!(await isDue(header, target.clock, signal))) return undefined;
    await target.insert(block);
    return true;
  } catch (cause) {
    throw atPlace(cause, file, header.number);
  }
}

/** Of one number there is one block: another one is said to be so, the same one may have other seals. */
async function checkKnown(target: ImportTarget, block: Block): Promise<void> {
  const { number } = block.header;
  const known = target.header(number);
  if (known !== undefined && equalBytes(known.hash, block.hash)) {
    if (!isSameButRound(target, known, block)) await target.recheck(block);
    return;
  }
  const have = known === undefined ? "none" : toHex(known.hash);
  const hashes = `the chain has ${have}, the file ${toHex(block.hash)}`;
  const what =
    number === 0
      ? `genesis mismatch: the file is of another chain: its block 0 differs: ${hashes}`
      : `another block of this number is in the chain, and blocks are final: ${hashes}`;
  throw new ChainError("genesis-mismatch", what, { block: number });
}

const ROUND_BYTE = 31;

/** True when nothing but the round differs, to which neither hash nor seal commits. */
function isSameButRound(
  target: Pick<ImportTarget, "holdsBody">,
  known: BlockHead,
  { header, transactions }: Block,
): boolean {
  const round = known.header.extra[ROUND_BYTE];
  const extra = Uint8Array.from(header.extra);
  if (round !== undefined) extra[ROUND_BYTE] = round;
  if (!equalBytes(encodeHeader(known.header), encodeHeader({ ...header, extra }))) return false;
  return target.holdsBody(header.number, encodeRlpList(transactions.map((tx) => tx.raw)));
}

/** The Go node's check of neighbours in one of its batches, in its words. */
function checkContiguous(before: PreparedBlock, { file, header, block }: PreparedBlock): void {
  const item = file.index % BATCH_BLOCKS;
  if (item === 0) return;
  const hash = before.block?.hash ?? blockHash(before.header);
  if (header.number === before.header.number + 1 && equalBytes(header.parentHash, hash)) return;
  const first = `item ${item - 1} is #${before.header.number} [${short(hash)}]`;
  const second = `item ${item} is #${header.number} [${short(block?.hash)}]`;
  const parent = `(parent [${short(header.parentHash)}])`;
  throw new ChainError("bad-block", `non contiguous insert: ${first}, ${second} ${parent}`);
}

function short(hash: Hash = new Uint8Array(0)): string {
  return `${bareHex(hash.subarray(0, 4))}…`;
}

/** Waits for a block that is a little ahead of the clock; false when the signal came first. */
async function isDue({ time }: Header, clock: Clock, signal: AbortSignal | undefined): Promise<boolean> {
  const now = Math.floor(clock.now() / 1000);
  if (time > now + MAX_EARLY_S) {
    throw new ChainError("bad-block", `future block: ${time} > ${now + MAX_EARLY_S}`);
  }
  for (;;) {
    const early = (time - ALLOWED_EARLY_S) * 1000 - clock.now();
    if (early <= 0) return true;
    const options = signal === undefined ? {} : { signal };
    await setTimeout(early, undefined, options).catch(() => undefined); // aborted: said below
    if (signal?.aborted === true) return false;
  }
}

/** The error with the number of the block and its place in the file. */
function atPlace(cause: unknown, { index, offset, raw }: FileBlock, block: number): ChainError {
  const why = messageOf(cause);
  const named = why.startsWith(`block ${block}: `) ? why : `block ${block}: ${why}`;
  const place = `block ${index} of the file, at byte ${offset}, ${raw.length} bytes long`;
  const code = cause instanceof ChainError ? cause.code : undefined;
  if (code === undefined) throw cause; // disk, state or a defect: not the file's fault
  return new ChainError(code, `${named} (${place})`, { block, cause });
}
