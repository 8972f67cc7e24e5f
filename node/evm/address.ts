/** Conversions between stack words and 20-byte addresses, and the addresses of new contracts. */
import type { Address, Hash } from "../bytes/brands.ts";
import { integerBytes } from "../bytes/integer.ts";
import { encodeRlp } from "../bytes/rlp.ts";
import { bytesWord, lowBits, wordBytes } from "../bytes/word.ts";
import { keccak256 } from "../crypto/keccak.ts";

const MAX_ADDRESS = (1n << 160n) - 1n;
const CACHE_SIZE = 256;

/** Direct-mapped cache of recent conversions, indexed by the low bits of the word. */
const words = Array.from<bigint>({ length: CACHE_SIZE }).fill(-1n);
const addresses = Array.from<Address>({ length: CACHE_SIZE });

/** Returns the address in a word's low 160 bits. The array is shared and must not be written to. */
export function addressOf(word: bigint): Address {
  const low = word > MAX_ADDRESS ? word & MAX_ADDRESS : word;
  const place = lowBits(low) & (CACHE_SIZE - 1);
  if (words[place] === low) return addresses[place] as Address; // set together with the word
  const address = wordBytes(low).subarray(12);
  words[place] = low;
  addresses[place] = address;
  return address;
}

/** Returns an address or a hash as a stack word. */
export function wordOf(bytes: Address | Hash): bigint {
  return bytesWord(bytes);
}

/** Returns the number of an address below 2^16, and -1 for any other address. */
export function shortNumber(address: Address): number {
  for (let i = 0; i < 18; i++) if (address[i] !== 0) return -1;
  return ((address[18] ?? 0) << 8) | (address[19] ?? 0);
}

/** Returns the address of a contract made by CREATE; `nonce` is the creator's nonce before the creation. */
export function createAddress(creator: Address, nonce: bigint): Address {
  return keccak256(encodeRlp([creator, integerBytes(nonce)])).subarray(12);
}

/** Returns the address of a contract made by CREATE2 (EIP-1014). */
export function create2Address(creator: Address, salt: bigint, code: Uint8Array): Address {
  const text = new Uint8Array(85);
  text[0] = 0xff;
  text.set(creator, 1);
  text.set(wordBytes(salt), 21);
  text.set(keccak256(code), 53);
  return keccak256(text).subarray(12);
}
