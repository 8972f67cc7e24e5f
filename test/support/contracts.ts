/** Contracts of tests: fixed answers in the contract ABI, without any code that runs. */
import { concatBytes } from "../../node/bytes/compare.ts";
import { toHex } from "../../node/bytes/hex.ts";
import { fixedBytes } from "../../node/bytes/integer.ts";
import { encodeCall } from "../../node/governance/abi.ts";
import type { ContractReader } from "../../node/governance/contract-reader.ts";
import { ADDRESS_BOOK } from "../../node/governance/system-contracts.ts";
import type { Account } from "../../node/model/account.ts";

/** A value of an answer: a word, a byte string, or a list or tuple of values. */
export type AbiValue =
  | bigint
  | Uint8Array
  | { readonly list: readonly AbiValue[] }
  | { readonly tuple: readonly AbiValue[] };

/** An address as a word. */
export function addressWord(address: Uint8Array): bigint {
  return BigInt(toHex(address));
}

/** The members of a tuple, one after the other: what a contract returns. */
export function abiAnswer(...members: readonly AbiValue[]): Uint8Array {
  const heads: Uint8Array[] = [];
  const tails: Uint8Array[] = [];
  let at = members.length * 32;
  for (const member of members) {
    if (typeof member === "bigint") {
      heads.push(fixedBytes(member, 32));
      continue;
    }
    const tail = dynamic(member);
    heads.push(fixedBytes(at, 32));
    tails.push(tail);
    at += tail.length;
  }
  return concatBytes(...heads, ...tails);
}

function dynamic(value: Exclude<AbiValue, bigint>): Uint8Array {
  if (value instanceof Uint8Array) {
    const padded = new Uint8Array(Math.ceil(value.length / 32) * 32);
    padded.set(value);
    return concatBytes(fixedBytes(value.length, 32), padded);
  }
  if ("tuple" in value) return abiAnswer(...value.tuple);
  return concatBytes(fixedBytes(value.list.length, 32), abiAnswer(...value.list));
}

/** Calls of a contract and their results, by signature and arguments. */
export interface FakeContract {
  readonly address: Uint8Array;
  readonly answers: readonly {
    readonly call: Parameters<typeof encodeCall>;
    readonly answer: Uint8Array | undefined;
  }[];
}

/** A state with these contracts, balances and accounts. */
export function aReader(
  contracts: readonly FakeContract[],
  { balances = [], accounts = [] }: FakeState = {},
): ContractReader {
  const found = (address: Uint8Array): FakeContract | undefined =>
    contracts.find((contract) => toHex(contract.address) === toHex(address));
  return {
    account: (address) => valueOf(accounts, address),
    code: (address) => (found(address) === undefined ? new Uint8Array(0) : Uint8Array.of(1)),
    balance: (address) => valueOf(balances, address) ?? 0n,
    call: (to, input) =>
      found(to)?.answers.find(({ call }) => toHex(encodeCall(...call)) === toHex(input))?.answer,
  };
}

function valueOf<T>(rows: readonly (readonly [Uint8Array, T])[], address: Uint8Array): T | undefined {
  return rows.find(([each]) => toHex(each) === toHex(address))?.[1];
}

/**
 * The address book with these entries: types 0, 1, 2 for a node, its contract and reward address, 3 and 4 for funds;
 * `spare` is the address of the third fund.
 */
export function anAddressBook(
  entries: readonly (readonly [type: number, address: Uint8Array])[],
  spare: Uint8Array = new Uint8Array(20),
): FakeContract {
  const answer = abiAnswer(
    { list: entries.map(([type]) => BigInt(type)) },
    { list: entries.map(([, each]) => addressWord(each)) },
  );
  const answers: FakeContract["answers"] = [
    { call: ["getAllAddress()"], answer },
    { call: ["spareContractAddress()"], answer: abiAnswer(addressWord(spare)) },
  ];
  return { address: ADDRESS_BOOK, answers };
}

/** Other contents of the state. */
export interface FakeState {
  readonly balances?: readonly (readonly [Uint8Array, bigint])[];
  readonly accounts?: readonly (readonly [Uint8Array, Account])[];
}
