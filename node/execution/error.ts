/** Why a transaction or a block cannot be executed. */
export type ExecutionErrorCode =
  | "reserved-address"
  | "type-not-accepted"
  | "invalid-sender"
  | "nonce-too-high"
  | "nonce-too-low"
  | "nonce-max"
  | "fee-cap-below-base-fee"
  | "tip-above-cap"
  | "insufficient-balance-for-gas"
  | "insufficient-balance"
  | "intrinsic-gas"
  | "floor-gas"
  | "unsupported";

/**
 * Thrown when a transaction cannot be part of a block; the messages are the Go node's. An error here makes a
 * block invalid and a proposer leave the transaction out; it is never a failed receipt.
 */
export class ExecutionError extends Error {
  override readonly name = "ExecutionError";
  readonly code: ExecutionErrorCode;
  constructor(code: ExecutionErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
