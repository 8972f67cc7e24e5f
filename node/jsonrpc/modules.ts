/** The modules: which names they answer to, who sees them and how `rpc_modules` lists them. */
import type { Method, Privilege } from "./method.ts";

/** Differences between profiles that every interface applies. */
export interface InterfaceProfile {
  readonly name: string;
  /** The name of the chain module in `rpc_modules`. */
  readonly chainModule: string;
  /** Refusal of too many subscriptions on one connection; `%d` is the limit. */
  readonly subscriptionLimit: string;
  /** True for the full name of a method that the profile does not serve. */
  readonly lacksMethod: (name: string) => boolean;
  /** Wraps a method where the profile answers differently. */
  readonly adaptMethod: (row: Method) => Method;
}

/** One module. */
export interface ModuleRow {
  readonly name: string;
  /** Names that callers may use in its place, in method names and in module lists. */
  readonly aliases: readonly string[];
  /** Methods served on HTTP and WebSocket when an explicitly empty list asks for everything public. */
  readonly open: "all" | readonly string[];
  /** Set where the whole module is one that strangers should not have. */
  readonly privilege?: Privilege;
  /** Profiles whose `rpc_modules` names it. */
  readonly listed: readonly string[];
}

const EVERYWHERE: readonly string[] = ["service", "klaytn", "kaia"];
const GO_ONLY: readonly string[] = ["klaytn", "kaia"];

/** One row per module; every method's name begins with one of these. */
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

/** The module of a name or alias. */
export function moduleOf(name: string): ModuleRow | undefined {
  return BY_NAME.get(name);
}

/** Every module, for IPC. */
export const ALL_MODULES = "all" as const;

/** What a listener serves. */
export interface Served {
  readonly rows: readonly ModuleRow[];
  /** Of each module only what is open to all. */
  readonly openOnly: boolean;
}

/**
 * What a listener serves for a list of names: unknown names are ignored, an empty list asks for everything public, and
 * `rpc` is always among them.
 */
export function servedModules(names: readonly string[] | typeof ALL_MODULES): Served {
  if (names === ALL_MODULES) return { rows: moduleRows, openOnly: false };
  if (names.length === 0) return { rows: moduleRows.filter(({ open }) => open.length > 0), openOnly: true };
  const wanted = new Set(names.map((name) => BY_NAME.get(name.trim())?.name));
  return { rows: moduleRows.filter((row) => row.name === "rpc" || wanted.has(row.name)), openOnly: false };
}

/** The names `rpc_modules` gives for served modules, in order. */
export function listedNames(served: readonly ModuleRow[], profile: InterfaceProfile): readonly string[] {
  const listed = served.filter((row) => row.listed.includes(profile.name));
  return listed.map((row) => (row.name === "chain" ? profile.chainModule : row.name)).sort();
}
