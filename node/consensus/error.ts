/**
 * Codes of `ConsensusError`: the violated header rule, a reason why no block can be built, an invalid message, or
 * an unreadable minimum height.
 */
export type ConsensusErrorCode =
  | "base-fee"
  | "future-block"
  | "extra-data"
  | "block-score"
  | "unknown-ancestor"
  | "timestamp"
  | "unauthorized"
  | "fork-fields"
  | "committed-seals"
  | "governance"
  | "bad-message"
  | "min-height"
  | "unsupported";

/** Thrown by header rules, block builder and message decoder. The texts of header rules are the Go node's. */
export class ConsensusError extends Error {
  override readonly name = "ConsensusError";
  readonly code: ConsensusErrorCode;
  constructor(code: ConsensusErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
