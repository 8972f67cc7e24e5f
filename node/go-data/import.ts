/**
 * Imports the chain of a stopped Go node: its blocks, then the state of the newest one, then the rows that make the
 * databases those of a chain. Threads read, verify and write; this one says in synced batches how far they have come, so an
 * import goes on after a crash. Nothing is believed that its hash does not prove, apart from `derived-rows.ts` and the
 * configuration.
 */
import { toHex } from "../bytes/hex.ts";
import { messageOf } from "../bytes/message-of.ts";
import { putOldestBody } from "../chain/kept-blocks.ts";
import { putConfig } from "../chain/stored-config.ts";
import { type ChainConfig, parseChainConfig } from "../config/chain-config.ts";
import { exactJsonText, parseExactJson } from "../config/exact-json.ts";
import { publicNetworkOf } from "../config/presets/networks.ts";
import { indexedNumbers } from "../governance/header-index.ts";
import { encodeHead, encodeMarker, HEAD_KEY, MARKER_KEY } from "../state/rows.ts";
import type { Store } from "../store/store.ts";
import { GoBlocks, type GoHead } from "./blocks.ts";
import type { GoDatabases, LinkedGoData } from "./databases.ts";
import { importSupply, putStakes } from "./derived-rows.ts";
import { GoDataError } from "./error.ts";
import { ImportLedger } from "./import-ledger.ts";
import type { ImportWorkData } from "./import-work.ts";
import { defaultThreads, ImportWorkers, type OnWritten } from "./import-workers.ts";
import { configKey } from "./keys.ts";
import {
  deleteProgress,
  type GoImportProgress,
  hasProgress,
  noProgress,
  readProgress,
} from "./progress-row.ts";
import { IMPORTED_INCARNATION } from "./state.ts";

/** Databases of an import, opened for other writers: empty, or with what an earlier attempt has written. */
export interface GoImportTarget {
  readonly chain: Store;
  readonly trie: Store;
  /** Their directories. */
  readonly directories: { readonly chain: string; readonly trie: string };
}

/** Databases of the Go node, and whether they are still what they were. */
export interface GoImportSource extends LinkedGoData {
  readonly databases: GoDatabases;
}

/** Choices of an import. */
export interface GoImportOptions {
  /** Block whose state is imported; the newest with a stored state when absent. */
  readonly head: number | undefined;
  /** First block after block 0 whose body is imported; 1 when absent. */
  readonly from: number | undefined;
  /** True to import the preimages of keys, as far as they are stored. */
  readonly preimages: boolean;
  /** Bytes of a batch; 4 MiB when absent. */
  readonly batchBytes?: number | undefined;
  /** Threads that work; one for each core when absent. Without any the import does all itself. */
  readonly threads?: number | undefined;
  readonly signal: AbortSignal;
  /** Called with the blocks written, of all blocks. */
  readonly onBlocks: (done: number, total: number) => void;
  /** Called with the part of the accounts behind the import, from 0 to 1, and with the accounts and slots written. */
  readonly onState: (part: number, rows: number) => void;
}

/** Result of an import. */
export interface GoImported {
  readonly head: GoHead;
  /** Newest block of the Go node, whose state may not be stored. */
  readonly newest: number;
  readonly accounts: number;
  readonly slots: number;
}

/** Bytes of a batch, of which each thread has two. */
const BATCH_BYTES = 4 * 1024 * 1024;
/** Time between two synced batches. */
const SAVE_MS = 2_000;

/** True when the databases hold an import of another block or another range, which cannot go on. */
export function isOtherImport(
  { chain }: GoImportTarget,
  databases: GoDatabases,
  { head, from }: Pick<GoImportOptions, "head" | "from">,
): boolean {
  const progress = readProgress(chain);
  if (progress === undefined) return hasProgress(chain);
  const blocks = new GoBlocks(databases);
  if (progress.head > blocks.newest()) return true;
  const found = blocks.head(progress.head);
  const isSame =
    toHex(blocks.head(0).hash) === progress.genesis &&
    toHex(found.hash) === progress.headHash &&
    (head ?? progress.head) === progress.head &&
    (from ?? 1) === progress.from;
  return !isSame || !blocks.hasState(found.header);
}

/** Imports a chain, or goes on with it. Throws `GoDataError` `missing` or `damaged`, `StoreError` or the signal's reason. */
export async function importGoChain(
  target: GoImportTarget,
  source: GoImportSource,
  options: GoImportOptions,
): Promise<GoImported> {
  const { chain } = target;
  const { databases } = source;
  const blocks = new GoBlocks(databases);
  const newest = blocks.newest();
  const started = readProgress(chain) ?? begin(blocks, newest, options);
  const config = storedGoConfig(databases, blocks.head(0));
  const head = blocks.head(started.head);
  const ledger = new ImportLedger(started, indexedNumbers(chain) ?? []);
  await importRows(target, { ledger, layout: source.layout, chainId: config.chainId, head }, options);
  requireHead(blocks.head(started.head), started);
  await importSupply(chain, databases, { genesis: blocks.head(0), head: started.head });
  await source.requireUnchanged();
  await finish(target, { config, head, misc: databases.misc }, started.from);
  const { accounts, slots } = ledger.progress;
  return { head, newest, accounts, slots };
}

function begin(blocks: GoBlocks, newest: number, { head: wanted, from }: GoImportOptions): GoImportProgress {
  if (wanted !== undefined && wanted > newest)
    throw new GoDataError("missing", `block ${wanted} is not there: the newest block is ${newest}`);
  const head = wanted === undefined ? blocks.newestWithState() : blocks.head(wanted);
  const { number } = head.header;
  if (!blocks.hasState(head.header))
    throw new GoDataError(
      "missing",
      `the state of block ${number} is not stored: an archive node has that of each block`,
    );
  if (from !== undefined && from > number)
    throw new GoDataError("missing", `bodies from block ${from} on are wanted, the import ends at ${number}`);
  return noProgress({
    genesis: toHex(blocks.head(0).hash),
    head: number,
    headHash: toHex(head.hash),
    from: from ?? 1,
  });
}

/** Reads the chain's configuration; a public network has the built-in one, as in the Go node. */
function storedGoConfig({ misc }: GoDatabases, genesis: GoHead): ChainConfig {
  const network = publicNetworkOf(toHex(genesis.hash));
  if (network !== undefined) return parseChainConfig(parseExactJson(exactJsonText(network.config)));
  const row = misc.get(configKey(genesis.hash));
  if (row === undefined)
    throw new GoDataError("missing", "the chain's configuration is not in the databases");
  try {
    return parseChainConfig(parseExactJson(Buffer.from(row).toString("utf8")));
  } catch (cause) {
    throw new GoDataError("damaged", `the chain's configuration: ${messageOf(cause)}`, { cause });
  }
}

interface RowImport extends Pick<ImportWorkData, "layout" | "chainId"> {
  readonly ledger: ImportLedger;
  readonly head: GoHead;
}

/** Writes all blocks and the state that are not written yet. What is written when it ends early is kept. */
async function importRows(
  { chain, trie, directories }: GoImportTarget,
  { ledger, layout, chainId, head }: RowImport,
  { preimages, signal, onBlocks, onState, ...choices }: GoImportOptions,
): Promise<void> {
  const { batchBytes = BATCH_BYTES, threads = defaultThreads() } = choices;
  const { number, stateRoot } = head.header;
  const save = async (): Promise<void> => {
    const batch = chain.createBatch();
    ledger.put(batch); // counts what is written by now, so the nodes are synced behind it
    await trie.write(trie.createBatch(), { sync: true });
    await chain.write(batch, { sync: true });
  };
  const saves = new TimedSaves(save);
  await save(); // from now on the databases say what they are
  try {
    const { from } = ledger.progress;
    const source = { ...directories, layout, chainId, head: { number, stateRoot }, from };
    await using workers = new ImportWorkers(threads, { ...source, preimages, batchBytes });
    const onWritten: OnWritten = async (written) => {
      ledger.note(written);
      if (written.kind === "blocks") onBlocks(ledger.blocks, number + 1);
      else onState(ledger.part, ledger.rows);
      await saves.saveIfDue();
    };
    await workers.run(ledger.blockTasks(), onWritten, signal);
    await workers.run(ledger.stateTasks(), onWritten, signal);
    onState(1, ledger.rows);
  } finally {
    await save();
  }
}

/** Saves now and then, one at a time. */
class TimedSaves {
  readonly #save: () => Promise<void>;
  #saved: number = performance.now();
  #isSaving = false;

  constructor(save: () => Promise<void>) {
    this.#save = save;
  }

  async saveIfDue(): Promise<void> {
    if (this.#isSaving || performance.now() - this.#saved < SAVE_MS) return;
    this.#isSaving = true;
    try {
      await this.#save();
    } finally {
      this.#saved = performance.now();
      this.#isSaving = false;
    }
  }
}

/** Throws `GoDataError` `in-use` when the newest block is another one than at the start of the import. */
function requireHead({ hash }: GoHead, { head, headHash }: GoImportProgress): void {
  if (toHex(hash) !== headHash)
    throw new GoDataError("in-use", `block ${head} is another one than before: run the same command again`);
}

interface Finish {
  readonly config: ChainConfig;
  readonly head: GoHead;
  readonly misc: GoDatabases["misc"];
}

/** Makes the databases those of a chain: the trie first, so that it is never ahead of the chain. */
async function finish(
  { chain, trie }: GoImportTarget,
  { config, head, misc }: Finish,
  from: number,
): Promise<void> {
  const { number, stateRoot: root } = head.header;
  const nodes = trie.createBatch();
  nodes.put(MARKER_KEY, encodeMarker({ number, root }));
  await trie.write(nodes, { sync: true });
  const batch = chain.createBatch();
  putStakes(batch, misc, config, number);
  putConfig(batch, config);
  if (from > 1) putOldestBody(batch, from);
  batch.put(
    HEAD_KEY,
    encodeHead({ number, root, incarnations: IMPORTED_INCARNATION, firstUndo: number + 1 }),
  );
  deleteProgress(batch);
  await chain.write(batch, { sync: true });
}

/** True for the databases of an import that is complete. */
export function isImported({ chain }: GoImportTarget): boolean {
  return chain.get(HEAD_KEY) !== undefined;
}
