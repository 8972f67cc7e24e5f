/** Codes of `ExecutionError`. */
export type ExecutionErrorCode =
  | "reserved-address"
  | "recipient-with-code"
  | "recipient-without-code"
  | "bad-sender"
  | "bad-key"
  | "not-a-program"
  | "deploy-with-recipient"
  | "human-readable"
  | "code-format"
  | "type-not-accepted"
  | "invalid-sender"
  | "invalid-payer"
  | "nonce-too-high"
  | "nonce-too-low"
  | "nonce-max"
  | "bad-fee-caps"
  | "fee-cap-below-base-fee"
  | "bad-blobs"
  | "bad-authorizations"
  | "insufficient-balance-for-gas"
  | "insufficient-balance"
  | "intrinsic-gas"
  | "floor-gas"
  | "initcode-too-large";

/**
 * Thrown for a transaction that no block may contain; the texts are the Go node's. It makes a block invalid,
 * and a proposer skips the transaction. It is never a failed receipt.
 */
export class ExecutionError extends Error {
  override readonly name = "ExecutionError";
  readonly code: ExecutionErrorCode;
  constructor(code: ExecutionErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
