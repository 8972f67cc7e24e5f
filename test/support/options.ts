/** Flags resolved and options checked as the command line does it, from texts by flag. */
import type { FlagName } from "../../node/config/flags.ts";
import { type ResolvedFlags, resolveFlags } from "../../node/config/flags-values.ts";
import type { CheckedOptions } from "../../node/config/options-check.ts";
import { nodeOptions } from "../../node/config/options-check.ts";
import type { Surroundings } from "../../node/config/options-paths.ts";

/** Texts by flag and where they come from. */
export interface Given {
  readonly command?: "run" | "dev" | "export" | "bootnode";
  readonly line?: Partial<Record<FlagName, string>> | undefined;
  readonly env?: Record<string, string>;
  readonly file?: Partial<Record<FlagName, string>>;
}

/** A Linux machine with a home directory and no files. */
export const LINUX: Surroundings = {
  platform: "linux",
  home: "/h",
  workingDirectory: "/w",
  exists: () => false,
};

function texts(values: Partial<Record<FlagName, string>> = {}): ReadonlyMap<FlagName, string> {
  return new Map(Object.entries(values) as [FlagName, string][]); // the keys of the parameter's type
}

/** The values that flags have. */
export function resolve({ command = "run", line, env = {}, file }: Given = {}): ResolvedFlags {
  return resolveFlags({ command, commandLine: texts(line), environment: env, file: texts(file) });
}

/** The options that follow from them. */
export function options(given: Given = {}, around: Surroundings = LINUX): CheckedOptions {
  return nodeOptions(given.command ?? "run", resolve(given), around);
}
