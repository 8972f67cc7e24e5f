/** What a peer did wrong, or why something cannot be asked of it. */
export type ProtocolErrorCode =
  | "bad-message"
  | "wrong-chain"
  | "unwanted"
  | "unknown-block"
  | "bad-answer"
  | "bad-block"
  | "stalling"
  | "timeout"
  | "gone";

/** Thrown by this room; `code` is stable. Each but `gone` is a reason to leave the peer. */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
  readonly code: ProtocolErrorCode;
  constructor(code: ProtocolErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
