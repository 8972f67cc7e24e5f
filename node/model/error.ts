/** Errors of the model: malformed accounts, headers, blocks and receipts, and invalid transactions. */
export type ModelErrorCode = "bad-account" | "bad-account-key" | "bad-block" | "bad-extra" | "bad-receipt";

/** Thrown for malformed accounts, headers, blocks and receipts; `code` is stable. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly code: ModelErrorCode;
  constructor(code: ModelErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Reasons for the rejection of a transaction before it is executed. */
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
 * Thrown for invalid transactions. Separate from `ModelError` because clients read its message, which is the
 * Go node's text where that has one.
 */
export class TransactionError extends Error {
  override readonly name = "TransactionError";
  readonly code: TransactionErrorCode;
  constructor(code: TransactionErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
