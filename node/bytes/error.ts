/** Faults of bytes or of their text. */
export type BytesErrorCode = "bad-hex" | "bad-length" | "bad-quantity" | "bad-rlp" | "bad-snappy";

/** Thrown by this room; `code` is stable, the message says what was found and where. */
export class BytesError extends Error {
  override readonly name = "BytesError";
  readonly code: BytesErrorCode;
  constructor(code: BytesErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
