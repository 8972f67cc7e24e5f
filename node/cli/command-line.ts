/**
 * Parser of the command line: arguments in; a command, its arguments and the texts of its flags out. The syntax is the
 * Go node's: a flag has one or two dashes, its value follows an equal sign or a blank, and flags may stand before the
 * command.
 */

import { absentFlags, absentNames, checksAbsentFlags, findAbsentFlag } from "../options/absent-flags.ts";
import { OptionError } from "../options/error.ts";
import { flagsOfCommand, suggestion } from "../options/flag-table.ts";
import { nearestWord } from "../options/nearest-word.ts";
import type { FlagTexts } from "../options/resolve.ts";
import { type Command, commands } from "./commands.ts";
import { flags } from "./flags.ts";
import { commandHelp, generalHelp, groupHelp } from "./help.ts";

/** A parsed command line. */
export type Invocation =
  | { readonly kind: "help"; readonly text: string }
  | {
      readonly kind: "command";
      readonly command: Command;
      readonly arguments: readonly string[];
      readonly flags: FlagTexts;
    };

const HELP = new Set(["-h", "-help", "--help"]);
const VERSION = new Set(["-v", "-version", "--version"]);

/** Parses arguments (without program and script). Throws `OptionError` with one line for the user. */
export function readCommandLine(given: readonly string[]): Invocation {
  const { words, texts, wantsHelp } = readWords(given);
  if (words.length === 0 && wantsHelp) return { kind: "help", text: generalHelp() };
  const [first = "run", ...rest] = words;
  refuseUnknownCommand(first);
  if (first === "help") return { kind: "help", text: helpOf(rest[0]) };
  const command = findCommand([first, ...rest]);
  if (command === undefined) return withoutCommand([first, ...rest], { texts, wantsHelp });
  if (wantsHelp) return { kind: "help", text: commandHelp(command) };
  const behind = rest.slice(command.words.split(" ").length - 1);
  const flagTexts = flagsFor(command, texts);
  checkArguments(command, behind);
  return { kind: "command", command, arguments: behind, flags: flagTexts };
}

interface ReadWords {
  /** Command and arguments. */
  readonly words: readonly string[];
  /** Texts of flags in the order of the line; the last one of a name counts. */
  readonly texts: FlagTexts;
  readonly wantsHelp: boolean;
}

/** Separates words and flags. Throws `OptionError` for an unknown flag or a missing value. */
function readWords(given: readonly string[]): ReadWords {
  const words: string[] = [];
  const texts = new Map<string, string>();
  const rest = [...given];
  let wantsHelp = false;
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    if (HELP.has(argument)) wantsHelp = true;
    else if (VERSION.has(argument)) return { words: ["version"], texts: new Map(), wantsHelp: false };
    else if (/^--?[a-zA-Z]/.test(argument)) readFlag(argument, rest, texts);
    else if (argument !== "--" || words.includes("--") || words.length === 0) words.push(argument);
  }
  return { words, texts, wantsHelp };
}

function readFlag(argument: string, rest: string[], texts: Map<string, string>): void {
  const [, typed = "", value] = /^--?([^=]+)(?:=(.*))?$/s.exec(argument) ?? [];
  const known = knownFlag(typed);
  if (known === undefined) {
    throw new OptionError("unknown-flag", `unknown flag --${typed}${suggestion(flags, typed, "--")}`);
  }
  texts.set(known.name, value ?? valueBehind(known, rest));
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

function refuseUnknownCommand(word: string): void {
  const known = new Set(["help", ...commands.map((command) => command.words.split(" ")[0] ?? "")]);
  if (known.has(word)) return;
  const near = nearestWord(word, [...known]);
  const hint = near === undefined ? "" : ` (did you mean ${near}?)`;
  throw new OptionError(
    "unknown-flag",
    `Unknown command ${JSON.stringify(word)}${hint}; knit --help lists them`,
  );
}

function helpOf(word: string | undefined): string {
  const command = commands.find(({ words }) => words === word);
  if (command !== undefined) return commandHelp(command);
  const isGroup = commands.some(({ words }) => words.startsWith(`${word} `));
  return isGroup && word !== undefined ? groupHelp(word) : generalHelp();
}

/** Finds the command that the words begin with. */
function findCommand(words: readonly string[]): Command | undefined {
  return commands.find((command) => {
    const own = command.words.split(" ");
    return own.every((word, index) => words[index] === word);
  });
}

/** Answers the first word of commands of two words without a known second word: with help, or an error. */
function withoutCommand(
  [first, second]: readonly [string, ...string[]],
  { texts, wantsHelp }: Pick<ReadWords, "texts" | "wantsHelp">,
): Invocation {
  const [flag] = texts.keys();
  if (wantsHelp || second === "help" || (second === undefined && flag === undefined))
    return { kind: "help", text: helpOf(first) };
  if (second === undefined) throw new OptionError("unknown-flag", `--${flag} is not a flag of this command`);
  throw new OptionError("missing-value", `unknown command '${second}'`);
}

/** Returns the texts under the names that this command's flags have in the table. */
function flagsFor(command: Command, texts: FlagTexts): FlagTexts {
  const own = flagsOfCommand(flags, command.name);
  const names = new Map(
    own.flatMap(({ typed = "", flag }) => [[flag, flag] as const, [typed, flag] as const]),
  );
  const entries = [...texts].map(([name, text]) => {
    const flag = names.get(name) ?? (isChecked(command, name) ? name : undefined);
    if (flag === undefined) throw new OptionError("unknown-flag", `--${name} is not a flag of this command`);
    return [flag, text] as const;
  });
  return new Map(entries);
}

/** True for an absent flag of the Go nodes that the command accepts with a warning or refuses with the reason. */
function isChecked({ name: command }: Command, flag: string): boolean {
  const checks = command !== "version" && command !== "completion" && checksAbsentFlags(command);
  return checks && absentNames.some((each) => each === flag);
}

/** Throws `OptionError` `missing-value` for too few and too many arguments. */
function checkArguments({ words, arguments: named = [], missing }: Command, given: readonly string[]): void {
  const required = named.filter((each) => each.startsWith("<")).map((each) => each.replace(/[<>.]/g, ""));
  const [lacking] = required.slice(given.length);
  if (lacking !== undefined)
    throw new OptionError("missing-value", missing ?? `missing required argument '${lacking}'`);
  if (given.length <= named.length || named.some((each) => each.includes("..."))) return;
  const expected = `Expected ${named.length} argument${named.length === 1 ? "" : "s"}`;
  throw new OptionError(
    "missing-value",
    `too many arguments for '${words.split(" ").at(-1)}'. ${expected} but got ${given.length}.`,
  );
}
