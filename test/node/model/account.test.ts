/** Tests of accounts in the state trie. */
import { expect, test } from "@jest/globals";
import { fromHex, toHex } from "../../../node/bytes/hex.ts";
import { EMPTY_HASH } from "../../../node/crypto/keccak.ts";
import {
  type Account,
  decodeAccount,
  emptyAccount,
  encodeAccount,
  isEmptyAccount,
} from "../../../node/model/account.ts";
import { FAIL_KEY, LEGACY_KEY } from "../../../node/model/account-key.ts";
import { EMPTY_TRIE_ROOT } from "../../../node/model/list-root.ts";
import { Random } from "./random.ts";

const PUBLIC_KEY = fromHex("0xa1038318535b54105d4a7aae60c08fc45f9687181b4fdfc625bd1a753fa7397fed75");
const ROOT = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
const CODE = "aaaaaaaabbbbbbbbccccccccddddddddaaaaaaaabbbbbbbbccccccccdddddddd";
const some = { ...emptyAccount(), nonce: 42n, balance: 0x12345678n };
const contract: Account = {
  ...some,
  kind: "contract",
  storageRoot: fromHex(`0x${ROOT}`),
  codeHash: fromHex(`0x${CODE}`),
  codeInfo: 0x10,
};

test.each<[string, Account, string]>([
  ["an empty account", emptyAccount(), "0x01c580808001c0"],
  ["an account with nonce and balance", some, "0x01c92a84123456788001c0"],
  [
    "an account with a public key",
    { ...some, key: { type: 2, body: PUBLIC_KEY } },
    "0x01ea2a84123456788002a1038318535b54105d4a7aae60c08fc45f9687181b4fdfc625bd1a753fa7397fed75",
  ],
  ["a contract", contract, `0x02f84dc92a84123456788001c0a0${ROOT}a0${CODE}10`],
  [
    "an account with delegated code",
    { ...contract, kind: "eoa" },
    `0x01f84dc92a84123456788001c0a0${ROOT}a0${CODE}10`,
  ],
])("%s has the Go node's bytes", (_name, account, bytes) => {
  expect(toHex(encodeAccount(account))).toBe(bytes);
  expect(decodeAccount(fromHex(bytes))).toEqual({ ...account });
});

test("random accounts go both ways", () => {
  const random = new Random(3);
  for (let i = 0; i < 3_000; i++) {
    const full = random.number(2) === 0;
    const account: Account = {
      kind: full && random.number(2) === 0 ? "contract" : "eoa",
      nonce: random.bigint(64),
      balance: random.bigint(256),
      humanReadable: random.number(8) === 0,
      key: random.pick([LEGACY_KEY, FAIL_KEY, { type: 2, body: PUBLIC_KEY }]),
      storageRoot: full ? random.bytes(32) : EMPTY_TRIE_ROOT,
      codeHash: full && random.number(2) === 0 ? random.bytes(32) : EMPTY_HASH,
      codeInfo: full ? random.number(256) : 0,
    };
    expect(decodeAccount(encodeAccount(account))).toEqual(account);
  }
});

test("an account's hashes are views of what was read", () => {
  const bytes = encodeAccount(contract);
  expect(decodeAccount(bytes).codeHash.buffer).toBe(bytes.buffer);
});

test("only an account with nothing in it is empty", () => {
  expect(isEmptyAccount(emptyAccount())).toBe(true);
  expect(isEmptyAccount({ ...emptyAccount(), nonce: 1n })).toBe(false);
  expect(isEmptyAccount({ ...emptyAccount(), balance: 1n })).toBe(false);
  expect(isEmptyAccount({ ...emptyAccount(), key: { type: 2, body: PUBLIC_KEY } })).toBe(false);
  const bare: Account = { ...emptyAccount(), kind: "contract", key: FAIL_KEY };
  expect(isEmptyAccount(bare)).toBe(true);
  expect(isEmptyAccount({ ...bare, codeHash: contract.codeHash })).toBe(false);
});

test.each([
  ["0x", "no bytes"],
  ["0x03c580808001c0", "unknown account type"],
  ["0x02c580808001c0", "without code"],
  ["0x01c580808001c000", "bytes after"],
  ["0x01c680808001c080", "more items"],
  ["0x01c480808001", "does not fit"],
  ["0x01c580800201c0", "truth value"],
  ["0x01c580808006c0", "undefined account key type"],
  ["0x01c580808002c0", "does not fit"],
  ["0x01c58080800180", "does not fit"],
  ["0x01c7008080808001c0", "leading zero"],
  [
    `0x01f849c580808001c0a0${toHex(EMPTY_TRIE_ROOT).slice(2)}a0${toHex(EMPTY_HASH).slice(2)}80`,
    "in the form with code",
  ],
])("%s is refused: %s", (bytes, why) => {
  expect(() => decodeAccount(fromHex(bytes))).toThrow(why);
});
