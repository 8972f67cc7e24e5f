/** Reasons of this room's errors: faults of input, or of a thread. */
export type CryptoErrorCode =
  | "bad-private-key"
  | "bad-public-key"
  | "bad-digest"
  | "bad-kdf"
  | "bad-cipher"
  | "busy"
  | "closed"
  | "thread-died";

/** Thrown by this room; `code` is stable. The message never holds a key or a passphrase. */
export class CryptoError extends Error {
  override readonly name = "CryptoError";
  readonly code: CryptoErrorCode;
  constructor(code: CryptoErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
