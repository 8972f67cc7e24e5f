/** Why bytes are not what they are taken for, with the place. */

/** Where and why reading stopped; the message names the byte. */
export class DecodeError extends Error {
  override readonly name = "DecodeError";
  readonly code = "undecodable";
}

/**
 * Runs `read` on a part that begins at `offset` of the input. What it throws comes out as a `DecodeError` that says
 * `what` the part is, and counts bytes from the input's start. Bugs come out as they are.
 */
export function located<T>(what: string, offset: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Error) || error instanceof DecodeError || !("code" in error)) throw error;
    const reason = error.message.replace(/\(byte (\d+)\)/, (_, at) => `(byte ${Number(at) + offset})`);
    throw new DecodeError(`${what} at byte ${Math.max(0, offset)}: ${reason}`, { cause: error });
  }
}

/** Where a view of `bytes` begins in it. */
export function offsetIn(bytes: Uint8Array, view: Uint8Array): number {
  return view.byteOffset - bytes.byteOffset;
}
