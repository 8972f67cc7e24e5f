/** Tests of the rules for new account keys. */
import { expect, test } from "@jest/globals";
import { encodeRlp } from "../../../node/bytes/rlp.ts";
import {
  type AccountKey,
  FAIL_KEY,
  KEY_TYPES,
  LEGACY_KEY,
  NIL_KEY,
} from "../../../node/model/account-key.ts";
import { rolesIn } from "../../../node/model/account-key-body.ts";
import {
  checkInstall,
  checkUpdate,
  roleBasedKey,
  updatedKey,
} from "../../../node/model/account-key-update.ts";
import { STATUS_TEXTS } from "../../../node/model/receipt-status.ts";
import { aMultiSig, aPublic } from "../../support/account-keys.ts";

const MAX = 2n ** 64n - 1n;
const ten = Array.from({ length: 10 }, (_, i) => [i + 1, 1n] as const);
const offCurve = encodeRlp(Uint8Array.of(2, ...new Uint8Array(31), 5));
const strange: AccountKey = { type: KEY_TYPES.public, body: offCurve };
const manyRoles = roleBasedKey([LEGACY_KEY, LEGACY_KEY, LEGACY_KEY, LEGACY_KEY]);

test.each<[string, AccountKey]>([
  ["legacy", LEGACY_KEY],
  ["fail", FAIL_KEY],
  ["public", aPublic(1)],
  ["a multi-signature of ten", aMultiSig(10n, ten)],
  ["a multi-signature without threshold", aMultiSig(0n, [[1, 1n]])],
  ["the largest sum of weights", aMultiSig(MAX, [[1, MAX]])],
  ["three roles", roleBasedKey([aPublic(1), aMultiSig(1n, [[1, 1n]]), FAIL_KEY])],
])("%s can be installed", (_name, key) => {
  expect(checkInstall(key)).toBeUndefined();
});

test.each<[string, AccountKey]>([
  ["AccountKeyNil cannot be initialized to an account", NIL_KEY],
  ["public key is not on curve", strange],
  ["length is zero", aMultiSig(1n, [])],
  [
    "key weight is zero",
    aMultiSig(1n, [
      [1, 1n],
      [2, 0n],
    ]),
  ],
  [
    "duplicated key",
    aMultiSig(1n, [
      [1, 1n],
      [1, 1n],
    ]),
  ],
  [
    "weighted sum overflow",
    aMultiSig(1n, [
      [1, MAX],
      [2, 1n],
    ]),
  ],
  [
    "unsatisfiable threshold. Weighted sum of keys is less than the threshold.",
    aMultiSig(3n, [
      [1, 1n],
      [2, 1n],
    ]),
  ],
  ["length is zero", roleBasedKey([])],
  ["length too long", manyRoles],
  ["AccountKeyNil cannot be initialized to an account", roleBasedKey([aPublic(1), NIL_KEY])],
])("%s", (message, key) => {
  const problem = checkInstall(key);
  expect(problem?.message).toBe(message);
  expect(STATUS_TEXTS.get(problem?.status ?? 0)).toBe(message);
});

test("eleven keys are too many, and no point off the curve is one", () => {
  expect(checkInstall(aMultiSig(1n, [...ten, [11, 1n]]))).toEqual({
    status: 0x02,
    message: "the number of keys exceeds the limit",
  });
  const body = encodeRlp([
    Uint8Array.of(1),
    [[Uint8Array.of(1), Uint8Array.of(2, ...new Uint8Array(31), 5)]],
  ]);
  expect(checkInstall({ type: KEY_TYPES.weightedMultiSig, body })?.status).toBe(0x14);
});

test("a weight of zero is found before a key that stands twice, and that before an overflow", () => {
  expect(
    checkInstall(
      aMultiSig(1n, [
        [1, 1n],
        [1, 0n],
      ]),
    )?.status,
  ).toBe(0x13);
  expect(
    checkInstall(
      aMultiSig(1n, [
        [1, MAX],
        [1, MAX],
      ]),
    )?.status,
  ).toBe(0x15);
});

test("every type of key may take the place of every other", () => {
  const keys = [LEGACY_KEY, aPublic(1), FAIL_KEY, aMultiSig(1n, [[1, 1n]]), roleBasedKey([aPublic(2)])];
  for (const current of keys) {
    for (const next of keys) {
      const allowed = current !== FAIL_KEY || next !== FAIL_KEY;
      expect(checkUpdate(current, next) === undefined).toBe(allowed);
    }
    expect(checkUpdate(current, NIL_KEY)?.status).toBe(0x11);
  }
  expect(checkUpdate(FAIL_KEY, FAIL_KEY)?.message).toBe("AccountKeyFail is not updatable");
});

test("an update of roles leaves nil ones and missing ones as they are, and may add more", () => {
  const [a, b, c, d] = [1, 2, 3, 4].map(aPublic) as [AccountKey, AccountKey, AccountKey, AccountKey];
  const current = roleBasedKey([a, b]);
  const after = (roles: readonly AccountKey[]) => {
    const next = roleBasedKey(roles);
    expect(checkUpdate(current, next)).toBeUndefined();
    return rolesIn(updatedKey(current, next));
  };
  expect(after([NIL_KEY, c])).toEqual([a, c]);
  expect(after([c])).toEqual([c, b]);
  expect(after([NIL_KEY, NIL_KEY, d])).toEqual([a, b, d]);
  expect(updatedKey(a, current)).toBe(current);
  expect(updatedKey(current, a)).toBe(a);
});

test("an update of roles is checked role by role", () => {
  const current = roleBasedKey([aPublic(1), FAIL_KEY]);
  const problem = (roles: readonly AccountKey[]) => checkUpdate(current, roleBasedKey(roles))?.status;
  expect(problem([])).toBe(0x18);
  expect(problem([NIL_KEY, NIL_KEY, NIL_KEY, NIL_KEY])).toBe(0x19);
  expect(problem([NIL_KEY, FAIL_KEY])).toBe(0x0f);
  expect(problem([strange])).toBe(0x12);
  expect(problem([NIL_KEY, NIL_KEY, NIL_KEY])).toBe(0x11);
});
