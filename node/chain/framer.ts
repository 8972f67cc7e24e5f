/**
 * Cuts a byte stream into RLP lists by their headers alone. What a list claims to need is waited for, never
 * allocated ahead, and pieces are joined once for each list.
 */
import { ChainError } from "./error.ts";

/** A whole list and where it begins in the stream. */
export interface Framed {
  readonly raw: Uint8Array;
  readonly offset: number;
}

/** Cuts a stream of bytes into RLP items. */
export interface Framer {
  push(chunk: Uint8Array): void;
  /** The next whole item, a copy; undefined when more bytes are needed. Throws `ChainError` `bad-file`. */
  next(): Framed | undefined;
  /** Returns the offset of the next item, its bytes so far, and its length as far as it is known. */
  rest(): { readonly offset: number; readonly bytes: number; readonly needed: number };
}

/** No block of a chain is larger; a length above it is damage. */
const MAX_BLOCK_BYTES = 64 * 1024 * 1024;
const FIRST_LIST = 0xc0;
const FIRST_LONG_LIST = 0xf8;
const GZIP = 0x1f;

/** A framer that refuses what cannot be the beginning of a block. */
export function createFramer(): Framer {
  let held = Buffer.alloc(0);
  let at = 0;
  let later: Uint8Array[] = [];
  let laterBytes = 0;
  /** Offset of `held` in the stream. */
  let base = 0;
  /** Bytes that must be there before it is worth looking again. */
  let needed = 1;
  const available = (): number => held.length - at + laterBytes;
  const join = (): void => {
    if (later.length === 0 || held.length - at >= needed) return;
    base += at;
    held = Buffer.concat([held.subarray(at), ...later]);
    at = 0;
    later = [];
    laterBytes = 0;
  };
  return {
    push(chunk) {
      later.push(chunk);
      laterBytes += chunk.length;
    },
    next() {
      while (available() >= needed) {
        join();
        const wanted = wantedBytes(held, at, base + at);
        if (wanted <= held.length - at && wanted === needed) {
          at += wanted;
          needed = 1;
          // a plain array: views of it are cheaper than buffers
          return { raw: new Uint8Array(held.subarray(at - wanted, at)), offset: base + at - wanted };
        }
        needed = wanted;
      }
      return undefined;
    },
    rest: () => ({ offset: base + at, bytes: available(), needed }),
  };
}

/** Bytes of the list that begins at `at`, or of its header while that is not there as a whole. */
function wantedBytes(bytes: Uint8Array, at: number, offset: number): number {
  const first = bytes[at] ?? 0;
  if (first < FIRST_LIST) {
    const packed = offset === 0 && first === GZIP ? ": it looks packed, then its name must end in .gz" : "";
    const found = `found byte 0x${first.toString(16).padStart(2, "0")}`;
    throw new ChainError("bad-file", `no block begins at byte ${offset}: expected a list, ${found}${packed}`);
  }
  if (first < FIRST_LONG_LIST) return 1 + first - FIRST_LIST;
  const count = first - FIRST_LONG_LIST + 1;
  if (bytes.length - at <= count) return 1 + count;
  let length = 0;
  for (let i = 1; i <= count; i++) length = length * 256 + (bytes[at + i] ?? 0);
  if (length > MAX_BLOCK_BYTES) {
    const claim = `at byte ${offset} a block claims ${length} bytes`;
    throw new ChainError("bad-file", `${claim}, the most is ${MAX_BLOCK_BYTES}`);
  }
  return 1 + count + length;
}
