/** Addresses as words on the stack and as the bytes that the world knows. */
import { integerBytes } from "../bytes/integer.ts";
import { encodeRlp } from "../bytes/rlp.ts";
import { bytesWord, lowBits, wordBytes } from "../bytes/word.ts";
import { keccak256 } from "../crypto/keccak.ts";

const MOST = (1n << 160n) - 1n;
const PLACES = 256;
const LAST_RESERVED = 0x3ff;

/** The words looked up last, one place for each value of their low bits. */
const words = Array.from<bigint>({ length: PLACES }).fill(-1n);
const addresses = Array.from<Uint8Array>({ length: PLACES });

/** The address of a word's low 160 bits; shared, so nobody may write into it. */
export function addressOf(word: bigint): Uint8Array {
  const low = word > MOST ? word & MOST : word;
  const place = lowBits(low) & (PLACES - 1);
  if (words[place] === low) return addresses[place] as Uint8Array; // set together with the word
  const address = wordBytes(low).subarray(12);
  words[place] = low;
  addresses[place] = address;
  return address;
}

/** The word of an address or a hash. */
export function wordOf(address: Uint8Array): bigint {
  return bytesWord(address);
}

/** The number that an address below 2^16 is; -1 for any other. */
export function shortNumber(address: Uint8Array): number {
  for (let i = 0; i < 18; i++) if (address[i] !== 0) return -1;
  return ((address[18] ?? 0) << 8) | (address[19] ?? 0);
}

/** True for 0x1 to 0x3ff, which are kept for precompiled contracts. */
export function isReserved(address: Uint8Array): boolean {
  const number = shortNumber(address);
  return number > 0 && number <= LAST_RESERVED;
}

/** Where CREATE puts a contract: by the creator and its nonce before. */
export function createAddress(creator: Uint8Array, nonce: bigint): Uint8Array {
  return keccak256(encodeRlp([creator, integerBytes(nonce)])).subarray(12);
}

/** Where CREATE2 puts a contract: by the creator, a salt and the code that creates (EIP-1014). */
export function create2Address(creator: Uint8Array, salt: bigint, code: Uint8Array): Uint8Array {
  const text = new Uint8Array(85);
  text[0] = 0xff;
  text.set(creator, 1);
  text.set(wordBytes(salt), 21);
  text.set(keccak256(code), 53);
  return keccak256(text).subarray(12);
}
