import { equalBytes } from "../bytes/compare.ts";
import { mapKey } from "../bytes/hex.ts";
import { EMPTY_HASH, keccak256 } from "../crypto/keccak.ts";
import { type Account, isEmptyAccount, newAccount } from "../model/account.ts";
import { EMPTY_TRIE_ROOT } from "../model/list-root.ts";
import { type AccountRecord, padded, trimmed } from "./flat.ts";
import type { FlatState } from "./flat-state.ts";
import type { World } from "./world.ts";

/** A slot that was read or written; values without leading zeros. */
export interface WorldSlot {
  /** keccak of the slot's key. */
  readonly hash: Uint8Array;
  readonly before: Uint8Array;
  value: Uint8Array;
}

/** An account that was read or written. */
export interface WorldAccount {
  /** `mapKey` of the address. */
  readonly name: string;
  /** As the newest accepted block left it. */
  readonly record: AccountRecord;
  account: Account | undefined;
  /** 0 while it has no storage of its own: a new account, or one without slots. */
  incarnation: number;
  /** By `mapKey` of the slot's key. */
  slots: Map<string, WorldSlot> | undefined;
  listed: boolean;
}

/** How to take one change back. */
interface JournalItem {
  readonly entry: WorldAccount;
  readonly account: Account | undefined;
  readonly slot: WorldSlot | undefined;
  readonly value: Uint8Array;
}

const NO_BYTES = new Uint8Array(0);

/** The world over a flat state. */
export class JournaledWorld implements World {
  /** The block that it stands on; `undefined` once it has been sealed. */
  base: number | undefined;
  readonly #flat: FlatState;
  readonly #accounts = new Map<string, WorldAccount>();
  readonly #changed: WorldAccount[] = [];
  readonly #codes = new Map<string, Uint8Array>();
  readonly #journal: JournalItem[] = [];

  constructor(flat: FlatState, base: number) {
    this.#flat = flat;
    this.base = base;
  }

  /** Accounts that were changed, some perhaps back again. */
  get changed(): readonly WorldAccount[] {
    return this.#changed;
  }

  /** Code that was set, by `mapKey` of its hash. */
  get codes(): ReadonlyMap<string, Uint8Array> {
    return this.#codes;
  }

  account(address: Uint8Array): Account | undefined {
    return this.#entry(address).account;
  }

  exists(address: Uint8Array): boolean {
    return this.#entry(address).account !== undefined;
  }

  nonce(address: Uint8Array): bigint {
    return this.#entry(address).account?.nonce ?? 0n;
  }

  balance(address: Uint8Array): bigint {
    return this.#entry(address).account?.balance ?? 0n;
  }

  addBalance(address: Uint8Array, amount: bigint): void {
    const entry = this.#entry(address);
    const account = entry.account ?? newAccount();
    this.#set(entry, amount === 0n ? account : { ...account, balance: account.balance + amount });
  }

  subtractBalance(address: Uint8Array, amount: bigint): void {
    const entry = this.#entry(address);
    const account = entry.account ?? newAccount();
    if (account.balance < amount) throw new RangeError(`balance ${account.balance} is below ${amount}`);
    this.#set(entry, amount === 0n ? account : { ...account, balance: account.balance - amount });
  }

  setNonce(address: Uint8Array, nonce: bigint): void {
    const entry = this.#entry(address);
    this.#set(entry, { ...(entry.account ?? newAccount()), nonce });
  }

  setAccount(address: Uint8Array, account: Account): void {
    const entry = this.#entry(address);
    this.#set(entry, { ...account, storageRoot: entry.account?.storageRoot ?? EMPTY_TRIE_ROOT });
  }

  code(address: Uint8Array): Uint8Array {
    const hash = this.account(address)?.codeHash ?? EMPTY_HASH;
    if (equalBytes(hash, EMPTY_HASH)) return NO_BYTES;
    return this.#codes.get(mapKey(hash)) ?? this.#flat.code(hash) ?? NO_BYTES;
  }

  setCode(address: Uint8Array, code: Uint8Array): void {
    const entry = this.#entry(address);
    const codeHash = keccak256(code);
    if (code.length > 0) this.#codes.set(mapKey(codeHash), code);
    this.#set(entry, { ...(entry.account ?? newAccount()), codeHash });
  }

  slot(address: Uint8Array, key: Uint8Array): Uint8Array {
    const entry = this.#entry(address);
    return entry.account === undefined ? new Uint8Array(32) : padded(this.#slot(entry, key).value);
  }

  setSlot(address: Uint8Array, key: Uint8Array, value: Uint8Array): void {
    const entry = this.#entry(address);
    if (entry.account === undefined) this.#set(entry, newAccount());
    const slot = this.#slot(entry, key);
    this.#note(entry, { entry, account: entry.account, slot, value: slot.value });
    slot.value = trimmed(value);
  }

  snapshot(): number {
    return this.#journal.length;
  }

  revert(mark: number): void {
    for (let i = this.#journal.length - 1; i >= mark; i--) {
      const item = this.#journal[i];
      if (item?.slot !== undefined) item.slot.value = item.value;
      else if (item !== undefined) item.entry.account = item.account;
    }
    this.#journal.length = mark;
  }

  endTransaction(): void {
    for (const { entry } of this.#journal) {
      if (entry.account !== undefined && isEmptyAccount(entry.account)) remove(entry);
    }
    this.#journal.length = 0;
  }

  #entry(address: Uint8Array): WorldAccount {
    const name = mapKey(address);
    const known = this.#accounts.get(name);
    if (known !== undefined) return known;
    const record = this.#flat.record(address, name);
    const { account, incarnation } = record;
    const entry = { name, record, account, incarnation, slots: undefined, listed: false };
    this.#accounts.set(name, entry);
    return entry;
  }

  #slot(entry: WorldAccount, key: Uint8Array): WorldSlot {
    entry.slots ??= new Map();
    const name = mapKey(key);
    const known = entry.slots.get(name);
    if (known !== undefined) return known;
    const hash = keccak256(key);
    const stored =
      entry.incarnation === 0 ? undefined : this.#flat.slot(entry.record.hash, entry.incarnation, hash);
    const slot = { hash, before: stored ?? NO_BYTES, value: stored ?? NO_BYTES };
    entry.slots.set(name, slot);
    return slot;
  }

  #set(entry: WorldAccount, account: Account): void {
    this.#note(entry, { entry, account: entry.account, slot: undefined, value: NO_BYTES });
    entry.account = account;
  }

  #note(entry: WorldAccount, item: JournalItem): void {
    this.#journal.push(item);
    if (entry.listed) return;
    entry.listed = true;
    this.#changed.push(entry);
  }
}

/** What is created at this address later is another account, with storage of its own. */
function remove(entry: WorldAccount): void {
  entry.account = undefined;
  entry.incarnation = 0;
  entry.slots = undefined;
}
