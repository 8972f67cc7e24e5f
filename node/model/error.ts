/** What can be wrong with data of the chain that is not a transaction. */
export type ModelErrorCode = "bad-account" | "bad-account-key" | "bad-block" | "bad-extra" | "bad-receipt";

/** Thrown for damaged accounts, headers, blocks and receipts; `code` is stable. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly code: ModelErrorCode;
  constructor(code: ModelErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Why a transaction is refused before its effects are looked at. */
export type TransactionErrorCode =
  | "bad-signature"
  | "malformed"
  | "no-fee-payer"
  | "sidecar-in-block"
  | "signature-count"
  | "type-not-accepted"
  | "undefined-type"
  | "unsupported-type"
  | "wrong-chain-id";

/**
 * Thrown for transactions, apart from `ModelError` because its message is what a client reads: the Go node's
 * text wherever that has one.
 */
export class TransactionError extends Error {
  override readonly name = "TransactionError";
  readonly code: TransactionErrorCode;
  constructor(code: TransactionErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
