/** The command history, in a file with mode 0600. */
import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { messageOf } from "../bytes/message-of.ts";

/** Maximum number of commands; older ones are deleted. */
const MAX_COMMANDS = 10_000;
/** Calls with passphrases, such as newAccount, unlockAccount, sign and send. */
const SECRET = /personal.[nus]/;

/** Commands of earlier sessions and of this one. */
export class CommandHistory {
  readonly #path: string;
  #commands: string[];

  constructor(path: string, commands: readonly string[]) {
    this.#path = path;
    this.#commands = commands.slice(-MAX_COMMANDS);
  }

  /** Commands, the oldest first. */
  get commands(): readonly string[] {
    return this.#commands;
  }

  /** Adds a command unless it begins with a space, may have a secret, or repeats the last one. */
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

  /** Deletes all commands. Resolves to a message about the file. */
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

/** Opens the history of a file; an absent file is an empty history. */
export async function openCommandHistory(path: string): Promise<CommandHistory> {
  const text = await readFile(path, "utf8").catch(() => "");
  return new CommandHistory(path, text === "" ? [] : text.split("\n"));
}
