/**
 * The tables of the two databases, one row each. A key is the table's prefix byte and then the named parts;
 * block numbers and incarnations are 6 bytes, big-endian. Only canonical blocks are stored: a block that a
 * quorum has sealed is final.
 */
import type { Address, Hash } from "../bytes/brands.ts";
import type { Range } from "./store.ts";

/** One table: `key` builds the key of a row from its parts, `range` covers all rows. */
export interface Table<Parts extends readonly unknown[]> {
  readonly name: string;
  readonly prefix: number;
  /** Content of a value. */
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
  | "bodies"
  | "migration"
  | "migrated"
  | "history"
  | "governance"
  | "badBlocks"
  | "signed"
  | "locked"
  | "signedBefore"
  | "signer"
  | "doppelganger"
  | "amended"
  | "fork"
  | "logIndex"
  | "senderHashes"
  | "addressIndex"
  | "goImport";

/** The chain database. */
export const tables = {
  header: table("header", "h", "RLP of the header", number6),
  body: table("body", "b", "RLP of the transaction list", number6),
  receipts: table("receipts", "r", "stored receipts of the block", number6),
  senders: table("senders", "f", "senders that its transactions do not name, 20 bytes each", number6),
  blockNumber: table("blockNumber", "n", "number of the block with this hash, 6 bytes", same),
  lookup: table("lookup", "l", "block number and index of the transaction with this hash", same),
  code: table("code", "c", "contract code with this hash", same),
  account: table("account", "a", "newest account under keccak(address), with its incarnation", same),
  slot: table("slot", "s", "newest value of a storage slot without leading zeros", storageParts),
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
  supply: table(
    "supply",
    "t",
    "what was minted and which fees were burnt up to the block, 32 bytes each",
    number6,
  ),
  badBlock: table("badBlock", "w", "refused block with this hash: list of the reason and its RLP", same),
  logIndex: table(
    "logIndex",
    "i",
    "which blocks of a section of 1,024 have this bit in their bloom; bit 2048: have logs at all",
    sectionParts,
  ),
  senderHash: table("senderHash", "e", "transaction hash by the sender's transaction hash", same),
  addressTransaction: table(
    "addressTransaction",
    "o",
    "role of the address in the transaction at this block number and index",
    addressParts,
  ),
  senderNonce: table(
    "senderNonce",
    "q",
    "block number and index of the sender's transaction with this nonce",
    same,
  ),
  addressBlock: table("addressBlock", "g", "addresses, indexes and roles that the block added", number6),
  forkRead: table("forkRead", "v", "block after which a fork read this account or slot of its origin", same),
  meta: table("meta", "m", "single rows by name", metaParts),
} as const;

/** Tables of blocks by number: large rows that never change, in a directory of their own (`chain-store.ts`). */
export const blockTables = [tables.header, tables.body, tables.receipts, tables.senders] as const;

/** The trie database; a path is one byte a nibble. */
export const trieTables = {
  accountNode: table("accountNode", "A", "node of the account trie at this path", same),
  storageNode: table("storageNode", "S", "node of a storage trie at this path", storageParts),
  marker: table("marker", "M", "block whose trie is stored: number and root", () => []),
} as const;

/** A part of a key: bytes, or a number. */
type Part = Uint8Array | number;

const NUMBER_LENGTH = 6;

function table<Parts extends readonly unknown[]>(
  name: string,
  prefixLetter: string,
  holds: string,
  parts: (...parts: Parts) => readonly Part[],
): Table<Parts> {
  const prefix = prefixLetter.charCodeAt(0);
  return {
    name,
    prefix,
    holds,
    key: (...values) => keyOf(prefix, parts(...values)),
    range: () => ({ from: Uint8Array.of(prefix), to: Uint8Array.of(prefix + 1) }),
  };
}

/** One allocation: several keys are made for every row that a block changes. */
function keyOf(prefix: number, parts: readonly Part[]): Uint8Array {
  let length = 1;
  for (const part of parts) length += typeof part === "number" ? NUMBER_LENGTH : part.length;
  const key = new Uint8Array(length);
  key[0] = prefix;
  let at = 1;
  for (const part of parts) {
    if (typeof part === "number") {
      writeNumber(key, at, part);
      at += NUMBER_LENGTH;
    } else {
      key.set(part, at);
      at += part.length;
    }
  }
  return key;
}

function writeNumber(key: Uint8Array, at: number, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0 || value >= 2 ** 48) {
    throw new RangeError(`${value} does not fit a key`);
  }
  let rest = value;
  for (let i = at + NUMBER_LENGTH - 1; rest > 0; i--) {
    key[i] = rest % 256;
    rest = Math.floor(rest / 256);
  }
}

/** A row's newest page has no number. */
function changeParts(rowKey: Uint8Array, page?: number): readonly Part[] {
  return page === undefined ? [rowKey] : [rowKey, page];
}

function metaParts(name: MetaName): readonly Part[] {
  return [Buffer.from(name, "latin1")];
}

function same(bytes: Uint8Array): readonly Part[] {
  return [bytes];
}

function number6(number: number): readonly Part[] {
  return [number];
}

/** Of a slot and of a node: account, incarnation, hashed slot or path. */
function storageParts(accountHash: Hash, incarnation: number, last: Uint8Array): readonly Part[] {
  return [accountHash, incarnation, last];
}

function addressParts(address: Address, number: number, index: number): readonly Part[] {
  return [address, number, index];
}

/** The bit in two bytes. */
function sectionParts(section: number, bit: number): readonly Part[] {
  return [section, Uint8Array.of(bit >> 8, bit & 255)];
}

function destroyedParts(block: number, accountHash: Hash, incarnation: number): readonly Part[] {
  return [block, accountHash, incarnation];
}
