/** Decodes the output of REVERT: Solidity's `Error(string)` and `Panic(uint256)`. */
import { equalBytes } from "../bytes/compare.ts";
import { fromBareHex } from "../bytes/hex.ts";
import { bytesToBigint } from "../bytes/integer.ts";

const ERROR = fromBareHex("08c379a0");
const PANIC = fromBareHex("4e487b71");

/** Panic codes of Solidity with the Go node's texts. */
const PANICS: Readonly<Record<string, string>> = {
  "0": "generic panic",
  "1": "assert(false)",
  "17": "arithmetic underflow or overflow",
  "18": "division or modulo by zero",
  "33": "enum overflow",
  "34": "invalid encoded storage byte array accessed",
  "49": "out-of-bounds array access; popping on an empty array",
  "50": "out-of-bounds access of an array or bytesN",
  "65": "out of memory",
  "81": "uninitialized function",
};

/** Returns the reason in the output of a reverted call; undefined when it cannot be decoded. */
export function revertReason(output: Uint8Array): string | undefined {
  const selector = output.subarray(0, 4);
  const body = output.subarray(4);
  if (equalBytes(selector, ERROR)) return textIn(body);
  if (!equalBytes(selector, PANIC) || body.length < 32) return undefined;
  const code = bytesToBigint(body.subarray(0, 32));
  return PANICS[code.toString()] ?? `unknown panic code: 0x${code.toString(16)}`;
}

/** Returns the text of an `Error(string)` alone, without panics. */
export function revertText(output: Uint8Array): string | undefined {
  return equalBytes(output.subarray(0, 4), ERROR) ? textIn(output.subarray(4)) : undefined;
}

/** Reads one ABI string: offset, length, bytes. */
function textIn(body: Uint8Array): string | undefined {
  const offset = wordAt(body, 0);
  const length = offset === undefined ? undefined : wordAt(body, offset);
  if (offset === undefined || length === undefined || offset + 32 + length > body.length) return undefined;
  return Buffer.from(body.subarray(offset + 32, offset + 32 + length)).toString("utf8");
}

/** Returns a word that is a valid position in `body`. */
function wordAt(body: Uint8Array, at: number): number | undefined {
  if (at + 32 > body.length) return undefined;
  const word = bytesToBigint(body.subarray(at, at + 32));
  return word > BigInt(body.length) ? undefined : Number(word);
}
