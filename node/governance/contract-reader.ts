/** Reads contracts at one block, as the protocol does for itself: nothing that a call changes is kept. */
import type { Account } from "../model/account.ts";

/** The state after one block, and its contracts' answers. */
export interface ContractReader {
  account(address: Uint8Array): Account | undefined;
  /** No bytes where there is no contract. */
  code(address: Uint8Array): Uint8Array;
  balance(address: Uint8Array): bigint;
  /** What a contract returns; undefined when the call fails. */
  call(to: Uint8Array, input: Uint8Array): Uint8Array | undefined;
}
