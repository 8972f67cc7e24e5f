/** Where a node keeps things: the data directory, its layout, and the defaults of each system. */
import { posix, win32 } from "node:path";
import type { FlagValues } from "./flags.ts";
import { OptionError } from "./options-error.ts";

/** What of the machine decides the paths; passed in so that every system's layout can be checked on one. */
export interface Surroundings {
  readonly platform: string;
  /** Empty when there is none. */
  readonly home: string;
  readonly workingDirectory: string;
  readonly exists: (path: string) => boolean;
  /** What the container may take; left out where there is no limit. */
  readonly containerBytes?: number | undefined;
}

/** All paths of a node, absolute. */
export interface NodePaths {
  readonly dataDirectory: string;
  /** The node's own directory inside: `knit/`. */
  readonly instance: string;
  /** The chain's database. */
  readonly chainData: string;
  readonly keystore: string;
  /** The file with the node's private key; created when missing, unless it is named. */
  readonly nodeKey: string;
  /** True when `--nodekey` names the file, which then has to exist. */
  readonly isNodeKeyNamed: boolean;
  /** The usual place of its BLS key. */
  readonly blsNodeKey: string;
  /** JSON arrays of node URLs: peers to keep connected, and peers that the limits do not hold for. */
  readonly staticNodes: string;
  readonly trustedNodes: string;
}

/** Lays out the data directory. Throws `OptionError` when no directory is given and none can be chosen. */
export function nodePaths(values: FlagValues, around: Surroundings): NodePaths {
  const paths = pathsOf(around);
  const directory = values.datadir ?? defaultDirectory(values.type, around);
  const dataDirectory = paths.resolve(around.workingDirectory, directory);
  const instance = paths.join(dataDirectory, "knit");
  const inInstance = (name: string) => {
    const direct = paths.join(dataDirectory, name); // an older layout, used when it is there
    return around.exists(direct) ? direct : paths.join(instance, name);
  };
  const absolute = (path: string) => paths.resolve(around.workingDirectory, path);
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
    staticNodes: inInstance("static-nodes.json"),
    trustedNodes: inInstance("trusted-nodes.json"),
  };
}

/** The socket: a bare name is inside the data directory; Windows pipes have a name space of their own. */
export function ipcPath(given: string | undefined, dataDirectory: string, around: Surroundings): string {
  const paths = pathsOf(around);
  const name = given ?? "knit.ipc";
  if (around.platform === "win32") return name.startsWith("\\\\.\\pipe\\") ? name : `\\\\.\\pipe\\${name}`;
  return paths.basename(name) === name
    ? paths.join(dataDirectory, name)
    : paths.resolve(around.workingDirectory, name);
}

/** As whoever typed it means it. */
export function absolutePath(path: string, around: Surroundings): string {
  return pathsOf(around).resolve(around.workingDirectory, path);
}

const SHORT = { core: "kcn", proxy: "kpn", endpoint: "ken" } as const;

function defaultDirectory(type: FlagValues["type"], around: Surroundings): string {
  if (around.home === "") {
    throw new OptionError(
      "missing-value",
      "Cannot determine default data directory, please set manually (--datadir)",
    );
  }
  const paths = pathsOf(around);
  const name = SHORT[type];
  if (around.platform === "darwin") return paths.join(around.home, "Library", name.toUpperCase());
  if (around.platform === "win32") return paths.join(around.home, "AppData", "Roaming", name.toUpperCase());
  return paths.join(around.home, `.${name}`);
}

function pathsOf({ platform }: Surroundings): typeof posix {
  return platform === "win32" ? win32 : posix;
}
