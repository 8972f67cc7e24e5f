/** Transactions that peers pass on: read one by one in slices, senders found in batches, then to the pool. */
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

/** What taking in transactions needs. */
export interface TransactionIntake {
  readonly pool: Pick<TxPool, "get" | "addAll" | "addWithBlobs">;
  readonly chainId: bigint;
  readonly recoverer: Recoverer;
  readonly pause: Pause;
}

/** Transactions whose senders are found, and that enter the pool, together. */
const BATCH = 128;

/**
 * Reads a message of transactions and gives them to the pool; what the pool refuses has no consequence. The
 * result is how many there were. Rejects with `ProtocolError` `bad-message` when the message cannot be read.
 */
export async function takeTransactions(
  peer: ChainPeer,
  payload: Uint8Array,
  intake: TransactionIntake,
): Promise<number> {
  let batch: Transaction[] = [];
  let count = 0;
  for (const item of itemsOf(payload)) {
    count++;
    const waiting = intake.pause();
    if (waiting !== undefined) await waiting;
    const transaction = readOne(item);
    if (transaction === undefined) continue;
    peer.knownTransactions.add(transaction.hash);
    if (intake.pool.get(transaction.hash) === undefined) batch.push(transaction);
    if (batch.length >= BATCH) {
      await give(peer, batch, intake);
      batch = [];
    }
  }
  if (batch.length > 0) await give(peer, batch, intake);
  return count;
}

/** One at a time: the views of all of a large message would take many times its bytes. */
function* itemsOf(payload: Uint8Array): Generator<Uint8Array, void> {
  try {
    yield* transactionItems(payload);
  } catch (cause) {
    if (!(cause instanceof BytesError)) throw cause;
    throw new ProtocolError("bad-message", `${messages.transactions.name}: ${cause.message}`, { cause });
  }
}

async function give(
  { link }: ChainPeer,
  batch: readonly Transaction[],
  { recoverer, chainId, pool }: TransactionIntake,
): Promise<void> {
  await recoverSigners(recoverer, chainId, batch);
  const plain = batch.filter((tx) => !carriesBlobs(tx));
  await link.time.run(() => void pool.addAll(plain, "remote"));
  for (const tx of batch.filter(carriesBlobs)) await pool.addWithBlobs(tx, "remote").catch(refusedBlobs);
}

function carriesBlobs({ fields }: Transaction): boolean {
  return fields.sidecar !== undefined;
}

/** Blobs that are not what they claim to be end the connection; any other refusal has no consequence. */
function refusedBlobs(cause: unknown): void {
  if (cause instanceof PoolError && cause.code === "bad-sidecar") {
    throw new ProtocolError("bad-message", cause.message, { cause });
  }
  if (!(cause instanceof PoolError || cause instanceof CryptoError)) throw cause;
}

/** A copy, so that one transaction in the pool does not keep its whole message; undefined when nobody can use it. */
function readOne(item: Uint8Array): Transaction | undefined {
  try {
    return decodeTransaction(new Uint8Array(item));
  } catch (cause) {
    if (!(cause instanceof TransactionError)) throw cause;
    if (cause.code !== "malformed") return undefined;
    throw new ProtocolError("bad-message", `Tx: ${cause.message}`, { cause });
  }
}
