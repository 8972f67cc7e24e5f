/** The state that transactions read and change. */
import type { Address, Hash } from "../../bytes/brands.ts";
import type { Account } from "../../model/account.ts";
import type { EventLog } from "../../model/receipt.ts";

/**
 * The state of a block while its transactions run: the accepted state below, changes above, a journal to take
 * changes back. Addresses are 20 bytes, slot keys and values words. Synchronous. Nothing leaves a world but
 * through `State.seal`; a world that is not sealed is simply dropped.
 */
export interface World {
  /** The account, or `undefined` where there is none. */
  account(address: Address): Account | undefined;
  /** True when there is an account, be it empty. */
  exists(address: Address): boolean;
  /** True for no account and for one that would disappear if it were touched. */
  isEmpty(address: Address): boolean;
  /** Zero where there is no account. */
  nonce(address: Address): bigint;
  /** In the smallest unit; zero where there is no account. */
  balance(address: Address): bigint;
  /** Creates the account where there is none, also for an amount of zero, and touches an empty one. */
  addBalance(address: Address, amount: bigint): void;
  /** Throws `RangeError` when the balance is smaller: callers check first. An amount of zero touches nothing. */
  subtractBalance(address: Address, amount: bigint): void;
  setNonce(address: Address, nonce: bigint): void;
  /** Puts a whole account in place; its storage root is what the slots say, whatever is given here. */
  setAccount(address: Address, account: Account): void;
  /** No bytes where there is no account or no code. Throws `StateError` `corrupt` for code that the store lacks. */
  code(address: Address): Uint8Array;
  /** The hash of no bytes where there is no account or no code. */
  codeHash(address: Address): Hash;
  /** Gives the account this code; its kind and code information are the caller's, through `setAccount`. */
  setCode(address: Address, code: Uint8Array): void;
  /** Zero where there is no account or no value. */
  slot(address: Address, key: bigint): bigint;
  /** The value when the transaction began. */
  originalSlot(address: Address, key: bigint): bigint;
  setSlot(address: Address, key: bigint, value: bigint): void;
  /** True when the account had storage when the block began. */
  hasStorage(address: Address): boolean;
  /** Marks a contract as created in this transaction. */
  markCreated(address: Address): void;
  isCreated(address: Address): boolean;
  /** The account loses its balance now, and disappears with all it has at the end of the transaction. */
  destroy(address: Address): void;
  isDestroyed(address: Address): boolean;
  /** Storage that lasts as long as the transaction (EIP-1153). */
  transient(address: Address, key: bigint): bigint;
  setTransient(address: Address, key: bigint, value: bigint): void;
  /** Notes that the transaction has met the account (EIP-2929); true when it had not before. */
  warmAddress(address: Address): boolean;
  isWarm(address: Address): boolean;
  /** Notes that the transaction has met the slot; true when it had not before. */
  warmSlot(address: Address, key: bigint): boolean;
  addLog(log: EventLog): void;
  /** Of this transaction so far. */
  readonly logs: readonly EventLog[];
  addRefund(gas: number): void;
  /** Throws `RangeError` when there is less. */
  subtractRefund(gas: number): void;
  /** Gas to give back when the transaction ends. */
  readonly refund: number;
  /** A mark to come back to, within the transaction. */
  snapshot(): number;
  /** Takes back everything since the mark, touches included. */
  revert(mark: number): void;
  /** Takes the whole transaction back, as if it had not begun. */
  cancelTransaction(): void;
  /** Begins a group of transactions that can be taken back together; groups do not nest. */
  beginGroup(): void;
  /** Keeps the transactions of the group. */
  endGroup(): void;
  /** Takes the transactions of the group back, as if none had begun. */
  cancelGroup(): void;
  /**
   * Ends a transaction: destroyed accounts, and accounts touched by it that are empty, disappear; logs, refund,
   * transient storage and what was met or created are forgotten; earlier marks are void.
   */
  endTransaction(): void;
}
