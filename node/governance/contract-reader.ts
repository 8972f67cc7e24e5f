/** Read access to contracts after one block, as the protocol uses it. Calls change nothing. */
import type { Account } from "../model/account.ts";

/** Accounts and contracts after one block. */
export interface ContractReader {
  account(address: Uint8Array): Account | undefined;
  /** Returns the code of an account; empty without a contract. */
  code(address: Uint8Array): Uint8Array;
  balance(address: Uint8Array): bigint;
  /** Calls a contract and returns its output; undefined when the call fails. */
  call(to: Uint8Array, input: Uint8Array): Uint8Array | undefined;
}
