/** The way of signed transactions from callers into the pool. */

import type { RpcProfile } from "../compat/profiles.ts";
import { ExecutionError } from "../execution/error.ts";
import { failure } from "../jsonrpc/errors.ts";
import type { Transaction } from "../model/transaction.ts";
import { PoolError } from "../txpool/error.ts";
import type { TxPool } from "../txpool/pool.ts";

/** What submitting takes. */
export interface SubmitParts {
  readonly pool: Pick<TxPool, "add" | "addWithBlobs">;
  readonly profile: RpcProfile;
  /** KAIA that the fee of a transaction sent by `eth_` methods may be; none or 0 is no cap. */
  readonly ethFeeCap?: number;
}

const PEB_PER_KAIA = 10n ** 18n;
const PEB_PER_HUNDREDTH = 10n ** 16n;

/** Gives a transaction to the pool and its hash to the caller: at once, but for blobs, whose proofs take their time. */
export type Submit = (tx: Transaction) => Uint8Array | Promise<Uint8Array>;

/** See `Submit`. Refusals are in the words of the profile. */
export function submitter({ pool, profile }: SubmitParts): Submit {
  return (tx) => {
    if (tx.fields.sidecar !== undefined) return pool.addWithBlobs(tx, "local").then(() => tx.hash);
    try {
      pool.add(tx, "local");
    } catch (error) {
      throw error instanceof PoolError ? inWordsOf(profile, error) : error;
    }
    return tx.hash;
  };
}

/** The same for Ethereum's methods, which refuse a fee above the cap before anything else. */
export function ethSubmitter(parts: SubmitParts): Submit {
  const submit = submitter(parts);
  const { ethFeeCap = 0 } = parts;
  return (tx) => {
    const fee = tx.gas * tx.gasFeeCap;
    if (ethFeeCap > 0 && fee > BigInt(Math.round(ethFeeCap * 1e9)) * (PEB_PER_KAIA / 1_000_000_000n)) {
      const shown = `${inKaia(fee)} KAIA`;
      throw failure(`tx fee (${shown}) exceeds the configured cap (${ethFeeCap.toFixed(2)} KAIA)`);
    }
    return submit(tx);
  };
}

/** With two decimals, rounded. */
function inKaia(peb: bigint): string {
  const digits = ((peb + PEB_PER_HUNDREDTH / 2n) / PEB_PER_HUNDREDTH).toString().padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Refusals that the two lines of the Go node word differently. */
function inWordsOf(profile: RpcProfile, error: PoolError): Error {
  const code = error.cause instanceof ExecutionError ? error.cause.code : undefined;
  if (code === "recipient-with-code") return failure(profile.recipientWithCode);
  return code === "recipient-without-code" ? failure(profile.recipientWithoutCode) : error;
}
