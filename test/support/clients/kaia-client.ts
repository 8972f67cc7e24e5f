/** Contract of every client library that knows the chain's own transaction types and account keys. */

/** A transaction as a user writes it; amounts are in peb. */
export interface KaiaTransaction {
  /** Its type without `TxType`: "FeeDelegatedCancelWithRatio". */
  readonly name: string;
  readonly from: string;
  readonly nonce: number;
  readonly to?: string;
  readonly value?: number;
  readonly data?: string;
  readonly key?: KeyPlan;
  /** Percent of the fee that the payer pays. */
  readonly feeRatio?: number;
}

/** An account key, by the private keys behind it. */
export type KeyPlan =
  | { readonly type: "legacy" | "fail" }
  | { readonly type: "public"; readonly key: string }
  | { readonly type: "multisig"; readonly threshold: number; readonly keys: readonly string[] }
  | { readonly type: "roles"; readonly roles: readonly KeyPlan[] };

/** Private keys that sign for an account, each in turn. */
export interface Signer {
  readonly address: string;
  readonly keys: readonly string[];
}

/** A client's view of a transaction in a block. */
export interface Outcome {
  /** By the receipt of the chain's own module. */
  readonly type: string;
  readonly succeeded: boolean;
  /** The hash that the client computes of the transaction that the node gives it. */
  readonly rebuiltHash: string;
}

/** A transaction that the node took. */
export interface Sent {
  readonly hash: string;
  /** Waits for the block. */
  outcome(): Promise<Outcome>;
}

/** A client library at one endpoint. */
export interface KaiaClient {
  /** True if it knows `ChainDataAnchoring`. */
  readonly anchors: boolean;
  /** Signs and sends; rejects with the node's refusal. */
  send(transaction: KaiaTransaction, sender: Signer, payer?: Signer): Promise<Sent>;
  /** The number of an account's key type. */
  keyType(address: string): Promise<number>;
  close(): Promise<void>;
}

/** Enough for every transaction of the tests; all of them say it. */
export const TERMS = { chainId: 1337, gas: 1_000_000, gasPrice: 50_000_000_000 } as const;
