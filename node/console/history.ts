/** Commands typed so far, in a file that only its owner reads. */
import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { messageOf } from "../bytes/message-of.ts";

/** Older commands are forgotten. */
const MAX_COMMANDS = 10_000;
/** Calls that take passphrases: newAccount, unlockAccount, sign, send... */
const SECRET = /personal.[nus]/;

/** Commands of earlier sessions and of this one. */
export class CommandHistory {
  readonly #path: string;
  #commands: string[];

  constructor(path: string, commands: readonly string[]) {
    this.#path = path;
    this.#commands = commands.slice(-MAX_COMMANDS);
  }

  /** Oldest first. */
  get commands(): readonly string[] {
    return this.#commands;
  }

  /** Notes an input unless it begins with a space, may hold a secret, or repeats the one before. */
  add(input: string): void {
    const command = input.trim();
    if (input.startsWith(" ") || SECRET.test(input) || command === this.#commands.at(-1)) return;
    this.#commands.push(command);
    if (this.#commands.length > MAX_COMMANDS) this.#commands.shift();
  }

  async save(): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    await writeFile(this.#path, this.#commands.join("\n"), { mode: 0o600 });
    await chmod(this.#path, 0o600);
  }

  /** Forgets everything; says what became of the file. */
  async clear(): Promise<string> {
    this.#commands = [];
    try {
      await rm(this.#path);
      return "history file deleted";
    } catch (error) {
      return `can't delete history file: ${messageOf(error)}`;
    }
  }
}

/** That of a file; an empty one where there is none. */
export async function openCommandHistory(path: string): Promise<CommandHistory> {
  const text = await readFile(path, "utf8").catch(() => "");
  return new CommandHistory(path, text === "" ? [] : text.split("\n"));
}
