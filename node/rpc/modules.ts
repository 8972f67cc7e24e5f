/** The modules: which names they answer to, who sees them and how `rpc_modules` lists them. */
import type { ProfileName, RpcProfile } from "./profiles.ts";

/** One module. */
export interface ModuleRow {
  readonly name: string;
  /** Names that callers may use in its place, in method names and in module lists. */
  readonly aliases: readonly string[];
  /** Served on HTTP and WebSocket when an explicitly empty list asks for everything public. */
  readonly isPublic: boolean;
  /** Profiles whose `rpc_modules` names it. */
  readonly listed: readonly ProfileName[];
}

const EVERYWHERE: readonly ProfileName[] = ["service", "klaytn", "kaia"];
const GO_ONLY: readonly ProfileName[] = ["klaytn", "kaia"];

/** One row per module; every method's name begins with one of these. */
export const moduleRows: readonly ModuleRow[] = [
  { name: "admin", aliases: [], isPublic: false, listed: EVERYWHERE },
  { name: "chain", aliases: ["klay", "kaia"], isPublic: true, listed: EVERYWHERE },
  { name: "debug", aliases: [], isPublic: false, listed: EVERYWHERE },
  { name: "eth", aliases: [], isPublic: true, listed: GO_ONLY },
  { name: "governance", aliases: [], isPublic: true, listed: GO_ONLY },
  { name: "istanbul", aliases: [], isPublic: true, listed: GO_ONLY },
  { name: "miner", aliases: [], isPublic: false, listed: ["service"] },
  { name: "net", aliases: [], isPublic: true, listed: EVERYWHERE },
  { name: "personal", aliases: [], isPublic: false, listed: EVERYWHERE },
  { name: "rpc", aliases: [], isPublic: true, listed: EVERYWHERE },
  { name: "txpool", aliases: [], isPublic: true, listed: EVERYWHERE },
  { name: "web3", aliases: [], isPublic: true, listed: EVERYWHERE },
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

/**
 * The modules a listener serves for a list of names: unknown names are ignored, an empty list asks for everything
 * public, and `rpc` is always among them.
 */
export function servedModules(names: readonly string[] | typeof ALL_MODULES): readonly ModuleRow[] {
  if (names === ALL_MODULES) return moduleRows;
  if (names.length === 0) return moduleRows.filter((row) => row.isPublic);
  const wanted = new Set(names.map((name) => BY_NAME.get(name.trim())?.name));
  return moduleRows.filter((row) => row.name === "rpc" || wanted.has(row.name));
}

/** The names `rpc_modules` gives for served modules, in order. */
export function listedNames(served: readonly ModuleRow[], profile: RpcProfile): readonly string[] {
  const listed = served.filter((row) => row.listed.includes(profile.name));
  return listed.map((row) => (row.name === "chain" ? profile.chainModule : row.name)).sort();
}
