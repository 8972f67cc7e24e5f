/**
 * The modules of JSON-RPC: their names and aliases, their default visibility and their names in
 * `rpc_modules`.
 */
import type { Method, Privilege } from "./method.ts";
import type { Subscription } from "./subscription.ts";

/** Options of a registry that apply to every interface. */
export interface InterfaceOptions {
  /** The modules that `rpc_modules` lists, with the names that it gives them. */
  readonly listed: Readonly<Record<string, string>>;
  /** Refusal of too many subscriptions on one connection; `%d` is the limit. */
  readonly subscriptionLimit: string;
  /** Full names of methods that no interface serves. */
  readonly lacks: ReadonlySet<string>;
  /** Names of modules under which nothing is served, listed or subscribed to. */
  readonly lacksModules: ReadonlySet<string>;
  /** Adapts a method when it is registered. */
  readonly adaptMethod: (row: Method) => Method;
  /** Adapts a subscription when it is registered. */
  readonly adaptSubscription: (row: Subscription) => Subscription;
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
}

/** One row per module. The name of every method begins with a module's name or alias. */
export const moduleRows: readonly ModuleRow[] = [
  { name: "admin", aliases: [], open: ["nodeInfo", "peers", "datadir"] },
  { name: "auction", aliases: [], open: [] },
  { name: "chain", aliases: ["klay", "kaia"], open: "all" },
  { name: "debug", aliases: [], open: ["gaslessInfo", "isGaslessTx"] },
  { name: "dev", aliases: ["anvil", "evm", "hardhat", "tenderly"], open: [], privilege: "process" },
  { name: "erigon", aliases: [], open: [] },
  { name: "eth", aliases: [], open: "all" },
  { name: "governance", aliases: [], open: "all" },
  { name: "istanbul", aliases: [], open: "all" },
  { name: "miner", aliases: [], open: [] },
  { name: "net", aliases: [], open: "all" },
  { name: "ots", aliases: [], open: [] },
  { name: "personal", aliases: [], open: [], privilege: "keys" },
  { name: "rpc", aliases: [], open: "all" },
  { name: "trace", aliases: [], open: [] },
  { name: "txpool", aliases: [], open: "all" },
  { name: "web3", aliases: [], open: "all" },
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
export function listedNames(
  served: readonly ModuleRow[],
  { listed }: Pick<InterfaceOptions, "listed">,
): readonly string[] {
  return served.flatMap(({ name }) => listed[name] ?? []).sort();
}
