/** Keys of the Go node's databases (`storage/database/schema.go@v2.2.2`; Klaytn 1.12 has the same). */
import type { Hash } from "../bytes/brands.ts";
import { concatBytes } from "../bytes/compare.ts";
import { fixedBytes } from "../bytes/integer.ts";
import type { Range } from "../store/store.ts";

const text = (characters: string): Uint8Array => Buffer.from(characters, "latin1");
const number8 = (number: number): Uint8Array => fixedBytes(number, 8);

/** Hash of the newest block. */
export const HEAD_BLOCK: Uint8Array = text("LastBlock");
/** Block of a state migration that has not ended; zero or absent without one. */
export const MIGRATION_STATUS: Uint8Array = text("migrationStatus");

const [HEADER, CANONICAL, NUMBER, BODY, RECEIPTS, CODE] = ["h", "n", "H", "b", "r", "c"].map(text) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
]; // as many as letters
const PREIMAGE = text("secure-key-");
const STAKING = text("stakingInfo");
const SUPPLY = text("supplyCheckpoint");

/** Key of the hash of the block with this number. */
export function canonicalKey(number: number): Uint8Array {
  return concatBytes(HEADER, number8(number), CANONICAL);
}

/** Key of the number, 8 bytes, of the block with this hash. */
export function numberKey(hash: Hash): Uint8Array {
  return concatBytes(NUMBER, hash);
}

/** Key of a header. */
export function headerKey(number: number, hash: Hash): Uint8Array {
  return concatBytes(HEADER, number8(number), hash);
}

/** Key of a body. */
export function bodyKey(number: number, hash: Hash): Uint8Array {
  return concatBytes(BODY, number8(number), hash);
}

/** Key of the receipts of a block. */
export function receiptsKey(number: number, hash: Hash): Uint8Array {
  return concatBytes(RECEIPTS, number8(number), hash);
}

/** Key of contract code; older databases have it under the bare hash. */
export function codeKey(hash: Hash): Uint8Array {
  return concatBytes(CODE, hash);
}

/** Key of the preimage of a key of a trie: the address of an account, or the place of a slot. */
export function preimageKey(hash: Hash): Uint8Array {
  return concatBytes(PREIMAGE, hash);
}

/** Key of the chain configuration, as JSON. */
export function configKey(genesis: Hash): Uint8Array {
  return concatBytes(text("klay-config-"), genesis);
}

/** Key of the directory of a database, by its place in the Go node's list. */
export function directoryKey(entry: number): Uint8Array {
  return concatBytes(text("databaseDirectory"), number8(entry));
}

/** Key of the stakes after a block, as JSON. */
export function stakingKey(number: number): Uint8Array {
  return concatBytes(STAKING, number8(number).reverse());
}

/** Key of the supply up to a block. */
export function supplyKey(number: number): Uint8Array {
  return concatBytes(SUPPLY, number8(number));
}

/** All rows of the kind of `supplyKey`. */
export function supplyRange(): Range {
  return { from: supplyKey(0), to: concatBytes(SUPPLY, new Uint8Array(8).fill(255)) };
}
