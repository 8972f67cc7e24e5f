/** Faults of bytes or of their text. */
export type BytesErrorCode = "bad-hex" | "bad-length" | "bad-quantity" | "bad-rlp" | "bad-snappy";

/** Thrown by this room; `code` is stable, the message says what was found and where. */
export class BytesError extends Error {
  override readonly name = "BytesError";
  readonly code: BytesErrorCode;
  /** Position in the input; undefined when the error is of no one byte. */
  readonly at: number | undefined;
  constructor(code: BytesErrorCode, message: string, at?: number) {
    super(message);
    this.code = code;
    this.at = at;
  }
}
