/** Options of the keystore and of keys. */
import { accounts, booleanKind, path, secret } from "../options/kinds.ts";
import {
  ACCOUNT,
  BLS_WRITING,
  DATA,
  KEY_WRITING,
  NODE,
  optionGroup,
  type ValuesOf,
} from "../options/rows.ts";

const keyStore = optionGroup("Base", [...DATA, ...ACCOUNT, "wallet"]);
const keyForm = optionGroup("Base", [...NODE, ...KEY_WRITING, ...BLS_WRITING, "wallet", "genesis"]);
const keyVersion = optionGroup("Base", [...NODE, ...KEY_WRITING]);
const blsIdentity = optionGroup("Base", [...NODE, "account-bls-import"]);
const keys = optionGroup("Accounts", NODE);
const keyExport = optionGroup("Accounts", ["account-export"]);
const blsKeyExport = optionGroup("Accounts", ["account-bls-export"]);
const passphrases = optionGroup("Accounts", [
  ...NODE,
  ...KEY_WRITING,
  ...BLS_WRITING,
  "account-export",
  "account-bls-export",
  "wallet",
]);

/** Rows of the keystore. */
export const keystoreOptions = {
  directory: keyStore({
    flag: "keystore",
    kind: path,
    summary: "directory of the keystore; <datadir>/keystore by default",
    aliases: ["common.keystore"],
  }),
};

/** Directory of the keystore, as written. */
export type KeystoreOptions = ValuesOf<typeof keystoreOptions>;

/** Rows of new key files. */
export const keyFileOptions = {
  lightKdf: keyForm({
    flag: "lightkdf",
    kind: booleanKind,
    default: false,
    development: true,
    summary: "use less CPU and memory for the encryption of key files, at some cost in strength",
    aliases: ["common.light-kdf"],
  }),
  isVersion3: keyVersion({
    flag: "v3",
    kind: booleanKind,
    default: false,
    summary: "write key files of version 3, which hold a single key",
    variable: "KEYSTORE_V3",
  }),
};

/** Rows of the BLS key of a node: the key itself, or its file. */
export const blsKeyOptions = {
  file: blsIdentity({
    flag: "bls-nodekey",
    kind: path,
    summary: "file with the node's BLS key; derived from the node key by default",
    aliases: ["p2p.bls-node-key"],
    differs: "a key derived from the node key is not written to a file",
  }),
  key: blsIdentity({
    flag: "bls-nodekeyhex",
    kind: secret,
    summary: "the node's BLS key in hex; visible to other users in the process list",
    aliases: ["p2p.bls-node-key-hex"],
  }),
};

/** BLS key of a node: the key itself, or its file as written. */
export type BlsKeyOptions = ValuesOf<typeof blsKeyOptions>;

/** Rows of accounts and of their passphrases. */
export const accountOptions = {
  unlock: keys({
    flag: "unlock",
    kind: accounts,
    default: [],
    summary: "accounts to unlock at start, by address or index",
    aliases: ["account-update.unlock"],
  }),
  nodeKeystore: keyExport({
    flag: "nodekeystore",
    kind: path,
    summary: "key file to export the node key from",
    aliases: ["p2p.node-keystore"],
    differs: "for `knit account export` only",
  }),
  blsNodeKeystore: blsKeyExport({
    flag: "bls-nodekeystore",
    kind: path,
    summary: "key file (EIP-2335) to export the BLS key from",
    aliases: ["p2p.bls-node-keystore"],
  }),
  passwordFile: passphrases({
    flag: "password",
    kind: path,
    summary: "file with the passphrases of key files, one per line",
    aliases: ["account-update.password"],
  }),
};
