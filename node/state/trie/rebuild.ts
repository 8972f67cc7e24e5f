/** Rebuilds the tries from the flat state, which must lead to the recorded root. */
import { equalBytes } from "../../bytes/compare.ts";
import { bareHex } from "../../bytes/hex.ts";
import { bytesToNumber } from "../../bytes/integer.ts";
import { EMPTY_TRIE_ROOT } from "../../model/list-root.ts";
import { runInSlices, Slice } from "../../runtime/scheduler.ts";
import type { Store } from "../../store/store.ts";
import { tables } from "../../store/tables.ts";
import { StateError } from "../error.ts";
import { type AccountRecord, leafOf, recordOf, slotLeaf } from "../flat/flat-rows.ts";
import { encodeMarker, MARKER_KEY, type Point } from "../rows.ts";
import type { Slab } from "./slab.ts";
import type { Trie } from "./trie.ts";
import { TrieSet } from "./trie-set.ts";

/** Source and destination of a rebuild. */
export interface RebuildDeps {
  readonly chain: Store;
  /** An empty trie database. */
  readonly trie: Store;
  readonly slab: Slab | undefined;
  readonly head: Point;
  readonly signal: AbortSignal;
}

/** Rows whose nodes are gathered before they are written. */
const FLUSH_ROWS = 20_000;

/** Fills the trie database and puts the marker in it. Throws `StateError` `corrupt` when the root is another. */
export function rebuildTries(parts: RebuildDeps): Promise<void> {
  return new Rebuild(parts).run();
}

/** The storage whose slots are being read. */
interface OpenStorage {
  readonly id: Uint8Array;
  readonly record: AccountRecord;
  /** `undefined` for slots of an account that is gone. */
  trie: Trie | undefined;
}

class Rebuild {
  readonly #deps: RebuildDeps;
  readonly #tries: TrieSet;
  #open: OpenStorage | undefined;
  #rows = 0;
  readonly #slice = new Slice("state");
  #storages = 0;

  constructor(parts: RebuildDeps) {
    this.#deps = parts;
    this.#tries = new TrieSet(parts.trie, parts.slab, EMPTY_TRIE_ROOT);
  }

  async run(): Promise<void> {
    const { chain, head } = this.#deps;
    for await (const [key, value] of chain.entries(tables.slot.range())) await this.#addSlot(key, value);
    this.#closeStorage();
    for await (const [key, flat] of chain.entries(tables.account.range())) await this.#addAccount(key, flat);
    if (this.#storages !== 0) throw this.#corrupt("an account's slots are missing");
    const root = this.#tries.accounts.hash();
    if (!equalBytes(root, head.root)) {
      throw this.#corrupt(`its root is ${bareHex(root)}, recorded is ${bareHex(head.root)}`);
    }
    await this.#flush(head.number < 0 ? undefined : head);
  }

  async #addSlot(key: Uint8Array, value: Uint8Array): Promise<void> {
    const id = key.subarray(1, 39);
    if (this.#open === undefined || !equalBytes(this.#open.id, id)) {
      this.#closeStorage();
      this.#open = this.#openStorage(Uint8Array.from(id));
    }
    if (this.#open.trie === undefined) return;
    this.#open.trie.put(key.subarray(39), slotLeaf(value));
    await this.#count();
  }

  #openStorage(id: Uint8Array): OpenStorage {
    const accountHash = id.subarray(0, 32);
    const record = recordOf(accountHash, this.#deps.chain.get(tables.account.key(accountHash)));
    const isLive = record.incarnation === bytesToNumber(id.subarray(32));
    const trie = isLive ? this.#tries.storage(accountHash, record.incarnation, EMPTY_TRIE_ROOT) : undefined;
    return { id, record, trie };
  }

  #closeStorage(): void {
    if (this.#open?.trie === undefined) return;
    const { record, trie } = this.#open;
    if (!equalBytes(trie.hash(), record.account?.storageRoot ?? EMPTY_TRIE_ROOT)) {
      throw this.#corrupt(`the slots of account ${bareHex(record.hash)} have another root than its own`);
    }
    this.#storages++;
    this.#open = undefined;
  }

  async #addAccount(key: Uint8Array, flat: Uint8Array): Promise<void> {
    const { account, incarnation } = recordOf(key.subarray(1), flat);
    if (incarnation > 0 && account !== undefined && !equalBytes(account.storageRoot, EMPTY_TRIE_ROOT)) {
      this.#storages--;
    }
    this.#tries.accounts.put(key.subarray(1), leafOf(flat));
    await this.#count();
  }

  async #count(): Promise<void> {
    this.#rows++;
    await this.#slice.yieldIfDue();
    this.#deps.signal.throwIfAborted();
    if (this.#rows % FLUSH_ROWS === 0) await this.#flush(undefined);
  }

  /** Writes what has gathered; with the marker when that is all. */
  async #flush(head: Point | undefined): Promise<void> {
    const open = this.#open;
    const root = open?.trie?.hash();
    const { trie: store, signal } = this.#deps;
    const batch = store.createBatch();
    await runInSlices(this.#tries.flushSteps(batch), signal);
    if (head !== undefined) batch.put(MARKER_KEY, encodeMarker(head));
    await store.write(batch, { sync: head !== undefined });
    if (open?.trie === undefined || root === undefined) return;
    open.trie = this.#tries.storage(open.record.hash, open.record.incarnation, root);
  }

  #corrupt(what: string): StateError {
    return new StateError("corrupt", `the flat state of block ${this.#deps.head.number} is damaged: ${what}`);
  }
}
