/**
 * The blocks of a chain file made ready for the chain, in order and ahead of the one that executes: known ones are
 * found out by their bytes alone; the rest are decoded in slices, and their signers recovered in batches that are
 * large enough for the helper threads.
 */
import { messageOf } from "../bytes/message-of.ts";
import type { Recoverer } from "../crypto/recoverer.ts";
import { type Block, type BlockItems, splitBlock } from "../model/block.ts";
import { blockHash, decodeHeader, type Header } from "../model/header.ts";
import { eachTransaction, type Transaction } from "../model/transaction.ts";
import type { Pause } from "../runtime/scheduler.ts";
import { type Ahead, inOrder } from "./ahead.ts";
import type { FileBlock } from "./block-file.ts";
import { ChainError } from "./error.ts";
import { recoverSigners } from "./recover-signers.ts";

/** Parts that prepare blocks for import. */
export interface PreparationDeps {
  readonly chainId: bigint;
  readonly recoverer: Recoverer;
  /** Gives way to other work when a slice of time is used up. */
  readonly pause: Pause;
  /** Number of the newest block, durable or not. */
  readonly tip: () => number;
  /** True when the chain has this very block, byte for byte. */
  readonly holds: (number: number, parts: BlockItems) => boolean;
  /** Finds out ahead who sealed the blocks. */
  readonly findSealers: (blocks: readonly Block[]) => Promise<void>;
}

/** A block of a file; one that the chain has already, byte for byte, comes as its header alone. */
export interface PreparedBlock {
  readonly file: FileBlock;
  readonly header: Header;
  readonly block: Block | undefined;
}

/** Blocks and bytes that may wait, decoded, for the one that executes. */
const AHEAD = { items: 256, bytes: 768 * 1024 };
/** A batch for the threads: whichever comes first. Their seals count as well as their transactions. */
const GROUP_TRANSACTIONS = 256;
const GROUP_BLOCKS = 64;

/**
 * Yields the blocks of a file, decoded and with their signers. Throws `ChainError` at a block that cannot be
 * read, after those before it.
 */
export function prepareBlocks(
  parts: PreparationDeps,
  files: AsyncIterable<FileBlock>,
): AsyncGenerator<PreparedBlock> {
  return inOrder(startPreparation(parts, files), AHEAD);
}

async function* startPreparation(
  parts: PreparationDeps,
  files: AsyncIterable<FileBlock>,
): AsyncGenerator<Ahead<PreparedBlock>> {
  let group: PreparedBlock[] = [];
  let transactions = 0;
  try {
    for await (const file of files) {
      const prepared = await readBlock(parts, file);
      group.push(prepared);
      transactions += prepared.block?.transactions.length ?? 0;
      if (transactions < GROUP_TRANSACTIONS && group.length < GROUP_BLOCKS) continue;
      yield* recovering(parts, group);
      group = [];
      transactions = 0;
    }
  } catch (error) {
    yield* recovering(parts, group);
    throw error;
  }
  yield* recovering(parts, group);
}

/** Each is ready when the signers of all of them are known. */
function* recovering(
  { recoverer, chainId, findSealers }: PreparationDeps,
  group: readonly PreparedBlock[],
): Generator<Ahead<PreparedBlock>> {
  const blocks = group.flatMap(({ block }) => block ?? []);
  const transactions = blocks.flatMap((block) => block.transactions);
  const found = Promise.all([recoverSigners(recoverer, chainId, transactions), findSealers(blocks)]);
  for (const prepared of group) {
    yield { size: prepared.file.raw.length, ready: found.then(() => prepared) };
  }
}

async function readBlock(parts: PreparationDeps, file: FileBlock): Promise<PreparedBlock> {
  try {
    const waiting = parts.pause();
    if (waiting !== undefined) await waiting;
    const split = splitBlock(file.raw);
    const header = decodeHeader(split.header);
    const { number } = header;
    if (number <= parts.tip() && parts.holds(number, split)) return { file, header, block: undefined };
    return { file, header, block: await decodeFileBlock(header, split, parts.pause) };
  } catch (cause) {
    const why = messageOf(cause);
    const place = `at byte ${file.offset}, ${file.raw.length} bytes long`;
    throw new ChainError("bad-file", `block ${file.index}: failed to parse: ${why} (${place})`, { cause });
  }
}

async function decodeFileBlock(header: Header, { body, size }: BlockItems, pause: Pause): Promise<Block> {
  const transactions: Transaction[] = [];
  for (const tx of eachTransaction(body)) {
    transactions.push(tx);
    const waiting = pause();
    if (waiting !== undefined) await waiting;
  }
  return { header, transactions, hash: blockHash(header), size };
}
