/**
 * The command line: arguments in, exit code out. Reads the command, resolves and checks its flags and runs
 * its action. Any error ends here as one line.
 */
import { type PlaceOptions, placeOptions } from "../compose/paths.ts";
import { programVersion } from "../config/version.ts";
import { OptionError } from "../options/error.ts";
import { port } from "../options/kinds.ts";
import {
  type FlagSources,
  type FlagTexts,
  optionValues,
  type ResolvedFlags,
  resolveFlags,
} from "../options/resolve.ts";
import { readPropertiesFile, readSettingsFile } from "../options/settings-file.ts";
import { type CommandJob, rewindCommand, sizeCommand, verifyCommand } from "./chain-commands.ts";
import { readCommandLine } from "./command-line.ts";
import type { Command } from "./commands.ts";
import { failureLine, type PortFlags } from "./failure.ts";
import { exportFile, importFiles } from "./file-commands.ts";
import { flags } from "./flags.ts";
import { settingsOptions, versionOptions } from "./options.ts";
import { runDevelopmentNode, runNode } from "./run-commands.ts";
import type { Shell } from "./shell.ts";

/** Runs the command of `given` (arguments without program and script); resolves to its exit code. */
export async function runCli(given: readonly string[], shell: Shell): Promise<number> {
  let ports: PortFlags = [];
  try {
    const invocation = readCommandLine(given);
    if (invocation.kind === "help") {
      shell.stdout.write(invocation.text);
      return 0;
    }
    const { command } = invocation;
    if (command.name === "version") return await printVersion(invocation.flags, shell);
    if (command.name === "completion") return await printCompletion(invocation.arguments, shell);
    const resolved = await resolve(command.name, invocation.flags, shell);
    ports = portFlags(resolved);
    const job = { shell, resolved, command: command.name, arguments: invocation.arguments };
    return (await ACTIONS[command.name](job)) ?? 0;
  } catch (error) {
    shell.stderr.write(`${failureLine(error, ports)}\n`);
    if (debugging(given, shell) && error instanceof Error) shell.stderr.write(`${error.stack}\n`);
    return 1;
  }
}

function portFlags({ values }: ResolvedFlags): PortFlags {
  return flags.rows
    .filter(({ kind }) => kind === port)
    .map(({ flag, typed }) => [typed ?? flag, values.get(flag)] as const);
}

/** Resolves to the exit code; `undefined` is 0. */
type Action = (job: CommandJob) => Promise<number | undefined> | Promise<void>;

const ACTIONS: Readonly<Record<Exclude<Command["name"], "version" | "completion">, Action>> = {
  run: runNode,
  dev: runDevelopmentNode,
  init: async (job) => (await import("./init-command.ts")).initCommand(job),
  import: importFiles,
  "import-go": async (job) => (await import("./import-go-command.ts")).importGoCommand(job),
  export: exportFile,
  rewind: rewindCommand,
  verify: verifyCommand,
  size: sizeCommand,
  "checkpoint-create": async (job) => (await import("./checkpoint-commands.ts")).createCommand(job),
  "checkpoint-verify": async (job) => (await import("./checkpoint-commands.ts")).verifyCheckpointCommand(job),
  "checkpoint-push": async (job) => (await import("./archive-commands.ts")).pushCommand(job),
  "checkpoint-pull": async (job) => (await import("./archive-commands.ts")).pullCommand(job),
  "checkpoint-list": async (job) => (await import("./archive-commands.ts")).listCommand(job),
  genesis: async (job) => (await import("./genesis-command.ts")).makeGenesis(job),
  config: async (job) => (await import("./config-command.ts")).showConfig(job),
  bootnode: async (job) => (await import("./bootnode-command.ts")).runBootNode(job),
  dumpgenesis: async (job) => (await import("./dump-genesis.ts")).dumpGenesis(job), // large
  rpc: async (job) => (await import("./rpc-command.ts")).callNode(job), // the wires of all kinds
  "save-cache": async (job) => (await import("./save-cache.ts")).saveCache(job),
  "account-list": async (job) => (await import("./account-commands.ts")).listAccounts(job), // curves
  "account-new": async (job) => (await import("./account-commands.ts")).createAccount(job),
  "account-update": async (job) => (await import("./account-update.ts")).updateAccounts(job),
  "account-import": async (job) => (await import("./account-commands.ts")).importAccount(job),
  "account-export": async (job) => (await import("./account-commands.ts")).exportAccount(job),
  "account-bls-new": async (job) => (await import("./account-bls.ts")).newBlsKey(job),
  "account-bls-info": async (job) => (await import("./account-bls-info.ts")).writeBlsInfo(job),
  "account-bls-import": async (job) => (await import("./account-bls.ts")).importBlsKey(job),
  "account-bls-export": async (job) => (await import("./account-bls.ts")).exportBlsKey(job),
  attach: async (job) => (await import("./console-command.ts")).attachConsole(job), // scripts
  console: async (job) => (await import("./console-command.ts")).runNodeConsole(job),
  wallet: async (job) => (await import("./wallet-command.ts")).importWallet(job), // word lists and curves
  decode: async (job) => (await import("./decode.ts")).decode(job), // formats and curves: slow to load
};

async function printVersion(commandLine: FlagTexts, { stdout }: Shell): Promise<number> {
  stdout.write(
    `Knit v${programVersion()} (Node.js ${process.version}, ${process.platform}-${process.arch})\n`,
  );
  if (commandLine.get(versionOptions.forks.flag) !== "true") return 0;
  const { forkTable } = await import("./fork-table.ts"); // the public networks
  stdout.write(forkTable());
  return 0;
}

async function printCompletion([name = ""]: readonly string[], { stdout }: Shell): Promise<number> {
  const { completion } = await import("./completion.ts");
  stdout.write(completion(name));
  return 0;
}

/** Node type by the name of the executable, which is that of a Go node's program. */
const PROGRAMS: Readonly<Record<string, PlaceOptions["type"]>> = {
  kcn: "core",
  kpn: "proxy",
  ken: "endpoint",
};

/**
 * Resolves the flags. The command line and the environment come first, because they name the settings file.
 */
async function resolve(
  command: FlagSources["command"],
  commandLine: FlagTexts,
  { environment, program }: Shell,
): Promise<ResolvedFlags> {
  const type = Object.hasOwn(PROGRAMS, program) ? PROGRAMS[program] : undefined;
  const defaults = new Map(type === undefined ? [] : [[placeOptions.type.flag, type]]);
  const sources: FlagSources = { command, defaults, environment, commandLine };
  const resolved = resolveFlags(flags, sources);
  const file = await settingsFile(resolved);
  return file ? resolveFlags(flags, { ...sources, file }) : resolved;
}

async function settingsFile(resolved: ResolvedFlags): Promise<FlagTexts | undefined> {
  const { file, properties } = optionValues(settingsOptions, resolved);
  if (file && properties)
    throw new OptionError("clash", "--conf and --properties: one settings file at a time");
  if (file) return readSettingsFile(flags, file);
  return properties ? readPropertiesFile(flags, properties) : undefined;
}

/** True when stack traces are wanted. Reads the verbosity itself, because the flags may be the error. */
function debugging(given: readonly string[], { environment }: Shell): boolean {
  return /--?verbosity[= ][45]/.test(given.join(" ")) || /^[45]$/.test(environment["KNIT_VERBOSITY"] ?? "");
}
