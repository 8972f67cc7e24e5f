/**
 * Verifies the accounts whose hashes begin alike, with their storage: the rows of both databases are read once and in
 * order, side by side, each trie node against its hash, each leaf against its flat row.
 */
import type { Hash } from "../../bytes/brands.ts";
import { equalBytes } from "../../bytes/compare.ts";
import { bareHex, mapKey } from "../../bytes/hex.ts";
import { bytesToNumber } from "../../bytes/integer.ts";
import { EMPTY_HASH, keccak256 } from "../../crypto/keccak.ts";
import { EMPTY_TRIE_ROOT } from "../../model/list-root.ts";
import type { Range, Snapshot } from "../../store/store.ts";
import { tables, trieTables } from "../../store/tables.ts";
import { StateError } from "../error.ts";
import { type AccountRecord, leafOf, recordOf } from "../flat/flat-rows.ts";
import { readHead } from "../rows.ts";
import { RowCheck, type TrieLeaf } from "../trie/row-check.ts";
import { RowCursor } from "./row-cursor.ts";

/** The accounts below one node of the account trie. */
export interface AccountsPart {
  /** Of the node: one nibble, or none for the whole trie. */
  readonly path: Uint8Array;
  /** Undefined where the trie has nothing. */
  readonly hash: Hash | undefined;
}

/** Rows of a part. */
export interface PartCounts {
  accounts: number;
  slots: number;
  nodes: number;
  /** Rows of the trie database that no trie reaches. */
  strayNodes: number;
  /** Slots that no account has. */
  straySlots: number;
  /** Hashes of the code that accounts name, as latin1. */
  readonly codes: Set<string>;
}

/** Both databases at the same block. */
export interface StateSnapshots {
  readonly chain: Snapshot;
  readonly trie: Snapshot;
}

/** Accounts between two reports of progress. */
const REPORT_ACCOUNTS = 1_000;
/** Parts of a key of a slot or a storage node: prefix 1, account hash 32, incarnation 6, slot or path. */
const STORAGE_AT = 1;
const INCARNATION_AT = 33;
/** Place of the slot or the path in such a key. */
export const LAST_AT = 39;

/**
 * Verifies a part. `progress` is called with the accounts since its latest call, and may throw to end the work. Throws
 * `StateError` `corrupt` or `trie-damaged`, or `StoreError`, at the first difference.
 */
export async function verifyPart(
  snapshots: StateSnapshots,
  part: AccountsPart,
  progress: (accounts: number) => void,
): Promise<PartCounts> {
  const { chain, trie } = snapshots;
  await using accounts = new RowCursor(chain, below(tables.account.prefix, part.path, false));
  await using slots = new RowCursor(chain, below(tables.slot.prefix, part.path, false));
  await using nodes = new RowCursor(trie, below(trieTables.accountNode.prefix, part.path, true));
  await using storageNodes = new RowCursor(trie, below(trieTables.storageNode.prefix, part.path, false));
  const cursors = { accounts, slots, nodes, storageNodes };
  for (const cursor of Object.values(cursors)) await cursor.load();
  const work = new PartWork(chain, cursors, progress);
  for (const cursor of work.steps(part)) await cursor.load();
  return work.counts;
}

interface Cursors {
  readonly accounts: RowCursor;
  readonly slots: RowCursor;
  readonly nodes: RowCursor;
  readonly storageNodes: RowCursor;
}

/** Its generators yield the cursor that must load a page before they go on. */
type Steps<Result = void> = Generator<RowCursor, Result>;

class PartWork {
  readonly counts: PartCounts = {
    accounts: 0,
    slots: 0,
    nodes: 0,
    strayNodes: 0,
    straySlots: 0,
    codes: new Set(),
  };
  readonly #chain: Snapshot;
  readonly #cursors: Cursors;
  readonly #progress: (accounts: number) => void;
  /** Incarnations given out: a later one must not find any slots. */
  readonly #incarnations: number;
  #unreported = 0;

  constructor(chain: Snapshot, cursors: Cursors, progress: (accounts: number) => void) {
    this.#chain = chain;
    this.#cursors = cursors;
    this.#progress = progress;
    this.#incarnations = readHead(chain).incarnations;
  }

  *steps({ path, hash }: AccountsPart): Steps {
    const { accounts, nodes, slots, storageNodes } = this.#cursors;
    const leaves: TrieLeaf[] = [];
    const check = new RowCheck(hash, { path, leaves });
    for (; nodes.row !== undefined; nodes.advance() || (yield nodes)) {
      const [key, row] = nodes.row;
      this.#countNode(check.take(key.subarray(1), row) !== undefined);
      for (const leaf of leaves) yield* this.#account(leaf);
      leaves.length = 0;
    }
    check.end();
    for (const leaf of leaves) yield* this.#account(leaf);
    if (accounts.row !== undefined) throw difference(accounts.row[0].subarray(1));
    yield* this.#skip(slots, undefined);
    yield* this.#skip(storageNodes, undefined);
    this.#progress(this.#unreported);
  }

  *#account(leaf: TrieLeaf): Steps {
    const { accounts } = this.#cursors;
    const { row } = accounts;
    if (row === undefined) throw lack(leaf.key);
    const [key, flat] = row;
    const hash: Hash = key.subarray(1);
    if (!equalBytes(hash, leaf.key) || !equalBytes(leafOf(flat), leaf.value)) throw difference(hash);
    const record = recordOf(hash, flat);
    this.#checkCode(record);
    yield* this.#storage(record);
    this.counts.accounts++;
    if (++this.#unreported === REPORT_ACCOUNTS) {
      this.#progress(this.#unreported);
      this.#unreported = 0;
    }
    if (!accounts.advance()) yield accounts;
  }

  *#storage({ hash, account, incarnation }: AccountRecord): Steps {
    this.#checkIncarnation(hash, incarnation);
    const root = account?.storageRoot ?? EMPTY_TRIE_ROOT;
    const isEmpty = equalBytes(root, EMPTY_TRIE_ROOT);
    if (incarnation === 0 && isEmpty) return;
    const { slots, storageNodes } = this.#cursors;
    const storage = tables.slot.key(hash, incarnation, NOTHING).subarray(STORAGE_AT);
    yield* this.#skip(slots, storage);
    yield* this.#skip(storageNodes, storage);
    const leaves: TrieLeaf[] = [];
    const check = new RowCheck(isEmpty ? undefined : root, { owner: hash, leaves });
    for (; storageNodes.row !== undefined; storageNodes.advance() || (yield storageNodes)) {
      const [key, row] = storageNodes.row;
      if (compareStorage(key, storage) !== 0) break;
      this.#countNode(check.take(key.subarray(LAST_AT), row) !== undefined);
      yield* this.#slots(storage, leaves);
    }
    check.end();
    yield* this.#slots(storage, leaves);
    if (slots.row !== undefined && compareStorage(slots.row[0], storage) === 0)
      throw difference(slots.row[0].subarray(LAST_AT));
  }

  /** Compares leaves of a storage trie with the next slots, and forgets them. */
  *#slots(storage: Uint8Array, leaves: TrieLeaf[]): Steps {
    const { slots } = this.#cursors;
    for (const leaf of leaves) {
      const { row } = slots;
      if (row === undefined || compareStorage(row[0], storage) !== 0) throw lack(leaf.key);
      const key = row[0].subarray(LAST_AT);
      if (!equalBytes(key, leaf.key) || !isLeafOf(leaf.value, row[1])) throw difference(key);
      this.counts.slots++;
      if (!slots.advance()) yield slots;
    }
    leaves.length = 0;
  }

  /** Passes over the rows of accounts before one; over all that are left for `undefined`. */
  *#skip(cursor: RowCursor, storage: Uint8Array | undefined): Steps {
    for (; cursor.row !== undefined; cursor.advance() || (yield cursor)) {
      if (storage !== undefined && compareStorage(cursor.row[0], storage) >= 0) return;
      if (cursor === this.#cursors.slots) this.#countStraySlot(cursor.row[0]);
      else this.counts.strayNodes++;
    }
  }

  #countStraySlot(key: Uint8Array): void {
    this.#checkIncarnation(
      key.subarray(STORAGE_AT, INCARNATION_AT),
      bytesToNumber(key.subarray(INCARNATION_AT, LAST_AT)),
    );
    this.counts.straySlots++;
  }

  #checkIncarnation(hash: Hash, incarnation: number): void {
    if (incarnation <= this.#incarnations) return;
    const what = `has storage of incarnation ${incarnation}, the newest is ${this.#incarnations}`;
    throw new StateError("corrupt", `account ${bareHex(hash)} ${what}`);
  }

  #countNode(isOfTrie: boolean): void {
    if (isOfTrie) this.counts.nodes++;
    else this.counts.strayNodes++;
  }

  /** Code that accounts name must be there and fit its hash; each is read once. */
  #checkCode({ hash, account }: AccountRecord): void {
    if (account === undefined || equalBytes(account.codeHash, EMPTY_HASH)) return;
    const name = mapKey(account.codeHash);
    if (this.counts.codes.has(name)) return;
    const code = this.#chain.get(tables.code.key(account.codeHash));
    if (code === undefined || !equalBytes(keccak256(code), account.codeHash)) {
      const what = code === undefined ? "is missing" : "fails its hash";
      throw new StateError("corrupt", `the code of account ${bareHex(hash)} ${what}`);
    }
    this.counts.codes.add(name);
  }
}

const NOTHING = new Uint8Array(0);

/** The rows of a table whose keys begin with a path: as nibbles of their first byte, or as the byte itself. */
function below(prefix: number, path: Uint8Array, isPath: boolean): Range {
  const [nibble] = path;
  if (nibble === undefined) return { from: Uint8Array.of(prefix), to: Uint8Array.of(prefix + 1) };
  const step = isPath ? 1 : 16;
  const end = (nibble + 1) * step;
  return {
    from: Uint8Array.of(prefix, nibble * step),
    to: end > 255 ? Uint8Array.of(prefix + 1) : Uint8Array.of(prefix, end),
  };
}

/** Orders the account and incarnation of a row of storage against another account's. */
function compareStorage(key: Uint8Array, storage: Uint8Array): number {
  return Buffer.compare(key.subarray(STORAGE_AT, LAST_AT), storage);
}

/** True when a leaf is the RLP of a slot's row, which is a string of up to 32 bytes. */
function isLeafOf(leaf: Uint8Array, value: Uint8Array): boolean {
  if (leaf.length === 1) return equalBytes(leaf, value);
  return leaf[0] === 0x80 + value.length && equalBytes(leaf.subarray(1), value);
}

function lack(key: Uint8Array): StateError {
  return new StateError("corrupt", `the flat state lacks ${bareHex(key)}`);
}

function difference(key: Uint8Array): StateError {
  return new StateError("corrupt", `trie and flat state differ at ${bareHex(key)}`);
}
