/** Flags resolved and options checked as the command line does it, from texts by flag. */
import { type AnyName, type ResolvedFlags, resolveFlags } from "../../node/config/flags-values.ts";
import type { CheckedOptions } from "../../node/config/options-check.ts";
import { nodeOptions } from "../../node/config/options-check.ts";
import type { HostSystem } from "../../node/config/options-paths.ts";

/** Texts by flag and where they come from. */
export interface Given {
  readonly command?: "run" | "dev" | "export" | "bootnode" | "rpc" | "genesis";
  readonly line?: Partial<Record<AnyName, string>> | undefined;
  readonly env?: Record<string, string>;
  readonly file?: Partial<Record<AnyName, string>>;
}

/** A Linux machine with a home directory and no files. */
export const LINUX: HostSystem = {
  platform: "linux",
  home: "/h",
  workingDirectory: "/w",
  exists: () => false,
};

function texts(values: Partial<Record<AnyName, string>> = {}): ReadonlyMap<AnyName, string> {
  return new Map(Object.entries(values) as [AnyName, string][]); // the keys of the parameter's type
}

/** The values that flags have. */
export function resolve({ command = "run", line, env = {}, file }: Given = {}): ResolvedFlags {
  return resolveFlags({ command, commandLine: texts(line), environment: env, file: texts(file) });
}

/** The options that follow from them. */
export function options(given: Given = {}, around: HostSystem = LINUX): CheckedOptions {
  return nodeOptions(given.command ?? "run", resolve(given), around);
}
