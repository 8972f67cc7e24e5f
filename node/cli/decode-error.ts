/** Errors of `knit decode` with the offset in the input. */
import { BytesError } from "../bytes/error.ts";

/** A failure to decode; the message has the offset and the reason. */
export class DecodeError extends Error {
  override readonly name = "DecodeError";
  readonly code = "undecodable";
  /** Offset of the first byte that does not fit, from the start of the input. */
  readonly at: number;
  constructor(message: string, at: number, options?: ErrorOptions) {
    super(message, options);
    this.at = at;
  }
}

/** Returns the error of a part (`what`) at `offset` of the input; `at` is the byte that does not fit, when it is known. */
export function partError(what: string, offset: number, reason: string, at?: number): DecodeError {
  const text = at === undefined ? reason : `${reason} (byte ${at})`;
  return new DecodeError(`${what} at byte ${offset}: ${text}`, Math.max(offset, at ?? 0));
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
    const start = Math.max(0, offset);
    const at = positionOf(error);
    if (at === undefined)
      throw new DecodeError(`${what} at byte ${start}: ${error.message}`, start, { cause: error });
    const reason = error.message.replace(`(byte ${at})`, `(byte ${at + offset})`);
    throw new DecodeError(`${what} at byte ${start}: ${reason}`, Math.max(start, at + offset), {
      cause: error,
    });
  }
}

/** Returns the position in the part; undefined when neither the error nor its cause has one. */
function positionOf(error: Error): number | undefined {
  const source = error instanceof BytesError ? error : error.cause;
  return source instanceof BytesError ? source.at : undefined;
}

/** Returns the offset of a view in `bytes`. */
export function offsetIn(bytes: Uint8Array, view: Uint8Array): number {
  return view.byteOffset - bytes.byteOffset;
}
