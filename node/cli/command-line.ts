/** Parser of the command line: command, arguments and flags. */
import { Command as CommanderCommand, CommanderError, Option } from "commander";
import { absentNames, checksAbsentFlags } from "../options/absent-flags.ts";
import { OptionError } from "../options/error.ts";
import { flagsOfCommand } from "../options/flag-table.ts";
import type { FlagTexts } from "../options/resolve.ts";
import { normalArguments } from "./arguments.ts";
import { type Command, commands } from "./commands.ts";
import { flags } from "./flags.ts";
import { commandHelp, generalHelp } from "./help.ts";

/** A parsed command line. */
export type Invocation =
  | { readonly kind: "help"; readonly text: string }
  | {
      readonly kind: "command";
      readonly command: Command;
      readonly arguments: readonly string[];
      readonly flags: FlagTexts;
    };

/** Parses arguments (without program and script). Throws `OptionError` with one line for the user. */
export function readCommandLine(given: readonly string[]): Invocation {
  let found: Invocation | undefined;
  const words = normalArguments(given);
  const program = createProgram(typedNames(words), (invocation) => {
    found = invocation;
  });
  try {
    program.parse(words, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0 && error.code !== "commander.help") throw optionError(error);
  }
  return found ?? { kind: "help", text: generalHelp() };
}

type Report = (invocation: Invocation) => void;

/**
 * Returns the names of the flags in use. The library gets only those, because it compares each option with
 * all others.
 */
function typedNames(words: readonly string[]): ReadonlySet<string> {
  return new Set(words.flatMap((word) => /^--([^=]+)/.exec(word)?.[1] ?? []));
}

function createProgram(typed: ReadonlySet<string>, report: Report): CommanderCommand {
  const program = new CommanderCommand("knit");
  program.exitOverride().configureOutput({ writeOut: () => undefined, writeErr: () => undefined });
  program.helpInformation = () => {
    report({ kind: "help", text: generalHelp() });
    return "";
  };
  const parents = new Map([["", program]]);
  for (const command of commands) {
    const words = command.words.split(" ");
    const last = words.pop() ?? "";
    const names = flagsOf(command).filter((name) => typed.has(name));
    addCommand(parentOf(parents, program, words.join(" ")).command(last), { command, names, report });
  }
  return program;
}

function parentOf(
  parents: Map<string, CommanderCommand>,
  program: CommanderCommand,
  words: string,
): CommanderCommand {
  const parent = parents.get(words) ?? program.command(words);
  parents.set(words, parent);
  return parent;
}

interface AddedCommand {
  readonly command: Command;
  /** Flags of any command in the arguments that this command accepts. */
  readonly names: readonly string[];
  readonly report: Report;
}

function addCommand(target: CommanderCommand, { command, names, report }: AddedCommand): void {
  const options = new Map<string, Option>();
  for (const name of names) {
    const option = new Option(`--${name} <value>`);
    options.set(name, option);
    target.addOption(option);
  }
  for (const each of command.arguments ?? []) target.argument(each);
  target.helpInformation = () => {
    report({ kind: "help", text: commandHelp(command) });
    return "";
  };
  target.action(() => {
    const values: Record<string, unknown> = target.opts();
    const texts = new Map<string, string>();
    for (const [name, option] of options) {
      const value = values[option.attributeName()];
      if (typeof value === "string") texts.set(name, value);
    }
    report({ kind: "command", command, arguments: target.args, flags: texts });
  });
}

/** Returns the flags of a command, with the absent flags that it checks. */
function flagsOf({ name: command }: Command): readonly string[] {
  const own = flagsOfCommand(flags, command).map(({ flag }) => flag);
  return command !== "version" && command !== "completion" && checksAbsentFlags(command)
    ? [...own, ...absentNames]
    : own;
}

/**
 * Converts an error of the library to one line. An option unknown to the library belongs to another command.
 */
function optionError(error: CommanderError): OptionError {
  const [, name = ""] = /'([^']+)'/.exec(error.message) ?? []; // the library says the name nowhere else
  const [option] = /^--[^=]+/.exec(name) ?? [];
  if (option && error.code === "commander.unknownOption") {
    return new OptionError("unknown-flag", `${option} is not a flag of this command`, error);
  }
  const argument = error.code === "commander.missingArgument" ? name : "";
  const row = commands.find(
    ({ arguments: [first] = [], missing }) => missing && first?.replace(/[<>.]/g, "") === argument,
  );
  if (argument && row?.missing) return new OptionError("missing-value", row.missing, error);
  return new OptionError("missing-value", error.message.replace(/^error: /, ""), error);
}
