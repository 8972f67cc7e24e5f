/** The newest state: rows of the flat state behind a cache of accounts. */
import type { Address, Hash } from "../../bytes/brands.ts";
import { mapKey } from "../../bytes/hex.ts";
import { keccak256 } from "../../crypto/keccak.ts";
import { RecentMap } from "../../runtime/recent-map.ts";
import type { Rows } from "../../store/store.ts";
import { tables } from "../../store/tables.ts";
import { type AccountRecord, recordOf } from "./flat-rows.ts";

/** Rows that an accepted block changed, by `mapKey`: of an account's address, a slot's key, a code's hash. */
export interface FlatChanges {
  readonly accounts: ReadonlyMap<string, AccountRecord>;
  readonly slots: ReadonlyMap<string, Uint8Array | undefined>;
  readonly codes: ReadonlyMap<string, Uint8Array>;
}

/** Accounts, slots and code as one block left them. */
export interface FlatState {
  /** `name` is the address's `mapKey`. */
  record(address: Address, name: string): AccountRecord;
  /** Without leading zeros; `undefined` for zero. */
  slot(accountHash: Hash, incarnation: number, slotHash: Hash): Uint8Array | undefined;
  code(hash: Hash): Uint8Array | undefined;
}

const ACCOUNTS_A_SLOT = 16;
/** Remembered of a slot that is zero. */
const NO_ROW = new Uint8Array(0);

/** The newest accepted block's. Its rows are known here from `apply` on, also before its batch is in the store. */
export class NewestState implements FlatState {
  readonly #rows: Rows;
  readonly #accounts: RecentMap<AccountRecord>;
  /** Rows of slots by `mapKey` of their keys: callers ask the same contracts again and again. */
  readonly #slots: RecentMap<Uint8Array>;
  readonly #confirmAbsent: (hash: Hash) => void;
  #version = 0;
  #newest: FlatChanges = { accounts: new Map(), slots: new Map(), codes: new Map() };

  /**
   * Remembers so many accounts, and a slot for every sixteen of them. `confirmAbsent` is called for accounts without a
   * row, and throws when it knows better.
   */
  constructor(rows: Rows, cachedAccounts: number, confirmAbsent: (hash: Hash) => void) {
    this.#rows = rows;
    this.#accounts = new RecentMap(cachedAccounts);
    this.#slots = new RecentMap(cachedAccounts / ACCOUNTS_A_SLOT);
    this.#confirmAbsent = confirmAbsent;
  }

  /** Another number for each state. */
  get version(): number {
    return this.#version;
  }

  record(address: Address, name: string): AccountRecord {
    const known = this.#accounts.get(name) ?? this.#newest.accounts.get(name);
    if (known !== undefined) return known;
    const hash = keccak256(address);
    const record = recordOf(hash, this.#rows.get(tables.account.key(hash)));
    if (record.flat === undefined) this.#confirmAbsent(hash);
    this.#accounts.set(name, record);
    return record;
  }

  slot(accountHash: Hash, incarnation: number, slotHash: Hash): Uint8Array | undefined {
    const key = tables.slot.key(accountHash, incarnation, slotHash);
    const name = mapKey(key);
    const known = this.#slots.get(name);
    if (known !== undefined) return known === NO_ROW ? undefined : known;
    const { slots } = this.#newest;
    const row = slots.has(name) ? slots.get(name) : this.#rows.get(key);
    this.#slots.set(name, row ?? NO_ROW);
    return row;
  }

  code(hash: Hash): Uint8Array | undefined {
    const { codes } = this.#newest;
    return (codes.size > 0 ? codes.get(mapKey(hash)) : undefined) ?? this.#rows.get(tables.code.key(hash));
  }

  /** Forgets what it holds in memory: the rows of the store were taken back to an earlier block. */
  forget(): void {
    this.#version++;
    this.#accounts.clear();
    this.#slots.clear();
    this.#newest = { accounts: new Map(), slots: new Map(), codes: new Map() };
  }

  /** The rows of the block that was just accepted. The store must know those of all earlier ones. */
  apply(changes: FlatChanges): void {
    this.#version++;
    this.#newest = changes;
    for (const [name, record] of changes.accounts) this.#accounts.set(name, record);
    for (const [name, row] of changes.slots) this.#slots.set(name, row ?? NO_ROW);
  }
}
