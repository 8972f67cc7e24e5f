/**
 * Transactions of peers: decoded one by one in time slices, senders recovered in batches, then added to the
 * pool.
 */
import { BytesError } from "../bytes/error.ts";
import { recoverSigners } from "../chain/recover-signers.ts";
import { CryptoError } from "../crypto/error.ts";
import type { Recoverer } from "../crypto/recoverer.ts";
import { TransactionError } from "../model/error.ts";
import { decodeTransaction, type Transaction } from "../model/transaction.ts";
import type { Pause } from "../runtime/scheduler.ts";
import { PoolError } from "../txpool/error.ts";
import type { TxPool } from "../txpool/pool.ts";
import type { ChainPeer } from "./chain-peer.ts";
import { ProtocolError } from "./error.ts";
import { messages } from "./messages.ts";
import { transactionItems } from "./transaction-items.ts";

/** Dependencies of receiving transactions. */
export interface TransactionImportDeps {
  readonly pool: Pick<TxPool, "get" | "addAll" | "addWithBlobs">;
  readonly chainId: bigint;
  readonly recoverer: Recoverer;
  readonly pause: Pause;
}

/** Number of transactions that are recovered and added together. */
const BATCH_SIZE = 128;

/**
 * Adds the transactions of a message to the pool and returns their number. A refusal by the pool has no
 * consequence for the peer. Rejects with `ProtocolError` `bad-message` for an unreadable message.
 */
export async function importTransactions(
  peer: ChainPeer,
  payload: Uint8Array,
  intake: TransactionImportDeps,
): Promise<number> {
  let batch: Transaction[] = [];
  let count = 0;
  for (const item of itemsOf(payload)) {
    count++;
    const waiting = intake.pause();
    if (waiting !== undefined) await waiting;
    const transaction = decodeCopy(item);
    if (transaction === undefined) continue;
    peer.knownTransactions.add(transaction.hash);
    if (intake.pool.get(transaction.hash) === undefined) batch.push(transaction);
    if (batch.length >= BATCH_SIZE) {
      await addBatch(peer, batch, intake);
      batch = [];
    }
  }
  if (batch.length > 0) await addBatch(peer, batch, intake);
  return count;
}

/** Yields one item at a time: views of all items of a large message would take many times its size. */
function* itemsOf(payload: Uint8Array): Generator<Uint8Array, void> {
  try {
    yield* transactionItems(payload);
  } catch (cause) {
    if (!(cause instanceof BytesError)) throw cause;
    throw new ProtocolError("bad-message", `${messages.transactions.name}: ${cause.message}`, { cause });
  }
}

async function addBatch(
  { link }: ChainPeer,
  batch: readonly Transaction[],
  { recoverer, chainId, pool }: TransactionImportDeps,
): Promise<void> {
  await recoverSigners(recoverer, chainId, batch);
  const plain = batch.filter((tx) => !carriesBlobs(tx));
  await link.time.run(() => void pool.addAll(plain, "remote"));
  for (const tx of batch.filter(carriesBlobs)) await pool.addWithBlobs(tx, "remote").catch(handleBlobRefusal);
}

function carriesBlobs({ fields }: Transaction): boolean {
  return fields.sidecar !== undefined;
}

/**
 * Rejects blobs that do not match their commitments, which ends the connection. Ignores any other refusal.
 */
function handleBlobRefusal(cause: unknown): void {
  if (cause instanceof PoolError && cause.code === "bad-sidecar") {
    throw new ProtocolError("bad-message", cause.message, { cause });
  }
  if (!(cause instanceof PoolError || cause instanceof CryptoError)) throw cause;
}

/**
 * Decodes a copy, so that a transaction in the pool does not retain its whole message. Returns undefined for
 * an unsupported one.
 */
function decodeCopy(item: Uint8Array): Transaction | undefined {
  try {
    return decodeTransaction(new Uint8Array(item));
  } catch (cause) {
    if (!(cause instanceof TransactionError)) throw cause;
    if (cause.code !== "malformed") return undefined;
    throw new ProtocolError("bad-message", `Tx: ${cause.message}`, { cause });
  }
}
