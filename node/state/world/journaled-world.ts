/** A world with a journal. */
import type { Address, Hash } from "../../bytes/brands.ts";
import { equalBytes } from "../../bytes/compare.ts";
import { bareHex, mapKey } from "../../bytes/hex.ts";
import { EMPTY_HASH, keccak256 } from "../../crypto/keccak.ts";
import { type Account, emptyAccount, isEmptyAccount } from "../../model/account.ts";
import { EMPTY_TRIE_ROOT } from "../../model/list-root.ts";
import type { EventLog } from "../../model/receipt.ts";
import { StateError } from "../error.ts";
import type { FlatState } from "../flat/flat-state.ts";
import type { ReadSlots } from "../flat/slot-cache.ts";
import { type Change, changedEntry, newScope, type TransactionScope, undo } from "./transaction-scope.ts";
import type { World } from "./world.ts";
import { WorldEntries } from "./world-entries.ts";
import { type WorldAccount, wordName } from "./world-entry.ts";

const NO_BYTES = new Uint8Array(0);

/** An empty account of RIPEMD-160 that is touched goes also when the touch is taken back, as on Ethereum. */
const RIPEMD = mapKey(Uint8Array.of(...new Uint8Array(19), 3));

/** The base of worlds that only answer: no block has this number. */
export const NOT_TO_SEAL = Number.NaN;

/** The world over a flat state. */
export class JournaledWorld implements World {
  /** The block that it stands on; `undefined` once it has been sealed. */
  base: number | undefined;
  readonly #flat: FlatState;
  readonly #entries: WorldEntries;
  readonly #changed: WorldAccount[] = [];
  readonly #codes = new Map<string, Uint8Array>();
  readonly #journal: Change[] = [];
  #scope: TransactionScope = newScope(1);
  #touchedRipemd: WorldAccount | undefined;
  /** Changes of the transactions of an open group that have ended, oldest first. */
  #group: Change[] | undefined;

  /** `read` is shared with other worlds on the same state. */
  constructor(flat: FlatState, base: number, read?: ReadSlots) {
    this.#flat = flat;
    this.#entries = new WorldEntries(flat, read);
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

  get logs(): readonly EventLog[] {
    return this.#scope.logs;
  }

  get refund(): number {
    return this.#scope.refund;
  }

  account(address: Address): Account | undefined {
    return this.#entries.account(address).account;
  }

  exists(address: Address): boolean {
    return this.#entries.account(address).account !== undefined;
  }

  isEmpty(address: Address): boolean {
    const { account } = this.#entries.account(address);
    return account === undefined || isEmptyAccount(account);
  }

  nonce(address: Address): bigint {
    return this.#entries.account(address).account?.nonce ?? 0n;
  }

  balance(address: Address): bigint {
    return this.#entries.account(address).account?.balance ?? 0n;
  }

  addBalance(address: Address, amount: bigint): void {
    const entry = this.#entries.account(address);
    const { account } = entry;
    if (amount === 0n && account !== undefined) this.#touch(entry, account);
    else this.#set(entry, withBalance(account ?? emptyAccount(), amount));
  }

  subtractBalance(address: Address, amount: bigint): void {
    const entry = this.#entries.account(address);
    const { account } = entry;
    if (amount === 0n && account !== undefined) return;
    const balance = account?.balance ?? 0n;
    if (balance < amount) throw new RangeError(`balance ${balance} is below ${amount}`);
    this.#set(entry, withBalance(account ?? emptyAccount(), -amount));
  }

  setNonce(address: Address, nonce: bigint): void {
    const entry = this.#entries.account(address);
    this.#set(entry, { ...(entry.account ?? emptyAccount()), nonce });
  }

  setAccount(address: Address, account: Account): void {
    const entry = this.#entries.account(address);
    this.#set(entry, { ...account, storageRoot: entry.account?.storageRoot ?? EMPTY_TRIE_ROOT });
  }

  codeHash(address: Address): Hash {
    return this.#entries.account(address).account?.codeHash ?? EMPTY_HASH;
  }

  code(address: Address): Uint8Array {
    const hash = this.codeHash(address);
    if (hash === EMPTY_HASH || equalBytes(hash, EMPTY_HASH)) return NO_BYTES;
    const code = this.#codes.get(mapKey(hash)) ?? this.#flat.code(hash);
    if (code !== undefined) return code;
    throw new StateError("corrupt", `the code ${bareHex(hash)} of account ${bareHex(address)} is missing`);
  }

  setCode(address: Address, code: Uint8Array): void {
    const entry = this.#entries.account(address);
    const codeHash = keccak256(code);
    if (code.length > 0) this.#codes.set(mapKey(codeHash), code);
    this.#set(entry, { ...(entry.account ?? emptyAccount()), codeHash });
  }

  slot(address: Address, key: bigint): bigint {
    const entry = this.#entries.account(address);
    return entry.account === undefined ? 0n : this.#entries.slot(entry, key).value;
  }

  originalSlot(address: Address, key: bigint): bigint {
    const slot = this.#entries.slot(this.#entries.account(address), key);
    return slot.originalIn === this.#scope.number ? slot.original : slot.value;
  }

  setSlot(address: Address, key: bigint, value: bigint): void {
    const entry = this.#entries.account(address);
    if (entry.account === undefined) this.#set(entry, emptyAccount());
    const slot = this.#entries.slot(entry, key);
    if (slot.value === value) return;
    if (slot.originalIn !== this.#scope.number) {
      slot.original = slot.value;
      slot.originalIn = this.#scope.number;
    }
    this.#journal.push({ kind: "slot", slot, value: slot.value });
    slot.value = value;
    this.#list(entry);
  }

  hasStorage(address: Address): boolean {
    return !equalBytes(
      this.#entries.account(address).account?.storageRoot ?? EMPTY_TRIE_ROOT,
      EMPTY_TRIE_ROOT,
    );
  }

  markCreated(address: Address): void {
    const entry = this.#entries.account(address);
    entry.createdIn = this.#scope.number;
    this.#journal.push({ kind: "created", entry });
  }

  isCreated(address: Address): boolean {
    return this.#entries.account(address).createdIn === this.#scope.number;
  }

  destroy(address: Address): void {
    const entry = this.#entries.account(address);
    const { account } = entry;
    if (account === undefined) return;
    this.#set(entry, { ...account, balance: 0n });
    if (entry.destroyed) return;
    entry.destroyed = true;
    this.#journal.push({ kind: "destroyed", entry });
  }

  isDestroyed(address: Address): boolean {
    return this.#entries.account(address).destroyed;
  }

  transient(address: Address, key: bigint): bigint {
    return this.#scope.transients.get(this.#entries.account(address).name)?.get(wordName(key)) ?? 0n;
  }

  setTransient(address: Address, key: bigint, value: bigint): void {
    const owner = this.#entries.account(address).name;
    const values = this.#scope.transients.get(owner) ?? new Map<string, bigint>();
    this.#scope.transients.set(owner, values);
    const name = wordName(key);
    this.#journal.push({ kind: "transient", values, name, value: values.get(name) ?? 0n });
    values.set(name, value);
  }

  warmAddress(address: Address): boolean {
    return this.#warm(this.#entries.account(address));
  }

  isWarm(address: Address): boolean {
    return this.#entries.account(address).warmIn === this.#scope.number;
  }

  warmSlot(address: Address, key: bigint): boolean {
    return this.#warm(this.#entries.slot(this.#entries.account(address), key));
  }

  addLog(log: EventLog): void {
    this.#scope.logs.push(log);
    this.#journal.push({ kind: "log" });
  }

  addRefund(gas: number): void {
    this.#journal.push({ kind: "refund", refund: this.#scope.refund });
    this.#scope.refund += gas;
  }

  subtractRefund(gas: number): void {
    const { refund } = this.#scope;
    if (gas > refund) throw new RangeError(`refund ${refund} is below ${gas}`);
    this.addRefund(-gas);
  }

  snapshot(): number {
    return this.#journal.length;
  }

  revert(mark: number): void {
    for (let i = this.#journal.length - 1; i >= mark; i--) undo(this.#journal[i] as Change, this.#scope); // in range
    this.#journal.length = mark;
  }

  cancelTransaction(): void {
    this.revert(0);
    this.#touchedRipemd = undefined;
    this.endTransaction();
  }

  beginGroup(): void {
    this.#group = [];
  }

  endGroup(): void {
    this.#group = undefined;
  }

  cancelGroup(): void {
    this.cancelTransaction();
    const changes = this.#group ?? [];
    this.#group = undefined;
    const ended = newScope(this.#scope.number);
    for (const change of changes.reverse()) undo(change, ended);
    this.#entries.forgetRecentSlots();
  }

  endTransaction(): void {
    if (this.#group !== undefined) for (const change of this.#journal) this.#group.push(change);
    for (const change of this.#journal) {
      const entry = changedEntry(change);
      if (entry !== undefined) this.#sweep(entry);
    }
    if (this.#touchedRipemd !== undefined) this.#sweep(this.#touchedRipemd);
    this.#touchedRipemd = undefined;
    this.#journal.length = 0;
    this.#scope = newScope(this.#scope.number + 1);
  }

  #warm(met: { warmIn: number }): boolean {
    if (met.warmIn === this.#scope.number) return false;
    met.warmIn = this.#scope.number;
    this.#journal.push({ kind: "warm", met });
    return true;
  }

  #touch(entry: WorldAccount, account: Account): void {
    if (!isEmptyAccount(account)) return;
    this.#set(entry, account);
    if (entry.name === RIPEMD) this.#touchedRipemd = entry;
  }

  #set(entry: WorldAccount, account: Account): void {
    this.#journal.push({ kind: "account", entry, account: entry.account });
    entry.account = account;
    this.#list(entry);
  }

  #list(entry: WorldAccount): void {
    if (entry.listed) return;
    entry.listed = true;
    this.#changed.push(entry);
  }

  /** Marks the storage as destroyed: a later account at this address has storage of its own. */
  #sweep(entry: WorldAccount): void {
    const { account, destroyed } = entry;
    if (account === undefined || !(destroyed || isEmptyAccount(account))) return;
    const { incarnation, slots } = entry;
    this.#group?.push({ kind: "swept", entry, account, destroyed, incarnation, slots });
    entry.account = undefined;
    entry.destroyed = false;
    entry.incarnation = 0;
    this.#entries.forgetSlots(entry);
  }
}

/** The largest balance: a word. All coins of a chain are less, but a development chain may give an account as much. */
const MAX_BALANCE = (1n << 256n) - 1n;

function withBalance(account: Account, change: bigint): Account {
  const balance = account.balance + change;
  return { ...account, balance: balance > MAX_BALANCE ? MAX_BALANCE : balance };
}
