/** Passphrases for a command: from the lines of `--password FILE`, else from the person. */

import type { Prompter } from "./prompter.ts";
import { readShortText } from "./short-text.ts";

/** Where they come from. */
export interface Passphrases {
  /** The `i`th line of the file, the last one when there are fewer; without a file the person is told and asked. */
  one(i: number, told: string): Promise<string>;
  /** The same for a new passphrase, which a person repeats. Rejects with `Passphrases do not match`. */
  fresh(i: number, told: string): Promise<string>;
}

/** Reads the file at once. Throws `OptionError` `bad-file`. */
export async function openPassphrases(
  file: string | undefined,
  prompter: Prompter,
  output: { write(text: string): unknown },
): Promise<Passphrases> {
  const lines = file === undefined ? undefined : linesOf(await readShortText(file, "password"));
  const one = async (i: number, told: string): Promise<string> => {
    if (lines !== undefined) return lines[Math.min(i, lines.length - 1)] ?? "";
    output.write(`${told}\n`);
    return prompter.passphrase("Passphrase: ");
  };
  const fresh = async (i: number, told: string): Promise<string> => {
    const first = await one(i, told);
    if (lines !== undefined) return first;
    if ((await prompter.passphrase("Repeat passphrase: ")) === first) return first;
    throw new Error("Passphrases do not match");
  };
  return { one, fresh };
}

/** The line feed that ends a file begins no further passphrase. */
function linesOf(text: string): readonly string[] {
  return text.replace(/\r?\n$/, "").split(/\r?\n/);
}
