/** The account trie with its storage tries. */
import type { Hash } from "../../bytes/brands.ts";
import { mapKey } from "../../bytes/hex.ts";
import type { Batch, Rows } from "../../store/store.ts";
import { trieTables } from "../../store/tables.ts";
import { NodeSource } from "./node-source.ts";
import type { Slab } from "./slab.ts";
import { Trie } from "./trie.ts";

const NO_PATH = new Uint8Array(0);

/** The account trie and those storage tries that have changes, over one trie database. */
export class TrieSet {
  readonly accounts: Trie;
  readonly #rows: Rows;
  readonly #slab: Slab | undefined;
  readonly #storage = new Map<string, Trie>();

  /** `root` is that of the stored account trie. */
  constructor(rows: Rows, slab: Slab | undefined, root: Hash) {
    this.#rows = rows;
    this.#slab = slab;
    this.accounts = new Trie(accountNodes(rows, slab), root);
  }

  /** Bytes of the nodes that the next flush writes, about. */
  get dirtyBytes(): number {
    return this.#sum((trie) => trie.dirtyBytes);
  }

  /** Bytes of the nodes that have changed since the latest `gatherSteps`, about. */
  get ungatheredBytes(): number {
    return this.#sum((trie) => trie.ungatheredBytes);
  }

  /** The storage trie of an account; `root` is asked for when it has no changes yet. */
  storage(accountHash: Hash, incarnation: number, root: Hash): Trie {
    const prefix = trieTables.storageNode.key(accountHash, incarnation, NO_PATH);
    const name = mapKey(prefix);
    const known = this.#storage.get(name);
    if (known !== undefined) return known;
    const trie = new Trie(new NodeSource(this.#rows, prefix, this.#slab), root);
    this.#storage.set(name, trie);
    return trie;
  }

  /** The same for reading: nothing is remembered of it. */
  peekStorage(accountHash: Hash, incarnation: number, root: Hash): Trie {
    const prefix = trieTables.storageNode.key(accountHash, incarnation, NO_PATH);
    const known = this.#storage.get(mapKey(prefix));
    return known ?? new Trie(new NodeSource(this.#rows, prefix, this.#slab), root);
  }

  /** Forgets a storage trie with its changes. */
  forget(accountHash: Hash, incarnation: number): void {
    this.#storage.delete(mapKey(trieTables.storageNode.key(accountHash, incarnation, NO_PATH)));
  }

  /** Gives most changes to the batch of the next flush, see `Trie.gatherSteps`. */
  *gatherSteps(batch: Batch): Generator<undefined> {
    for (const trie of this.#storage.values()) yield* trie.gatherSteps(batch);
    yield* this.accounts.gatherSteps(batch);
  }

  /** Gives all changes to the batch, see `Trie.flushSteps`. */
  *flushSteps(batch: Batch): Generator<undefined> {
    for (const trie of this.#storage.values()) yield* trie.flushSteps(batch);
    this.#storage.clear();
    yield* this.accounts.flushSteps(batch);
  }

  #sum(bytesOf: (trie: Trie) => number): number {
    let bytes = bytesOf(this.accounts);
    for (const trie of this.#storage.values()) bytes += bytesOf(trie);
    return bytes;
  }
}

/** The nodes of the account trie in a trie database. */
export function accountNodes(rows: Rows, slab?: Slab): NodeSource {
  return new NodeSource(rows, trieTables.accountNode.key(NO_PATH), slab);
}

/** The nodes of a storage trie in a trie database. */
export function storageNodes(rows: Rows, accountHash: Hash, incarnation: number): NodeSource {
  return new NodeSource(rows, trieTables.storageNode.key(accountHash, incarnation, NO_PATH), undefined);
}
