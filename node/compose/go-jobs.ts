/** The command that makes a node of the data directory of a Go node: `knit import-go`. */
import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { lockDraft } from "../checkpoint/pull.ts";
import { ConsensusError } from "../consensus/error.ts";
import { verifySealers } from "../consensus/header-chain.ts";
import { linkGoData, openGoDatabases } from "../go-data/databases.ts";
import { GoDataError } from "../go-data/error.ts";
import {
  type GoImported,
  type GoImportOptions,
  importGoChain,
  isImported,
  isOtherImport,
} from "../go-data/import.ts";
import { indexedNumbers } from "../governance/header-index.ts";
import { systemClock } from "../runtime/clock.ts";
import { trieDirectories } from "../state/trie/generations.ts";
import { openChainStore } from "../store/chain-store.ts";
import { openConsensusChain, storedHeaders } from "./consensus-chain.ts";
import { openDatabase } from "./database.ts";
import { clearPlace, hasChain, putInPlace } from "./new-databases.ts";
import { jobLog } from "./offline-jobs.ts";
import type { NodeOptions } from "./options.ts";

/** An import: the data directory of the Go node, and the choices. */
export interface GoImportJob extends Omit<GoImportOptions, "preimages"> {
  readonly source: string;
}

/** Directories of an import beside the database that it will become. */
interface Draft {
  readonly databases: string;
  readonly links: string;
}

/** Larger than a node's: nothing but an import uses the memory, and fewer merges are faster. */
const WRITE_BUFFER_BYTES = 32 * 1024 * 1024;
/** Table files of each new database that stay open: rows are written in their order, and hardly read. */
const OPEN_TABLES = 100;

/**
 * Imports the chain of a stopped Go node into an empty data directory. It becomes a chain at once, whole, when its headers
 * and its state have been verified; until then a draft beside it keeps the progress, and the next call goes on with it.
 * Throws `CheckpointError` `exists` while another process imports there, `GoDataError`, `StoreError`, or the signal's reason.
 */
export async function importGoDatadir(options: NodeOptions, job: GoImportJob): Promise<GoImported> {
  const { chainData } = options.paths;
  const draft = `${chainData}.import-go`;
  const parts: Draft = { databases: join(draft, "databases"), links: join(draft, "links") };
  if (hasChain(chainData)) {
    if (!existsSync(parts.databases)) await rm(draft, { recursive: true, force: true }); // of an import that was killed at its end
    throw new GoDataError("exists", `${chainData} holds a chain: give another --datadir`);
  }
  await clearPlace(chainData);
  await mkdir(parts.databases, { recursive: true, mode: 0o700 });
  await using _lock = await lockDraft(draft);
  const { preimages } = options.state;
  const imported = await importDraft(parts, { ...job, preimages });
  await verifyDraft(options, parts, job.signal);
  if (!(await putInPlace(parts.databases, chainData)))
    throw new GoDataError(
      "exists",
      `${chainData} was created during the import: move it away and run it again`,
    );
  await rm(draft, { recursive: true });
  return imported;
}

async function importDraft(
  parts: Draft,
  job: GoImportJob & Pick<GoImportOptions, "preimages">,
): Promise<GoImported> {
  const linked = await linkGoData(job.source, parts.links);
  await using databases = await openGoDatabases(linked.layout);
  const tries = join(parts.databases, "trie");
  const directories = { chain: join(parts.databases, "chain"), trie: join(tries, "0") };
  const written = { hasWriters: true, openTables: OPEN_TABLES };
  for (;;) {
    await using open = new AsyncDisposableStack();
    const chain = open.use(
      await openChainStore(directories.chain, { ...written, writeBufferBytes: WRITE_BUFFER_BYTES }),
    );
    const trie = open.use(await trieDirectories(tries, written).open(0));
    const target = { chain, trie, directories };
    const isWhole = chain.damage === undefined && trie.damage === undefined; // else rows that the progress counts may be missing
    if (isWhole && !isImported(target) && !isOtherImport(target, databases, job)) {
      return await importGoChain(target, { ...linked, databases }, job);
    }
    await open.disposeAsync();
    await rm(parts.databases, { recursive: true });
    await mkdir(parts.databases, { mode: 0o700 });
  }
}

/** Verifies the seals of the headers that vote or decide, and of the newest block, by the council that they give. */
async function verifyDraft(options: NodeOptions, { databases }: Draft, signal: AbortSignal): Promise<void> {
  const opened = { ...options, paths: { ...options.paths, dataDirectory: databases, chainData: databases } };
  const log = jobLog(options);
  await using database = await openDatabase(opened, log);
  await database.state.ready;
  const open = await openConsensusChain(database, log, systemClock);
  try {
    await verifySealers(storedHeaders(database.store, open, signal), indexedNumbers(database.store) ?? []);
  } catch (cause) {
    if (!(cause instanceof ConsensusError)) throw cause;
    throw new GoDataError("damaged", cause.message, { cause });
  }
}
