/**
 * Values of the contract ABI as text, for people. In: types and encoded bytes that a contract made up. Out: one text
 * for each value. Every offset and length is checked, and the number of values is limited. The page in a browser uses
 * this file too, so it needs nothing of Node.js.
 */
import { ABI_WORD, type AbiParameter, elementsOf, headBytes, isDynamic } from "../model/abi-types.ts";

/** Values of one text, members of lists and tuples included. */
const MAX_VALUES = 1_000;

/** Returns the values of parameters as texts; undefined when the bytes do not fit the types. */
export function abiTexts(parameters: readonly AbiParameter[], bytes: Uint8Array): string[] | undefined {
  try {
    return textsOf(parameters, bytes, { left: MAX_VALUES });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Values that may still be read. */
interface Room {
  left: number;
}

function textsOf(parameters: readonly AbiParameter[], bytes: Uint8Array, room: Room): string[] {
  let at = 0;
  return parameters.map((parameter) => {
    const here = at;
    at += headBytes(parameter);
    const from = isDynamic(parameter) ? sizeAt(bytes, here) : here;
    return textOf(parameter, bytes.subarray(from), room);
  });
}

function textOf(parameter: AbiParameter, bytes: Uint8Array, room: Room): string {
  if (room.left-- <= 0) throw new RangeError("too many values");
  const list = elementsOf(parameter);
  if (list !== undefined) {
    const count = list.count ?? sizeAt(bytes, 0);
    if (count > room.left) throw new RangeError("too many values");
    const items = Array.from({ length: count }, () => list.element);
    return `[${textsOf(items, list.count === undefined ? bytes.subarray(ABI_WORD) : bytes, room).join(", ")}]`;
  }
  if (parameter.type === "tuple") return `(${textsOf(parameter.components ?? [], bytes, room).join(", ")})`;
  if (parameter.type === "string") return printable(new TextDecoder().decode(bytesAt(bytes)));
  if (parameter.type === "bytes") return hexOf(bytesAt(bytes));
  return wordText(parameter.type, wordAt(bytes, 0));
}

function wordText(type: string, word: Uint8Array): string {
  const [, size = ""] = /^bytes(\d+)$/.exec(type) ?? [];
  if (size !== "") return hexOf(word.subarray(0, Number(size)));
  if (type === "address") return hexOf(word.subarray(12));
  const value = BigInt(hexOf(word));
  if (type === "bool") return value === 0n ? "false" : "true";
  if (type.startsWith("uint")) return value.toString();
  if (type.startsWith("int")) return BigInt.asIntN(256, value).toString();
  return hexOf(word);
}

function hexOf(bytes: Uint8Array): string {
  return `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** Returns text without the control characters that would move a terminal's cursor or change its colours. */
export function printable(text: string): string {
  return text.replace(/(?![\t\n])\p{Cc}/gu, "\ufffd");
}

function wordAt(bytes: Uint8Array, at: number): Uint8Array {
  if (at + ABI_WORD > bytes.length) throw new RangeError("a word past the end");
  return bytes.subarray(at, at + ABI_WORD);
}

function sizeAt(bytes: Uint8Array, at: number): number {
  const size = BigInt(hexOf(wordAt(bytes, at)));
  if (size > BigInt(bytes.length)) throw new RangeError("an offset past the end");
  return Number(size);
}

function bytesAt(bytes: Uint8Array): Uint8Array {
  const size = sizeAt(bytes, 0);
  if (ABI_WORD + size > bytes.length) throw new RangeError("bytes past the end");
  return bytes.subarray(ABI_WORD, ABI_WORD + size);
}
