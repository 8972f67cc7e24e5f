/** Errors of `knit decode` with the offset in the input. */

/** A failure to decode; the message has the offset and the reason. */
export class DecodeError extends Error {
  override readonly name = "DecodeError";
  readonly code = "undecodable";
}

/**
 * Runs `read` on a part at `offset` of the input. Its errors become a `DecodeError` with the name of the part
 * (`what`) and the offset from the start of the input. Programming errors pass unchanged.
 */
export function withOffset<T>(what: string, offset: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Error) || error instanceof DecodeError || !("code" in error)) throw error;
    const reason = error.message.replace(/\(byte (\d+)\)/, (_, at) => `(byte ${Number(at) + offset})`);
    throw new DecodeError(`${what} at byte ${Math.max(0, offset)}: ${reason}`, { cause: error });
  }
}

/** Returns the offset of a view in `bytes`. */
export function offsetIn(bytes: Uint8Array, view: Uint8Array): number {
  return view.byteOffset - bytes.byteOffset;
}
