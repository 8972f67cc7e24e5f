/** Read access to contracts after one block, as the protocol uses it. Calls change nothing. */
import type { Address } from "../bytes/brands.ts";
import type { Account } from "../model/account.ts";

/** Accounts and contracts after one block. */
export interface ContractReader {
  account(address: Address): Account | undefined;
  /** Returns the code of an account; empty without a contract. */
  code(address: Address): Uint8Array;
  balance(address: Address): bigint;
  /** Calls a contract and returns its output; undefined when the call fails. */
  call(to: Address, input: Uint8Array): Uint8Array | undefined;
}
