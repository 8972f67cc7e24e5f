/** Key files of BLS keys: the test vectors of EIP-2335, and files written here. */
import { describe, expect, test } from "@jest/globals";
import { BLS_FILE_ROUNDS, openBlsKeyFile, sealBlsKeyFile } from "../../../node/accounts/bls-key-file.ts";
import { bareHex, fromBareHex } from "../../../node/bytes/hex.ts";

/** The password of the vectors: fraktur letters, which have plain ones as their normal form, and a key. */
const PASSWORD = "𝔱𝔢𝔰𝔱𝔭𝔞𝔰𝔰𝔴𝔬𝔯𝔡🔑";
const KEY = "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f";
const PUBLIC_KEY =
  "9612d7a727c9d0a22e185a1c768478dfe919cada9266988cb32359c11f2b7b27f4ae4040902382ae2910c15e2b420d07";

interface Parts {
  readonly kdf: string;
  readonly params: object;
  readonly checksum: string;
  readonly message: string;
}

const PBKDF2: Parts = {
  kdf: "pbkdf2",
  params: { c: 262_144, prf: "hmac-sha256" },
  checksum: "8a9f5d9912ed7e75ea794bc5a89bca5f193721d30868ade6f73043c6ea6febf1",
  message: "cee03fde2af33149775b7223e7845e4fb2c8ae1792e5f99fe9ecf474cc8c16ad",
};
const SCRYPT: Parts = {
  kdf: "scrypt",
  params: { n: 262_144, p: 1, r: 8 },
  checksum: "d2217fe5f3e9a1e34581ef8a78f7c9928e436d36dacc5e846690a5581e8ea484",
  message: "06ae90d55fe0a6e9c5c3bc5b170827b2e5cce3929ed3f116c2811e6366dfe20f",
};

/** A file of the standard. */
function fileOf({ kdf, params, checksum, message }: Parts): string {
  const salt = "d4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3";
  return JSON.stringify({
    crypto: {
      kdf: { function: kdf, params: { dklen: 32, ...params, salt }, message: "" },
      checksum: { function: "sha256", params: {}, message: checksum },
      cipher: { function: "aes-128-ctr", params: { iv: "264daa3f303d7259501c93d997d84fe6" }, message },
    },
    pubkey: PUBLIC_KEY,
    path: "m/12381/60/0/0",
    uuid: "64625def-3331-4eea-ab6f-782f3ed16a83",
    version: 4,
  });
}

describe("a BLS key file", () => {
  test.each([PBKDF2, SCRYPT])("of the standard, with $kdf, opens", async (parts) => {
    expect(bareHex(await openBlsKeyFile(fileOf(parts), PASSWORD))).toBe(KEY);
  });

  test("is written in the Go node's form, and opens however its passphrase is typed", async () => {
    const pair = { key: fromBareHex(KEY), publicKey: fromBareHex(PUBLIC_KEY) };
    const text = await sealBlsKeyFile(pair, "caf\u00e9\u0007", BLS_FILE_ROUNDS.light);
    expect(Object.keys(JSON.parse(text) as object)).toEqual([
      "crypto",
      "description",
      "pubkey",
      "path",
      "uuid",
      "version",
    ]);
    expect(text.replaceAll(/"[0-9a-f]{32,}"/g, '"hex"').replace(/"[0-9a-f-]{36}"/, '"id"')).toBe(
      '{"crypto":{"checksum":{"function":"sha256","message":"hex","params":{}},' +
        '"cipher":{"function":"aes-128-ctr","message":"hex","params":{"iv":"hex"}},' +
        '"kdf":{"function":"pbkdf2","message":"","params":{"c":8192,"dklen":32,"prf":"hmac-sha256","salt":"hex"}}},' +
        '"description":"","pubkey":"hex","path":"","uuid":"id","version":4}',
    );
    expect(bareHex(await openBlsKeyFile(text, "cafe\u0301"))).toBe(KEY);
    await expect(openBlsKeyFile(text, "cafe")).rejects.toMatchObject({
      code: "wrong-passphrase",
      message: "could not decrypt key with given passphrase",
    });
  });

  test("that holds no BLS key is told from a wrong passphrase", async () => {
    const pair = { key: new Uint8Array(32).fill(0xff), publicKey: new Uint8Array(48) };
    const text = await sealBlsKeyFile(pair, "x", 1);
    await expect(openBlsKeyFile(text, "x")).rejects.toMatchObject({ code: "bad-key-file" });
  });

  test.each([
    ["no JSON", "{", "BLS key file without JSON"],
    ["null", "null", "BLS key file of an unknown version"],
    ["another version", fileOf(PBKDF2).replace('"version":4', '"version":3'), "unknown version"],
    ["another checksum", fileOf(PBKDF2).replace('"sha256"', '"md5"'), "unknown checksum"],
    ["another cipher", fileOf(PBKDF2).replace("aes-128-ctr", "rot-13"), "Cipher not supported: rot-13"],
    ["another function", fileOf(PBKDF2).replace('"pbkdf2"', '"argon2"'), "Unsupported KDF: argon2"],
    ["too costly", fileOf(PBKDF2).replace("262144", "99999999"), "key derivation: c 99999999"],
    ["a member missing", fileOf(PBKDF2).replace('"cipher"', '"cypher"'), "key file with a bad iv"],
  ])("with %s is refused", async (_, text, message) => {
    await expect(openBlsKeyFile(text, PASSWORD)).rejects.toMatchObject({
      code: "bad-key-file",
      message: expect.stringContaining(message),
    });
  });
});
