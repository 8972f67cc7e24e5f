import type { Account } from "../model/account.ts";

/**
 * The state of a block while its transactions run: the accepted state below, changes above, a journal to take
 * changes back. Addresses are 20 bytes, slot keys and values 32. Synchronous. Nothing leaves a world but
 * through `State.seal`; a world that is not sealed is simply dropped.
 */
export interface World {
  /** The account, or `undefined` where there is none. */
  account(address: Uint8Array): Account | undefined;
  /** True when there is an account, be it empty. */
  exists(address: Uint8Array): boolean;
  /** Zero where there is no account. */
  nonce(address: Uint8Array): bigint;
  /** In the smallest unit; zero where there is no account. */
  balance(address: Uint8Array): bigint;
  /** Creates the account where there is none, also for an amount of zero, and touches it. */
  addBalance(address: Uint8Array, amount: bigint): void;
  /** Throws `RangeError` when the balance is smaller: callers check first. */
  subtractBalance(address: Uint8Array, amount: bigint): void;
  setNonce(address: Uint8Array, nonce: bigint): void;
  /** Puts a whole account in place; its storage root is what the slots say, whatever is given here. */
  setAccount(address: Uint8Array, account: Account): void;
  /** No bytes where there is no account or no code. */
  code(address: Uint8Array): Uint8Array;
  /** Gives the account this code; its kind and code information are the caller's, through `setAccount`. */
  setCode(address: Uint8Array, code: Uint8Array): void;
  /** Zero where there is no account or no value. */
  slot(address: Uint8Array, key: Uint8Array): Uint8Array;
  setSlot(address: Uint8Array, key: Uint8Array, value: Uint8Array): void;
  /** A mark to come back to, within the transaction. */
  snapshot(): number;
  /** Takes back everything since the mark, touches included. */
  revert(mark: number): void;
  /** Ends a transaction: accounts touched by it that are empty disappear, earlier marks are void. */
  endTransaction(): void;
}
