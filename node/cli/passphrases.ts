/** Passphrases of a command: from the lines of `--password FILE`, or else from a prompt. */

import type { Prompter } from "./prompter.ts";
import { readShortText } from "./short-text.ts";

/** Source of passphrases. */
export interface Passphrases {
  /**
   * Returns line `i` of the file, or its last line when it has fewer; without a file prints `notice` and
   * prompts.
   */
  one(i: number, notice: string): Promise<string>;
  /** Returns a new passphrase; a prompt asks twice. Rejects with `Passphrases do not match`. */
  fresh(i: number, notice: string): Promise<string>;
}

/** Reads the file. Throws `OptionError` `bad-file`. */
export async function openPassphrases(
  file: string | undefined,
  prompter: Prompter,
  output: { write(text: string): unknown },
): Promise<Passphrases> {
  const lines = file === undefined ? undefined : linesOf(await readShortText(file, "password"));
  const one = async (i: number, notice: string): Promise<string> => {
    if (lines !== undefined) return lines[Math.min(i, lines.length - 1)] ?? "";
    output.write(`${notice}\n`);
    return prompter.passphrase("Passphrase: ");
  };
  const fresh = async (i: number, notice: string): Promise<string> => {
    const first = await one(i, notice);
    if (lines !== undefined) return first;
    if ((await prompter.passphrase("Repeat passphrase: ")) === first) return first;
    throw new Error("Passphrases do not match");
  };
  return { one, fresh };
}

/** Returns the lines; a final line feed starts no further line. */
function linesOf(text: string): readonly string[] {
  return text.replace(/\r?\n$/, "").split(/\r?\n/);
}
