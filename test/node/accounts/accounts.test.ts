/** Tests of the accounts of a node. */
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Accounts } from "../../../node/accounts/accounts.ts";
import { openAccounts } from "../../../node/accounts/open-accounts.ts";
import { bareHex, fromBareHex } from "../../../node/bytes/hex.ts";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { addressOfKey, addressOfPublicKey, recover } from "../../../node/crypto/secp256k1.ts";
import { silentLog } from "../../../node/observe/log.ts";

const KEY = "c87509a1c067bbde78beb793e6fa76530b6382a4c0241e5e4a9ec0a0f44dc0d3";
const ADDRESS = fromBareHex("627306090abab3a6e1400e9345bc60c78a8bef57");
const OTHER = fromBareHex("86bce8c859f5f304aa30adb89f2f7b6ee5a0d6e2");
const digest = keccak256(Buffer.from("something to sign"));

let parent: string;
let directory: string;
let now: number;
let accounts: Accounts;
const open = (): Promise<Accounts> =>
  openAccounts({ directory, lightKdf: true, log: silentLog, clock: { now: () => now } });

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "knit-accounts-"));
  directory = join(parent, "keystore");
  now = Date.UTC(2026, 0, 31, 12, 34, 56, 789);
  accounts = await open();
});
afterEach(async () => {
  await accounts[Symbol.asyncDispose]();
  await rm(parent, { recursive: true });
});

const failure = (code: string, message: string) =>
  expect.objectContaining({ name: "AccountsError", code, message });
const locked = failure("locked", "authentication needed: password or unlock");
const noKey = failure("no-key", "no key for given address or file");
const wrong = failure("wrong-passphrase", "could not decrypt key with given passphrase");
const unknown = failure("unknown-account", "unknown account");
const signerOf = (signature: Uint8Array): Uint8Array =>
  addressOfPublicKey(recover(digest, signature) ?? new Uint8Array(64));

describe("key files", () => {
  test("a new account is one version 4 file, readable by its owner alone", async () => {
    const address = await accounts.create("secret");
    const [name, ...others] = await readdir(directory);
    expect(others).toEqual([]);
    expect(name).toMatch(new RegExp(`^UTC--2026-01-31T12-34-56\\.789\\d{6}Z--${bareHex(address)}$`));
    const path = join(directory, name ?? "");
    expect([(await stat(path)).mode & 0o777, (await stat(directory)).mode & 0o777]).toEqual([0o600, 0o700]);
    const file = JSON.parse(await readFile(path, "utf8"));
    expect(file).toMatchObject({ version: 4, address: bareHex(address) });
    expect(file.keyring[0][0].kdfparams).toMatchObject({ n: 4096, p: 6, r: 8, dklen: 32 });
    expect(accounts.list()).toEqual([address]);
    expect(signerOf(await accounts.signWithPassphrase(address, "secret", digest))).toEqual(address);
  });

  test("files of version 3 are written where they are asked for", async () => {
    const options = { directory, lightKdf: true, keyFileVersion: 3, log: silentLog } as const;
    await using single = await openAccounts(options);
    const address = await single.create("secret");
    const [name = ""] = await readdir(directory);
    expect(JSON.parse(await readFile(join(directory, name), "utf8"))).toMatchObject({ version: 3 });
    expect(signerOf(await accounts.signWithPassphrase(address, "secret", digest))).toEqual(address);
  });

  test("accounts are there again after a restart, locked, and a file may be removed while the node runs", async () => {
    const address = await accounts.importRawKey(KEY, "secret");
    await accounts.unlock(address, "secret", 0);
    await accounts[Symbol.asyncDispose]();
    accounts = await open();
    expect(accounts.list()).toEqual([ADDRESS]);
    expect(() => accounts.sign(address, digest)).toThrow(locked);
    for (const name of await readdir(directory)) await rm(join(directory, name));
    expect(accounts.list()).toEqual([]);
    await expect(accounts.unlock(address, "secret", 0)).rejects.toEqual(noKey);
  });

  test("a file that changed hands under the node's eyes is refused", async () => {
    await accounts.importRawKey(KEY, "secret");
    const [name = ""] = await readdir(directory);
    const path = join(directory, name);
    expect(accounts.list().length).toBe(1);
    // Far from the directory's change, so that the list is not read again.
    now = Date.now() + 1e9;
    expect(accounts.list().length).toBe(1);
    await writeFile(path, (await readFile(path, "utf8")).replace(bareHex(ADDRESS), bareHex(OTHER)));
    await expect(accounts.unlock(ADDRESS, "secret", 0)).rejects.toEqual(
      failure(
        "content-mismatch",
        `key content mismatch: have account ${bareHex(OTHER)}, want ${bareHex(ADDRESS)}`,
      ),
    );
  });

  test("a hostile file is listed but costs nothing to refuse", async () => {
    await accounts.importRawKey(KEY, "secret");
    const [name = ""] = await readdir(directory);
    const file = JSON.parse(await readFile(join(directory, name), "utf8"));
    file.keyring[0][0].kdfparams.n = 2 ** 30;
    await writeFile(join(directory, name), JSON.stringify(file));
    await expect(accounts.unlock(ADDRESS, "secret", 0)).rejects.toMatchObject({ code: "bad-key-file" });
  });

  test("a failed write leaves nothing behind", async () => {
    await rm(directory, { recursive: true });
    await writeFile(directory, "a file where the directory was");
    await expect(accounts.create("secret")).rejects.toMatchObject({ code: "ENOTDIR" });
    expect(await readdir(parent)).toEqual(["keystore"]);
  });

  test("a directory that everyone can enter is worth a warning", async () => {
    const warnings: object[] = [];
    const log = { ...silentLog, warn: (fields: object) => void warnings.push(fields) };
    await chmod(directory, 0o755);
    await (await openAccounts({ directory, lightKdf: true, log }))[Symbol.asyncDispose]();
    expect(warnings).toEqual([{ directory }]);
  });
});

describe("raw keys", () => {
  test("an import gives the key's address, once", async () => {
    expect(await accounts.importRawKey(KEY, "a")).toEqual(ADDRESS);
    await expect(accounts.importRawKey(KEY, "b")).rejects.toEqual(
      failure("exists", "account already exists"),
    );
    expect(accounts.has(ADDRESS)).toBe(true);
  });

  test("two imports of one key at the same time give one file", async () => {
    const results = await Promise.allSettled([
      accounts.importRawKey(KEY, "a"),
      accounts.importRawKey(KEY, "b"),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect((await readdir(directory)).length).toBe(1);
  });

  test("a wallet key's account has the wallet key's address and signs with its key", async () => {
    expect(await accounts.importRawKey(`${KEY}0x000x${bareHex(OTHER)}`, "a")).toEqual(OTHER);
    expect(accounts.has(ADDRESS)).toBe(false);
    expect(signerOf(await accounts.signWithPassphrase(OTHER, "a", digest))).toEqual(ADDRESS);
  });

  test("replacing a key locks the account and keeps the file's name", async () => {
    await accounts.importRawKey(`${KEY}0x000x${bareHex(OTHER)}`, "old");
    const names = await readdir(directory);
    await accounts.unlock(OTHER, "old", 0);
    const newKey = keccak256(Buffer.from("new key"));
    const text = `${bareHex(newKey)}0x000x${bareHex(OTHER)}`;
    await expect(accounts.replaceRawKey(text, "bad", "new")).rejects.toEqual(wrong);
    expect(() => accounts.sign(OTHER, digest)).toThrow(locked);
    expect(await accounts.replaceRawKey(text, "old", "new")).toEqual(OTHER);
    expect(await readdir(directory)).toEqual(names);
    expect(signerOf(await accounts.signWithPassphrase(OTHER, "new", digest))).toEqual(addressOfKey(newKey));
    await expect(accounts.replaceRawKey(KEY, "new", "x")).rejects.toEqual(noKey);
  });

  test("a new passphrase opens every key of the file, the old one none", async () => {
    await accounts.importRawKey(KEY, "old");
    const [name = ""] = await readdir(directory);
    const path = join(directory, name);
    const file = JSON.parse(await readFile(path, "utf8"));
    await writeFile(path, JSON.stringify({ ...file, keyring: [file.keyring[0], [], file.keyring[0]] }));
    await accounts.changePassphrase(ADDRESS, "old", "new");
    const written = JSON.parse(await readFile(path, "utf8"));
    expect(written.keyring.map((role: unknown[]) => role.length)).toEqual([1, 0, 1]);
    expect(signerOf(await accounts.signWithPassphrase(ADDRESS, "new", digest))).toEqual(ADDRESS);
    await expect(accounts.signWithPassphrase(ADDRESS, "old", digest)).rejects.toEqual(wrong);
  });
});

describe("locking", () => {
  test("an unlocked account signs until it is locked again", async () => {
    await accounts.importRawKey(KEY, "secret");
    expect(() => accounts.sign(ADDRESS, digest)).toThrow(locked);
    expect(accounts.wallets()[0]?.status).toBe("Locked");
    await accounts.unlock(ADDRESS, "secret", 300);
    expect(signerOf(accounts.sign(ADDRESS, digest))).toEqual(ADDRESS);
    expect(accounts.wallets()[0]?.status).toBe("Unlocked");
    expect(accounts.lock(ADDRESS)).toBe(true);
    expect(() => accounts.sign(ADDRESS, digest)).toThrow(locked);
    expect([accounts.lock(ADDRESS), accounts.lock(OTHER)]).toEqual([true, false]);
  });

  test("a wrong passphrase unlocks nothing and does not lock what is unlocked", async () => {
    await accounts.importRawKey(KEY, "secret");
    await expect(accounts.unlock(ADDRESS, "wrong", 300)).rejects.toEqual(wrong);
    expect(() => accounts.sign(ADDRESS, digest)).toThrow(locked);
    await accounts.unlock(ADDRESS, "secret", 300);
    await expect(accounts.unlock(ADDRESS, "wrong", 1)).rejects.toEqual(wrong);
    now += 200_000;
    expect(accounts.sign(ADDRESS, digest).length).toBe(65);
    now += 100_000;
    expect(() => accounts.sign(ADDRESS, digest)).toThrow(locked);
  });

  test("durations outside 0..9223372036 seconds are refused", async () => {
    await accounts.importRawKey(KEY, "secret");
    const tooLarge = failure("bad-duration", "unlock duration too large");
    await expect(accounts.unlock(ADDRESS, "secret", 9_223_372_037)).rejects.toEqual(tooLarge);
    await expect(accounts.unlock(ADDRESS, "secret", -1)).rejects.toMatchObject({ code: "bad-duration" });
    await accounts.unlock(ADDRESS, "secret", 9_223_372_036);
    expect(accounts.sign(ADDRESS, digest).length).toBe(65);
  });

  test("signing once with a passphrase leaves the account as it was", async () => {
    await accounts.importRawKey(KEY, "secret");
    expect(signerOf(await accounts.signWithPassphrase(ADDRESS, "secret", digest))).toEqual(ADDRESS);
    expect(() => accounts.sign(ADDRESS, digest)).toThrow(locked);
    await expect(accounts.signWithPassphrase(ADDRESS, "wrong", digest)).rejects.toEqual(wrong);
  });

  test("unknown accounts are told apart from locked ones", async () => {
    expect(() => accounts.sign(OTHER, digest)).toThrow(unknown);
    await expect(accounts.signWithPassphrase(OTHER, "x", digest)).rejects.toEqual(unknown);
    await expect(accounts.unlock(OTHER, "x", 0)).rejects.toEqual(noKey);
  });

  test("two files of one address cannot be unlocked", async () => {
    await accounts.importRawKey(KEY, "secret");
    const [name = ""] = await readdir(directory);
    await writeFile(join(directory, `${name}-copy`), await readFile(join(directory, name)));
    await expect(accounts.unlock(ADDRESS, "secret", 0)).rejects.toMatchObject({ code: "ambiguous" });
  });
});

describe("held keys", () => {
  test("are listed after the files, sign at once, and stay out of the directory", async () => {
    const key = fromBareHex(KEY);
    expect(accounts.hold(key)).toEqual(ADDRESS);
    key.fill(0); // the caller may wipe its own
    const created = await accounts.create("x");
    expect(accounts.list()).toEqual([created, ADDRESS]);
    expect(signerOf(accounts.sign(ADDRESS, digest))).toEqual(ADDRESS);
    expect(signerOf(await accounts.signWithPassphrase(ADDRESS, "anything", digest))).toEqual(ADDRESS);
    await accounts.unlock(ADDRESS, "anything", 1);
    now += 1e9;
    expect(accounts.lock(ADDRESS)).toBe(false);
    expect(accounts.sign(ADDRESS, digest).length).toBe(65);
    expect((await readdir(directory)).length).toBe(1);
  });
});

test("after closing nothing signs and nothing opens", async () => {
  await accounts.importRawKey(KEY, "secret");
  accounts.hold(keccak256(Buffer.from("held")));
  const opening = accounts.unlock(ADDRESS, "secret", 0);
  await accounts[Symbol.asyncDispose]();
  await expect(opening).rejects.toMatchObject({ code: "closed" });
  expect(() => accounts.sign(ADDRESS, digest)).toThrow(locked);
  for (const late of [
    accounts.create("x"),
    accounts.importRawKey(KEY, "x"),
    accounts.unlock(ADDRESS, "secret", 0),
  ]) {
    await expect(late).rejects.toMatchObject({ code: "closed" });
  }
});
