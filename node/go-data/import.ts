/**
 * Imports the chain of a stopped Go node: its blocks in their order, then the state of the newest one, then the rows that
 * make the databases those of a chain. Synced batches say how far the import has come, so it goes on after a crash. Nothing
 * is believed that its hash does not prove, apart from `derived-rows.ts` and the configuration.
 */
import { toHex } from "../bytes/hex.ts";
import { fixedBytes } from "../bytes/integer.ts";
import { messageOf } from "../bytes/message-of.ts";
import { writeBlockRows } from "../chain/block-rows.ts";
import { putOldestBody } from "../chain/kept-blocks.ts";
import { putConfig } from "../chain/stored-config.ts";
import { type ChainConfig, parseChainConfig } from "../config/chain-config.ts";
import { exactJsonText, parseExactJson } from "../config/exact-json.ts";
import { publicNetworkOf } from "../config/presets/networks.ts";
import { indexedNumbers, isIndexed, putIndex } from "../governance/header-index.ts";
import { encodeHeader } from "../model/header.ts";
import { encodeHead, encodeMarker, HEAD_KEY, MARKER_KEY } from "../state/rows.ts";
import type { Batch, Store } from "../store/store.ts";
import { tables } from "../store/tables.ts";
import { type GoBlock, GoBlocks, type GoHead, requireChild } from "./blocks.ts";
import type { GoDatabases } from "./databases.ts";
import { importSupply, putStakes } from "./derived-rows.ts";
import { GoDataError } from "./error.ts";
import { configKey } from "./keys.ts";
import { deleteProgress, type GoImportProgress, putProgress, readProgress } from "./progress-row.ts";
import { importState } from "./state.ts";
import { WriteBehind } from "./write-behind.ts";

/** Databases of an import: empty, or with what an earlier attempt has written. */
export interface GoImportTarget {
  readonly chain: Store;
  readonly trie: Store;
}

/** Choices of an import. */
export interface GoImportOptions {
  /** Block whose state is imported; the newest with a stored state when absent. */
  readonly head: number | undefined;
  /** First block after block 0 whose body is imported; 1 when absent. */
  readonly from: number | undefined;
  /** Bytes of a batch; 8 MiB when absent. */
  readonly batchBytes?: number | undefined;
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

/** Bytes of a batch. */
const BATCH_BYTES = 8 * 1024 * 1024;

/** True when the databases hold an import of another block or another range, which cannot go on. */
export function isOtherImport(
  { chain }: GoImportTarget,
  databases: GoDatabases,
  { head, from }: Pick<GoImportOptions, "head" | "from">,
): boolean {
  const progress = readProgress(chain);
  if (progress === undefined) return false;
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
  databases: GoDatabases,
  options: GoImportOptions,
): Promise<GoImported> {
  const { chain } = target;
  const blocks = new GoBlocks(databases);
  const newest = blocks.newest();
  const started = readProgress(chain) ?? begin(blocks, newest, options);
  const config = storedGoConfig(databases, blocks.head(0));
  const head = blocks.head(started.head);
  const withBlocks = await importBlocks({ chain, blocks, chainId: config.chainId, ...options }, started);
  const done = await importState(target, databases.state, { ...options, progress: withBlocks, head });
  await importSupply(chain, databases, { genesis: blocks.head(0), head: done.head });
  await databases.requireUnchanged();
  await finish(target, { config, head, misc: databases.misc }, done);
  return { head, newest, accounts: done.accounts, slots: done.slots };
}

function begin(blocks: GoBlocks, newest: number, { head: wanted, from }: GoImportOptions): GoImportProgress {
  if (wanted !== undefined && wanted > newest)
    throw new GoDataError("missing", `block ${wanted} is not there: the newest block is ${newest}`);
  const head = wanted === undefined ? blocks.newestWithState() : blocks.head(wanted);
  const { number } = head.header;
  if (!blocks.hasState(head.header))
    throw new GoDataError(
      "missing",
      `the state of block ${number} is not stored: an archive has that of each block`,
    );
  if (from !== undefined && from > number)
    throw new GoDataError("missing", `bodies from block ${from} on are wanted, the import ends at ${number}`);
  return {
    genesis: toHex(blocks.head(0).hash),
    head: number,
    headHash: toHex(head.hash),
    from: from ?? 1,
    nextBlock: 0,
    incarnations: 0,
    account: undefined,
    storage: undefined,
    accounts: 0,
    slots: 0,
  };
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

interface BlockImport extends Pick<GoImportOptions, "signal" | "onBlocks" | "batchBytes"> {
  readonly chain: Store;
  readonly blocks: GoBlocks;
  readonly chainId: bigint;
}

/** Writes all blocks that are not written yet, and the index of votes. */
async function importBlocks(
  { chain, blocks, chainId, signal, onBlocks, batchBytes = BATCH_BYTES }: BlockImport,
  started: GoImportProgress,
): Promise<GoImportProgress> {
  const { head: last, from } = started;
  const deciding = [...(indexedNumbers(chain) ?? [])];
  let progress = started;
  let parent = started.nextBlock === 0 ? undefined : blocks.head(started.nextBlock - 1);
  let batch = chain.createBatch();
  await using writes = new WriteBehind();
  const write = async (isLast: boolean): Promise<void> => {
    signal.throwIfAborted();
    const full = batch;
    const sync = writes.countBatch(isLast);
    if (sync) {
      putIndex(full, deciding);
      putProgress(full, progress);
    }
    await writes.begin(() => chain.write(full, { sync }));
    batch = chain.createBatch();
    onBlocks(progress.nextBlock, last + 1);
  };
  for (let number = started.nextBlock; number <= last; number++) {
    const head = blocks.head(number);
    if (parent !== undefined) requireChild(head, parent);
    if (number > 0 && number < from) putHeader(batch, head);
    else putBlock(batch, blocks.block(head, chainId));
    if (number > 0 && isIndexed(head.header)) deciding.push(number);
    parent = head;
    progress = { ...progress, nextBlock: number + 1 };
    if (batch.bytes >= batchBytes) await write(false);
  }
  if (parent !== undefined) requireHead(parent, started);
  await write(true);
  await writes.end();
  return progress;
}

/** Throws `GoDataError` `in-use` when the newest block is another one than at the start of the import. */
function requireHead({ hash }: GoHead, { head, headHash }: GoImportProgress): void {
  if (toHex(hash) !== headHash)
    throw new GoDataError("in-use", `block ${head} is another one than before: run the same command again`);
}

function putBlock(batch: Batch, { block, receipts }: GoBlock): void {
  writeBlockRows(batch, block, receipts);
}

function putHeader(batch: Batch, { header, hash }: GoHead): void {
  batch.put(tables.header.key(header.number), encodeHeader(header));
  batch.put(tables.blockNumber.key(hash), fixedBytes(header.number, 6));
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
  { from, incarnations }: GoImportProgress,
): Promise<void> {
  const { number, stateRoot: root } = head.header;
  const nodes = trie.createBatch();
  nodes.put(MARKER_KEY, encodeMarker({ number, root }));
  await trie.write(nodes, { sync: true });
  const batch = chain.createBatch();
  putStakes(batch, misc, config, number);
  putConfig(batch, config);
  if (from > 1) putOldestBody(batch, from);
  batch.put(HEAD_KEY, encodeHead({ number, root, incarnations, firstUndo: number + 1 }));
  deleteProgress(batch);
  await chain.write(batch, { sync: true });
}

/** True for the databases of an import that is complete. */
export function isImported({ chain }: GoImportTarget): boolean {
  return chain.get(HEAD_KEY) !== undefined;
}
