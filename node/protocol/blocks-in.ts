/**
 * Blocks of peers on their way into the chain: bodies compared with their headers, decoded in time slices, senders
 * recovered in batches, then verified and executed.
 */
import type { Hash } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { recoverSigners } from "../chain/recover-signers.ts";
import type { Writer } from "../chain/writer.ts";
import type { Recoverer } from "../crypto/recoverer.ts";
import { bareTransaction } from "../model/bare-transaction.ts";
import { type Block, createBlock } from "../model/block.ts";
import type { Header } from "../model/header.ts";
import { decodeTransaction, type Transaction } from "../model/transaction.ts";
import { CALL_GAS } from "../model/transaction-gas.ts";
import type { Pause } from "../runtime/scheduler.ts";
import type { TxPool } from "../txpool/pool.ts";
import { ProtocolError } from "./error.ts";
import { bareItem, transactionItems } from "./transaction-items.ts";

/** Source of transactions that are already decoded, with their senders. */
export type TransactionLookup = Pick<TxPool, "get">;

/** Dependencies of the import of peers' blocks. */
export interface BlockImportDeps {
  readonly writer: Pick<Writer, "tip" | "blockHead" | "exclusively" | "checkHeader" | "insert" | "settle">;
  readonly chainId: bigint;
  readonly recoverer: Recoverer;
  readonly pool: TransactionLookup;
  /** Yields to other work when the time slice is used up; undefined when there is no need to wait. */
  readonly pause: Pause;
}

/** Dependencies of the check of a body. */
export interface BodyDeps {
  readonly pause: Pause;
  /** Returns the transactions root of encoded transactions. */
  readonly bodyRoot: (number: number, raw: readonly Uint8Array[]) => Promise<Hash>;
}

/**
 * Checks that a body is that of its header, without decoding it: anybody can send other bytes, such as one transaction
 * with a hundred thousand signatures, or blobs of a version that this release does not know. Rejects with `ProtocolError`
 * `bad-block` for another body, with `BytesError` for a damaged one.
 */
export async function checkBodyRoot(
  { number, transactionsRoot }: Header,
  body: Uint8Array,
  { pause, bodyRoot }: BodyDeps,
): Promise<void> {
  const raw: Uint8Array[] = [];
  for (const item of transactionItems(body)) {
    raw.push(bareItem(item)); // validators include blobs
    const waiting = pause();
    if (waiting !== undefined) await waiting;
  }
  if (equalBytes(await bodyRoot(number, raw), transactionsRoot)) return;
  throw new ProtocolError("bad-block", "the body does not match the header");
}

/** Least gas of a transaction: that of a call, of which the largest refund is half. */
const MIN_TRANSACTION_GAS = CALL_GAS / 2n;

/**
 * Assembles a block from its header and encoded body. Transactions that the pool has in the same form are
 * reused. Rejects with `BytesError` or `TransactionError` for an unreadable body, with `ProtocolError` `bad-block` for
 * more transactions than can have used the gas of the header.
 */
export async function assembleBlock(
  header: Header,
  body: Uint8Array | undefined,
  { pause, pool }: Pick<BlockImportDeps, "pause" | "pool">,
): Promise<Block> {
  const transactions: Transaction[] = [];
  const most = header.gasUsed / MIN_TRANSACTION_GAS;
  for (const item of body === undefined ? [] : transactionItems(body)) {
    if (transactions.length >= most)
      throw new ProtocolError("bad-block", `more than ${most} transactions for ${header.gasUsed} gas`);
    transactions.push(reusePooled(bareTransaction(decodeTransaction(item)), pool)); // validators include blobs
    const waiting = pause();
    if (waiting !== undefined) await waiting;
  }
  return createBlock(header, transactions);
}

function reusePooled(tx: Transaction, pool: TransactionLookup): Transaction {
  const twin = pool.get(tx.hash);
  return twin !== undefined && equalBytes(twin.raw, tx.raw) ? twin : tx;
}

/** Number of transactions whose signers are recovered in one batch: their digests are hashed in one piece. */
export const RECOVERY_BATCH = 256;

/** Recovers the senders of all transactions of these blocks in batches, between which other work runs. */
export async function recoverSenders(
  blocks: readonly Block[],
  { recoverer, chainId, pause }: Pick<BlockImportDeps, "recoverer" | "chainId" | "pause">,
): Promise<void> {
  const transactions = blocks.flatMap((block) => block.transactions);
  const recovering: Promise<void>[] = [];
  for (let at = 0; at < transactions.length; at += RECOVERY_BATCH) {
    if (at > 0) await pause();
    recovering.push(recoverSigners(recoverer, chainId, transactions.slice(at, at + RECOVERY_BATCH)));
  }
  await Promise.all(recovering);
}

/**
 * Verifies, executes and writes the next block, durably with `sync`. A block that the chain already has is not written
 * again. Rejects with `ProtocolError` `bad-block` for another block at a known number, otherwise as `Writer.insert`.
 */
export function importBlock({ writer }: BlockImportDeps, block: Block, sync: boolean): Promise<void> {
  return writer.exclusively(async () => {
    const { number } = block.header;
    if (number > writer.tip.header.number) return writer.insert(block, sync);
    const here = writer.blockHead(number);
    if (here !== undefined && equalBytes(here.hash, block.hash)) return sync ? writer.settle() : undefined;
    throw new ProtocolError("bad-block", `the peer has another block ${number}`);
  });
}
