/**
 * The rows of the flat state. An account's row is its bytes in the trie; one that ever had storage has a zero
 * byte and the incarnation before them (no account begins with zero). A slot's row is its value without
 * leading zeros; a slot that is zero has none.
 */
import type { Hash } from "../../bytes/brands.ts";
import { bytesToNumber, fixedBytes } from "../../bytes/integer.ts";
import { encodeRlp } from "../../bytes/rlp.ts";
import { writeWord } from "../../bytes/word.ts";
import { type Account, decodeAccount, encodeAccount } from "../../model/account.ts";

/** An account as the newest accepted block left it, or that there is none. Never changed. */
export interface AccountRecord {
  /** keccak(address). */
  readonly hash: Hash;
  /** The row; `undefined` where there is no account. */
  readonly flat: Uint8Array | undefined;
  readonly account: Account | undefined;
  /** Tells the storage of this account from that of earlier ones at the same address; 0 while it has none. */
  readonly incarnation: number;
}

const WITH_INCARNATION = 0;
const INCARNATION_LENGTH = 6;
/** Buffer of the slot value that is being encoded. */
const word = new Uint8Array(32);
const wordView = new DataView(word.buffer);

/** The row of an account. */
export function encodeFlat(account: Account, incarnation: number): Uint8Array {
  return flatRow(encodeAccount(account), incarnation);
}

/** The row of an account whose value in the trie is given. */
export function flatRow(leaf: Uint8Array, incarnation: number): Uint8Array {
  if (incarnation === 0) return leaf;
  const flat = new Uint8Array(1 + INCARNATION_LENGTH + leaf.length);
  flat[0] = WITH_INCARNATION;
  flat.set(fixedBytes(incarnation, INCARNATION_LENGTH), 1);
  flat.set(leaf, 1 + INCARNATION_LENGTH);
  return flat;
}

/** Reads a row; hashes of the account are views of it. */
export function recordOf(hash: Hash, flat: Uint8Array | undefined): AccountRecord {
  if (flat === undefined) return { hash, flat, account: undefined, incarnation: 0 };
  return { hash, flat, account: decodeAccount(leafOf(flat)), incarnation: incarnationOf(flat) };
}

/** The account's value in the trie. */
export function leafOf(flat: Uint8Array): Uint8Array {
  return flat[0] === WITH_INCARNATION ? flat.subarray(1 + INCARNATION_LENGTH) : flat;
}

/** A slot's value in its trie. */
export function slotLeaf(value: Uint8Array): Uint8Array {
  return encodeRlp(value);
}

/** A slot's row: its value without leading zeros; zero has none. */
export function slotRow(value: bigint): Uint8Array | undefined {
  if (value === 0n) return undefined;
  writeWord(wordView, 0, value);
  let start = 0;
  while (word[start] === 0) start++;
  return word.slice(start);
}

/** A slot's row as 32 bytes. */
export function padWord(value: Uint8Array | undefined): Uint8Array {
  const bytes = new Uint8Array(32);
  if (value !== undefined) bytes.set(value, 32 - value.length);
  return bytes;
}

function incarnationOf(flat: Uint8Array): number {
  return flat[0] === WITH_INCARNATION ? bytesToNumber(flat.subarray(1, 1 + INCARNATION_LENGTH)) : 0;
}
