import { createAccount } from "@ethereumjs/util";
import { expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import { decodeLegacyAccount, encodeLegacyAccount } from "../../../node/model/legacy-account.ts";
import { Random } from "./random.ts";

const random = new Random(31);
const anAccount = () => ({
  nonce: random.bigint(64),
  balance: random.bigint(256),
  storageRoot: random.bytes(32),
  codeHash: random.bytes(32),
});

test("random accounts have the bytes of @ethereumjs/util, and go both ways", () => {
  for (let i = 0; i < 100; i++) {
    const account = anAccount();
    const bytes = encodeLegacyAccount(account);
    expect(toHex(bytes)).toBe(toHex(createAccount(account).serialize()));
    expect(decodeLegacyAccount(bytes)).toEqual(account);
  }
});

test("bytes after the list, short hashes and missing fields are refused", () => {
  const account = anAccount();
  const bytes = encodeLegacyAccount(account);
  expect(() => decodeLegacyAccount(Uint8Array.of(...bytes, 0))).toThrow("bytes after the account");
  expect(() =>
    decodeLegacyAccount(encodeLegacyAccount({ ...account, codeHash: new Uint8Array(31) })),
  ).toThrow("31 bytes, not 32");
  expect(() => decodeLegacyAccount(Uint8Array.of(0xc0))).toThrow("an item is missing");
});
