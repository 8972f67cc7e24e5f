/** Which header rule a block breaks, or why no block can be made. */
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
  | "unsupported";

/** Thrown by the header rules and the sealer; the messages are the Go node's. */
export class ConsensusError extends Error {
  override readonly name = "ConsensusError";
  readonly code: ConsensusErrorCode;
  constructor(code: ConsensusErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
