/** A target of fuzzing: a decoder with good inputs, and what it may throw. */
import { equalBytes } from "../../../node/bytes/compare.ts";
import { toHex } from "../../../node/bytes/hex.ts";
import { seededRandom } from "../random.ts";

/** Bytes that the other forms of the types in one input are longer by, at most. */
const MAX_TYPE_BYTES = 32;

/** A class of errors. */
export type ErrorClass = abstract new (...args: never[]) => Error;

/** One decoder. */
export interface FuzzTarget {
  readonly name: string;
  /** Good inputs to begin with. */
  readonly seeds: () => readonly Uint8Array[];
  /** Decodes an input. Throws for bad input, and for a value that does not encode to its own bytes. */
  readonly run: (input: Uint8Array) => Promise<void> | void;
  /** Errors that the decoder documents for bad input; any other error is a finding. */
  readonly refuses: readonly ErrorClass[];
  /** Part of the URL of the scripts whose blocks guide the fuzzer; the node's by default. */
  readonly covers?: string;
}

/** Throws when a value encodes to other bytes than those that it was decoded from. */
export function assertSameBytes(input: Uint8Array, encoded: Uint8Array): void {
  if (!equalBytes(input, encoded))
    throw new Error(`it encodes to other bytes: ${toHex(encoded.subarray(0, 64))}`);
}

/**
 * As `assertSameBytes`, for bytes with transactions: a type number may come in another form than the one that is
 * encoded (`readCode` in `model/transaction.ts`). The usual bytes must then be shorter by no more than such forms are,
 * and encode to themselves.
 */
export function assertSameButTypes(input: Uint8Array, encode: (input: Uint8Array) => Uint8Array): void {
  const usual = encode(input);
  const removed = input.length - usual.length;
  if (removed < 1 || removed > MAX_TYPE_BYTES) assertSameBytes(input, usual);
  else assertSameBytes(usual, encode(usual));
}

/** Throws when two values differ as JSON text. */
export function assertSameJson(first: unknown, second: unknown): void {
  const [before, after] = [JSON.stringify(first), JSON.stringify(second)];
  if (before !== after) throw new Error(`${before.slice(0, 200)} came back as ${after.slice(0, 200)}`);
}

/** Returns the text of an input. */
export function textOf(input: Uint8Array): string {
  return Buffer.from(input).toString("utf8");
}

/** Returns the value of JSON text; undefined for any other text. */
export function jsonOf(input: Uint8Array): unknown {
  try {
    return JSON.parse(textOf(input));
  } catch {
    return undefined;
  }
}

/** Returns values as JSON texts. */
export function jsonTexts(...values: readonly unknown[]): Uint8Array[] {
  return values.map((value) => Buffer.from(JSON.stringify(value)));
}

/** Cuts an input into copies of pieces of at most `longest` bytes, the same ones each time. */
export function piecesOf(bytes: Uint8Array, longest: number): Buffer[] {
  const random = seededRandom(bytes.length);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 1 + Math.floor(random() * longest);
    pieces.push(Buffer.from(bytes.subarray(at, end)));
    at = end;
  }
  return pieces;
}
