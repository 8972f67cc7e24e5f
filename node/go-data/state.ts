/** Imports the state of one block: every trie node against its hash into both databases, by account and by slot. */
import { equalBytes } from "../bytes/compare.ts";
import { bareHex } from "../bytes/hex.ts";
import { messageOf } from "../bytes/message-of.ts";
import { decodeRlp, stringBytes } from "../bytes/rlp.ts";
import { EMPTY_HASH, keccak256 } from "../crypto/keccak.ts";
import { type Account, decodeAccount, encodeAccount } from "../model/account.ts";
import { EMPTY_TRIE_ROOT } from "../model/list-root.ts";
import { encodeFlat, slotLeaf } from "../state/flat/flat-rows.ts";
import type { Batch, Rows, Store } from "../store/store.ts";
import { tables, trieTables } from "../store/tables.ts";
import type { GoHead } from "./blocks.ts";
import { GoDataError } from "./error.ts";
import { codeKey } from "./keys.ts";
import { type GoImportProgress, putProgress } from "./progress-row.ts";
import { plainAccount, storageReference } from "./trie-node.ts";
import { type GoLeaf, GoTrieWalk } from "./trie-walk.ts";
import { WriteBehind } from "./write-behind.ts";

/** Databases that get the state. */
interface StateTarget {
  readonly chain: Store;
  readonly trie: Store;
}

/** Block of the state, and where an earlier attempt has stopped. */
export interface StateImportOptions {
  readonly progress: GoImportProgress;
  readonly head: GoHead;
  readonly batchBytes?: number | undefined;
  readonly signal: AbortSignal;
  readonly onState: (part: number, rows: number) => void;
}

/** Bytes of both batches together; two pairs of them exist at a time. */
const BATCH_BYTES = 8 * 1024 * 1024;
/** Bytes of an account's key that tell how far a walk is. */
const PART_BYTES = 6;

/**
 * Writes the state of a block, from where `progress` ends. Throws `GoDataError` `missing` or `damaged` at the first node
 * that is wrong, `StoreError`, or the signal's reason.
 */
export async function importState(
  target: StateTarget,
  state: Rows,
  options: StateImportOptions,
): Promise<GoImportProgress> {
  await using writes = new WriteBehind();
  return await new StateImport(target, state, { ...options, writes }).run();
}

interface WrittenBehind extends StateImportOptions {
  readonly writes: WriteBehind;
}

class StateImport {
  readonly #target: StateTarget;
  readonly #state: Rows;
  readonly #options: WrittenBehind;
  #progress: GoImportProgress;
  #chainBatch: Batch;
  #trieBatch: Batch;

  constructor(target: StateTarget, state: Rows, options: WrittenBehind) {
    this.#target = target;
    this.#state = state;
    this.#options = options;
    this.#progress = options.progress;
    this.#chainBatch = target.chain.createBatch();
    this.#trieBatch = target.trie.createBatch();
  }

  async run(): Promise<GoImportProgress> {
    const { number, stateRoot: root } = this.#options.head.header;
    if (equalBytes(root, EMPTY_TRIE_ROOT)) return this.#progress;
    const walk = new GoTrieWalk({
      rows: this.#state,
      root,
      name: `the state of block ${number}`,
      after: this.#progress.account,
      onNode: (path, node) => this.#trieBatch.put(trieTables.accountNode.key(path), node),
    });
    for (let leaf = walk.next(); leaf !== undefined; leaf = walk.next()) {
      await this.#importAccount(leaf);
      if (this.#isDue) await this.#write(false);
    }
    await this.#write(true);
    await this.#options.writes.end();
    this.#options.onState(1, this.#progress.accounts + this.#progress.slots);
    return this.#progress;
  }

  async #importAccount({ key, value }: GoLeaf): Promise<void> {
    const account = readAccount(key, value);
    const incarnation = await this.#importStorage(key, account, value);
    this.#putCode(account, key);
    this.#chainBatch.put(tables.account.key(key), encodeFlat(account, incarnation));
    const { accounts } = this.#progress;
    this.#progress = { ...this.#progress, account: key, storage: undefined, accounts: accounts + 1 };
  }

  /** Writes the storage of an account; returns its incarnation, 0 without storage. */
  async #importStorage(key: Uint8Array, { storageRoot }: Account, value: Uint8Array): Promise<number> {
    const reference = storageReference(value);
    if (reference === undefined || equalBytes(storageRoot, EMPTY_TRIE_ROOT)) return 0;
    const partial = this.#progress.storage;
    const begun = partial !== undefined && equalBytes(partial.account, key) ? partial : undefined;
    const incarnation = begun?.incarnation ?? this.#progress.incarnations + 1;
    this.#progress = { ...this.#progress, incarnations: Math.max(incarnation, this.#progress.incarnations) };
    const name = `the storage of account ${bareHex(key)}`;
    const walk = new GoTrieWalk({
      rows: this.#state,
      root: reference,
      name,
      after: begun?.slot,
      onNode: (path, node) => this.#trieBatch.put(trieTables.storageNode.key(key, incarnation, path), node),
    });
    let { slots } = this.#progress;
    for (let leaf = walk.next(); leaf !== undefined; leaf = walk.next()) {
      this.#chainBatch.put(tables.slot.key(key, incarnation, leaf.key), readSlot(name, leaf));
      slots++;
      if (!this.#isDue) continue;
      const storage = { account: key, incarnation, slot: leaf.key };
      this.#progress = { ...this.#progress, storage, slots };
      await this.#write(false);
    }
    this.#progress = { ...this.#progress, slots };
    return incarnation;
  }

  #putCode({ codeHash }: Account, key: Uint8Array): void {
    if (equalBytes(codeHash, EMPTY_HASH)) return;
    const row = tables.code.key(codeHash);
    if (this.#target.chain.get(row) !== undefined) return;
    const code = this.#state.get(codeHash) ?? this.#state.get(codeKey(codeHash));
    if (code === undefined)
      throw new GoDataError("missing", `the code of account ${bareHex(key)} is not in the databases`);
    if (!equalBytes(keccak256(code), codeHash))
      throw new GoDataError("damaged", `the code of account ${bareHex(key)} fails its hash`);
    this.#chainBatch.put(row, code);
  }

  get #isDue(): boolean {
    const { batchBytes = BATCH_BYTES } = this.#options;
    return this.#chainBatch.bytes + this.#trieBatch.bytes >= batchBytes;
  }

  /** Begins to write both batches, when the ones before are written: the nodes first, then the rows that count them. */
  async #write(isLast: boolean): Promise<void> {
    const { signal, onState, writes } = this.#options;
    signal.throwIfAborted();
    const { chain, trie } = this.#target;
    const [nodes, rows] = [this.#trieBatch, this.#chainBatch];
    const sync = writes.countBatch(isLast);
    if (sync) putProgress(rows, this.#progress);
    await writes.begin(async () => {
      await trie.write(nodes, { sync });
      await chain.write(rows, { sync });
    });
    this.#trieBatch = trie.createBatch();
    this.#chainBatch = chain.createBatch();
    const { account, accounts, slots } = this.#progress;
    onState(partOf(account), accounts + slots);
  }
}

/** Reads an account as stored; its storage root is the plain hash. */
function readAccount(key: Uint8Array, value: Uint8Array): Account {
  try {
    const plain = plainAccount(value);
    const account = decodeAccount(plain);
    if (!equalBytes(encodeAccount(account), plain)) throw new RangeError("an account in another form");
    return account;
  } catch (cause) {
    throw new GoDataError("damaged", `account ${bareHex(key)}: ${messageOf(cause)}`, { cause });
  }
}

/** Reads the row of a slot: its value without leading zeros. */
function readSlot(name: string, { key, value }: GoLeaf): Uint8Array {
  try {
    const row = stringBytes(decodeRlp(value));
    if (row.length === 0 || row[0] === 0 || !equalBytes(slotLeaf(row), value))
      throw new RangeError("a slot in another form");
    return row;
  } catch (cause) {
    throw new GoDataError("damaged", `slot ${bareHex(key)} of ${name}: ${messageOf(cause)}`, { cause });
  }
}

/** The part of all keys up to one. */
function partOf(key: Uint8Array | undefined): number {
  let part = 0;
  for (let i = 0; i < PART_BYTES; i++) part += (key?.[i] ?? 0) / 256 ** (i + 1);
  return part;
}
