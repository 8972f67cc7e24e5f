/**
 * The modules of JSON-RPC: their names and aliases, their default visibility and their names in
 * `rpc_modules`.
 */
import type { Method, Privilege } from "./method.ts";

/** Differences between profiles that apply to every interface. */
export interface InterfaceProfile {
  readonly name: string;
  /** The name of the chain module in `rpc_modules`. */
  readonly chainModule: string;
  /** Refusal of too many subscriptions on one connection; `%d` is the limit. */
  readonly subscriptionLimit: string;
  /** True for a method that the profile does not have, by full name. */
  readonly lacksMethod: (name: string) => boolean;
  /** Wraps a method where the profile answers differently. */
  readonly adaptMethod: (row: Method) => Method;
}

/** One module. */
export interface ModuleRow {
  readonly name: string;
  /** Other names of the module, in method names and in module lists. */
  readonly aliases: readonly string[];
  /** Methods on HTTP and WebSocket when an explicitly empty module list asks for everything public. */
  readonly open: "all" | readonly string[];
  /** The privilege of every method of the module. */
  readonly privilege?: Privilege;
  /** Profiles with the module in `rpc_modules`. */
  readonly listed: readonly string[];
}

const EVERYWHERE: readonly string[] = ["service", "klaytn", "kaia"];
const GO_ONLY: readonly string[] = ["klaytn", "kaia"];

/** One row per module. The name of every method begins with a module's name or alias. */
export const moduleRows: readonly ModuleRow[] = [
  { name: "admin", aliases: [], open: ["nodeInfo", "peers", "datadir"], listed: EVERYWHERE },
  { name: "chain", aliases: ["klay", "kaia"], open: "all", listed: EVERYWHERE },
  { name: "debug", aliases: [], open: ["gaslessInfo", "isGaslessTx"], listed: EVERYWHERE },
  { name: "eth", aliases: [], open: "all", listed: GO_ONLY },
  { name: "governance", aliases: [], open: "all", listed: GO_ONLY },
  { name: "istanbul", aliases: [], open: "all", listed: GO_ONLY },
  { name: "miner", aliases: [], open: [], listed: ["service"] },
  { name: "net", aliases: [], open: "all", listed: EVERYWHERE },
  { name: "personal", aliases: [], open: [], listed: EVERYWHERE, privilege: "keys" },
  { name: "rpc", aliases: [], open: "all", listed: EVERYWHERE },
  { name: "txpool", aliases: [], open: "all", listed: EVERYWHERE },
  { name: "web3", aliases: [], open: "all", listed: EVERYWHERE },
];

const BY_NAME: ReadonlyMap<string, ModuleRow> = new Map(
  moduleRows.flatMap((row) => [row.name, ...row.aliases].map((name) => [name, row])),
);

/** Returns the module with a name or alias. */
export function moduleOf(name: string): ModuleRow | undefined {
  return BY_NAME.get(name);
}

/** The list of every module, as IPC serves it. */
export const ALL_MODULES = "all" as const;

/** The modules of a listener. */
export interface Served {
  readonly rows: readonly ModuleRow[];
  /** True when each module is limited to its public methods. */
  readonly openOnly: boolean;
}

/**
 * Returns the modules for a list of names. Unknown names are ignored, an empty list means everything public,
 * and `rpc` is always included.
 */
export function servedModules(names: readonly string[] | typeof ALL_MODULES): Served {
  if (names === ALL_MODULES) return { rows: moduleRows, openOnly: false };
  if (names.length === 0) return { rows: moduleRows.filter(({ open }) => open.length > 0), openOnly: true };
  const wanted = new Set(names.map((name) => BY_NAME.get(name.trim())?.name));
  return { rows: moduleRows.filter((row) => row.name === "rpc" || wanted.has(row.name)), openOnly: false };
}

/** Returns the names of served modules in `rpc_modules`, sorted. */
export function listedNames(served: readonly ModuleRow[], profile: InterfaceProfile): readonly string[] {
  const listed = served.filter((row) => row.listed.includes(profile.name));
  return listed.map((row) => (row.name === "chain" ? profile.chainModule : row.name)).sort();
}
