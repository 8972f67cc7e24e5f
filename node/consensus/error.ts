/** Which header rule a block breaks, why no block can be made, or that a message is not what it claims. */
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
  | "unsupported";

/** Thrown by the header rules, the maker of blocks and the reader of messages; the messages are the Go node's. */
export class ConsensusError extends Error {
  override readonly name = "ConsensusError";
  readonly code: ConsensusErrorCode;
  constructor(code: ConsensusErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
