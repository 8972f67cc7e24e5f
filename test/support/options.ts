/** Flags resolved and options checked as the command line does it, from texts by flag. */
import { flags } from "../../node/cli/flags.ts";
import { type CheckedOptions, nodeOptions } from "../../node/compose/options.ts";
import type { HostSystem } from "../../node/compose/paths.ts";
import { findFlagName } from "../../node/options/flag-table.ts";
import { type ResolvedFlags, resolveFlags } from "../../node/options/resolve.ts";

/** Texts by flag and where they come from. */
export interface Given {
  readonly command?: "run" | "dev" | "export" | "bootnode" | "rpc" | "genesis";
  readonly line?: Readonly<Record<string, string>> | undefined;
  readonly env?: Record<string, string>;
  readonly file?: Readonly<Record<string, string>>;
}

/** A Linux machine with a home directory and no files. */
export const LINUX: HostSystem = {
  platform: "linux",
  home: "/h",
  workingDirectory: "/w",
  exists: () => false,
};

function texts(values: Readonly<Record<string, string>> = {}): ReadonlyMap<string, string> {
  for (const name of Object.keys(values))
    if (findFlagName(flags, name) !== name) throw new Error(`there is no flag ${name}`);
  return new Map(Object.entries(values));
}

/** The values that flags have. */
export function resolve({ command = "run", line, env = {}, file }: Given = {}): ResolvedFlags {
  return resolveFlags(flags, { command, commandLine: texts(line), environment: env, file: texts(file) });
}

/** The options that follow from them. */
export function options(given: Given = {}, around: HostSystem = LINUX): CheckedOptions {
  return nodeOptions(given.command ?? "run", resolve(given), around);
}
