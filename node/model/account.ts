/**
 * Accounts in the state trie: a type byte (1 externally owned, 2 contract) and a list
 * (`blockchain/types/account/account_serializer.go@v2.2.2`). An externally owned account without code and
 * storage always has the short form. Both directions run for every account that a block touches.
 */

import type { Hash } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { RlpCursor } from "../bytes/rlp-cursor.ts";
import { RlpWriter } from "../bytes/rlp-writer.ts";
import { EMPTY_HASH } from "../crypto/keccak.ts";
import { type AccountKey, KEY_TYPES, LEGACY_KEY, readAccountKey } from "./account-key.ts";
import { ModelError } from "./error.ts";
import { EMPTY_TRIE_ROOT } from "./list-root.ts";

/**
 * An account. Balance is in peb, `codeInfo` is `vmVersion << 4 | codeFormat`; `storageRoot` is
 * `EMPTY_TRIE_ROOT` without storage.
 */
export interface Account {
  readonly kind: "eoa" | "contract";
  readonly nonce: bigint;
  readonly balance: bigint;
  readonly humanReadable: boolean;
  readonly key: AccountKey;
  readonly storageRoot: Hash;
  readonly codeHash: Hash;
  readonly codeInfo: number;
}

const EOA = 1;
const CONTRACT = 2;
const writer = new RlpWriter();

/** Creates an externally owned account with nothing in it and the legacy key. */
export function emptyAccount(): Account {
  return plainAccount(0n, 0n, false, LEGACY_KEY);
}

/** True for an account that is deleted once a transaction has touched it (EIP-161). */
export function isEmptyAccount(account: Account): boolean {
  if (account.nonce !== 0n || account.balance !== 0n) return false;
  if (account.kind === "contract") return isNoCode(account.codeHash);
  return account.key.type === KEY_TYPES.legacy;
}

/** Encodes an account for the state trie. */
export function encodeAccount(account: Account): Uint8Array<ArrayBuffer> {
  const contract = account.kind === "contract";
  writer.reset();
  const full = contract || !isPlain(account);
  if (full) {
    writer.integer(account.codeInfo);
    writer.string(account.codeHash);
    writer.string(account.storageRoot);
  }
  const mark = writer.length;
  const { key } = account;
  writer.raw(key.body);
  writer.integer(key.type);
  writer.integer(account.humanReadable ? 1 : 0);
  writer.integer(account.balance);
  writer.integer(account.nonce);
  writer.list(mark);
  if (full) writer.list(0);
  writer.byte(contract ? CONTRACT : EOA);
  return writer.take();
}

/** Decodes an account; hashes and key are views of `bytes`. Throws `BytesError` or `ModelError`. */
export function decodeAccount(bytes: Uint8Array): Account {
  const type = bytes[0];
  if (type !== EOA && type !== CONTRACT) {
    throw new ModelError("bad-account", type === undefined ? "no bytes" : `unknown account type ${type}`);
  }
  const cursor = new RlpCursor(bytes, 1);
  const outer = cursor.enter();
  const full = cursor.atList;
  if (!full && type === CONTRACT) throw new ModelError("bad-account", "a contract in the form without code");
  const inner = full ? cursor.enter() : outer;
  const nonce = cursor.bigint(8);
  const balance = cursor.bigint(32);
  const humanReadable = cursor.boolean();
  const key = readAccountKey(cursor);
  cursor.leave(inner);
  const account = full
    ? readCode(cursor, outer, { type, nonce, balance, humanReadable, key })
    : plainAccount(nonce, balance, humanReadable, key);
  if (!cursor.done) throw new ModelError("bad-account", "bytes after the account");
  return account;
}

interface Head extends Pick<Account, "nonce" | "balance" | "humanReadable" | "key"> {
  readonly type: number;
}

function readCode(cursor: RlpCursor, outer: number, head: Head): Account {
  const storageRoot = cursor.hash();
  const codeHash = cursor.hash();
  const codeInfo = cursor.number(1);
  cursor.leave(outer);
  const { nonce, balance, humanReadable, key } = head;
  const kind = head.type === CONTRACT ? "contract" : "eoa";
  const account: Account = { kind, nonce, balance, humanReadable, key, storageRoot, codeHash, codeInfo };
  if (kind === "eoa" && isPlain(account)) {
    throw new ModelError("bad-account", "an account without code in the form with code");
  }
  return account;
}

function plainAccount(nonce: bigint, balance: bigint, humanReadable: boolean, key: AccountKey): Account {
  return {
    kind: "eoa",
    nonce,
    balance,
    humanReadable,
    key,
    storageRoot: EMPTY_TRIE_ROOT,
    codeHash: EMPTY_HASH,
    codeInfo: 0,
  };
}

function isPlain(account: Account): boolean {
  return account.codeInfo === 0 && isNoCode(account.codeHash) && isNoStorage(account.storageRoot);
}

function isNoCode(codeHash: Hash): boolean {
  return codeHash === EMPTY_HASH || equalBytes(codeHash, EMPTY_HASH);
}

function isNoStorage(root: Hash): boolean {
  return root === EMPTY_TRIE_ROOT || equalBytes(root, EMPTY_TRIE_ROOT);
}
