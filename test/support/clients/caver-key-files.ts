/** caver-js: key files of versions 3 and 4, with one key or a list for each role. */
import type { Keyring } from "caver-js";
import { Caver } from "./caver.ts";
import type { KeyFileClient } from "./key-files.ts";

const CHEAP = { scrypt: true, n: 1024 };
const { keyring } = new Caver().wallet;

/** Its key files, written as version 4. */
export const caverKeyFiles: KeyFileClient = {
  encrypt: async (key, passphrase) =>
    JSON.stringify(keyring.createFromPrivateKey(key).encrypt(passphrase, CHEAP)),
  decrypt: async (file, passphrase) => firstKey(keyring.decrypt(JSON.parse(file), passphrase)),
};

/** Those of version 3. */
export const caverKeyFilesOf3: KeyFileClient = {
  ...caverKeyFiles,
  encrypt: async (key, passphrase) =>
    JSON.stringify(keyring.createFromPrivateKey(key).encryptV3(passphrase, CHEAP)),
};

/** The file of an account with keys for each role. */
export function caverRoleFile(address: string, roles: string[][], passphrase: string): string {
  return JSON.stringify(keyring.createWithRoleBasedKey(address, roles).encrypt(passphrase, CHEAP));
}

function firstKey(read: Keyring): string {
  const [first] = [read.getKeyByRole(0)].flat();
  return first?.privateKey ?? "";
}
