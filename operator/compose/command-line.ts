/** Commands and their options: reading them, and the texts that describe them. */
import { parseArgs } from "node:util";

/** A command line that cannot be carried out. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** What was given, by the option's name. */
export type Values = Readonly<Record<string, string | undefined>>;

/** An option, `--name=VALUE`. */
export interface Option {
  readonly name: string;
  /** What stands for its value in the help. */
  readonly value: string;
  readonly says: string;
}

/** A command. */
export interface Command {
  readonly says: string;
  readonly options: readonly Option[];
  readonly run: (values: Values) => Promise<void>;
}

const COLUMN = 25;

/** True for what asks for help, as a command or behind one. */
export function isHelp(word: string): boolean {
  return ["help", "--help", "-h"].includes(word);
}

/** The help of the program: all commands with their options. */
export function usageOf(commands: Readonly<Record<string, Command>>): string {
  const width = Math.max(...Object.keys(commands).map(({ length }) => length));
  const blocks = Object.entries(commands).map(
    ([name, { says, options }]) => `  knit-operator ${name.padEnd(width)}  ${says}\n${linesOf(options)}`,
  );
  return `knit-operator: runs nodes on Kubernetes\n\n${blocks.join("")}`;
}

/** The help of one command. */
export function helpOf(name: string, { says, options }: Command): string {
  const rows = options.length === 0 ? "" : `\n${linesOf(options)}`;
  return `knit-operator ${name}: ${says}\n${rows}`;
}

function linesOf(options: readonly Option[]): string {
  return options
    .map(({ name, value, says }) => `    ${`--${name} ${value}`.padEnd(COLUMN)}${says}\n`)
    .join("");
}

/** Reads a command's options. Throws `UsageError` for any other. */
export function readValues(words: readonly string[], known: readonly Option[]): Values {
  const options = Object.fromEntries(known.map(({ name }) => [name, { type: "string" as const }]));
  try {
    return parseArgs({ args: [...words], options, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
