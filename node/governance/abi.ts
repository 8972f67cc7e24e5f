/**
 * The part of the contract ABI that the protocol's own contracts need: calls with integers and strings,
 * results with words, addresses and byte strings. Every offset and length is checked, since results come from
 * contracts.
 */
import type { Address } from "../bytes/brands.ts";
import { concatBytes, isZero } from "../bytes/compare.ts";
import { bytesToBigint, fixedBytes } from "../bytes/integer.ts";
import { keccak256 } from "../crypto/keccak.ts";
import { GovernanceError } from "./error.ts";

const WORD = 32;
/** Bound of the items of a list; no list of the protocol has a tenth of it. */
const MAX_ITEMS = 10_000;

/** Argument of a call: an unsigned integer or a string. */
export type AbiArgument = bigint | string;

/** Encodes a call of `signature`, for example `getActiveAddr(string)`. */
export function encodeCall(signature: string, ...values: readonly AbiArgument[]): Uint8Array {
  const heads: Uint8Array[] = [];
  const tails: Uint8Array[] = [];
  let tailAt = values.length * WORD;
  for (const value of values) {
    if (typeof value === "bigint") {
      heads.push(fixedBytes(value, WORD));
      continue;
    }
    const bytes = Buffer.from(value);
    const padded = new Uint8Array(Math.ceil(bytes.length / WORD) * WORD);
    padded.set(bytes);
    heads.push(fixedBytes(tailAt, WORD));
    tails.push(fixedBytes(bytes.length, WORD), padded);
    tailAt += WORD + padded.length;
  }
  return concatBytes(selector(signature), ...heads, ...tails);
}

const selectors = new Map<string, Uint8Array>();

function selector(signature: string): Uint8Array {
  let found = selectors.get(signature);
  if (found === undefined) {
    found = keccak256(Buffer.from(signature)).slice(0, 4);
    selectors.set(signature, found);
  }
  return found;
}

/** A tuple in a result; members are read by position. Every method throws `GovernanceError` `bad-answer`. */
export class AbiTuple {
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Returns a member of type `uint256`. */
  integer(index: number): bigint {
    return bytesToBigint(this.#word(index * WORD));
  }

  /** Returns a member of type `address`. */
  address(index: number): Address {
    const word = this.#word(index * WORD);
    if (!isZero(word.subarray(0, 12))) throw badAnswer("an address of more than 20 bytes");
    return word.slice(12);
  }

  /** Returns a member of type `bytes` or `string`. */
  bytes(index: number): Uint8Array {
    const rest = this.#at(this.#size(index * WORD));
    const length = sizeOf(rest);
    if (WORD + length > rest.length) throw badAnswer("a byte string past the end");
    return rest.slice(WORD, WORD + length);
  }

  /**
   * Returns a list member, each item read by `read(items, position)`. Items that are tuples or byte strings
   * are read through `tuple` and `bytes`.
   */
  list<T>(index: number, read: (items: AbiTuple, at: number) => T): readonly T[] {
    const rest = this.#at(this.#size(index * WORD));
    const length = sizeOf(rest);
    if (length > MAX_ITEMS || WORD + length * WORD > rest.length) throw badAnswer("a list past the end");
    const items = new AbiTuple(rest.subarray(WORD));
    return Array.from({ length }, (_, at) => read(items, at));
  }

  /** Returns a dynamic tuple member. */
  tuple(index: number): AbiTuple {
    return new AbiTuple(this.#at(this.#size(index * WORD)));
  }

  #word(at: number): Uint8Array {
    if (at + WORD > this.#bytes.length) throw badAnswer("a word past the end");
    return this.#bytes.subarray(at, at + WORD);
  }

  #size(at: number): number {
    return sizeOf(this.#bytes.subarray(at));
  }

  #at(offset: number): Uint8Array {
    if (offset > this.#bytes.length) throw badAnswer("an offset past the end");
    return this.#bytes.subarray(offset);
  }
}

function sizeOf(bytes: Uint8Array): number {
  if (bytes.length < WORD) throw badAnswer("a word past the end");
  const value = bytesToBigint(bytes.subarray(0, WORD));
  if (value > 0xffff_ffffn) throw badAnswer("a length of more than 32 bits");
  return Number(value);
}

function badAnswer(what: string): GovernanceError {
  return new GovernanceError("bad-answer", `a contract's answer has ${what}`);
}
