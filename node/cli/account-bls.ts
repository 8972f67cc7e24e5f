/**
 * `knit account bls-...`: creates, imports and exports the BLS key of a validator as a key file (EIP-2335).
 * Texts, files and file names are those of the Go node (`cmd/utils/nodecmd/accountcmd.go@v2.2.2`).
 */

import { randomBytes } from "node:crypto";
import { BLS_FILE_ROUNDS, openBlsKeyFile, sealBlsKeyFile } from "../accounts/bls-key-file.ts";
import { noteBlsKey } from "../accounts/bls-node-key.ts";
import { accountOptions } from "../accounts/options.ts";
import { bareHex } from "../bytes/hex.ts";
import { ownBlsKey, ownNodeKey } from "../compose/node-keys.ts";
import type { NodeOptions } from "../compose/options.ts";
import { resolvePath } from "../compose/paths.ts";
import { loadBls } from "../crypto/bls.ts";
import { deriveBlsKey } from "../crypto/bls-key.ts";
import { checksumAddress } from "../crypto/checksum.ts";
import { OptionError } from "../options/error.ts";
import { optionValues } from "../options/resolve.ts";
import type { NodeKey } from "../p2p/node-key.ts";
import { openKeyJob } from "./account-commands.ts";
import type { CommandJob } from "./chain-commands.ts";
import { prepareDatadir } from "./datadir.ts";
import { writeNewFile } from "./new-file.ts";
import { readShortText } from "./short-text.ts";

/** `knit account bls-new`: writes a random key, independent of the node key. */
export async function newBlsKey(job: CommandJob): Promise<void> {
  await writeKeyFile(job, "Creating new BLS key", () => Promise.resolve(deriveBlsKey(randomBytes(32))));
}

/** `knit account bls-import`: writes the BLS key that the node would use. */
export async function importBlsKey(job: CommandJob): Promise<void> {
  await writeKeyFile(job, "Importing BLS key", ownBlsKey);
}

type KeySource = (options: NodeOptions, nodeKey: NodeKey) => Promise<Uint8Array>;

/** Writes a key file to the working directory. Its name contains the node's address. */
async function writeKeyFile(job: CommandJob, heading: string, source: KeySource): Promise<void> {
  const { options, passphrases, say } = await openKeyJob(job);
  const nodeKey = await ownNodeKey(options);
  const key = await source(options, nodeKey);
  const publicKey = await publicKeyOf(key);
  say(`${heading}: pub=${bareHex(publicKey)}`);
  const passphrase = await passphrases.fresh(0, "Please give a new password. Do not forget this password.");
  const rounds = BLS_FILE_ROUNDS[options.accounts.lightKdf ? "light" : "standard"];
  const name = `bls-keystore-${checksumAddress(nodeKey.address)}.json`;
  const text = await sealBlsKeyFile({ key, publicKey }, passphrase, rounds);
  key.fill(0);
  const path = resolvePath(name, job.shell.host);
  await writeNewFile({ path, name, text, mode: 0o600 });
  say(`Successfully wrote '${name}'`);
}

/** `knit account bls-export --bls-nodekeystore FILE`: makes the key of a key file the node's BLS key. */
export async function exportBlsKey(job: CommandJob): Promise<void> {
  const { blsNodeKeystore: file } = optionValues(accountOptions, job.resolved);
  if (!file)
    throw new OptionError("missing-value", "no BLS keystore file specified (--bls-nodekeystore FILE)");
  const text = await readShortText(file, "BLS keystore");
  const { options, passphrases, say } = await openKeyJob(job);
  const key = await openBlsKeyFile(text, await passphrases.one(0, "Enter the password"));
  const publicKey = await publicKeyOf(key);
  say(`Exporting BLS key: pub=${bareHex(publicKey)}`);
  await prepareDatadir(options.paths);
  const path = options.paths.blsNodeKey;
  await writeNewFile({ path, name: path, text: bareHex(key), mode: 0o600 });
  await noteBlsKey(path, publicKey);
  key.fill(0);
  say(`Successfully wrote '${path}'`);
}

async function publicKeyOf(key: Uint8Array): Promise<Uint8Array> {
  const bls = await loadBls();
  return bls.publicKeyOf(key);
}
