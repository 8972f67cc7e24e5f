/**
 * `knit account`: lists, creates, imports and exports the key files of a keystore. Texts are those of the Go
 * node (`cmd/utils/nodecmd/accountcmd.go@v2.2.2`).
 */

import type { Accounts } from "../accounts/accounts.ts";
import { AccountsError } from "../accounts/error.ts";
import { keyFileAddress } from "../accounts/key-file.ts";
import { createKeyStore } from "../accounts/key-store.ts";
import { openAccounts } from "../accounts/open-accounts.ts";
import { accountOptions } from "../accounts/options.ts";
import { parseRawKey } from "../accounts/raw-key.ts";
import { equalBytes } from "../bytes/compare.ts";
import { bareHex } from "../bytes/hex.ts";
import type { NodeOptions } from "../compose/options.ts";
import { nodeOptions } from "../compose/options.ts";
import { LIGHT_COST } from "../crypto/secret-box.ts";
import { createLog } from "../observe/log.ts";
import { OptionError } from "../options/error.ts";
import { optionValues } from "../options/resolve.ts";
import type { CommandJob } from "./chain-commands.ts";
import { prepareDatadir } from "./datadir.ts";
import { writeNewFile } from "./new-file.ts";
import { openPassphrases, type Passphrases } from "./passphrases.ts";
import { readShortText } from "./short-text.ts";

const NEW =
  "Your new account is locked with a password. Please give a password. Do not forget this password.";

/** Dependencies of commands for keys. */
export interface KeyJob {
  readonly options: NodeOptions;
  readonly passphrases: Passphrases;
  readonly say: (line: string) => void;
}

/** Opens the source of passphrases. Throws `OptionError`. */
export async function openKeyJob({ shell, resolved, command }: CommandJob): Promise<KeyJob> {
  const { options } = nodeOptions(command, resolved, shell.host);
  return {
    options,
    passphrases: await openPassphrases(options.accounts.passwordFile, shell.prompter, shell.stdout),
    say: (line) => void shell.stdout.write(`${line}\n`),
  };
}

/** Dependencies of commands for accounts. */
export interface AccountJob extends KeyJob, AsyncDisposable {
  readonly accounts: Accounts;
}

/** Opens the keystore and the source of passphrases. Throws `OptionError`. */
export async function openAccountJob(job: CommandJob): Promise<AccountJob> {
  const work = await openKeyJob(job);
  const { options } = work;
  const { lightKdf, keyFileVersion } = options.accounts;
  const log = createLog({ ...options.log, stream: job.shell.stderr });
  const accounts = await openAccounts({ directory: options.paths.keystore, lightKdf, keyFileVersion, log });
  return { ...work, accounts, [Symbol.asyncDispose]: () => accounts[Symbol.asyncDispose]() };
}

/** `knit account list`: prints the accounts with their URLs. */
export async function listAccounts(job: CommandJob): Promise<void> {
  await using work = await openAccountJob(job);
  const all = work.accounts.wallets().flatMap(({ accounts }) => accounts);
  for (const [i, { address, url }] of all.entries()) work.say(`Account #${i}: {${bareHex(address)}} ${url}`);
}

/** `knit account new`: creates an account. */
export async function createAccount(job: CommandJob): Promise<void> {
  await using work = await openAccountJob(job);
  const address = await work.accounts.create(await work.passphrases.fresh(0, NEW));
  work.say(`Address: {${bareHex(address)}}`);
}

/**
 * `knit account import KEYFILE`: imports a private key of 64 hex digits or a wallet key of 110 characters.
 */
export async function importAccount(job: CommandJob): Promise<void> {
  const text = (await readShortText(job.arguments[0] ?? "", "key")).trim();
  checkKey(text);
  await using work = await openAccountJob(job);
  const { accounts, passphrases, say } = work;
  const passphrase = await passphrases.fresh(0, NEW);
  const address = await accounts.importRawKey(text, passphrase).catch((cause: unknown) => {
    throw cause instanceof AccountsError
      ? new Error(`Could not create the account: ${cause.message}`, { cause })
      : cause;
  });
  say(`Address: {${bareHex(address)}}`);
  const path = accounts
    .wallets()
    .find((wallet) => wallet.accounts.some((each) => equalBytes(each.address, address)));
  if (path !== undefined) say(`Your account is imported at ${path.url.replace(/^keystore:\/\//, "")}`);
}

/** Checks the key before the prompt for a passphrase. */
function checkKey(text: string): void {
  try {
    parseRawKey(text).key.fill(0);
  } catch (cause) {
    if (!(cause instanceof AccountsError)) throw cause;
    throw new Error(`Failed to load the private key: ${cause.message}`, { cause });
  }
}

/**
 * `knit account export --nodekeystore FILE`: makes the key of a key file the node key of the data directory.
 */
export async function exportAccount(job: CommandJob): Promise<void> {
  const { nodeKeystore } = optionValues(accountOptions, job.resolved);
  if (!nodeKeystore)
    throw new OptionError("missing-value", "no node keystore file specified (--nodekeystore FILE)");
  const address = keyFileAddress(await readKeyFile(nodeKeystore));
  if (address === undefined) throw new OptionError("bad-file", `${nodeKeystore} is no key file`);
  await using work = await openAccountJob(job);
  const { paths } = work.options;
  const passphrase = await work.passphrases.one(0, "Enter the password");
  const store = createKeyStore({ cost: LIGHT_COST, version: 4 }); // it only reads
  const key = await store.open(
    { address, path: nodeKeystore, url: `keystore://${nodeKeystore}` },
    passphrase,
  );
  try {
    work.say(`Exporting node key: address=${bareHex(address)}`);
    await prepareDatadir(paths);
    await writeNewFile({ path: paths.nodeKey, name: paths.nodeKey, text: bareHex(key), mode: 0o600 });
    work.say(`Successfully wrote '${paths.nodeKey}'`);
  } finally {
    key.fill(0);
  }
}

function readKeyFile(path: string): Promise<string> {
  return readShortText(path, "node keystore");
}
