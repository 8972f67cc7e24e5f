/** The flags of keys and key files: rows of the flag table. */
import { accounts, boolean, path, secret } from "./flags-kinds.ts";
import { BLS_WRITING, type FlagCommand, NODE, rows } from "./flags-rows.ts";

/** The commands that write key files of accounts. */
const WRITING: readonly FlagCommand[] = ["account-new", "account-update", "account-import"];

const keyForm = rows("Base", [...NODE, ...WRITING, ...BLS_WRITING, "wallet", "genesis"]);
const keyVersion = rows("Base", [...NODE, ...WRITING]);
const identity = rows("Base", [...NODE, "bootnode"]);
const blsIdentity = rows("Base", [...NODE, "account-bls-import"]);
const keys = rows("Accounts", NODE);
const exporting = rows("Accounts", ["account-export"]);
const blsExporting = rows("Accounts", ["account-bls-export"]);
const keyFiles = rows("Accounts", [
  ...NODE,
  ...WRITING,
  ...BLS_WRITING,
  "account-export",
  "account-bls-export",
  "wallet",
]);

/** Who a node is, and how key files are written. */
export const keyFlags = {
  lightkdf: keyForm.flag(boolean, false, "weaker and faster encryption of new key files", "common.light-kdf"),
  v3: keyVersion.flag(boolean, false, "write key files of version 3, which hold a single key"),
  nodekey: identity.maybe(path, "a file with the node's private key", "p2p.node-key"),
  nodekeyhex: identity.maybe(secret, "the node's private key; visible to others in ps", "p2p.node-key-hex"),
  "bls-nodekey": blsIdentity.maybe(
    path,
    "a file with the node's BLS key; by default it follows from the node key",
    "p2p.bls-node-key",
  ),
  "bls-nodekeyhex": blsIdentity.maybe(
    secret,
    "the node's BLS key; visible to others in ps",
    "p2p.bls-node-key-hex",
  ),
};

/** Accounts, and what opens their key files. */
export const accountFlags = {
  unlock: keys.flag(
    accounts,
    [],
    "accounts to unlock at start, by address or index",
    "account-update.unlock",
  ),
  nodekeystore: exporting.maybe(path, "the key file whose key becomes the node key", "p2p.node-keystore"),
  "bls-nodekeystore": blsExporting.maybe(
    path,
    "the key file (EIP-2335) whose key becomes the BLS key",
    "p2p.bls-node-keystore",
  ),
  password: keyFiles.maybe(path, "a file with their passphrases, one a line", "account-update.password"),
};
