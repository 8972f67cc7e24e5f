/** Errors of the chain protocol. */
/** Stable codes of `ProtocolError`. */
export type ProtocolErrorCode =
  | "bad-message"
  | "wrong-chain"
  | "unwanted"
  | "unknown-block"
  | "bad-answer"
  | "bad-block"
  | "stalling"
  | "useless"
  | "timeout"
  | "gone";

/** Error of this room; `code` is stable. Every code but `gone` is a reason to disconnect the peer. */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
  readonly code: ProtocolErrorCode;
  constructor(code: ProtocolErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
