/**
 * Finds the end of one transaction in concatenated ones: a transaction is at most two single bytes (the type's prefix)
 * and one RLP list. Reads headers only, so the input need not be complete.
 */

/** A length in bytes; `incomplete` when the input ends too early, `damaged` when it is no transaction. */
export type FrameLength = number | "incomplete" | "damaged";

const MAX_PREFIX = 2;

/** Returns the length of the transaction at `at`; more than `limit` bytes count as damage. */
export function frameLength(bytes: Uint8Array, at: number, limit: number): FrameLength {
  let list = at;
  while (list - at < MAX_PREFIX && (bytes[list] ?? 0xff) < 0x80) list++;
  const first = bytes[list];
  if (first === undefined) return "incomplete";
  if (first < 0xc0) return "damaged";
  const lengthBytes = first < 0xf8 ? 0 : first - 0xf7;
  if (list + lengthBytes >= bytes.length && lengthBytes > 0) return "incomplete";
  let length = first < 0xf8 ? first - 0xc0 : 0;
  for (let i = 1; i <= lengthBytes; i++) length = length * 256 + (bytes[list + i] as number); // checked above
  const total = list - at + 1 + lengthBytes + length;
  return total > limit ? "damaged" : total;
}
