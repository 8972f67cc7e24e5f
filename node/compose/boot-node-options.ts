/** Options of a boot node. */
import { type LogOptions, logOptions } from "../observe/options.ts";
import { OptionError } from "../options/error.ts";
import { optionValues, type ResolvedFlags } from "../options/resolve.ts";
import { bootOptions, DEFAULT_PEER_PORT, identityOptions, nodeKeyOptions } from "../p2p/options.ts";
import { type ConfiguredDiscovery, configuredDiscovery } from "./options.ts";
import { type HostSystem, resolvePath } from "./paths.ts";

/** Options of a boot node. */
export interface BootNodeOptions extends ConfiguredDiscovery {
  /** The private key of `--nodekeyhex`; otherwise the key is in `nodeKeyPath`. */
  readonly nodeKey: Uint8Array | undefined;
  /** Absolute path. */
  readonly nodeKeyPath: string;
  readonly networkId: number;
  readonly listen: { readonly host: string | undefined; readonly port: number };
  /** Node URLs, not parsed. */
  readonly authorizedNodes: readonly string[];
  readonly log: LogOptions;
}

/** Network id of the main network. */
const DEFAULT_NETWORK = 8217;

/** Options of a boot node and warnings for the operator. */
export interface CheckedBootNode {
  readonly options: BootNodeOptions;
  readonly warnings: readonly string[];
}

/** Checks and groups the options of a boot node. Throws `OptionError` unless exactly one node key is given. */
export function bootNodeOptions(resolved: ResolvedFlags, host: HostSystem): CheckedBootNode {
  const { given } = resolved;
  const { file, key } = optionValues(nodeKeyOptions, resolved);
  if (given.has(nodeKeyOptions.file.flag) && given.has(nodeKeyOptions.key.flag))
    throw new OptionError("clash", "Options --nodekey and --nodekeyhex are mutually exclusive");
  if (file === undefined && key === undefined)
    throw new OptionError("missing-value", "Use --nodekey or --nodekeyhex to specify a private key");
  const warnings = [...resolved.warnings];
  const { listen, authorizedNodes } = optionValues(bootOptions, resolved);
  const options: BootNodeOptions = {
    ...configuredDiscovery(resolved, warnings),
    nodeKey: key,
    nodeKeyPath: resolvePath(file ?? "", host),
    networkId: optionValues(identityOptions, resolved).networkId ?? DEFAULT_NETWORK,
    listen: listen ?? { host: undefined, port: DEFAULT_PEER_PORT },
    authorizedNodes,
    log: optionValues(logOptions, resolved),
  };
  return { options, warnings };
}
