/** Tests of account keys as JSON. */
import { expect, test } from "@jest/globals";
import { AccountKeyFactory } from "@kaiachain/js-ext-core";
import { toHex } from "../../../node/bytes/hex.ts";
import {
  type AccountKey,
  encodeAccountKey,
  FAIL_KEY,
  LEGACY_KEY,
  NIL_KEY,
} from "../../../node/model/account-key.ts";
import { accountKeyFromJson, accountKeyJson } from "../../../node/model/account-key-json.ts";
import { roleBasedKey } from "../../../node/model/account-key-update.ts";
import { compressPublicKey } from "../../../node/model/public-key.ts";
import { aMultiSig, aPublic, aPublicKey } from "../../support/account-keys.ts";

const point = (number: number) => toHex(compressPublicKey(aPublicKey(number)));
const [x, y] = [`0x${"ab".repeat(32)}`, `0x${"cd".repeat(32)}`];

test("every key goes from bytes to JSON and back", () => {
  const keys = [
    NIL_KEY,
    LEGACY_KEY,
    FAIL_KEY,
    aPublic(3),
    aMultiSig(3n, [
      [1, 1n],
      [2, 2n],
    ]),
    roleBasedKey([aPublic(1), NIL_KEY, aMultiSig(1n, [[5, 1n]])]),
  ];
  for (const key of keys) expect(accountKeyFromJson(accountKeyJson(key))).toEqual(key);
});

test("keys have the bytes that js-ext-core gives them", () => {
  const weighted = { type: 4, threshold: 2, keys: [1, 2].map((n) => ({ weight: n, key: point(n) })) };
  const pairs: [AccountKey, object][] = [
    [aPublic(7), { type: 2, key: point(7) }],
    [
      aMultiSig(2n, [
        [1, 1n],
        [2, 2n],
      ]),
      weighted,
    ],
    [
      roleBasedKey([aPublic(4), LEGACY_KEY, FAIL_KEY]),
      { type: 5, keys: [{ type: 2, key: point(4) }, { type: 1 }, { type: 3 }] },
    ],
  ];
  for (const [key, oracle] of pairs) {
    expect(toHex(encodeAccountKey(key))).toBe(AccountKeyFactory.fromObject(oracle).toRLP());
  }
});

test.each<[unknown, string]>([
  [{}, "key type is not specified"],
  [{ keyType: 9, key: {} }, "undefined account key type"],
  [
    { keyType: 2, key: { x, y } },
    "the key probably contains an invalid public key: key is not on the S256 curve",
  ],
  [{ keyType: 4, key: { threshold: 0, keys: [] } }, "invalid threshold of the multiSigKey"],
  [
    { keyType: 4, key: { threshold: 1, keys: [{ weight: 0, key: accountKeyJson(aPublic(1)).key }] } },
    "invalid weight of the multiSigKey",
  ],
  [
    { keyType: 5, key: [{ keyType: 5, key: [] }] },
    "roleBasedKey cannot contains a roleBasedKey as a role key",
  ],
  [null, "an object is wanted"],
  [{ keyType: 5, key: {} }, "a list is wanted"],
  [{ keyType: 2, key: { x: 1, y: 2 } }, "x and y are hex quantities"],
])("%j is refused: %s", (json, message) => {
  expect(() => accountKeyFromJson(json)).toThrow(
    expect.objectContaining({ code: "bad-account-key", message }),
  );
});
