/**
 * Proofs of one account and its slots after a recent block: the stored trie, with the rows between its block and
 * the asked one put in memory to what they were. That can take seconds, so it is work for a reader thread: it runs on
 * snapshots, at one go.
 */
import type { Address, Hash, StorageKey } from "../../bytes/brands.ts";
import { equalBytes } from "../../bytes/compare.ts";
import { mapKey } from "../../bytes/hex.ts";
import { keccak256 } from "../../crypto/keccak.ts";
import { EMPTY_TRIE_ROOT } from "../../model/list-root.ts";
import { runAtOnce } from "../../runtime/scheduler.ts";
import type { Range, Snapshot } from "../../store/store.ts";
import { tables } from "../../store/tables.ts";
import { StateError } from "../error.ts";
import { type AccountRecord, leafOf, padWord, recordOf, slotLeaf } from "../flat/flat-rows.ts";
import { slotsOf } from "../flat/storage-rows.ts";
import { type ChangedRows, changedRows } from "../history/changed-rows.ts";
import { type Point, readHead, readMarker } from "../rows.ts";
import type { AccountProof } from "../state.ts";
import type { Trie } from "./trie.ts";
import { TrieSet } from "./trie-set.ts";

/** Both databases at about one moment, the trie's taken first, and the block whose state is asked for. */
export interface ProofDeps {
  readonly chain: Snapshot;
  readonly trie: Snapshot;
  readonly number: number;
}

/** An address and keys of its slots. */
export interface ProofRequest {
  readonly address: Address;
  readonly keys: readonly StorageKey[];
}

/**
 * Throws `StateError` `trie-damaged`, and `state-missing` for a block whose undo records are gone, and for a block or a
 * trie that is newer than the chain's snapshot.
 */
export async function proveAt(parts: ProofDeps, question: ProofRequest): Promise<AccountProof> {
  const { number: head, firstUndo } = readHead(parts.chain);
  const oldest = firstUndo - 1;
  if (parts.number < oldest) {
    throw new StateError(
      "state-missing",
      `no proofs of block ${parts.number}: the oldest are of block ${oldest}`,
    );
  }
  if (Math.max(parts.number, readMarker(parts.trie)?.number ?? -1) > head) {
    throw new StateError(
      "state-missing",
      `block ${head} is older than block ${parts.number} or than the trie`,
    );
  }
  const proving = new Proving(parts, keccak256(question.address));
  const tries = await proving.tries();
  const storage = await proving.storage(tries);
  return proofOf(proving.record, tries.accounts, storage, question.keys);
}

/** The answer out of tries that hold the asked state already. */
export function proveNow(record: AccountRecord, tries: TrieSet, keys: readonly StorageKey[]): AccountProof {
  const { hash, account, incarnation } = record;
  const root = account?.storageRoot ?? EMPTY_TRIE_ROOT;
  const storage = incarnation === 0 ? undefined : tries.peekStorage(hash, incarnation, root);
  return proofOf(record, tries.accounts, storage, keys);
}

function proofOf(
  { hash, account }: AccountRecord,
  accounts: Trie,
  storage: Trie | undefined,
  keys: readonly StorageKey[],
): AccountProof {
  return {
    account,
    accountProof: accounts.prove(hash),
    storage: keys.map((key) => {
      const slotHash = keccak256(key);
      const leaf = storage?.get(slotHash);
      return { key, value: padWord(leaf && slotValue(leaf)), proof: storage?.prove(slotHash) ?? [] };
    }),
  };
}

/** The value in a slot's leaf: one byte stands for itself, others follow their length. */
function slotValue(leaf: Uint8Array): Uint8Array {
  return leaf.length === 1 ? leaf : leaf.subarray(1);
}

class Proving {
  readonly #deps: ProofDeps;
  readonly #hash: Hash;
  readonly #marker: Point | undefined;
  /** Rows that blocks after the asked one changed, as they were after it. */
  #later: ChangedRows = new Map();
  /** Rows that blocks after the marker changed, as they were at the marker. */
  #unwritten: ChangedRows = new Map();

  constructor(parts: ProofDeps, hash: Hash) {
    this.#deps = parts;
    this.#hash = hash;
    this.#marker = readMarker(parts.trie);
  }

  /** The account after the asked block. */
  get record(): AccountRecord {
    return recordOf(this.#hash, this.#row(tables.account.key(this.#hash), this.#later));
  }

  /** The account trie of the asked block; storage tries as they are stored. */
  async tries(): Promise<TrieSet> {
    const { trie, number } = this.#deps;
    const accounts = tables.account.range();
    this.#later = this.#changedSince(number);
    if (this.#marker !== undefined) this.#unwritten = this.#changedSince(this.#marker.number);
    const tries = new TrieSet(trie, undefined, this.#marker?.root ?? EMPTY_TRIE_ROOT);
    if (this.#marker === undefined) await this.#fill(tries.accounts, accounts, leafOf);
    this.#apply(tries.accounts, accounts.from, leafOf);
    return tries;
  }

  /** The account's storage trie of the asked block; `undefined` where it has none. */
  async storage(tries: TrieSet): Promise<Trie | undefined> {
    const { account, incarnation } = this.record;
    if (account === undefined || incarnation === 0) return undefined;
    const stored = recordOf(this.#hash, this.#row(tables.account.key(this.#hash), this.#unwritten));
    const isStored = this.#marker !== undefined && stored.incarnation === incarnation;
    const root = (isStored ? stored.account?.storageRoot : undefined) ?? EMPTY_TRIE_ROOT;
    const trie = tries.peekStorage(this.#hash, incarnation, root);
    const slots = slotsOf(this.#hash, incarnation);
    // of storage destroyed since, or not there yet, the trie database may hold anything
    if (!isStored) await this.#fill(trie, slots, slotLeaf);
    this.#apply(trie, slots.from, slotLeaf);
    if (equalBytes(trie.hash(), account.storageRoot)) return trie;
    throw new StateError("trie-damaged", "a storage trie does not lead to its account's storage root");
  }

  /** Rows of accounts, and of slots of this one, that blocks after `number` changed. */
  #changedSince(number: number): ChangedRows {
    const { chain } = this.#deps;
    const slots = String.fromCharCode(tables.slot.prefix) + mapKey(this.#hash);
    const isWanted = (name: string): boolean =>
      name.charCodeAt(0) === tables.account.prefix || name.startsWith(slots);
    return runAtOnce(changedRows(chain, number, readHead(chain).number, isWanted));
  }

  /** Puts the newest rows into an empty trie. */
  async #fill(trie: Trie, range: Range, leaf: (row: Uint8Array) => Uint8Array): Promise<void> {
    for await (const [key, row] of this.#deps.chain.entries(range)) {
      trie.put(key.slice(range.from.length), leaf(row));
    }
  }

  /** Puts the rows below a prefix that differ between the marker and the asked block to what they are there. */
  #apply(trie: Trie, prefix: Uint8Array, leaf: (row: Uint8Array) => Uint8Array): void {
    const written = this.#marker?.number ?? Number.MAX_SAFE_INTEGER;
    const all = this.#deps.number < written ? this.#later : this.#unwritten;
    const start = mapKey(prefix);
    for (const [name, { key }] of all) {
      if (!name.startsWith(start)) continue;
      const row = this.#row(key, this.#later);
      if (row === undefined) trie.delete(key.subarray(prefix.length));
      else trie.put(key.subarray(prefix.length), leaf(row));
    }
  }

  #row(key: Uint8Array, changed: ChangedRows): Uint8Array | undefined {
    const undone = changed.get(mapKey(key));
    return undone === undefined ? this.#deps.chain.get(key) : undone.before;
  }
}
