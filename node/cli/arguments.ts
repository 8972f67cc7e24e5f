/**
 * Normalises arguments for the command-line library: `--name=value`, command first. As with the Go node,
 * single dashes, aliases, values after a space and flags before the command are valid.
 */
import { absentFlags, findAbsentFlag } from "../options/absent-flags.ts";
import { OptionError } from "../options/error.ts";
import { flagsOfCommand, suggestion } from "../options/flag-table.ts";
import { nearestWord } from "../options/nearest-word.ts";
import { commands } from "./commands.ts";
import { flags } from "./flags.ts";

const HELP = new Set(["-h", "-help", "--help"]);
const VERSION = new Set(["-v", "-version", "--version"]);

/**
 * Returns the normalised arguments. Throws `OptionError` for an unknown flag, an unknown command or a missing
 * value.
 */
export function normalArguments(given: readonly string[]): string[] {
  const words: string[] = [];
  const options: string[] = [];
  const rest = [...given];
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    if (HELP.has(argument)) options.push("--help");
    else if (VERSION.has(argument)) return ["version"];
    else if (/^--?[a-zA-Z]/.test(argument)) options.push(normalFlag(argument, rest));
    else words.push(argument);
  }
  if (words.length === 0) return options.includes("--help") ? ["--help"] : ["run", ...options];
  refuseUnknownCommand(words);
  return [...words, ...options.map((option) => resolveSpelling(words[0] ?? "", option))];
}

/** Replaces a flag by the one that it stands for under this command. */
function resolveSpelling(command: string, option: string): string {
  const row = flagsOfCommand(flags, command).find(({ typed }) => typed && option.startsWith(`--${typed}=`));
  return row?.typed === undefined ? option : option.replace(row.typed, row.flag);
}

function normalFlag(argument: string, rest: string[]): string {
  const [, typed = "", value] = /^--?([^=]+)(?:=(.*))?$/s.exec(argument) ?? [];
  const known = knownFlag(typed);
  if (known === undefined) {
    throw new OptionError("unknown-flag", `unknown flag --${typed}${suggestion(flags, typed, "--")}`);
  }
  return `--${known.name}=${value ?? valueBehind(known, rest)}`;
}

/** A flag of knit or an absent flag of the Go nodes. */
interface KnownFlag {
  readonly name: string;
  readonly isSwitch: boolean;
  readonly about: string;
}

function knownFlag(typed: string): KnownFlag | undefined {
  const row = flags.find(typed);
  if (row !== undefined) return { name: row.flag, isSwitch: row.kind.hint === "", about: row.summary };
  const absent = findAbsentFlag(typed);
  return absent && { name: absent, isSwitch: absentFlags[absent].isSwitch, about: absentFlags[absent].why };
}

function valueBehind({ name, isSwitch, about }: KnownFlag, rest: string[]): string {
  if (isSwitch) return "true";
  const next = rest[0];
  if (next === undefined || isFlag(next)) {
    throw new OptionError("missing-value", `--${name} needs a value: ${about}`);
  }
  rest.shift();
  return next;
}

function isFlag(argument: string): boolean {
  const [, typed] = /^--?([^=]+)/.exec(argument) ?? [];
  return typed !== undefined && knownFlag(typed) !== undefined;
}

function refuseUnknownCommand(words: readonly string[]): void {
  const known = new Set(["help", ...commands.map((command) => command.words.split(" ")[0] ?? "")]);
  const [word = ""] = words;
  if (known.has(word)) return;
  const near = nearestWord(word, [...known]);
  const hint = near === undefined ? "" : ` (did you mean ${near}?)`;
  throw new OptionError(
    "unknown-flag",
    `Unknown command ${JSON.stringify(word)}${hint}; knit --help lists them`,
  );
}
