/** `knit wallet import FILE`: a mnemonic becomes an encrypted HD wallet in the key store. */
import { open } from "node:fs/promises";
import { openAccounts } from "../accounts/open-accounts.ts";
import { nodeOptions } from "../config/options-check.ts";
import { OptionError } from "../config/options-error.ts";
import { createLog } from "../observe/log.ts";
import type { Job } from "./chain-commands.ts";

/** 24 words of eight letters are 215 bytes; more than this is no mnemonic, and no passphrase. */
const MOST_BYTES = 4096;

/** Writes the wallet and prints its URL. Neither words nor passphrase appear in an error. */
export async function importWallet({ shell, resolved, command, arguments: [file = ""] }: Job): Promise<void> {
  const { options } = nodeOptions(command, resolved, shell.surroundings);
  const log = createLog({ ...options.log, stream: shell.stderr });
  const { passwordFile, lightKdf } = options.accounts;
  if (passwordFile === undefined) {
    throw new OptionError("bad-value", "--password FILE is needed: its first line encrypts the wallet");
  }
  const mnemonic = await shortText(file === "-" ? "/dev/stdin" : file, "mnemonic");
  const [passphrase = ""] = (await shortText(passwordFile, "password")).split(/\r?\n/);
  await using accounts = await openAccounts({ directory: options.paths.keystore, lightKdf, log });
  const url = await accounts.importMnemonic(mnemonic, passphrase);
  shell.stdout.write(`${url}\n`);
}

async function shortText(path: string, what: string): Promise<string> {
  try {
    await using file = await open(path, "r");
    const { buffer, bytesRead } = await file.read(new Uint8Array(MOST_BYTES + 1), 0, MOST_BYTES + 1, null);
    if (bytesRead <= MOST_BYTES) return new TextDecoder().decode(buffer.subarray(0, bytesRead));
  } catch (cause) {
    const { message } = cause as NodeJS.ErrnoException; // only reading is tried
    throw new OptionError("bad-file", `Failed to read ${what} file: ${message}`, cause);
  }
  throw new OptionError("bad-file", `Failed to read ${what} file: more than ${MOST_BYTES} bytes`);
}
