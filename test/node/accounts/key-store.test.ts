/** Tests of the key store. */
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { createKeyStore } from "../../../node/accounts/key-store.ts";
import type { Keyring } from "../../../node/accounts/keyring.ts";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { addressOfKey } from "../../../node/crypto/secp256k1.ts";

const CHEAP = { n: 2, p: 1 };
const keys = ["a", "b", "c", "d"].map((name) => keccak256(Buffer.from(name)));
const [a, b, c, d] = keys as [Uint8Array, Uint8Array, Uint8Array, Uint8Array];
const address = addressOfKey(
  keccak256(Buffer.from("an account whose address follows from none of its keys")),
);

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "knit-keys-"));
});
afterEach(() => rm(directory, { recursive: true }));

/** Saves a key ring; gives its entry and the JSON that was written. */
async function save(keyring: Keyring, version: 3 | 4) {
  const store = createKeyStore({ cost: CHEAP, version });
  const path = join(directory, "key");
  await store.save({ path, address, keyring }, "secret");
  const entry = { address, path, url: `keystore://${path}` };
  return { store, entry, json: JSON.parse(await readFile(path, "utf8")) };
}

test.each<[string, Keyring]>([
  ["one key", [[a]]],
  ["several keys of one role", [[a, b, c]]],
  ["a key for each role", [[a], [b], [c]]],
  ["several keys for two roles and none for the middle one", [[a, b], [], [c, d]]],
])("a key ring with %s is written and read back, role by role", async (_name, keyring) => {
  const { store, entry, json } = await save(keyring, 4);
  expect(json.version).toBe(4);
  expect(json.keyring.map((role: unknown[]) => role.length)).toEqual(keyring.map((role) => role.length));
  expect(await store.openAll(entry, "secret")).toEqual(keyring);
  expect(await store.open(entry, "secret")).toEqual(a);
  expect((await stat(entry.path)).mode & 0o777).toBe(0o600);
  expect(await readdir(directory)).toEqual(["key"]);
});

test("each key of a ring is sealed by itself: no salt is used twice", async () => {
  const { json } = await save([[a, a], [a]], 4);
  const salts = json.keyring.flat().map((sealed: { kdfparams: { salt: string } }) => sealed.kdfparams.salt);
  expect(new Set(salts).size).toBe(3);
});

test("a wrong passphrase opens no key of a ring", async () => {
  const { store, entry } = await save([[a], [b]], 4);
  await expect(store.openAll(entry, "wrong")).rejects.toMatchObject({ code: "wrong-passphrase" });
});

test("version 3 is written for a single key, and is read back", async () => {
  const { store, entry, json } = await save([[a]], 3);
  expect(Object.keys(json)).toEqual(["address", "crypto", "id", "version"]);
  expect(json.version).toBe(3);
  expect(await store.openAll(entry, "secret")).toEqual([[a]]);
});

test("a ring of several keys is version 4 even where version 3 was asked for: no key is lost", async () => {
  const { store, entry, json } = await save([[a], [b]], 3);
  expect(json.version).toBe(4);
  expect(await store.openAll(entry, "secret")).toEqual([[a], [b]]);
});
