/** `knit wallet import FILE`: writes a mnemonic as an encrypted HD wallet to the keystore. */
import { openAccounts } from "../accounts/open-accounts.ts";
import { nodeOptions } from "../compose/options.ts";
import { createLog } from "../observe/log.ts";
import { OptionError } from "../options/error.ts";
import type { CommandJob } from "./chain-commands.ts";
import { readShortText } from "./short-text.ts";

/** Writes the wallet and prints its URL. Errors contain neither words nor passphrase. */
export async function importWallet({
  shell,
  resolved,
  command,
  arguments: [file = ""],
}: CommandJob): Promise<void> {
  const { options } = nodeOptions(command, resolved, shell.host);
  const log = createLog({ ...options.log, stream: shell.stderr });
  const { passwordFile, lightKdf } = options.accounts;
  if (passwordFile === undefined) {
    throw new OptionError("bad-value", "--password FILE is needed: its first line encrypts the wallet");
  }
  const mnemonic = await readShortText(file === "-" ? "/dev/stdin" : file, "mnemonic");
  const [passphrase = ""] = (await readShortText(passwordFile, "password")).split(/\r?\n/);
  await using accounts = await openAccounts({ directory: options.paths.keystore, lightKdf, log });
  const url = await accounts.importMnemonic(mnemonic, passphrase);
  shell.stdout.write(`${url}\n`);
}
