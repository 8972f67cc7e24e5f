/** Entries of a world: one account and one slot. */
import type { Address, Hash } from "../../bytes/brands.ts";
import type { Account } from "../../model/account.ts";
import type { AccountRecord } from "../flat/flat-rows.ts";

/** A slot that was read or written. */
export interface WorldSlot {
  readonly owner: WorldAccount;
  readonly key: bigint;
  /** keccak of the slot's key; made when the store is first asked for it. */
  hash: Hash | undefined;
  /** As the newest accepted block left it. */
  readonly before: bigint;
  value: bigint;
  /** The value when transaction number `originalIn` began. */
  original: bigint;
  originalIn: number;
  /** The last transaction that has met it. */
  warmIn: number;
}

/** An account that was read or written. */
export interface WorldAccount {
  readonly address: Address;
  /** `mapKey` of the address. */
  readonly name: string;
  /** As the newest accepted block left it. */
  readonly record: AccountRecord;
  account: Account | undefined;
  /** 0 while it has no storage of its own: a new account, or one without slots. */
  incarnation: number;
  /** By `wordName` of the slot's key. */
  slots: Map<string, WorldSlot> | undefined;
  /** True once it is among the world's changed accounts. */
  listed: boolean;
  /** The last transaction that has met it. */
  warmIn: number;
  /** The last transaction that has created a contract here. */
  createdIn: number;
  destroyed: boolean;
}

/** An account entry as the store has it. */
export function newEntry(address: Address, name: string, record: AccountRecord): WorldAccount {
  return {
    address: new Uint8Array(address),
    name,
    record,
    account: record.account,
    incarnation: record.incarnation,
    slots: undefined,
    listed: false,
    warmIn: 0,
    createdIn: 0,
    destroyed: false,
  };
}

/** The cheapest map key of a word. */
export function wordName(word: bigint): string {
  return word.toString(32);
}
