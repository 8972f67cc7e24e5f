/** Tests of the signers that an account key accepts. */
import { expect, test } from "@jest/globals";
import { BASE_RULES } from "../../../node/config/rules.ts";
import { addressOfPublicKey } from "../../../node/crypto/secp256k1.ts";
import { type AccountKey, FAIL_KEY, LEGACY_KEY, NIL_KEY } from "../../../node/model/account-key.ts";
import { signatureGas } from "../../../node/model/account-key-gas.ts";
import { validateSigners } from "../../../node/model/account-key-signers.ts";
import { roleBasedKey } from "../../../node/model/account-key-update.ts";
import type { KeyRole } from "../../../node/model/transaction-type.ts";
import { aMultiSig, aPublic, aPublicKey } from "../../support/account-keys.ts";

const address = addressOfPublicKey(aPublicKey(1));
const later = { ...BASE_RULES, multiSigRefusesUnknownKeys: true, multiSigGasBySignatures: true };
const ROLES: readonly KeyRole[] = ["transaction", "accountUpdate", "feePayer"];

function accepts(key: AccountKey, signers: readonly number[], role: KeyRole = "transaction", rules = later) {
  return validateSigners({ key, address, role }, signers.map(aPublicKey), rules);
}

test("a legacy key takes the one signature of its own address", () => {
  expect(accepts(LEGACY_KEY, [1])).toBe(true);
  expect(accepts(LEGACY_KEY, [2])).toBe(false);
  expect(accepts(LEGACY_KEY, [1, 1])).toBe(false);
  expect(accepts(LEGACY_KEY, [])).toBe(false);
});

test("a public key takes its own, whatever the address", () => {
  expect(accepts(aPublic(2), [2])).toBe(true);
  expect(accepts(aPublic(2), [1])).toBe(false);
  expect(accepts(aPublic(2), [2, 2])).toBe(false);
});

test("fail and nil take nothing", () => {
  for (const key of [FAIL_KEY, NIL_KEY]) expect(accepts(key, [1])).toBe(false);
});

test("a multi-signature takes those who reach its threshold, each counted once", () => {
  const key = aMultiSig(3n, [
    [1, 1n],
    [2, 1n],
    [3, 2n],
  ]);
  for (const rules of [BASE_RULES, later]) {
    expect(accepts(key, [1, 3], "transaction", rules)).toBe(true);
    expect(accepts(key, [1, 2], "transaction", rules)).toBe(false);
    expect(accepts(key, [3, 3], "transaction", rules)).toBe(false);
    expect(accepts(key, [1, 1, 3], "transaction", rules)).toBe(true);
  }
});

test("strangers and too many signatures spoil a multi-signature only under the later rules", () => {
  const key = aMultiSig(2n, [
    [1, 1n],
    [2, 1n],
  ]);
  for (const signers of [
    [1, 2, 9],
    [1, 2, 2],
    [1, 9, 2],
  ]) {
    expect(accepts(key, signers, "transaction", BASE_RULES)).toBe(true);
    expect(accepts(key, signers)).toBe(false);
  }
  expect(
    accepts(
      aMultiSig(1n, [
        [1, 1n],
        [2, 1n],
      ]),
      [1, 9],
    ),
  ).toBe(false);
});

test("a role-based key takes each role's signers, and its first key's for roles that it lacks", () => {
  const three = roleBasedKey([aPublic(1), aPublic(2), aPublic(3)]);
  for (const [index, role] of ROLES.entries()) {
    for (const signer of [1, 2, 3]) expect(accepts(three, [signer], role)).toBe(signer === index + 1);
  }
  const one = roleBasedKey([aPublic(1)]);
  for (const role of ROLES) expect(accepts(one, [1], role)).toBe(true);
  expect(accepts(roleBasedKey([aPublic(1), NIL_KEY]), [1], "accountUpdate")).toBe(false);
  expect(() => accepts(roleBasedKey([]), [1])).toThrow("a role-based key without keys");
});

test("more than one signature costs gas: by registered keys at first, by signatures later", () => {
  const key = aMultiSig(2n, [
    [1, 1n],
    [2, 1n],
    [3, 1n],
  ]);
  const cost = (of: AccountKey, signatures: number, rules = later) =>
    signatureGas(of, "transaction", { signatures, rules });
  expect(cost(key, 2, BASE_RULES)).toBe(30_000n);
  expect(cost(key, 2)).toBe(15_000n);
  expect(cost(key, 1)).toBe(0n);
  expect(cost(roleBasedKey([key, aPublic(1)]), 3)).toBe(30_000n);
  expect(signatureGas(roleBasedKey([key, aPublic(1)]), "feePayer", { signatures: 3, rules: later })).toBe(
    30_000n,
  );
  expect(
    signatureGas(roleBasedKey([key, aPublic(1)]), "accountUpdate", { signatures: 1, rules: later }),
  ).toBe(0n);
  for (const single of [LEGACY_KEY, aPublic(1), FAIL_KEY]) expect(cost(single, 5)).toBe(0n);
});

test("no signature at all reaches a threshold of 0, and takes the gas of one off since gas is by signatures", () => {
  const open = aMultiSig(0n, [[1, 1n]]);
  const byRole = roleBasedKey([aPublic(1), aPublic(1), open]);
  for (const key of [open, byRole]) {
    expect(accepts(key, [], "feePayer")).toBe(true);
    expect(signatureGas(key, "feePayer", { signatures: 0, rules: later })).toBe(-15_000n);
    expect(signatureGas(key, "feePayer", { signatures: 0, rules: BASE_RULES })).toBe(0n);
  }
  expect(signatureGas(byRole, "transaction", { signatures: 0, rules: later })).toBe(0n);
});
