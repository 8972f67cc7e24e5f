/** Copies the tries of one block, every node checked, into an empty trie database. */
import type { Hash } from "../../bytes/brands.ts";
import { equalBytes } from "../../bytes/compare.ts";
import { bareHex } from "../../bytes/hex.ts";
import { keccak256 } from "../../crypto/keccak.ts";
import { decodeAccount } from "../../model/account.ts";
import { EMPTY_TRIE_ROOT } from "../../model/list-root.ts";
import type { Row, Snapshot, Store } from "../../store/store.ts";
import { trieTables } from "../../store/tables.ts";
import { StateError } from "../error.ts";
import { LEAF, toKey } from "../trie/node.ts";
import { RowCheck } from "../trie/row-check.ts";

/** Progress of a copy. */
export interface CopyCounts {
  /** Rows read, those of no trie included. */
  readonly read: number;
  /** Nodes given to the new database. */
  readonly committed: number;
  /** Nodes of the account trie that are known to come. */
  readonly pending: number;
  /** The part of the accounts behind it, from 0 to 1. */
  readonly part: number;
}

/** Source and destination of a copy. */
export interface CopyDeps {
  /** Of a trie database at one block. */
  readonly from: Snapshot;
  readonly to: Store;
  /** State root of that block. */
  readonly root: Hash;
  readonly signal: AbortSignal;
  /** Called before each batch is written. */
  readonly rest: () => void;
  /** Called every now and then. */
  readonly report: (counts: CopyCounts) => void;
}

/** Bytes of a batch, a few milliseconds' work: between two batches the copying yields to blocks. */
const BATCH_BYTES = 128 * 1024;
/** Parts of a key of a storage node: prefix 1, account hash 32, incarnation 6, path. */
const INCARNATION_AT = 33;
const PATH_AT = 39;

/**
 * Copies the tries without syncing. Throws `StateError` `trie-damaged` at the first node that is missing or
 * fails its hash, and the signal's reason.
 */
export function copyTries(parts: CopyDeps): Promise<void> {
  return new Copying(parts).run();
}

class Copying {
  readonly #deps: CopyDeps;
  readonly #storage: AsyncIterator<Row>;
  #batch;
  /** The row that the iterator of storage nodes stands at; `undefined` at its end. */
  #storageRow: Row | undefined;
  #read = 0;
  #committed = 0;

  constructor(parts: CopyDeps) {
    this.#deps = parts;
    this.#batch = parts.to.createBatch();
    this.#storage = parts.from.entries(trieTables.storageNode.range())[Symbol.asyncIterator]();
  }

  async run(): Promise<void> {
    const { from, root } = this.#deps;
    if (equalBytes(root, EMPTY_TRIE_ROOT)) return;
    const check = new RowCheck(root);
    await this.#nextStorageRow();
    try {
      for await (const [key, row] of from.entries(trieTables.accountNode.range())) {
        this.#read++;
        const path = key.subarray(1);
        const node = check.take(path, row);
        if (node === undefined) continue;
        if (this.#put(key, row)) await this.#write(check.pending, path);
        // an account with storage is too long to stand inside its parent
        if (node.kind === LEAF) await this.#copyStorage([...path, ...node.path], node.value);
      }
      check.end();
      await this.#write(0, [16]);
    } finally {
      await this.#storage.return?.();
    }
  }

  async #copyStorage(nibbles: readonly number[], value: Uint8Array): Promise<void> {
    const { storageRoot } = decodeAccount(value);
    if (equalBytes(storageRoot, EMPTY_TRIE_ROOT)) return;
    const account = toKey(nibbles);
    while (this.#storageRow !== undefined && compareAccount(this.#storageRow[0], account) < 0) {
      await this.#nextStorageRow();
    }
    let found = false;
    while (this.#storageRow !== undefined && compareAccount(this.#storageRow[0], account) === 0) {
      found = (await this.#copyIncarnation(this.#storageRow, storageRoot, nibbles)) || found;
    }
    if (!found) throw new StateError("trie-damaged", `the storage of account ${bareHex(account)} is missing`);
  }

  /** Copies the rows of one incarnation, or passes over them where they are of an account that is gone. */
  async #copyIncarnation([first, top]: Row, root: Hash, nibbles: readonly number[]): Promise<boolean> {
    const isLive = first.length === PATH_AT && equalBytes(keccak256(top), root);
    const check = new RowCheck(root);
    for (
      let row = this.#storageRow;
      row !== undefined && sameIncarnation(row[0], first);
      row = await this.#nextStorageRow()
    ) {
      const [key, bytes] = row;
      if (!isLive || check.take(key.subarray(PATH_AT), bytes) === undefined) continue;
      if (this.#put(key, bytes)) await this.#write(check.pending, nibbles);
    }
    if (isLive) check.end();
    return isLive;
  }

  async #nextStorageRow(): Promise<Row | undefined> {
    const { done, value } = await this.#storage.next();
    this.#storageRow = done === true ? undefined : value;
    if (done !== true) this.#read++;
    return this.#storageRow;
  }

  /** True when it is time to write. */
  #put(key: Uint8Array, row: Uint8Array): boolean {
    this.#batch.put(key, row);
    this.#committed++;
    return this.#batch.bytes >= BATCH_BYTES;
  }

  async #write(pending: number, path: ArrayLike<number>): Promise<void> {
    const { to, signal, rest, report } = this.#deps;
    rest();
    await to.write(this.#batch, { sync: false });
    this.#batch = to.createBatch();
    signal.throwIfAborted();
    report({ read: this.#read, committed: this.#committed, pending, part: partOf(path) });
  }
}

/** The part of all keys that stand before a path. */
function partOf(path: ArrayLike<number>): number {
  let part = 0;
  for (let i = 0; i < Math.min(path.length, 6); i++) part += (path[i] as number) / 16 ** (i + 1);
  return part;
}

function compareAccount(key: Uint8Array, account: Uint8Array): number {
  return Buffer.compare(key.subarray(1, INCARNATION_AT), account);
}

function sameIncarnation(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a.subarray(0, PATH_AT), b.subarray(0, PATH_AT)) === 0;
}
