/** Submits signed transactions from callers to the pool. */

import { failure } from "../jsonrpc/errors.ts";
import type { Transaction } from "../model/transaction.ts";
import type { Client } from "../runtime/fair-queue.ts";
import type { TxPool } from "../txpool/pool.ts";

/** Dependencies of submission. */
export interface SubmitDeps extends SubmitOptions {
  readonly pool: Pick<TxPool, "add" | "addWithBlobs">;
}

/** Handling of a transaction that is sent to the node, beside the pool. */
export interface SubmitOptions {
  /** Maximum fee of a transaction sent by `eth_` methods, in KAIA; undefined or 0 is no cap. */
  readonly ethFeeCap?: number;
  /** Gives a blob transaction what its sidecar lacks, on a development chain. */
  readonly completeBlobs?: ((tx: Transaction) => Promise<Transaction>) | undefined;
  /** Resolves when a submitted transaction need not be waited for any more: mined, where each one is at once. */
  readonly afterSubmit?: (() => Promise<void>) | undefined;
}

const PEB_PER_KAIA = 10n ** 18n;
const PEB_PER_HUNDREDTH = 10n ** 16n;

/**
 * Adds a transaction to the pool and returns its hash. Asynchronous for blob transactions, whose proofs are
 * verified in a helper thread.
 */
export type Submit = (tx: Transaction, client?: Client) => Uint8Array | Promise<Uint8Array>;

/** Creates the submission function of Kaia's methods. */
export function createSubmit({ pool, completeBlobs, afterSubmit }: SubmitDeps): Submit {
  const addBlobs = async (tx: Transaction, client: Client | undefined): Promise<Uint8Array> => {
    await pool.addWithBlobs((await completeBlobs?.(tx)) ?? tx, "local", client);
    await afterSubmit?.();
    return tx.hash;
  };
  return (tx, client) => {
    if (tx.fields.sidecar !== undefined) return addBlobs(tx, client);
    pool.add(tx, "local");
    return afterSubmit === undefined ? tx.hash : afterSubmit().then(() => tx.hash);
  };
}

/** Creates the submission function of Ethereum's methods, which first checks the fee against the cap. */
export function createEthSubmit(deps: SubmitDeps): Submit {
  const submit = createSubmit(deps);
  const { ethFeeCap = 0 } = deps;
  return (tx, client) => {
    const fee = tx.gas * tx.gasFeeCap;
    if (ethFeeCap > 0 && fee > BigInt(Math.round(ethFeeCap * 1e9)) * (PEB_PER_KAIA / 1_000_000_000n)) {
      const shown = `${formatKaia(fee)} KAIA`;
      throw failure(`tx fee (${shown}) exceeds the configured cap (${ethFeeCap.toFixed(2)} KAIA)`);
    }
    return submit(tx, client);
  };
}

/** Formats an amount in KAIA with two decimals, rounded. */
function formatKaia(peb: bigint): string {
  const digits = ((peb + PEB_PER_HUNDREDTH / 2n) / PEB_PER_HUNDREDTH).toString().padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
