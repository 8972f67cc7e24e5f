/** Key ranges of one account's storage in both databases. */
import type { Hash } from "../../bytes/brands.ts";
import { bytesToNumber } from "../../bytes/integer.ts";
import type { Range } from "../../store/store.ts";
import { tables, trieTables } from "../../store/tables.ts";

/** Sorts after every slot and every path. */
const LAST = new Uint8Array(65).fill(255);
const FIRST = new Uint8Array(0);
/** Parts of a key of `destroyed`: prefix 1, block 6, account hash 32, incarnation 6. */
const HASH_AT = 7;
const INCARNATION_AT = 39;

/** The slots of an account in the chain database; the slot's hash is what follows `from`. */
export function slotsOf(accountHash: Hash, incarnation: number): Range {
  return {
    from: tables.slot.key(accountHash, incarnation, FIRST),
    to: tables.slot.key(accountHash, incarnation, LAST),
  };
}

/** The nodes of an account's storage trie in the trie database. */
export function nodesOf(accountHash: Hash, incarnation: number): Range {
  return {
    from: trieTables.storageNode.key(accountHash, incarnation, FIRST),
    to: trieTables.storageNode.key(accountHash, incarnation, LAST),
  };
}

/** The rows of `destroyed` of blocks up to and including one. */
export function destroyedUpTo(block: number): Range {
  return {
    from: tables.destroyed.range().from,
    to: tables.destroyed.key(block + 1, FIRST, 0).subarray(0, HASH_AT),
  };
}

/** The rows of `destroyed` of blocks after one. */
export function destroyedAfter(block: number): Range {
  return {
    from: tables.destroyed.key(block + 1, FIRST, 0).subarray(0, HASH_AT),
    to: tables.destroyed.range().to,
  };
}

/** The storage that a row of `destroyed` names. */
export function destroyedOf(key: Uint8Array): {
  readonly accountHash: Hash;
  readonly incarnation: number;
} {
  return {
    accountHash: key.subarray(HASH_AT, INCARNATION_AT),
    incarnation: bytesToNumber(key.subarray(INCARNATION_AT)),
  };
}
