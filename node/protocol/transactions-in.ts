/**
 * Transactions of peers: decoded one by one in time slices, senders recovered in batches, then added to the
 * pool.
 */
import { BytesError } from "../bytes/error.ts";
import { CryptoError } from "../crypto/error.ts";
import { TransactionError } from "../model/error.ts";
import { decodeTransaction, type Transaction } from "../model/transaction.ts";
import { signatureCount } from "../model/transaction-signers.ts";
import type { Pause } from "../runtime/scheduler.ts";
import { PoolError } from "../txpool/error.ts";
import type { TxPool } from "../txpool/pool.ts";
import type { ChainPeer } from "./chain-peer.ts";
import { ProtocolError } from "./error.ts";
import { MAX_TRANSACTION_BYTES } from "./limits.ts";
import { messages } from "./messages.ts";
import { isBlobTransaction, transactionItems } from "./transaction-items.ts";

/** Dependencies of receiving transactions. */
export interface TransactionImportDeps {
  readonly pool: Pick<TxPool, "get" | "addAll" | "addWithBlobs" | "recover">;
  readonly pause: Pause;
}

/** Number of signatures that are recovered together, at which their transactions are added. */
const BATCH_SIZE = 128;

/** Cost of a message of transactions. */
export interface ImportCost {
  readonly count: number;
  /** Recovered signatures. */
  readonly signatures: number;
}

/**
 * Adds the transactions of a message to the pool and returns their cost. A refusal by the pool has no
 * consequence for the peer. Rejects with `ProtocolError` `bad-message` for an unreadable message. Of a peer that has left
 * it takes no further ones: the signatures of one message take seconds.
 */
export async function importTransactions(
  peer: ChainPeer,
  payload: Uint8Array,
  intake: TransactionImportDeps,
): Promise<ImportCost> {
  let batch: Transaction[] = [];
  let inBatch = 0;
  let signatures = 0;
  let count = 0;
  for (const item of itemsOf(payload)) {
    count++;
    const waiting = intake.pause();
    if (waiting !== undefined) await waiting;
    if (peer.link.signal.aborted) return { count, signatures };
    if (isOversized(item)) continue;
    const transaction = decodeCopy(item);
    if (transaction === undefined) continue;
    peer.knownTransactions.add(transaction.hash);
    if (intake.pool.get(transaction.hash) !== undefined) continue;
    batch.push(transaction);
    inBatch += signatureCount(transaction);
    if (inBatch < BATCH_SIZE) continue;
    signatures += inBatch;
    await addBatch(peer, batch, intake);
    batch = [];
    inBatch = 0;
  }
  if (batch.length > 0) await addBatch(peer, batch, intake);
  return { count, signatures: signatures + inBatch };
}

function isOversized(item: Uint8Array): boolean {
  const { plain, withBlobs } = MAX_TRANSACTION_BYTES;
  return item.length > (isBlobTransaction(item) ? withBlobs : plain);
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
  { pool }: TransactionImportDeps,
): Promise<void> {
  await pool.recover(batch);
  const plain = batch.filter((tx) => !carriesBlobs(tx));
  await link.time.run(() => void pool.addAll(plain, "remote"));
  for (const tx of batch.filter(carriesBlobs))
    await pool.addWithBlobs(tx, "remote", link).catch(handleBlobRefusal);
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
