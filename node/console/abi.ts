/** Codec of the contract ABI for scripts: integers are BigNumber, bytes `0x` text, lists arrays. */
import { BigNumber } from "bignumber.js";
import { bareHex, tryBareHex } from "../bytes/hex.ts";
import { keccak256 } from "../crypto/keccak.ts";
import {
  ABI_WORD,
  type AbiElements,
  type AbiParameter,
  canonicalType,
  elementsOf,
  headBytes,
  isDynamic,
} from "../model/abi-types.ts";
import { toBigNumber } from "./big-number.ts";
import { inputAddress } from "./texts.ts";

/** A parameter of an ABI in JSON; those of events may be indexed. */
export interface AbiInput extends AbiParameter {
  readonly name?: string;
  readonly indexed?: boolean;
  readonly components?: readonly AbiInput[];
}

/** An entry of an ABI in JSON. */
export interface AbiEntry {
  readonly type?: string;
  readonly name?: string;
  readonly inputs?: readonly AbiInput[];
  readonly outputs?: readonly AbiInput[];
  readonly constant?: boolean;
  readonly payable?: boolean;
  readonly stateMutability?: string;
  readonly anonymous?: boolean;
}

/** Returns a signature such as `transfer(address,uint256)`. */
export function signatureOf({ name = "", inputs = [] }: AbiEntry): string {
  return `${name}(${inputs.map(canonicalType).join(",")})`;
}

/**
 * Returns the hash of a signature, 64 digits: the topic of an event; the first eight digits are the selector
 * of a call.
 */
export function signatureHash(entry: AbiEntry): string {
  return bareHex(keccak256(Buffer.from(signatureOf(entry))));
}

function word(value: BigNumber, type: string): Buffer {
  if (!value.isInteger()) throw new Error(`not a whole number for ${type}: ${value.toString(10)}`);
  const [, unsigned, width = "256"] = /^(u?)int(\d*)$/.exec(type) ?? [];
  const bits = Number(width === "" ? 256 : width);
  const [least, most] =
    unsigned === "u" ? [0n, 1n << BigInt(bits)] : [-(1n << BigInt(bits - 1)), 1n << BigInt(bits - 1)];
  const number = BigInt(value.toFixed());
  if (number < least || number >= most) throw new Error(`out of range for ${type}: ${value.toFixed()}`);
  return Buffer.from(
    BigInt.asUintN(256, number)
      .toString(16)
      .padStart(2 * ABI_WORD, "0"),
    "hex",
  );
}

/** Pads bytes on the right to whole words. */
function padToWord(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((ABI_WORD - (bytes.length % ABI_WORD)) % ABI_WORD)]);
}

function bytesOf(value: unknown, type: string): Buffer {
  const text = String(value);
  const bytes = /^0x/i.test(text) ? tryBareHex(text.slice(2)) : undefined;
  if (bytes === undefined) throw new Error(`not hex for ${type}: ${text.slice(0, 80)}`);
  return Buffer.from(bytes);
}

function encodeOne(input: AbiInput, value: unknown): Buffer {
  const list = elementsOf(input);
  if (list !== undefined) return encodeList(list, input.type, value);
  const { type, components = [] } = input;
  if (type === "tuple") return encodeAll(components, membersOf(components, value));
  if (type === "string") return withLength(Buffer.from(String(value), "utf8"));
  if (type === "bytes") return withLength(bytesOf(value, type));
  if (type === "address")
    return Buffer.from(
      inputAddress(value)
        .slice(2)
        .padStart(2 * ABI_WORD, "0"),
      "hex",
    );
  if (type === "bool") return word(new BigNumber(value ? 1 : 0), "uint8");
  return encodeWord(type, value);
}

function encodeList({ element, count }: AbiElements<AbiInput>, type: string, value: unknown): Buffer {
  if (!Array.isArray(value) || (count !== undefined && value.length !== count))
    throw new Error(`not a list for ${type}`);
  const body = encodeAll(
    value.map(() => element),
    value,
  );
  return count === undefined ? Buffer.concat([word(new BigNumber(value.length), "uint256"), body]) : body;
}

/** Returns the members of a tuple, given as a list or by name. */
function membersOf(components: readonly AbiInput[], value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value as unknown[];
  return components.map(({ name = "" }) => (value as Record<string, unknown>)[name]);
}

/** Prefixes bytes with their length. */
function withLength(bytes: Buffer): Buffer {
  return Buffer.concat([word(new BigNumber(bytes.length), "uint256"), padToWord(bytes)]);
}

function encodeWord(type: string, value: unknown): Buffer {
  const size = fixedSize(type);
  if (size === undefined) {
    if (!/^u?int\d*$/.test(type)) throw new Error(`unknown type: ${type}`);
    return word(toBigNumber(value), type);
  }
  const bytes = bytesOf(value, type);
  if (bytes.length > size) throw new Error(`too long for ${type}: ${bytes.length} bytes`);
  return padToWord(bytes);
}

/** Returns the size of a fixed type from bytes1 to bytes32. */
function fixedSize(type: string): number | undefined {
  const [, size] = /^bytes(\d+)$/.exec(type) ?? [];
  return size === undefined ? undefined : Number(size);
}

function encodeAll(inputs: readonly AbiInput[], values: readonly unknown[]): Buffer {
  const heads: Buffer[] = [];
  const tails: Buffer[] = [];
  let at = inputs.reduce((sum, input) => sum + headBytes(input), 0);
  for (const [i, input] of inputs.entries()) {
    const bytes = encodeOne(input, values[i]);
    if (!isDynamic(input)) {
      heads.push(bytes);
      continue;
    }
    heads.push(word(new BigNumber(at), "uint256"));
    tails.push(bytes);
    at += bytes.length;
  }
  return Buffer.concat([...heads, ...tails]);
}

/** Encodes parameters, without `0x`. Throws for a value that does not fit its type. */
export function encodeParameters(inputs: readonly AbiInput[], values: readonly unknown[]): string {
  return encodeAll(inputs, values).toString("hex");
}

/** Times that a byte may be read: places in an answer may overlap, so that few bytes name endless lists of lists. */
const MAX_READS = 16;

/** An answer, and the bytes that may still be read of it. */
interface AbiAnswer {
  readonly bytes: Buffer;
  left: number;
}

/** Decodes `0x` text; integers become BigNumber. Throws for a text that is too short, or whose lists overlap. */
export function decodeParameters(outputs: readonly AbiInput[], hex: string): unknown[] {
  const bytes = Buffer.from(hex.replace(/^0x/, ""), "hex");
  return decodeAll(outputs, { bytes, left: MAX_READS * bytes.length }, 0);
}

function decodeAll(inputs: readonly AbiInput[], answer: AbiAnswer, start: number): unknown[] {
  let at = start;
  return inputs.map((input) => {
    const place = isDynamic(input) ? start + numberAt(answer, at) : at;
    at += headBytes(input);
    return decodeOne(input, answer, place);
  });
}

function slice(answer: AbiAnswer, at: number, length: number): Buffer {
  const { bytes } = answer;
  if (at + length > bytes.length) throw new Error("the result is shorter than its ABI requires");
  answer.left -= length;
  if (answer.left < 0) throw new Error("the lists of the result overlap");
  return bytes.subarray(at, at + length);
}

function numberAt(answer: AbiAnswer, at: number): number {
  const value = BigInt(`0x${slice(answer, at, ABI_WORD).toString("hex")}`);
  if (value > BigInt(answer.bytes.length)) throw new Error("the result is shorter than its ABI requires");
  return Number(value);
}

function decodeOne(input: AbiInput, answer: AbiAnswer, at: number): unknown {
  const list = elementsOf(input);
  if (list !== undefined) {
    const { element, count = numberAt(answer, at) } = list;
    const body = list.count === undefined ? at + ABI_WORD : at;
    return decodeAll(
      Array.from({ length: count }, () => element),
      answer,
      body,
    );
  }
  const { type, components = [] } = input;
  if (type === "tuple") return decodeAll(components, answer, at);
  if (type === "string" || type === "bytes") {
    const content = slice(answer, at + ABI_WORD, numberAt(answer, at));
    return type === "string" ? content.toString("utf8") : `0x${content.toString("hex")}`;
  }
  return decodeWord(type, slice(answer, at, ABI_WORD));
}

function decodeWord(type: string, content: Buffer): unknown {
  if (type === "address") return `0x${content.subarray(12).toString("hex")}`;
  if (type === "bool") return content[ABI_WORD - 1] === 1;
  const size = fixedSize(type);
  if (size !== undefined) return `0x${content.subarray(0, size).toString("hex")}`;
  const value = BigInt(`0x${content.toString("hex")}`);
  return new BigNumber((type.startsWith("int") ? BigInt.asIntN(256, value) : value).toString());
}
