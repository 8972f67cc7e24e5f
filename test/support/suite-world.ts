/** Worlds made of a suite's accounts, and the roots of what a message left of them. */
import { equalBytes } from "../../node/bytes/compare.ts";
import { mapKey } from "../../node/bytes/hex.ts";
import { integerBytes } from "../../node/bytes/integer.ts";
import { encodeRlp } from "../../node/bytes/rlp.ts";
import { wordBytes } from "../../node/bytes/word.ts";
import { EMPTY_HASH, keccak256 } from "../../node/crypto/keccak.ts";
import { type Account, emptyAccount, encodeAccount } from "../../node/model/account.ts";
import { FAIL_KEY } from "../../node/model/account-key.ts";
import { decodeAccountKey } from "../../node/model/account-key-decode.ts";
import { EMPTY_TRIE_ROOT } from "../../node/model/list-root.ts";
import type { AccountRecord } from "../../node/state/flat/flat-rows.ts";
import type { FlatState } from "../../node/state/flat/flat-state.ts";
import { NodeSource } from "../../node/state/trie/node-source.ts";
import { Trie } from "../../node/state/trie/trie.ts";
import { JournaledWorld } from "../../node/state/world/journaled-world.ts";
import { createMemoryStore } from "../../node/store/memory-store.ts";
import { suiteBytes, suiteInteger } from "./suite-values.ts";

/** An account as suites write it. */
export interface SuiteAccount {
  readonly balance: string;
  readonly nonce: string;
  readonly code: string;
  readonly storage: Readonly<Record<string, string>>;
  /** The serialised account key; the legacy key when absent. */
  readonly key?: string;
  /** VM version of a contract; that of the world when absent. */
  readonly vmVersion?: 0 | 1;
}

/** An account and its slots after a message. */
export interface FinalAccount {
  readonly account: Account;
  readonly slots: ReadonlyMap<bigint, bigint>;
}

/** Encodes an account for the state trie. */
export type AccountEncoding = (account: Account) => Uint8Array;

/** This chain's. */
export const chainEncoding: AccountEncoding = encodeAccount;

/** Ethereum's: nonce, balance, storage root, code hash. */
export const ethereumEncoding: AccountEncoding = ({ nonce, balance, storageRoot, codeHash }) =>
  encodeRlp([integerBytes(nonce), integerBytes(balance), storageRoot, codeHash]);

/** Code and storage of an account before a message. */
export interface PreFacts {
  readonly code: Uint8Array;
  readonly hasStorage: boolean;
}

/** Code info of a contract account that is there before, or undefined for an account of a key. */
export type AccountKinds = (account: PreFacts) => number | undefined;

/** Accounts with code or storage are contracts of the VM version, but for those that borrow code (EIP-7702). */
export function contractsOfVersion(vmVersion: 0 | 1): AccountKinds {
  return ({ code, hasStorage }) =>
    !isDelegation(code) && (code.length > 0 || hasStorage) ? vmVersion << 4 : undefined;
}

interface PreAccount {
  readonly record: AccountRecord;
  readonly slots: ReadonlyMap<bigint, bigint>;
}

/** A world over a suite's accounts, all of them committed before. */
export class SuiteWorld implements FlatState {
  readonly world: JournaledWorld;
  readonly #before = new Map<string, PreAccount>();
  readonly #slots = new Map<string, Uint8Array>();
  readonly #codes = new Map<string, Uint8Array>();

  constructor(accounts: Readonly<Record<string, SuiteAccount>>, kinds: AccountKinds) {
    for (const [text, written] of Object.entries(accounts)) this.#add(suiteBytes(text), written, kinds);
    this.world = new JournaledWorld(this, 0);
  }

  record(address: Uint8Array, name: string): AccountRecord {
    const known = this.#before.get(name);
    if (known !== undefined) return known.record;
    return { hash: keccak256(address), flat: undefined, account: undefined, incarnation: 0 };
  }

  slot(accountHash: Uint8Array, _incarnation: number, slotHash: Uint8Array): Uint8Array | undefined {
    return this.#slots.get(mapKey(accountHash) + mapKey(slotHash));
  }

  code(hash: Uint8Array): Uint8Array | undefined {
    return this.#codes.get(mapKey(hash));
  }

  /** All accounts by the `mapKey` of the address. */
  accounts(): Map<string, FinalAccount> {
    const all = new Map<string, FinalAccount>();
    for (const [name, { record, slots }] of this.#before)
      if (record.account !== undefined) all.set(name, { account: record.account, slots });
    for (const { name, account, slots, incarnation, record } of this.world.changed) {
      if (account === undefined) {
        all.delete(name);
        continue;
      }
      const isSame = incarnation !== 0 && incarnation === record.incarnation;
      const merged = new Map(isSame ? this.#before.get(name)?.slots : undefined);
      for (const { key, value } of slots?.values() ?? []) merged.set(key, value);
      all.set(name, { account, slots: merged });
    }
    return all;
  }

  /** A world over what there is now: the state after a block. */
  committed(): SuiteWorld {
    const next = new SuiteWorld({}, () => undefined);
    for (const [name, code] of [...this.#codes, ...this.world.codes]) next.#codes.set(name, code);
    for (const [name, { account, slots }] of this.accounts()) {
      next.#put(Buffer.from(name, "latin1"), account, slots);
    }
    return next;
  }

  /** A world over what there was before. */
  reset(): SuiteWorld {
    const again = new SuiteWorld({}, () => undefined);
    for (const [name, code] of this.#codes) again.#codes.set(name, code);
    for (const [name, { record, slots }] of this.#before) {
      if (record.account !== undefined) again.#put(Buffer.from(name, "latin1"), record.account, slots);
    }
    return again;
  }

  /** The code of an account that there is now. */
  codeOf({ codeHash }: Account): Uint8Array {
    const name = mapKey(codeHash);
    return this.#codes.get(name) ?? this.world.codes.get(name) ?? new Uint8Array(0);
  }

  /** The root of the state trie over what there is now. */
  root(encode: AccountEncoding): Uint8Array {
    const leaves: (readonly [Uint8Array, Uint8Array])[] = [];
    for (const [name, { account, slots }] of this.accounts()) {
      if (encode === ethereumEncoding && isEmpty(account)) continue;
      const storageRoot = rootOfSlots(slots);
      leaves.push([keccak256(Buffer.from(name, "latin1")), encode({ ...account, storageRoot })]);
    }
    return rootOf(leaves);
  }

  #add(address: Uint8Array, written: SuiteAccount, kinds: AccountKinds): void {
    const code = suiteBytes(written.code);
    const codeHash = keccak256(code);
    this.#codes.set(mapKey(codeHash), code);
    const slots = new Map<bigint, bigint>();
    for (const [key, value] of Object.entries(written.storage)) {
      const word = suiteInteger(value);
      if (word !== 0n) slots.set(suiteInteger(key), word);
    }
    const codeInfo = kinds({ code, hasStorage: slots.size > 0 });
    const account: Account = {
      ...emptyAccount(),
      codeHash,
      ...(written.key !== undefined && { key: decodeAccountKey(suiteBytes(written.key)) }),
      ...(codeInfo === undefined
        ? borrowedCode(code, kinds)
        : { kind: "contract", key: FAIL_KEY, codeInfo: versionOf(written, codeInfo) }),
      nonce: suiteInteger(written.nonce),
      balance: suiteInteger(written.balance),
    };
    this.#put(address, account, slots);
  }

  #put(address: Uint8Array, content: Account, slots: ReadonlyMap<bigint, bigint>): void {
    const hash = keccak256(address);
    for (const [key, word] of slots)
      this.#slots.set(mapKey(hash) + mapKey(keccak256(wordBytes(key))), integerBytes(word));
    const account = { ...content, storageRoot: rootOfSlots(slots) };
    const record = { hash, flat: hash, account, incarnation: this.#before.size + 1 };
    this.#before.set(mapKey(address), { record, slots });
  }
}

/** The code info of an account that borrows code has the version that new contracts have. */
function borrowedCode(code: Uint8Array, kinds: AccountKinds): Partial<Account> {
  const codeInfo = kinds({ code: Uint8Array.of(0), hasStorage: false });
  return code.length > 0 && codeInfo !== undefined ? { codeInfo } : {};
}

function versionOf({ vmVersion }: SuiteAccount, codeInfo: number): number {
  return vmVersion === undefined ? codeInfo : vmVersion << 4;
}

/** The account of an address among those that a suite writes, or undefined. */
export function accountIn(
  accounts: Readonly<Record<string, SuiteAccount>>,
  address: Uint8Array,
): SuiteAccount | undefined {
  const name = mapKey(address);
  const entry = Object.entries(accounts).find(([text]) => mapKey(suiteBytes(text)) === name);
  return entry?.[1];
}

/** True for the code of an account that borrows another one's (EIP-7702). */
export function isDelegation(code: Uint8Array): boolean {
  return code.length === 23 && code[0] === 0xef && code[1] === 1;
}

/** True for accounts that Ethereum does not keep (EIP-161). */
function isEmpty({ nonce, balance, codeHash }: Account): boolean {
  return nonce === 0n && balance === 0n && equalBytes(codeHash, EMPTY_HASH);
}

function rootOfSlots(slots: ReadonlyMap<bigint, bigint>): Uint8Array {
  const leaves: (readonly [Uint8Array, Uint8Array])[] = [];
  for (const [key, value] of slots)
    if (value !== 0n) leaves.push([keccak256(wordBytes(key)), encodeRlp(integerBytes(value))]);
  return rootOf(leaves);
}

function rootOf(leaves: readonly (readonly [key: Uint8Array, value: Uint8Array])[]): Uint8Array {
  if (leaves.length === 0) return EMPTY_TRIE_ROOT;
  const trie = new Trie(new NodeSource(createMemoryStore(), Uint8Array.of(0), undefined));
  for (const [key, value] of leaves) trie.put(key, value);
  return Uint8Array.from(trie.hash());
}
