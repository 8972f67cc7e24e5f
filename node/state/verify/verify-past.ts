/** Verifies the undo records: each leads from the tries of its block to the root of the block before. */
import type { Hash } from "../../bytes/brands.ts";
import { mapKey } from "../../bytes/hex.ts";
import { runInSlices } from "../../runtime/scheduler.ts";
import { StoreError } from "../../store/error.ts";
import type { Rows, Store } from "../../store/store.ts";
import { tables } from "../../store/tables.ts";
import { StateError } from "../error.ts";
import { destroyedOf } from "../flat/storage-rows.ts";
import { decodeUndo, type Undone } from "../history/undo-record.ts";
import { readHead } from "../rows.ts";
import { applyChanged } from "../trie/recovery.ts";
import { TrieSet } from "../trie/trie-set.ts";
import { LAST_AT } from "./accounts-part.ts";

/** A verified state and the blocks before it. */
export interface PastDeps {
  readonly chain: Store;
  readonly trie: Rows;
  readonly root: Hash;
  /** Oldest block whose state is read by undo records. */
  readonly oldest: number;
  /** Returns the state root in the header of a block. */
  readonly rootAt: (number: number) => Hash;
}

const NOTHING = new Uint8Array(0);

/**
 * Verifies the states of recent blocks before the newest. Slots of storage that was destroyed since are left out: the trie
 * database may lack their nodes. Throws `StateError` `corrupt` at the newest record that is wrong, or `StoreError`.
 */
export async function verifyPast({ chain, trie, root, oldest, rootAt }: PastDeps): Promise<void> {
  const gone = await destroyedStorage(chain);
  const past = new Past(chain, new TrieSet(trie, undefined, root), gone);
  for (let { number } = readHead(chain); number > oldest; number--) {
    try {
      await past.stepBack(number, rootAt(number - 1));
    } catch (cause) {
      if (cause instanceof StoreError && cause.code !== "corrupt") throw cause;
      const message = `the undo record of block ${number} does not lead to the state before it`;
      throw new StateError("corrupt", message, { cause });
    }
  }
}

/** The rows and tries of a block, which goes back. */
class Past implements Rows {
  readonly #chain: Rows;
  readonly #tries: TrieSet;
  readonly #gone: ReadonlySet<string>;
  readonly #changes = new Map<string, Uint8Array | undefined>();

  constructor(chain: Rows, tries: TrieSet, gone: ReadonlySet<string>) {
    this.#chain = chain;
    this.#tries = tries;
    this.#gone = gone;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const name = mapKey(key);
    return this.#changes.has(name) ? this.#changes.get(name) : this.#chain.get(key);
  }

  /** Goes from a block to the one before. Throws where that has another root. */
  async stepBack(number: number, root: Hash): Promise<void> {
    const newer = new Map<string, Undone>();
    for (const { key, before } of undoneBy(this.#chain, number)) {
      const name = mapKey(key);
      if (!this.#gone.has(name.slice(0, LAST_AT))) newer.set(name, { key, before: this.get(key) });
      this.#changes.set(name, before);
    }
    await runInSlices(applyChanged(this, this.#tries, newer, { number: number - 1, root }));
  }
}

/** The rows of an undo record: accounts and slots alone. */
function undoneBy(chain: Rows, number: number): readonly Undone[] {
  const record = chain.get(tables.undo.key(number));
  if (record === undefined) throw new RangeError("the record is missing");
  const undone = [...decodeUndo(record)];
  if (!undone.every(isOfState)) throw new RangeError("a row that is none of the state");
  return undone;
}

function isOfState({ key }: Undone): boolean {
  return key[0] === tables.account.prefix || key[0] === tables.slot.prefix;
}

/** Beginnings of the keys of slots that belong to no account any more. */
async function destroyedStorage(chain: Store): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for await (const [key] of chain.entries(tables.destroyed.range())) {
    const { accountHash, incarnation } = destroyedOf(key);
    names.add(mapKey(tables.slot.key(accountHash, incarnation, NOTHING)));
  }
  return names;
}
