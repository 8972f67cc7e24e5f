/** Imports a part of the state of a block: every trie node against its hash into both databases, by account and by slot. */
import type { Hash } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { bareHex } from "../bytes/hex.ts";
import { messageOf } from "../bytes/message-of.ts";
import { decodeRlp, stringBytes } from "../bytes/rlp.ts";
import { EMPTY_HASH, keccak256 } from "../crypto/keccak.ts";
import { type Account, decodeAccount, encodeAccount } from "../model/account.ts";
import { EMPTY_TRIE_ROOT } from "../model/list-root.ts";
import { flatRow, slotLeaf } from "../state/flat/flat-rows.ts";
import type { Rows, StoreWriter, WriterBatch } from "../store/store.ts";
import { tables, trieTables } from "../store/tables.ts";
import { GoDataError } from "./error.ts";
import { codeKey, preimageKey } from "./keys.ts";
import type { StatePart } from "./progress-row.ts";
import { plainAccount, storageReference } from "./trie-node.ts";
import { type GoLeaf, GoTrieWalk } from "./trie-walk.ts";
import { WriteBehind } from "./write-behind.ts";

/** The incarnation of every storage: one account has one storage, and a later one at its address gets another number. */
export const IMPORTED_INCARNATION = 1;

/** Source, target and choices of an import of a state. */
export interface StateImport {
  readonly chain: StoreWriter;
  readonly trie: StoreWriter;
  readonly state: Rows;
  readonly head: { readonly number: number; readonly stateRoot: Hash };
  /** True to write preimages too. */
  readonly preimages: boolean;
  /** Bytes of both batches together; two pairs of them exist at a time. */
  readonly batchBytes: number;
  /** Throws when the import is to end. */
  readonly throwIfStopped: () => void;
}

/**
 * Writes a part of the state of a block, from where it ends. Calls `onWritten` after each batch, and says of the last that
 * the part is done. Throws `GoDataError` `missing` or `damaged` at the first node that is wrong, or `StoreError`.
 */
export async function importPart(
  part: StatePart,
  options: StateImport,
  onWritten: (part: StatePart, isDone: boolean) => void,
): Promise<void> {
  await using writes = new WriteBehind();
  await new PartImport(part, { ...options, writes, onWritten }).run();
}

interface WrittenBehind extends StateImport {
  readonly writes: WriteBehind;
  readonly onWritten: (part: StatePart, isDone: boolean) => void;
}

class PartImport {
  readonly #options: WrittenBehind;
  #part: StatePart;
  #chainBatch: WriterBatch;
  #trieBatch: WriterBatch;

  constructor(part: StatePart, options: WrittenBehind) {
    this.#options = options;
    this.#part = part;
    this.#chainBatch = options.chain.createBatch();
    this.#trieBatch = options.trie.createBatch();
  }

  async run(): Promise<void> {
    const { state: rows, head, writes } = this.#options;
    const walk = new GoTrieWalk({
      rows,
      reference: head.stateRoot,
      name: `the state of block ${head.number}`,
      firstByte: this.#part.firstByte,
      after: this.#part.account,
      onNode: (path, node) => this.#trieBatch.put(trieTables.accountNode.key(path), node),
    });
    const isEmpty = equalBytes(head.stateRoot, EMPTY_TRIE_ROOT);
    for (let leaf = isEmpty ? undefined : walk.next(); leaf !== undefined; leaf = walk.next()) {
      await this.#importAccount(leaf);
      if (this.#isDue) await this.#write(false);
    }
    await this.#write(true);
    await writes.end();
  }

  async #importAccount({ key, value }: GoLeaf): Promise<void> {
    const { account, plain } = readAccount(key, value);
    const hasStorage = await this.#importStorage(key, account, value);
    this.#putCode(account, key);
    this.#putPreimage(key);
    const flat = flatRow(plain, hasStorage ? IMPORTED_INCARNATION : 0);
    this.#chainBatch.put(tables.account.key(key), flat);
    this.#part = { ...this.#part, account: key, storage: undefined, accounts: this.#part.accounts + 1 };
  }

  /** Writes the storage of an account; false where it has none. */
  async #importStorage(key: Uint8Array, { storageRoot }: Account, value: Uint8Array): Promise<boolean> {
    const reference = storageReference(value);
    if (reference === undefined || equalBytes(storageRoot, EMPTY_TRIE_ROOT)) return false;
    const { storage: begun } = this.#part;
    const name = `the storage of account ${bareHex(key)}`;
    const walk = new GoTrieWalk({
      rows: this.#options.state,
      reference,
      name,
      after: begun !== undefined && equalBytes(begun.account, key) ? begun.slot : undefined,
      onNode: (path, node) =>
        this.#trieBatch.put(trieTables.storageNode.key(key, IMPORTED_INCARNATION, path), node),
    });
    let { slots } = this.#part;
    for (let leaf = walk.next(); leaf !== undefined; leaf = walk.next()) {
      this.#chainBatch.put(tables.slot.key(key, IMPORTED_INCARNATION, leaf.key), readSlot(name, leaf));
      this.#putPreimage(leaf.key);
      slots++;
      if (!this.#isDue) continue;
      this.#part = { ...this.#part, storage: { account: key, slot: leaf.key }, slots };
      await this.#write(false);
    }
    this.#part = { ...this.#part, slots };
    return true;
  }

  #putCode({ codeHash }: Account, key: Uint8Array): void {
    if (equalBytes(codeHash, EMPTY_HASH)) return;
    const row = tables.code.key(codeHash);
    const { chain, state } = this.#options;
    if (chain.get(row) !== undefined) return;
    const code = state.get(codeHash) ?? state.get(codeKey(codeHash));
    if (code === undefined)
      throw new GoDataError("missing", `the code of account ${bareHex(key)} is not in the databases`);
    if (!equalBytes(keccak256(code), codeHash))
      throw new GoDataError("damaged", `the code of account ${bareHex(key)} fails its hash`);
    this.#chainBatch.put(row, code);
  }

  /** Writes the preimage of a key, where the Go node has stored it. */
  #putPreimage(key: Hash): void {
    const { preimages, state } = this.#options;
    const preimage = preimages ? state.get(preimageKey(key)) : undefined;
    if (preimage === undefined) return;
    if (!equalBytes(keccak256(preimage), key))
      throw new GoDataError("damaged", `the preimage of key ${bareHex(key)} fails its hash`);
    this.#chainBatch.put(tables.preimage.key(key), preimage);
  }

  get #isDue(): boolean {
    return this.#chainBatch.bytes + this.#trieBatch.bytes >= this.#options.batchBytes;
  }

  /** Begins to write both batches, when the ones before are written: the nodes first, then the rows. */
  async #write(isDone: boolean): Promise<void> {
    const { chain, trie, writes, throwIfStopped, onWritten } = this.#options;
    throwIfStopped();
    const [nodes, rows, part] = [this.#trieBatch, this.#chainBatch, this.#part];
    await writes.begin(async () => {
      await trie.write(nodes);
      await chain.write(rows);
      onWritten(part, isDone);
    });
    if (isDone) return; // a batch that is never written would be kept until its database is closed
    this.#trieBatch = trie.createBatch();
    this.#chainBatch = chain.createBatch();
  }
}

/** An account, and its bytes as the trie hashes them. */
interface ReadAccount {
  readonly account: Account;
  readonly plain: Uint8Array;
}

/** Reads an account as stored; its storage root is the plain hash. */
function readAccount(key: Uint8Array, value: Uint8Array): ReadAccount {
  try {
    const plain = plainAccount(value);
    const account = decodeAccount(plain);
    if (!equalBytes(encodeAccount(account), plain)) throw new RangeError("an account in another form");
    return { account, plain };
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
