/** Paths of a node: the data directory, its layout and the defaults of each operating system. */
import { posix, win32 } from "node:path";
import type { KeystoreOptions } from "../accounts/options.ts";
import { OptionError } from "../options/error.ts";
import { choice, path as pathKind } from "../options/kinds.ts";
import { ACCOUNT, DATA, optionGroup, type ValuesOf } from "../options/rows.ts";
import type { NodeKeyOptions, PeerOptions } from "../p2p/options.ts";

const place = optionGroup("Base", [...DATA, ...ACCOUNT, "rpc", "save-cache", "attach", "wallet"]);
const base = optionGroup("Base", DATA);

/** Rows of the type of a node and the place of its data. */
export const placeOptions = {
  type: place({
    flag: "type",
    kind: choice(["core", "proxy", "endpoint"]),
    default: "endpoint",
    development: "core",
    summary: "type of the node",
    own: true,
  }),
  dataDirectory: place({
    flag: "datadir",
    kind: pathKind,
    summary: "data directory; the default depends on the type",
    aliases: ["common.datadir"],
    properties: ["DATA_DIR"],
    differs: "the chain is in its subdirectory `knit/`, not in `klay/`",
  }),
  chainDataDirectory: base({
    flag: "chaindatadir",
    kind: pathKind,
    summary: "separate directory for the chain database",
    aliases: ["common.chaindatadir"],
  }),
};

/** Type of a node and the place of its data. */
export type PlaceOptions = ValuesOf<typeof placeOptions>;

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

/** Options that name directories and files. */
export interface NamedPaths {
  readonly place: PlaceOptions;
  readonly keystore: KeystoreOptions;
  readonly nodeKey: NodeKeyOptions;
  readonly peers: Pick<PeerOptions, "staticNodesFile">;
}

/** Returns the paths. Throws `OptionError` when no data directory is given and the machine has no home directory. */
export function nodePaths(
  { place: named, keystore, nodeKey, peers }: NamedPaths,
  host: HostSystem,
): NodePaths {
  const paths = pathsOf(host);
  const directory = named.dataDirectory ?? defaultDirectory(named.type, host);
  const dataDirectory = paths.resolve(host.workingDirectory, directory);
  const instance = paths.join(dataDirectory, "knit");
  const inInstance = (name: string) => {
    const direct = paths.join(dataDirectory, name); // an older layout, used when it exists
    return host.exists(direct) ? direct : paths.join(instance, name);
  };
  const absolute = (path: string) => paths.resolve(host.workingDirectory, path);
  return {
    dataDirectory,
    instance,
    chainData: named.chainDataDirectory
      ? paths.join(absolute(named.chainDataDirectory), "chaindata")
      : inInstance("chaindata"),
    keystore: keystore.directory ? absolute(keystore.directory) : paths.join(dataDirectory, "keystore"),
    nodeKey: nodeKey.file ? absolute(nodeKey.file) : inInstance("nodekey"),
    isNodeKeyNamed: Boolean(nodeKey.file),
    blsNodeKey: inInstance("bls-nodekey"),
    staticNodes: peers.staticNodesFile ? absolute(peers.staticNodesFile) : inInstance("static-nodes.json"),
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

/** Resolves a path against a directory, the working directory by default. */
export function resolvePath(path: string, host: HostSystem, directory = host.workingDirectory): string {
  return pathsOf(host).resolve(directory, path);
}

const SHORT = { core: "kcn", proxy: "kpn", endpoint: "ken" } as const;

function defaultDirectory(type: PlaceOptions["type"], host: HostSystem): string {
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
