/** Blocks from peers on their way into the chain: decoded in slices, senders recovered, verified and executed. */
import { equalBytes } from "../bytes/compare.ts";
import { recoverSigners } from "../chain/recover-signers.ts";
import type { Writer } from "../chain/writer.ts";
import type { Recoverer } from "../crypto/recoverer.ts";
import { bareTransaction } from "../model/bare-transaction.ts";
import { type Block, createBlock } from "../model/block.ts";
import type { Header } from "../model/header.ts";
import { decodeTransaction, type Transaction } from "../model/transaction.ts";
import type { Pause } from "../runtime/scheduler.ts";
import type { TxPool } from "../txpool/pool.ts";
import { ProtocolError } from "./error.ts";
import { transactionItems } from "./transaction-items.ts";

/** Where a block's transactions may be already, with their signers. */
export type KnownTransactions = Pick<TxPool, "get">;

/** What taking in a block needs. */
export interface BlockIntake {
  readonly writer: Pick<Writer, "tip" | "written" | "exclusively" | "checkHeader" | "insert" | "settle">;
  readonly chainId: bigint;
  readonly recoverer: Recoverer;
  readonly pool: KnownTransactions;
  /** Gives way to other work when a slice of time is used up. */
  readonly pause: Pause;
}

/** Puts a block together, of transactions of the pool where those are the same. Rejects with `BytesError` or `TransactionError` for what cannot be read. */
export async function assembleBlock(
  header: Header,
  body: Uint8Array | undefined,
  { pause, pool }: Pick<BlockIntake, "pause" | "pool">,
): Promise<Block> {
  const transactions: Transaction[] = [];
  for (const item of body === undefined ? [] : transactionItems(body)) {
    transactions.push(pooled(bareTransaction(decodeTransaction(item)), pool)); // validators send blobs along
    const waiting = pause();
    if (waiting !== undefined) await waiting;
  }
  return createBlock(header, transactions);
}

function pooled(tx: Transaction, pool: KnownTransactions): Transaction {
  const twin = pool.get(tx.hash);
  return twin !== undefined && equalBytes(twin.raw, tx.raw) ? twin : tx;
}

/** Finds the senders of all transactions of these blocks in one batch. */
export async function findSenders(
  blocks: readonly Block[],
  { recoverer, chainId }: BlockIntake,
): Promise<void> {
  const transactions = blocks.flatMap((block) => block.transactions);
  if (transactions.length > 0) await recoverSigners(recoverer, chainId, transactions);
}

/**
 * Verifies, executes and writes the next block; one that is here already is passed over. Rejects with
 * `ProtocolError` `bad-block` when another block stands at its place, or as `Writer.insert` does.
 */
export function takeBlock({ writer }: BlockIntake, block: Block): Promise<void> {
  return writer.exclusively(async () => {
    const { number } = block.header;
    if (number > writer.tip.header.number) return writer.insert(block);
    const here = writer.written(number);
    if (here !== undefined && equalBytes(here.hash, block.hash)) return;
    throw new ProtocolError("bad-block", `the peer has another block ${number}`);
  });
}
