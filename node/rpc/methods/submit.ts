/** The way of signed transactions from callers into the pool. */
import type { Transaction } from "../../model/transaction.ts";
import { PoolError } from "../../txpool/error.ts";
import type { TxPool } from "../../txpool/pool.ts";
import { failure } from "../errors.ts";
import { type RpcProfile, rpcProfiles } from "../profiles.ts";

/** What submitting takes. */
export interface SubmitParts {
  readonly pool: Pick<TxPool, "add" | "addWithBlobs">;
  readonly profile: RpcProfile;
}

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

/** Texts in which the lines of the Go node differ. */
const TEXTS = ["recipientWithCode", "recipientWithoutCode"] as const satisfies readonly (keyof RpcProfile)[];

function inWordsOf(profile: RpcProfile, error: PoolError): Error {
  const text = TEXTS.find((key) => rpcProfiles.service[key] === error.message);
  return text === undefined || profile[text] === error.message ? error : failure(profile[text]);
}
