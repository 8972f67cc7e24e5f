/** From flags to what a boot node is opened with. */
import { posix, win32 } from "node:path";
import type { ResolvedFlags } from "./flags-values.ts";
import type { BootNodeOptions } from "./options.ts";
import { logLevel, meetingFlags } from "./options-check.ts";
import { OptionError } from "./options-error.ts";
import type { Surroundings } from "./options-paths.ts";

const DEFAULT_PORT = 32_323;
/** The main network's. */
const DEFAULT_NETWORK = 8217;

/** Options of a boot node, and what an operator should be told about them. */
export interface CheckedBootNode {
  readonly options: BootNodeOptions;
  readonly warnings: readonly string[];
}

/** Checks and groups the flags. Throws `OptionError` unless exactly one node key is given. */
export function bootNodeOptions(resolved: ResolvedFlags, around: Surroundings): CheckedBootNode {
  const { values, given } = resolved;
  const { nodekey, nodekeyhex, networkid, bnaddr, verbosity } = values;
  if (given.has("nodekey") && given.has("nodekeyhex"))
    throw new OptionError("clash", "Options --nodekey and --nodekeyhex are mutually exclusive");
  if (nodekey === undefined && nodekeyhex === undefined)
    throw new OptionError("missing-value", "Use --nodekey or --nodekeyhex to specify a private key");
  const warnings = [...resolved.warnings];
  const paths = around.platform === "win32" ? win32 : posix;
  const options: BootNodeOptions = {
    ...meetingFlags(values, warnings),
    nodeKey: nodekeyhex,
    nodeKeyPath: paths.resolve(around.workingDirectory, nodekey ?? ""),
    networkId: networkid ?? DEFAULT_NETWORK,
    listen: bnaddr ?? { host: undefined, port: DEFAULT_PORT },
    authorised: values["authorized-nodes"],
    log: { level: logLevel(verbosity), format: values["log.format"] },
  };
  return { options, warnings };
}
