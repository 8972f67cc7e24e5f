/** Tests of the keys of an account by role. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { createKeyStore } from "../../../node/accounts/key-store.ts";
import { ofRole } from "../../../node/accounts/keyring.ts";
import { openAccounts } from "../../../node/accounts/open-accounts.ts";
import { bareHex } from "../../../node/bytes/hex.ts";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { addressOfKey, addressOfPublicKey, recover } from "../../../node/crypto/secp256k1.ts";
import { silentLog } from "../../../node/observe/log.ts";

const keys = ["a", "b", "c", "d"].map((name) => keccak256(Buffer.from(name)));
const [a, b, c, d] = keys as [Uint8Array, Uint8Array, Uint8Array, Uint8Array];
const ADDRESS = new Uint8Array(20).fill(0x5a);
const digest = keccak256(Buffer.from("hello"));
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "knit-ring-"));
});
afterEach(() => rm(directory, { recursive: true }));

test.each([
  [[[1, 2], [3], [4]], { transaction: [1, 2], accountUpdate: [3], feePayer: [4] }],
  [[[1, 2]], { transaction: [1, 2], accountUpdate: [1, 2], feePayer: [1, 2] }],
  [[[1], [], [4]], { transaction: [1], accountUpdate: [1], feePayer: [4] }],
  [[[], [3]], { transaction: [3], accountUpdate: [3], feePayer: [3] }],
  [[], { transaction: [], accountUpdate: [], feePayer: [] }],
] as const)("of %j each role signs with its own, or with the first there is", (ring, wanted) => {
  for (const [role, chosen] of Object.entries(wanted)) {
    expect(ofRole<number>(ring, role as keyof typeof wanted)).toEqual(chosen);
  }
});

test("every key of a role signs, with the passphrase or unlocked; messages take the first alone", async () => {
  const store = createKeyStore({ cost: { n: 2, p: 1 }, version: 4 });
  const path = join(directory, `UTC--2026-01-01T00-00-00.000000000Z--${bareHex(ADDRESS)}`);
  await store.save({ path, address: ADDRESS, keyring: [[a, b], [c], [b, d]] }, "secret");
  await using accounts = await openAccounts({ directory, lightKdf: true, log: silentLog });

  const byPassphrase = async (role: "transaction" | "accountUpdate" | "feePayer") =>
    signers(await accounts.signAsWithPassphrase(ADDRESS, "secret", { role, digest }));
  expect(await byPassphrase("transaction")).toEqual(addresses(a, b));
  expect(await byPassphrase("accountUpdate")).toEqual(addresses(c));
  expect(await byPassphrase("feePayer")).toEqual(addresses(b, d));
  await expect(
    accounts.signAsWithPassphrase(ADDRESS, "wrong", { role: "feePayer", digest }),
  ).rejects.toMatchObject({ code: "wrong-passphrase" });

  await accounts.unlock(ADDRESS, "secret", 0);
  expect(signers(accounts.signAs(ADDRESS, "feePayer", digest))).toEqual(addresses(b, d));
  expect(signers([accounts.sign(ADDRESS, digest)])).toEqual(addresses(a));
});

function signers(signatures: readonly Uint8Array[]): string[] {
  return signatures.map((signature) => {
    const publicKey = recover(digest, signature);
    return publicKey === undefined ? "nobody" : bareHex(addressOfPublicKey(publicKey));
  });
}

function addresses(...ofKeys: readonly Uint8Array[]): string[] {
  return ofKeys.map((key) => bareHex(addressOfKey(key)));
}
