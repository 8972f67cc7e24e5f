/** Decoders of nodes' responses. All values are validated, because a node may be broken or compromised. */
import { ControlError } from "./error.ts";

/** Identity and version that a node reports. */
export interface NodeInfo {
  readonly id: string;
  readonly version: string;
  /** Genesis hash; undefined when the node does not report it. */
  readonly genesis: string | undefined;
  /** First blocks of forks in its chain configuration by key; undefined when the node or its gateway does not report them. */
  readonly forks?: Readonly<Record<string, number>> | undefined;
}

/** Status of a node's state migration. */
export interface MigrationStatus {
  readonly running: boolean;
  readonly percent: number;
  /** Block whose state is copied; 0 when unknown. */
  readonly block: number;
  readonly error: string | undefined;
}

/** Result of a node's last state migration, which may be from before a restart. */
export interface LastMigration {
  /** Block whose state was copied. */
  readonly block: number;
  readonly error: string | undefined;
}

/** Disk space that a migration needs, in bytes. */
export interface ReportedMigrationRoom {
  readonly freeBytes: number;
  readonly neededBytes: number;
}

/** Status of saving the trie cache: current, or last since the node started. */
export interface SavingStatus {
  readonly running: boolean;
  /** Size of the file in bytes; 0 when none was written. */
  readonly bytes: number;
  readonly error: string | undefined;
}

/** Status of a node's backups. */
export interface ReportedBackup {
  readonly running: boolean;
  /** The work under way; undefined for none. */
  readonly step: string | undefined;
  readonly percent: number;
  readonly error: string | undefined;
  /** The last backup since the node started. */
  readonly last: BackupMade | undefined;
}

/** A backup that an archive has. */
export interface BackupMade {
  readonly checkpoint: string;
  readonly archive: string;
  readonly height: number;
  readonly bytes: number;
  readonly sentBytes: number;
  readonly verified: boolean;
}

/** Size and free space of a node's volume. */
export interface DiskUsage {
  readonly sizeBytes: number;
  readonly freeBytes: number;
}

/** Status of a node, as its gateway combines it. */
export interface NodeReport extends NodeInfo {
  /** Node ids of connected peers. */
  readonly peers: readonly string[];
  readonly height: number;
  readonly syncing: boolean;
  /** Addresses of the validators, in lower case; undefined when the node or its gateway does not report them. */
  readonly council: readonly string[] | undefined;
  /** Undefined when the gateway cannot measure it. */
  readonly disk: DiskUsage | undefined;
  /** Reasons at the node's `/readyz`; undefined when the gateway does not read it. */
  readonly reasons?: readonly string[] | undefined;
}

type Members = Readonly<Record<string, unknown>>;

const MAX_PEERS = 4_096;
const ID = /^[0-9a-fA-F]{128}$/;
const HASH = /^0x[0-9a-fA-F]{64}$/;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const MAX_VALIDATORS = 1_000;

/** Decodes the result of `admin_nodeInfo`. All decoders throw `ControlError` `bad-answer`. */
export function readNodeInfo(value: unknown): NodeInfo {
  const { id, name, protocols } = members(value);
  const { istanbul } = (protocols ?? {}) as { istanbul?: { genesis?: unknown; config?: unknown } | null };
  return {
    id: idIn(id),
    version: versionIn(name),
    genesis: hashIn(istanbul?.genesis),
    forks: istanbul?.config === undefined ? undefined : forksIn(istanbul.config),
  };
}

const FORK = /^\w{1,32}CompatibleBlock$/;
const MAX_FORKS = 64;

/** Reads the forks of a chain configuration. */
function forksIn(value: unknown): Readonly<Record<string, number>> {
  if (typeof value !== "object" || value === null) return {};
  const rows = Object.entries(value).filter(
    (row): row is [string, number] => FORK.test(row[0]) && isCount(row[1]),
  );
  return Object.fromEntries(rows.slice(0, MAX_FORKS));
}

function versionIn(value: unknown): string {
  return typeof value === "string" ? value.slice(0, 250) : "";
}

function hashIn(value: unknown): string | undefined {
  return typeof value === "string" && HASH.test(value) ? value.toLowerCase() : undefined;
}

function idIn(value: unknown): string {
  if (typeof value !== "string" || !ID.test(value)) throw invalid("admin_nodeInfo has no valid id");
  return value.toLowerCase();
}

/** Decodes the node ids in the result of `admin_peers`. */
export function readPeerIds(value: unknown): ReadonlySet<string> {
  return new Set(peersIn(value).map((peer) => idIn(members(peer)["id"])));
}

function peersIn(value: unknown): readonly unknown[] {
  if (!Array.isArray(value) || value.length > MAX_PEERS) throw invalid("the peers are not a list");
  return value;
}

/** Decodes a block number. */
export function readHeight(value: unknown): number {
  const height = typeof value === "string" && /^0x[0-9a-f]{1,13}$/i.test(value) ? Number(value) : Number.NaN;
  if (!Number.isSafeInteger(height)) throw invalid("chain_blockNumber is not a quantity");
  return height;
}

/** Decodes the result of `eth_syncing`; true while the node syncs. */
export function readSyncing(value: unknown): boolean {
  if (value === false) return false;
  members(value);
  return true;
}

/** Decodes the result of `istanbul_getValidators`. */
export function readValidators(value: unknown): readonly string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_VALIDATORS)
    throw invalid("validators that are not a list");
  return (value as readonly unknown[]).map((each) => {
    if (typeof each !== "string" || !ADDRESS.test(each)) throw invalid("a validator without an address");
    return each.toLowerCase();
  });
}

/** Decodes the result of `admin_addPeer` and `admin_removePeer`. */
export function readBoolean(value: unknown): boolean {
  if (typeof value !== "boolean") throw invalid("the result is not a boolean");
  return value;
}

/** Decodes the result of `gateway_report`. */
export function readReport(value: unknown): NodeReport {
  const { id, version, genesis, forks, peers, height, syncing, council, disk, reasons } = members(value);
  if (!isCount(height) || !Number.isSafeInteger(height)) throw invalid("the report has no height");
  if (typeof syncing !== "boolean") throw invalid("the report has no syncing");
  return {
    id: idIn(id),
    version: versionIn(version),
    genesis: hashIn(genesis),
    forks: forks === undefined ? undefined : forksIn(forks),
    peers: peersIn(peers).map(idIn),
    height,
    syncing,
    council: council === undefined ? undefined : readValidators(council),
    disk: disk === undefined ? undefined : diskIn(disk),
    reasons: reasons === undefined ? undefined : readReasons(reasons),
  };
}

const REASON = /^[a-z][a-z-]{0,39}$/;
const MAX_REASONS = 16;

/** Decodes the reasons of a node's readiness, words in kebab case. */
export function readReasons(value: unknown): readonly string[] {
  if (!Array.isArray(value) || value.length > MAX_REASONS) throw invalid("reasons that are not a list");
  return value.map((each: unknown) => {
    if (typeof each !== "string" || !REASON.test(each)) throw invalid("a reason that is not a word");
    return each;
  });
}

function diskIn(value: unknown): DiskUsage {
  const { sizeBytes, freeBytes } = members(value);
  if (!isCount(sizeBytes) || !isCount(freeBytes) || freeBytes > sizeBytes)
    throw invalid("the report has invalid sizes of the volume");
  return { sizeBytes, freeBytes };
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= Number.MAX_SAFE_INTEGER;
}

/** Decodes the result of `admin_stateMigrationStatus`; its error is text, and the text `null` for none. */
export function readMigration(value: unknown): MigrationStatus {
  const { isMigration, progress, err, migrationBlockNumber: block } = members(value);
  if (typeof isMigration !== "boolean") throw invalid("admin_stateMigrationStatus has no isMigration");
  const percent = typeof progress === "number" && Number.isFinite(progress) ? progress : 0;
  return {
    running: isMigration,
    percent,
    block: typeof block === "number" && Number.isSafeInteger(block) && block > 0 ? block : 0,
    error: readError(err),
  };
}

/** Decodes the result of `admin_stateMigrationLast`; undefined when no migration has ended. */
export function readLastMigration(value: unknown): LastMigration | undefined {
  if (value === null) return undefined;
  const { err, migrationBlockNumber: block } = members(value);
  if (!isCount(block)) throw invalid("admin_stateMigrationLast has no block");
  return { block, error: readError(err) };
}

/** Decodes the result of `admin_stateMigrationRoom`. */
export function readRoom(value: unknown): ReportedMigrationRoom {
  const { free, needed } = members(value);
  if (!isCount(free) || !isCount(needed)) throw invalid("admin_stateMigrationRoom has no sizes");
  return { freeBytes: free, neededBytes: needed };
}

/** Decodes the result of `admin_saveTrieNodeStatus`; its error has the same form. */
export function readSaving(value: unknown): SavingStatus {
  const { isSaving, bytes, err } = members(value);
  if (typeof isSaving !== "boolean" || !isCount(bytes))
    throw invalid("admin_saveTrieNodeStatus has no isSaving or bytes");
  return { running: isSaving, bytes, error: readError(err) };
}

/** Decodes the result of `admin_backupStatus`. */
export function readBackup(value: unknown): ReportedBackup {
  const { isRunning, step, done, total, err, last } = members(value);
  if (typeof isRunning !== "boolean" || !isCount(done) || !isCount(total))
    throw invalid("admin_backupStatus has no isRunning, done or total");
  return {
    running: isRunning,
    step: typeof step === "string" && /^[a-z]{1,20}$/.test(step) ? step : undefined,
    percent: total > 0 ? Math.min(100, (100 * done) / total) : 0,
    error: readError(err),
    last: last === null || last === undefined ? undefined : readBackupMade(last),
  };
}

function readBackupMade(value: unknown): BackupMade {
  const { checkpoint, archive, block, bytes, sentBytes, isVerified } = members(value);
  if (typeof checkpoint !== "string" || typeof archive !== "string" || typeof isVerified !== "boolean")
    throw invalid("a backup without its name, its archive or isVerified");
  if (!isBlock(block) || !isBlock(bytes) || !isBlock(sentBytes))
    throw invalid("a backup without its block or its bytes");
  return {
    checkpoint: checkpoint.slice(0, 128),
    archive: archive.slice(0, 1_024),
    height: block,
    bytes,
    sentBytes,
    verified: isVerified,
  };
}

function isBlock(value: unknown): value is number {
  return isCount(value) && Number.isInteger(value);
}

function readError(err: unknown): string | undefined {
  const text = typeof err === "string" ? err : JSON.stringify(err ?? null);
  return text === "null" || text === "" ? undefined : text.slice(0, 1_000);
}

function members(value: unknown): Members {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw invalid("the result is not an object");
  return value as Members; // any object may be looked at by its keys
}

function invalid(message: string): ControlError {
  return new ControlError("bad-answer", message);
}
