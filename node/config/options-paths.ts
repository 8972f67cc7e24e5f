/** Paths of a node: the data directory, its layout and the defaults of each operating system. */
import { posix, win32 } from "node:path";
import type { FlagValues } from "./flags.ts";
import { OptionError } from "./options-error.ts";

/** Properties of the machine that options depend on. */
export interface HostSystem {
  readonly platform: string;
  /** Home directory; empty when there is none. */
  readonly home: string;
  readonly workingDirectory: string;
  readonly exists: (path: string) => boolean;
  /** Memory limit of the container in bytes; absent without a limit. */
  readonly containerBytes?: number | undefined;
}

/** Paths of a node, all absolute. */
export interface NodePaths {
  readonly dataDirectory: string;
  /** The node's subdirectory `knit/` of the data directory. */
  readonly instance: string;
  /** Directory of the chain database. */
  readonly chainData: string;
  readonly keystore: string;
  /** File of the node's private key; created when it is absent, unless a flag names it. */
  readonly nodeKey: string;
  /** True when `--nodekey` names the file, which then must exist. */
  readonly isNodeKeyNamed: boolean;
  /** Default file of the node's BLS key. */
  readonly blsNodeKey: string;
  /** File with a JSON array of node URLs: peers to stay connected with. It may change while the node runs. */
  readonly staticNodes: string;
  /** File with a JSON array of node URLs: peers that are exempt from the limits. */
  readonly trustedNodes: string;
}

/** Returns the paths. Throws `OptionError` when no data directory is given and the machine has no home directory. */
export function nodePaths(values: FlagValues, host: HostSystem): NodePaths {
  const paths = pathsOf(host);
  const directory = values.datadir ?? defaultDirectory(values.type, host);
  const dataDirectory = paths.resolve(host.workingDirectory, directory);
  const instance = paths.join(dataDirectory, "knit");
  const inInstance = (name: string) => {
    const direct = paths.join(dataDirectory, name); // an older layout, used when it exists
    return host.exists(direct) ? direct : paths.join(instance, name);
  };
  const staticNodes = values["p2p.static-nodes-file"];
  const absolute = (path: string) => paths.resolve(host.workingDirectory, path);
  return {
    dataDirectory,
    instance,
    chainData: values.chaindatadir
      ? paths.join(absolute(values.chaindatadir), "chaindata")
      : inInstance("chaindata"),
    keystore: values.keystore ? absolute(values.keystore) : paths.join(dataDirectory, "keystore"),
    nodeKey: values.nodekey ? absolute(values.nodekey) : inInstance("nodekey"),
    isNodeKeyNamed: Boolean(values.nodekey),
    blsNodeKey: inInstance("bls-nodekey"),
    staticNodes: staticNodes ? absolute(staticNodes) : inInstance("static-nodes.json"),
    trustedNodes: inInstance("trusted-nodes.json"),
  };
}

/** Returns the path of the IPC socket. A name without a directory is inside the data directory or a Windows pipe. */
export function ipcPath(given: string | undefined, dataDirectory: string, host: HostSystem): string {
  const paths = pathsOf(host);
  const name = given ?? "knit.ipc";
  if (host.platform === "win32") return name.startsWith("\\\\.\\pipe\\") ? name : `\\\\.\\pipe\\${name}`;
  return paths.basename(name) === name
    ? paths.join(dataDirectory, name)
    : paths.resolve(host.workingDirectory, name);
}

/** Resolves a path against the working directory. */
export function resolvePath(path: string, host: HostSystem): string {
  return pathsOf(host).resolve(host.workingDirectory, path);
}

const SHORT = { core: "kcn", proxy: "kpn", endpoint: "ken" } as const;

function defaultDirectory(type: FlagValues["type"], host: HostSystem): string {
  if (host.home === "") {
    throw new OptionError(
      "missing-value",
      "Cannot determine default data directory, please set manually (--datadir)",
    );
  }
  const paths = pathsOf(host);
  const name = SHORT[type];
  if (host.platform === "darwin") return paths.join(host.home, "Library", name.toUpperCase());
  if (host.platform === "win32") return paths.join(host.home, "AppData", "Roaming", name.toUpperCase());
  return paths.join(host.home, `.${name}`);
}

function pathsOf({ platform }: HostSystem): typeof posix {
  return platform === "win32" ? win32 : posix;
}
