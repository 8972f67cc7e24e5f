/** Commands and options of the program: parsing, and help texts. */
import { parseArgs } from "node:util";

/** Error of an invalid command line. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Option values by option name. */
export type Values = Readonly<Record<string, string | undefined>>;

/** An option, `--name=VALUE`. */
export interface Option {
  readonly name: string;
  /** Placeholder of the value in the help text. */
  readonly value: string;
  readonly says: string;
}

/** A command. */
export interface Command {
  readonly says: string;
  readonly options: readonly Option[];
  readonly run: (values: Values) => Promise<void>;
}

const COLUMN = 31;

/** True for a request for help, as a command or as an option. */
export function isHelp(word: string): boolean {
  return ["help", "--help", "-h"].includes(word);
}

/** Formats the help of the program: all commands with their options. */
export function usageOf(commands: Readonly<Record<string, Command>>): string {
  const width = Math.max(...Object.keys(commands).map(({ length }) => length));
  const blocks = Object.entries(commands).map(
    ([name, { says, options }]) => `  knit-operator ${name.padEnd(width)}  ${says}\n${linesOf(options)}`,
  );
  return `knit-operator: runs nodes on Kubernetes\n\n${blocks.join("")}`;
}

/** Formats the help of one command. */
export function helpOf(name: string, { says, options }: Command): string {
  const rows = options.length === 0 ? "" : `\n${linesOf(options)}`;
  return `knit-operator ${name}: ${says}\n${rows}`;
}

function linesOf(options: readonly Option[]): string {
  return options
    .map(({ name, value, says }) => `    ${`--${name} ${value}`.padEnd(COLUMN - 1)} ${says}\n`)
    .join("");
}

/** Parses the options of a command. Throws `UsageError` for unknown options. */
export function readValues(words: readonly string[], known: readonly Option[]): Values {
  const options = Object.fromEntries(known.map(({ name }) => [name, { type: "string" as const }]));
  try {
    return parseArgs({ args: [...words], options, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
