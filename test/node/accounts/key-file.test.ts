/** Tests of the JSON of key files. */
import { expect, test } from "@jest/globals";
import { decryptKeystoreJson, encryptKeystoreJson } from "ethers";
import { formatKeyFile, keyFileAddress, parseKeyFile } from "../../../node/accounts/key-file.ts";
import { bareHex, fromBareHex } from "../../../node/bytes/hex.ts";
import { addressOfKey } from "../../../node/crypto/secp256k1.ts";
import { LIGHT_COST, openSecret, type SealedSecret, sealSecret } from "../../../node/crypto/secret-box.ts";

const someCrypto = {
  cipher: "aes-128-ctr",
  ciphertext: "696d0e8e8bd21ff1f82f7c87b6964f0f17f8bfbd52141069b59f084555f277b7",
  cipherparams: { iv: "1fd13e0524fa1095c5f80627f1d24cbd" },
  kdf: "scrypt",
  kdfparams: {
    dklen: 32,
    n: 4096,
    p: 1,
    r: 8,
    salt: "7ee980925cef6a60553cda3e91cb8e3c62733f64579f633d0f86ce050c151e26",
  },
  mac: "8684d8dc4bf17318cd46c85dbd9a9ec5d9b290e04d78d4f6b5be9c413ff30ea4",
};
const someAddress = "86bce8c859f5f304aa30adb89f2f7b6ee5a0d6e2";
const flat = {
  address: `0x${someAddress}`,
  keyring: [someCrypto],
  id: "7a0a8557-22a5-4c90-b554-d6f3b13783ea",
  version: 4,
};
const single = { address: someAddress, crypto: someCrypto, id: "x", version: 3 };

async function firstKey(file: unknown, passphrase: string): Promise<string | undefined> {
  const key = await openSecret(
    parseKeyFile(JSON.stringify(file)).keyring.flat()[0] as SealedSecret,
    passphrase,
  );
  return key && bareHex(key);
}

test("reads version 4 with a flat key ring, and the same keys one list a role", async () => {
  const file = parseKeyFile(JSON.stringify(flat));
  expect(bareHex(file.address)).toBe(someAddress);
  expect(file.keyring.map((role) => role.length)).toEqual([1]);
  const key = "36e0a792553f94a7660e5484cfc8367e7d56a383261175b9abced7416a5d87df";
  expect(await firstKey(flat, "password")).toBe(key);
  const roles = { ...flat, keyring: [[someCrypto], [someCrypto, someCrypto], []] };
  expect(parseKeyFile(JSON.stringify(roles)).keyring.map((role) => role.length)).toEqual([1, 2, 0]);
  expect(await firstKey(roles, "password")).toBe(key);
  expect(await firstKey(flat, "Password")).toBeUndefined();
});

test("reads the scrypt and pbkdf2 examples of web3 secret storage, version 3", async () => {
  const key = "7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d";
  const scrypt = {
    ...single,
    crypto: {
      cipher: "aes-128-ctr",
      cipherparams: { iv: "83dbcc02d8ccb40e466191a123791e0e" },
      ciphertext: "d172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c",
      kdf: "scrypt",
      kdfparams: {
        dklen: 32,
        n: 262144,
        r: 1,
        p: 8,
        salt: "ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19",
      },
      mac: "2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097",
    },
  };
  const pbkdf2 = {
    ...single,
    crypto: {
      cipher: "aes-128-ctr",
      cipherparams: { iv: "6087dab2f9fdbbfaddc31a909735c1e6" },
      ciphertext: "5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46",
      kdf: "pbkdf2",
      kdfparams: {
        c: 262144,
        dklen: 32,
        prf: "hmac-sha256",
        salt: "ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd",
      },
      mac: "517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2",
    },
  };
  expect(await firstKey(scrypt, "testpassword")).toBe(key);
  expect(await firstKey(pbkdf2, "testpassword")).toBe(key);
});

test("reads version 1, whose version is text, whose names are capitalised and whose cipher is its own", async () => {
  const file = {
    address: "cb61d5a9c4896fb9658090b597ef0e7be6f7b67e",
    Crypto: {
      cipher: "aes-128-cbc",
      cipherparams: { iv: "35337770fc2117994ecdcad026bccff4" },
      ciphertext:
        "6143d3192db8b66eabd693d9c4e414dcfaee52abda451af79ccf474dafb35f1bfc7ea013aa9d2ee35969a1a2e8d752d0",
      kdf: "scrypt",
      kdfparams: {
        dklen: 32,
        n: 262144,
        p: 1,
        r: 8,
        salt: "9afcddebca541253a2f4053391c673ff9fe23097cd8555d149d929e4ccf1257f",
      },
      mac: "3f3d5af884b17a100b0b3232c0636c230a54dc2ac8d986227219b0dd89197644",
    },
    id: "e25f7c1f-d318-4f29-b62c-687190d4d299",
    version: "1",
  };
  const key = await firstKey(file, "g");
  expect(bareHex(addressOfKey(fromBareHex(key ?? "")))).toBe(file.address);
});

test("reads what ethers writes", async () => {
  const privateKey = "0x36e0a792553f94a7660e5484cfc8367e7d56a383261175b9abced7416a5d87df";
  const account = { address: `0x${someAddress}`, privateKey };
  const text = await encryptKeystoreJson(account, "from ethers", { scrypt: { N: 4096, r: 8, p: 1 } });
  expect(await firstKey(JSON.parse(text), "from ethers")).toBe(privateKey.slice(2));
});

test("a key it seals is opened by ethers as version 3", async () => {
  const key = fromBareHex("4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318");
  const sealed = await sealSecret(key, "for ethers", LIGHT_COST);
  const file = {
    address: addressOfKey(key),
    id: "3198bc9c-6672-4ab3-9995-4942343ae5b6",
    keyring: [[sealed]],
  };
  const written = JSON.parse(formatKeyFile(file));
  expect(Object.keys(written)).toEqual(["address", "keyring", "id", "version"]);
  const three = { address: written.address, crypto: written.keyring[0][0], id: written.id, version: 3 };
  const opened = await decryptKeystoreJson(JSON.stringify(three), "for ethers");
  expect(opened.privateKey).toBe(`0x${bareHex(key)}`);
});

test("a written file reads back as it was, and its address is bare hex", () => {
  const file = parseKeyFile(JSON.stringify(flat));
  const text = formatKeyFile(file);
  expect(JSON.parse(text)).toEqual({ ...flat, address: someAddress, keyring: [[someCrypto]] });
  expect(formatKeyFile(parseKeyFile(text))).toBe(text);
});

test("damaged and hostile files are refused with the reason and without their content", () => {
  const withParams = (params: object): object => ({
    ...single,
    crypto: { ...someCrypto, kdfparams: { ...someCrypto.kdfparams, ...params } },
  });
  const withCrypto = (fields: object): object => ({ ...single, crypto: { ...someCrypto, ...fields } });
  const pbkdf2 = (c: unknown, prf = "hmac-sha256"): object =>
    withCrypto({ kdf: "pbkdf2", kdfparams: { c, dklen: 32, prf, salt: "00" } });
  const files: [unknown, RegExp][] = [
    [{ ...single, version: 5 }, /^undefined version: 5\.000000$/],
    [{ ...single, version: undefined }, /undefined version/],
    [{ ...single, version: "3" }, /undefined version/],
    [{ ...single, address: "zz" }, /address/],
    [{ ...single, address: "00".repeat(20) }, /address/],
    [{ ...single, crypto: undefined }, /encrypted key/],
    [{ ...single, crypto: [] }, /encrypted key/],
    [withCrypto({ cipher: "aes-256-gcm" }), /^Cipher not supported: aes-256-gcm$/],
    [withCrypto({ kdf: "argon2" }), /^Unsupported KDF: argon2$/],
    [withCrypto({ kdfparams: null }), /salt/],
    [withCrypto({ mac: "00" }), /mac of 1 bytes/],
    [withCrypto({ mac: 5 }), /mac/],
    [withCrypto({ ciphertext: "xx" }), /ciphertext/],
    [withCrypto({ ciphertext: "00".repeat(5000) }), /ciphertext of 5000 bytes/],
    [withCrypto({ cipherparams: { iv: "00" } }), /iv of 1 bytes/],
    [withParams({ n: 2 ** 31 }), /costs more than allowed/],
    [withParams({ n: -4096 }), /scrypt n -4096/],
    [withParams({ n: "4096" }), /bad n/],
    [withParams({ p: -1 }), /p -1/],
    [withParams({ r: 1e9 }), /costs more than allowed/],
    [withParams({ dklen: 0 }), /dklen 0/],
    [pbkdf2(-1), /c -1/],
    [pbkdf2(1e12), /c 1000000000000/],
    [pbkdf2(1, "hmac-md5"), /^Unsupported PBKDF2 PRF: hmac-md5$/],
    [{ ...flat, keyring: undefined }, /without a keyring/],
    [{ ...flat, keyring: [] }, /0 keys/],
    [{ ...flat, keyring: [[someCrypto], someCrypto] }, /neither flat/],
    [{ ...flat, keyring: Array.from({ length: 31 }, () => someCrypto) }, /31 keys/],
    [[], /without JSON/],
    ["text", /without JSON/],
    [null, /without JSON/],
  ];
  for (const [file, message] of files) {
    const parse = (): unknown => parseKeyFile(JSON.stringify(file));
    expect(parse).toThrow(
      expect.objectContaining({ code: "bad-key-file", message: expect.stringMatching(message) }),
    );
  }
  expect(() => parseKeyFile("{")).toThrow(expect.objectContaining({ code: "bad-key-file" }));
});

test("only what looks like a key file has an address", () => {
  expect(keyFileAddress(JSON.stringify(flat))).toEqual(fromBareHex(someAddress));
  expect(keyFileAddress(JSON.stringify(single))).toEqual(fromBareHex(someAddress));
  expect(keyFileAddress(JSON.stringify({ address: someAddress }))).toBeUndefined();
  expect(keyFileAddress(JSON.stringify({ ...single, address: undefined }))).toBeUndefined();
  expect(keyFileAddress("-----BEGIN EC PRIVATE KEY-----")).toBeUndefined();
});
