/** Tests of HD wallets. */
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { HDNodeWallet } from "ethers";
import type { Accounts } from "../../../node/accounts/accounts.ts";
import { openAccounts } from "../../../node/accounts/open-accounts.ts";
import { toHex } from "../../../node/bytes/hex.ts";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { addressOfPublicKey, recover } from "../../../node/crypto/secp256k1.ts";
import { silentLog } from "../../../node/observe/log.ts";

/** The mnemonic of BIP-39's first vector of 24 words. */
const WORDS = `${"abandon ".repeat(23)}art`;
const digest = keccak256(Buffer.from("hello"));

let directory: string;
let accounts: Accounts;
let url: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "knit-hd-"));
  accounts = await reopen();
  url = await accounts.importMnemonic(WORDS, "secret");
});
afterEach(async () => {
  await accounts[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

function reopen(): Promise<Accounts> {
  return openAccounts({ directory, lightKdf: true, log: silentLog });
}

function addressAt(path: string): string {
  return HDNodeWallet.fromPhrase(WORDS, undefined, path).address.toLowerCase();
}

function signerOf(signature: Uint8Array): string {
  const publicKey = recover(digest, signature);
  return publicKey === undefined ? "nobody" : toHex(addressOfPublicKey(publicKey));
}

test("an open wallet derives the accounts that other wallets derive from its words", async () => {
  await accounts.openWallet(url, "secret");
  for (const path of ["m/44'/60'/0'/0/0", "m/44'/8217'/0'/0/3", "m/0'"]) {
    expect(toHex((await accounts.deriveAccount(url, path, false)).address)).toBe(addressAt(path));
  }
  expect(await accounts.deriveAccount(url, "7", false)).toEqual({
    address: Buffer.from(addressAt("m/44'/60'/0'/0/7").slice(2), "hex"),
    url: `${url}/m/44'/60'/0'/0/7`,
  });
  expect(accounts.list()).toEqual([]);
});

test("a pinned account is listed, signs, and is there after a restart", async () => {
  await accounts.openWallet(url, "secret");
  const { address } = await accounts.deriveAccount(url, "0", true);
  await accounts.deriveAccount(url, "0", true);
  expect(accounts.wallets()).toEqual([
    {
      url,
      status: "Unlocked",
      accounts: [{ address: new Uint8Array(address), url: `${url}/m/44'/60'/0'/0/0` }],
    },
  ]);
  expect(signerOf(accounts.sign(address, digest))).toBe(toHex(address));
  expect(accounts.signAs(address, "feePayer", digest).map(signerOf)).toEqual([toHex(address)]);
  await accounts[Symbol.asyncDispose]();

  accounts = await reopen();
  expect(accounts.wallets().map(({ status }) => status)).toEqual(["Locked"]);
  expect(() => accounts.sign(address, digest)).toThrow(expect.objectContaining({ code: "locked" }));
  expect(signerOf(await accounts.signWithPassphrase(address, "secret", digest))).toBe(toHex(address));
  await accounts.unlock(address, "secret", 0);
  expect(signerOf(accounts.sign(address, digest))).toBe(toHex(address));
  expect(accounts.lock(address)).toBe(true);
  expect(() => accounts.sign(address, digest)).toThrow(expect.objectContaining({ code: "locked" }));
});

test("accounts that are pinned at the same moment are all kept", async () => {
  await accounts.openWallet(url, "secret");
  const made = await Promise.all(["0", "1", "2"].map((path) => accounts.deriveAccount(url, path, true)));
  expect(accounts.list().map(toHex)).toEqual(made.map(({ address }) => toHex(address)));
});

test("locking an account closes its wallet", async () => {
  await accounts.openWallet(url, "secret");
  const { address } = await accounts.deriveAccount(url, "0", true);
  expect(accounts.lock(address)).toBe(true);
  expect(() => accounts.sign(address, digest)).toThrow(expect.objectContaining({ code: "locked" }));
  await expect(accounts.deriveAccount(url, "1", false)).rejects.toMatchObject({ code: "locked" });
});

test("a wrong passphrase opens nothing and appears in no error", async () => {
  await expect(accounts.openWallet(url, "hunter2")).rejects.toMatchObject({
    code: "wrong-passphrase",
    message: "could not decrypt key with given passphrase",
  });
  expect(accounts.wallets().map(({ status }) => status)).toEqual(["Locked"]);
});

test.each([
  ["0x11", "bad-url", "protocol scheme missing"],
  ["hdwallet:///nowhere", "unknown-wallet", "unknown wallet"],
  ["keystore:///none", "unknown-wallet", "unknown wallet"],
  ["ledger://1", "usb-wallet", "USB wallets are not supported: open a software wallet (hdwallet://)"],
])("the wallet %s is refused", async (bad, code, message) => {
  await expect(accounts.openWallet(bad, "secret")).rejects.toMatchObject({ code, message });
  await expect(accounts.deriveAccount(bad, "0", true)).rejects.toMatchObject({ code, message });
});

test("a key file's wallet opens by itself and derives nothing", async () => {
  await accounts.create("p");
  const [keyFile] = accounts.wallets();
  await accounts.openWallet(keyFile?.url ?? "", "anything");
  await expect(accounts.deriveAccount(keyFile?.url ?? "", "0", true)).rejects.toMatchObject({
    message: "not supported",
  });
});

test("the file is for its owner alone and holds no word", async () => {
  const [name = ""] = await readdir(join(directory, "hd-wallets"));
  const path = join(directory, "hd-wallets", name);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readFile(path, "utf8")).not.toContain("abandon");
});

test.each(["abandon ".repeat(24), "not words at all", "", `${WORDS} ${"x".repeat(100_000)}`])(
  "a bad mnemonic is refused and not quoted",
  async (words) => {
    await expect(accounts.importMnemonic(words, "secret")).rejects.toMatchObject({
      code: "bad-mnemonic",
      message: "not a mnemonic: a word is unknown or the checksum does not fit",
    });
  },
);

test.each([
  ["no JSON", () => "{"],
  ["another type", (text: string) => text.replace("bip39", "bip99")],
  ["an account without a path", (text: string) => text.replace('"accounts":[]', '"accounts":[{}]')],
  [
    "an endless list of accounts",
    (text: string) => text.replace("[]", JSON.stringify(Array.from({ length: 300 }))),
  ],
  ["costs nobody can pay", (text: string) => text.replace('"n":4096', '"n":1073741824')],
])("a file with %s is no wallet", async (_what, damaged) => {
  const [name = ""] = await readdir(join(directory, "hd-wallets"));
  const path = join(directory, "hd-wallets", name);
  await writeFile(path, damaged(await readFile(path, "utf8")));
  await accounts[Symbol.asyncDispose]();
  accounts = await reopen();
  expect(accounts.wallets()).toEqual([]);
});
