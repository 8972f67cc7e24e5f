/**
 * The databases of a stopped Go node (`storage/database/db_manager.go@v2.2.2`): one LevelDB directory for each kind of
 * row, or one for all; the state trie possibly in shards, and in a directory of another name after a state migration.
 */
import { existsSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { isZero } from "../bytes/compare.ts";
import { type LevelLinks, type LinkedLevel, linkLevel, openLinks } from "../store/linked-level.ts";
import type { Rows, Snapshot } from "../store/store.ts";
import { GoDataError } from "./error.ts";
import { directoryKey, MIGRATION_STATUS } from "./keys.ts";

/** Directories of links to the databases of a Go node, by the kind of their rows; the same one for several or for all. */
export interface GoLayout {
  readonly misc: string;
  readonly header: string;
  readonly body: string;
  readonly receipts: string;
  /** State tries, in the order in which a node is looked for; each in one directory, or in as many as it has shards. */
  readonly states: readonly (readonly string[])[];
}

/** Databases of a Go node that can be opened, and whether they are what they were. */
export interface LinkedGoData {
  readonly layout: GoLayout;
  /** Throws `GoDataError` `in-use` once somebody has written to one of them. */
  readonly requireUnchanged: () => Promise<void>;
}

/** Open databases of a Go node. */
export interface GoDatabases extends AsyncDisposable {
  readonly misc: Pick<Snapshot, "get" | "entries">;
  readonly header: Rows;
  readonly body: Rows;
  readonly receipts: Rows;
  /** Trie nodes and contract code. */
  readonly state: Rows;
}

/** Memory for uncompressed blocks of each directory: most rows are read once. */
const CACHE_BYTES = 2 * 1024 * 1024;
/** Places of the directories of the state trie in the Go node's list of databases. */
const STATE_ENTRY = 4;
const MIGRATION_ENTRY = 5;
const MAX_SHARDS = 256;

/**
 * Links the databases below a data directory, or those of a `chaindata` directory. `links` is a directory for links, which
 * is written again. Throws `GoDataError` `no-data`, `engine`, `damaged` or `in-use`, or `StoreError`.
 */
export async function linkGoData(dataDirectory: string, links: string): Promise<LinkedGoData> {
  const chaindata = findChaindata(dataDirectory);
  await refuseRunning(dataDirectory, chaindata);
  const linked: LevelLinks[] = [];
  const link = async (name: string): Promise<string> => {
    const directory = join(chaindata, name);
    await requireLevel(directory);
    const target = join(links, name);
    linked.push(await linkLevel(directory, target));
    return target;
  };
  return {
    layout: existsSync(join(chaindata, "misc")) ? await linkEach(chaindata, link) : await linkOne(link),
    requireUnchanged: async () => {
      for (const level of linked) if (!(await level.isUnchanged())) throw inUse(chaindata);
    },
  };
}

type Link = (name: string) => Promise<string>;

/** All rows in one directory (`--db.single`). */
async function linkOne(link: Link): Promise<GoLayout> {
  const all = await link("");
  return { misc: all, header: all, body: all, receipts: all, states: [[all]] };
}

async function linkEach(chaindata: string, link: Link): Promise<GoLayout> {
  const misc = await link("misc");
  const states: (readonly string[])[] = [];
  for (const name of await stateNames(misc)) states.push(await linkState(chaindata, requireName(name), link));
  return {
    misc,
    header: await link("header"),
    body: await link("body"),
    receipts: await link("receipts"),
    states,
  };
}

async function stateNames(links: string): Promise<readonly string[]> {
  await using misc = await openLinks(links, CACHE_BYTES);
  const nameOf = (entry: number): string => Buffer.from(misc.get(directoryKey(entry)) ?? []).toString("utf8");
  const names = [nameOf(STATE_ENTRY) || "statetrie"];
  // in a migration new nodes go to both directories, and the older one still has all of them
  const migrating = nameOf(MIGRATION_ENTRY);
  if (migrating !== "" && !isZero(misc.get(MIGRATION_STATUS) ?? new Uint8Array(8))) names.push(migrating);
  return names;
}

/** Opens linked databases, in any thread; the first one must close them last. Throws `StoreError`. */
export async function openGoDatabases(layout: GoLayout): Promise<GoDatabases> {
  await using parts = new AsyncDisposableStack();
  const opened = new Map<string, LinkedLevel>();
  const open = async (links: string): Promise<LinkedLevel> => {
    const level = opened.get(links) ?? parts.use(await openLinks(links, CACHE_BYTES));
    opened.set(links, level);
    return level;
  };
  const states: Rows[] = [];
  for (const shards of layout.states) {
    const rows: Rows[] = [];
    for (const links of shards) rows.push(await open(links));
    states.push(shardedRows(rows));
  }
  const kinds = {
    misc: await open(layout.misc),
    header: await open(layout.header),
    body: await open(layout.body),
    receipts: await open(layout.receipts),
  };
  const all = parts.move();
  return {
    ...kinds,
    state: { get: (key) => firstOf(states, key) },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Rows that are divided by the lowest bits of the first byte of a key. */
function shardedRows(shards: readonly Rows[]): Rows {
  return { get: (key) => shards[(key[0] ?? 0) & (shards.length - 1)]?.get(key) };
}

function firstOf(states: readonly Rows[], key: Uint8Array): Uint8Array | undefined {
  for (const rows of states) {
    const found = rows.get(key);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A name from a database leads nowhere else. */
function requireName(name: string): string {
  if (/^statetrie(_migrated_\d+)?$/.test(name)) return name;
  throw new GoDataError("damaged", `the state trie is said to be in ${JSON.stringify(name)}`);
}

/** Links the state trie: one directory, or its shards. */
async function linkState(chaindata: string, name: string, link: Link): Promise<readonly string[]> {
  const entries = await readdir(join(chaindata, name)).catch((): string[] => []);
  const count = entries.filter((entry) => /^\d+$/.test(entry)).length;
  if (count === 0) return [await link(name)];
  if (count > MAX_SHARDS || (count & (count - 1)) !== 0)
    throw new GoDataError("damaged", `${join(chaindata, name)} has ${count} shards, not a power of two`);
  const shards: string[] = [];
  for (let i = 0; i < count; i++) shards.push(await link(join(name, String(i))));
  return shards;
}

/** The directory with the databases: given itself, or below a data directory. */
function findChaindata(given: string): string {
  for (const path of [join(given, "klay", "chaindata"), join(given, "chaindata"), given]) {
    if (existsSync(join(path, "misc")) || existsSync(join(path, "CURRENT"))) return path;
  }
  throw new GoDataError(
    "no-data",
    `${given} holds no chain of a Go node: give its data directory, or its chaindata directory`,
  );
}

/** Files by which other engines are known. */
const ENGINES: readonly (readonly [name: string, file: RegExp])[] = [
  ["RocksDB", /^(IDENTITY|OPTIONS-\d+\.dbtmp)$/],
  ["BadgerDB", /\.vlog$|^KEYREGISTRY$/],
  ["PebbleDB", /^(OPTIONS-\d+|marker\..+)$/],
];

async function requireLevel(directory: string): Promise<void> {
  const names = await readdir(directory).catch((cause: NodeJS.ErrnoException) => {
    throw new GoDataError("no-data", `cannot read ${directory}: ${cause.code ?? cause.message}`, { cause });
  });
  const engine = ENGINES.find(([, file]) => names.some((name) => file.test(name)));
  if (engine !== undefined)
    throw new GoDataError(
      "engine",
      `${directory} is a ${engine[0]} database: only LevelDB, the Go node's default, is read`,
    );
  if (!names.includes("CURRENT"))
    throw new GoDataError("no-data", `${directory} is no LevelDB database: CURRENT is missing`);
}

function inUse(directory: string): GoDataError {
  return new GoDataError("in-use", `${directory} is in use: stop its node, then run the same command again`);
}

/**
 * Refuses the directory of a running node. The Go node locks `LOCK` files with flock(2), which shows in `/proc/locks`, and
 * listens on its socket. Where neither shows it, a write of it does (`requireUnchanged`).
 */
async function refuseRunning(dataDirectory: string, chaindata: string): Promise<void> {
  const locks = await readFile("/proc/locks", "utf8").catch(() => "");
  const held = new Set(locks.match(/[0-9a-f]+:[0-9a-f]+:\d+(?= )/g));
  const instance = dirname(chaindata);
  const directories = [
    instance,
    chaindata,
    ...(await readdir(chaindata)).map((name) => join(chaindata, name)),
  ];
  for (const directory of directories) {
    const found = await stat(join(directory, "LOCK")).catch(() => undefined);
    if (found !== undefined && held.has(lockName(found))) throw inUse(directory);
  }
  for (const socket of [join(dataDirectory, "klay.ipc"), join(dirname(instance), "klay.ipc")])
    if (await listens(socket)) throw inUse(dataDirectory);
}

/** A file as `/proc/locks` writes it: major and minor of the device in hex, and the inode. */
function lockName({ dev, ino }: { readonly dev: number; readonly ino: number }): string {
  const major = (dev >> 8) & 0xfff;
  const minor = (dev & 0xff) | ((dev >> 12) & 0xfff00);
  return `${twoDigits(major)}:${twoDigits(minor)}:${ino}`;
}

function twoDigits(value: number): string {
  return value.toString(16).padStart(2, "0");
}

function listens(path: string): Promise<boolean> {
  if (!existsSync(path)) return Promise.resolve(false);
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
