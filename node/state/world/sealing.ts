/**
 * Puts a world's changes into the tries, and takes them out again. Each old value that a trie gives back is
 * compared with the flat state: that the two agree is checked for everything a block changes.
 */
import type { Hash } from "../../bytes/brands.ts";
import { equalBytes, equalOptional } from "../../bytes/compare.ts";
import { bareHex, mapKey } from "../../bytes/hex.ts";
import { wordBytes } from "../../bytes/word.ts";
import { keccak256 } from "../../crypto/keccak.ts";
import type { Account } from "../../model/account.ts";
import { EMPTY_TRIE_ROOT } from "../../model/list-root.ts";
import type { Batch } from "../../store/store.ts";
import { tables } from "../../store/tables.ts";
import { StateError } from "../error.ts";
import { type AccountRecord, encodeFlat, leafOf, slotLeaf, slotRow } from "../flat/flat-rows.ts";
import type { FlatChanges } from "../flat/flat-state.ts";
import type { FlatChange } from "../history/undo-record.ts";
import type { StateHead } from "../rows.ts";
import type { Trie } from "../trie/trie.ts";
import type { TrieSet } from "../trie/trie-set.ts";
import type { JournaledWorld } from "./journaled-world.ts";
import type { WorldAccount, WorldSlot } from "./world-entry.ts";

/** A world whose changes are in the tries and nowhere else. */
export interface Sealed {
  readonly before: StateHead;
  readonly after: StateHead;
  /** Rows of the flat state, in the order in which they were changed. */
  readonly rows: readonly FlatChange[];
  readonly flat: FlatChanges;
  /** Leaves with their previous values, for `unseal`. */
  readonly leaves: readonly LeafChange[];
  /** Storage tries that did not exist before. */
  readonly created: readonly StorageId[];
  /** Storage tries that belong to no account any more. */
  readonly destroyed: readonly StorageId[];
  /** Of accounts and slots that are new. */
  readonly preimages: readonly Preimage[];
}

/** A hashed key of the state and what it is the hash of: an address or a slot's key. */
export type Preimage = readonly [hash: Hash, preimage: Uint8Array];

/** Names the storage of one account. */
export type StorageId = readonly [accountHash: Hash, incarnation: number];

const NO_BYTES = new Uint8Array(0);

interface LeafChange {
  readonly trie: Trie;
  readonly key: Uint8Array;
  /** The leaf before; `undefined` where there was none. */
  readonly before: Uint8Array | undefined;
}

interface Sealing {
  readonly tries: TrieSet;
  readonly rows: FlatChange[];
  readonly leaves: LeafChange[];
  readonly accounts: Map<string, AccountRecord>;
  readonly slots: Map<string, Uint8Array | undefined>;
  readonly created: StorageId[];
  readonly destroyed: StorageId[];
  readonly preimages: Preimage[];
  readonly codes: Map<string, Uint8Array>;
  incarnations: number;
}

/** Accounts between two yields. */
const STEP = 16;

/**
 * Applies the world's changes to the tries, in steps. When it throws they are in between and must be thrown away.
 */
export function* sealSteps(
  world: JournaledWorld,
  tries: TrieSet,
  before: StateHead,
): Generator<undefined, Sealed> {
  const sealing: Sealing = {
    tries,
    rows: [],
    leaves: [],
    accounts: new Map(),
    slots: new Map(),
    created: [],
    destroyed: [],
    preimages: [],
    codes: new Map(),
    incarnations: before.incarnations,
  };
  let step = 0;
  for (const entry of world.changed) {
    sealAccount(entry, sealing, world.codes);
    if (++step % STEP === 0) yield;
  }
  yield* tries.accounts.hashSteps();
  return {
    before,
    after: {
      ...before,
      number: before.number + 1,
      root: tries.accounts.hash(),
      incarnations: sealing.incarnations,
    },
    rows: sealing.rows,
    flat: sealing,
    leaves: sealing.leaves,
    created: sealing.created,
    destroyed: sealing.destroyed,
    preimages: sealing.preimages,
  };
}

/** Gives the rows of a sealed world to the batch of its block; `keepPreimages`: those of new accounts and slots too. */
export function putRows(
  { rows, flat, destroyed, after, preimages }: Sealed,
  batch: Batch,
  keepPreimages: boolean,
): void {
  for (const { key, after: row } of rows) {
    if (row === undefined) batch.delete(key);
    else batch.put(key, row);
  }
  for (const [name, code] of flat.codes) batch.put(tables.code.key(Buffer.from(name, "latin1")), code);
  for (const [accountHash, incarnation] of destroyed) {
    batch.put(tables.destroyed.key(after.number, accountHash, incarnation), NO_BYTES);
  }
  if (!keepPreimages) return;
  for (const [hash, preimage] of preimages) batch.put(tables.preimage.key(hash), preimage);
}

/** Takes a sealed world back out of the tries. */
export function unseal({ before, leaves, created }: Sealed, tries: TrieSet): void {
  for (let i = leaves.length - 1; i >= 0; i--) {
    const leaf = leaves[i];
    if (leaf?.before === undefined) leaf?.trie.delete(leaf.key);
    else leaf.trie.put(leaf.key, leaf.before);
  }
  for (const { trie } of leaves) trie.hash();
  for (const [accountHash, incarnation] of created) tries.forget(accountHash, incarnation);
  if (!equalBytes(tries.accounts.hash(), before.root)) {
    throw new StateError("trie-damaged", `the trie did not come back to the root of block ${before.number}`);
  }
}

function sealAccount(entry: WorldAccount, sealing: Sealing, codes: ReadonlyMap<string, Uint8Array>): void {
  const { record } = entry;
  const { hash, flat } = record;
  const account = entry.account && sealStorage(entry, entry.account, sealing);
  const after = account && encodeFlat(account, entry.incarnation);
  if (equalOptional(flat, after)) return;
  const before = flat && leafOf(flat);
  putLeaf(sealing, { trie: sealing.tries.accounts, key: hash, before }, after && leafOf(after));
  sealing.rows.push({ key: tables.account.key(hash), before: flat, after });
  if (flat === undefined) sealing.preimages.push([hash, entry.address]);
  const incarnation = account === undefined ? 0 : entry.incarnation;
  sealing.accounts.set(entry.name, { hash, flat: after, account, incarnation });
  if (record.incarnation !== 0 && record.incarnation !== incarnation) {
    sealing.destroyed.push([hash, record.incarnation]);
  }
  if (account !== undefined && codes.size > 0) keepCode(account.codeHash, sealing, codes);
}

function keepCode(hash: Hash, sealing: Sealing, codes: ReadonlyMap<string, Uint8Array>): void {
  const name = mapKey(hash);
  const code = codes.get(name);
  if (code !== undefined) sealing.codes.set(name, code);
}

/** The account with the root of its slots. */
function sealStorage(entry: WorldAccount, account: Account, sealing: Sealing): Account {
  const changed = changedSlots(entry);
  if (changed.length === 0) return account;
  const { hash } = entry.record;
  if (entry.incarnation === 0) {
    entry.incarnation = ++sealing.incarnations;
    sealing.created.push([hash, entry.incarnation]);
  }
  const isNew = entry.incarnation !== entry.record.incarnation;
  const root = isNew ? EMPTY_TRIE_ROOT : account.storageRoot;
  const trie = sealing.tries.storage(hash, entry.incarnation, root);
  const prefix = tables.slot.key(hash, entry.incarnation, NO_BYTES);
  for (const slot of changed) {
    const slotHash = slot.hash ?? keccak256(wordBytes(slot.key));
    const [before, after] = [slotRow(slot.before), slotRow(slot.value)];
    putLeaf(sealing, { trie, key: slotHash, before: before && slotLeaf(before) }, after && slotLeaf(after));
    const key = new Uint8Array(prefix.length + slotHash.length);
    key.set(prefix);
    key.set(slotHash, prefix.length);
    sealing.rows.push({ key, before, after });
    if (before === undefined) sealing.preimages.push([slotHash, wordBytes(slot.key)]);
    sealing.slots.set(mapKey(key), after);
  }
  return { ...account, storageRoot: trie.hash() };
}

function changedSlots({ slots }: WorldAccount): WorldSlot[] {
  if (slots === undefined) return [];
  return [...slots.values()].filter(({ before, value }) => before !== value);
}

function putLeaf({ leaves }: Sealing, leaf: LeafChange, after: Uint8Array | undefined): void {
  const { trie, key, before } = leaf;
  const found = after === undefined ? trie.delete(key, before) : trie.put(key, after, before);
  if (!equalOptional(found, before)) {
    throw new StateError("trie-damaged", `trie and flat state differ at ${bareHex(key)}`);
  }
  leaves.push(leaf);
}
