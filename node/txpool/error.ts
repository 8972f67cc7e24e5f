/** Reasons for which the pool refuses a transaction. */
export type PoolErrorCode =
  | "known"
  | "type-not-supported"
  | "initcode-too-large"
  | "gas-above-limit"
  | "wrong-chain"
  | "bad-fee-caps"
  | "bad-price"
  | "oversized"
  | "negative-value"
  | "invalid-sender"
  | "nonce-max"
  | "nonce-too-low"
  | "nonce-taken"
  | "bad-fee-ratio"
  | "insufficient-funds"
  | "gas-too-low"
  | "invalid-for-type"
  | "delegated-account"
  | "bad-blobs"
  | "bad-sidecar"
  | "full"
  | "local-anchoring"
  | "remote-denied"
  | "throttled"
  | "throttler-state"
  | "underpriced";

/** Thrown by this room. Messages are the Go node's, which clients compare; `code` is stable. */
export class PoolError extends Error {
  override readonly name = "PoolError";
  readonly code: PoolErrorCode;
  constructor(code: PoolErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
