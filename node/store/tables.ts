/**
 * What lies where in the two databases: one row a table. A key is the table's prefix byte and then the parts
 * named here; block numbers and incarnations are 6 bytes, big-endian. Only canonical blocks are stored: a block
 * that a quorum has sealed is final.
 */
import { concatBytes } from "../bytes/compare.ts";
import { fixedBytes } from "../bytes/integer.ts";
import type { Range } from "./store.ts";

/** One table: `key` builds the key of a row from its parts, `range` covers all rows. */
export interface Table<Parts extends readonly unknown[]> {
  readonly name: string;
  readonly prefix: number;
  /** What a value holds. */
  readonly holds: string;
  key(...parts: Parts): Uint8Array;
  range(): Range;
}

/** Names of the single rows of `meta`. */
export type MetaName =
  | "schema"
  | "genesis"
  | "config"
  | "head"
  | "state"
  | "trie"
  | "history"
  | "governance"
  | "badBlocks";

/** The chain database. */
export const tables = {
  header: table("header", "h", "RLP of the header", number6),
  body: table("body", "b", "RLP of the transaction list", number6),
  receipts: table("receipts", "r", "stored receipts of the block", number6),
  blockNumber: table("blockNumber", "n", "number of the block with this hash, 6 bytes", same),
  lookup: table("lookup", "l", "block number and index of the transaction with this hash", same),
  code: table("code", "c", "contract code with this hash", same),
  account: table("account", "a", "newest account under keccak(address), with its incarnation", same),
  slot: table("slot", "s", "newest value of a storage slot without leading zeros", slotParts),
  undo: table(
    "undo",
    "u",
    "keys of accounts and slots that the block changed, with the values before",
    number6,
  ),
  preimage: table("preimage", "p", "address or slot key with this hash", same),
  change: table("change", "x", "what a row of the state was before each block that changed it", changeParts),
  destroyed: table("destroyed", "d", "storage that the block left without an account", destroyedParts),
  staking: table(
    "staking",
    "k",
    "who had staked what after the block, where later blocks ask for it",
    number6,
  ),
  badBlock: table("badBlock", "w", "refused block with this hash: list of the reason and its RLP", same),
  meta: table("meta", "m", "single rows by name", (name: MetaName) => Buffer.from(name, "latin1")),
} as const;

/** The trie database; a path is one byte a nibble. */
export const trieTables = {
  accountNode: table("accountNode", "A", "node of the account trie at this path", same),
  storageNode: table("storageNode", "S", "node of a storage trie at this path", storageParts),
  marker: table("marker", "M", "block whose trie is stored: number and root", () => new Uint8Array(0)),
} as const;

function table<Parts extends readonly unknown[]>(
  name: string,
  letter: string,
  holds: string,
  parts: (...parts: Parts) => Uint8Array,
): Table<Parts> {
  const prefix = letter.charCodeAt(0);
  const first = Uint8Array.of(prefix);
  return {
    name,
    prefix,
    holds,
    key: (...values) => concatBytes(first, parts(...values)),
    range: () => ({ from: first, to: Uint8Array.of(prefix + 1) }),
  };
}

function same(bytes: Uint8Array): Uint8Array {
  return bytes;
}

function number6(number: number): Uint8Array {
  return fixedBytes(number, 6);
}

function slotParts(accountHash: Uint8Array, incarnation: number, slotHash: Uint8Array): Uint8Array {
  return concatBytes(accountHash, fixedBytes(incarnation, 6), slotHash);
}

/** A row's newest page has no number. */
function changeParts(rowKey: Uint8Array, page?: number): Uint8Array {
  return page === undefined ? rowKey : concatBytes(rowKey, fixedBytes(page, 6));
}

function destroyedParts(block: number, accountHash: Uint8Array, incarnation: number): Uint8Array {
  return concatBytes(fixedBytes(block, 6), accountHash, fixedBytes(incarnation, 6));
}

function storageParts(accountHash: Uint8Array, incarnation: number, path: Uint8Array): Uint8Array {
  return concatBytes(accountHash, fixedBytes(incarnation, 6), path);
}
