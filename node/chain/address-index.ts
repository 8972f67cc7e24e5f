/**
 * Transactions by the addresses that they involve: sender, fee payer, recipient, created contracts, and callers and
 * callees of internal calls. Internal calls are found by executing the block again behind the chain; of a block whose
 * state is gone, only the addresses that its transactions name are indexed.
 */
import type { Address } from "../bytes/brands.ts";
import { concatBytes } from "../bytes/compare.ts";
import { mapKey } from "../bytes/hex.ts";
import { bytesToNumber, fixedBytes } from "../bytes/integer.ts";
import { createFrameRecorder, type RecordedFrame } from "../evm/tracers/frame-recorder.ts";
import { blockContext } from "../execution/block-context.ts";
import { ExecutionError } from "../execution/error.ts";
import { beginBlock } from "../execution/system-call.ts";
import { executeTransaction } from "../execution/transaction.ts";
import type { Block } from "../model/block.ts";
import type { Receipt } from "../model/receipt.ts";
import { STATUS_SUCCESS } from "../model/receipt-status.ts";
import { senderOf, type Transaction } from "../model/transaction.ts";
import type { Pause } from "../runtime/scheduler.ts";
import { StateError } from "../state/error.ts";
import type { Batch, Rows, Store } from "../store/store.ts";
import { tables } from "../store/tables.ts";
import { type BlockFollower, type Derived, openBlockFollower } from "./block-follower.ts";
import type { Chain, RemovedBlock } from "./chain.ts";
import { putCursor, readCursor } from "./follower-cursor.ts";
import { oldestBody } from "./kept-blocks.ts";
import type { FollowerDeps } from "./log-follower.ts";

/** Dependencies of the index. */
export interface AddressIndexDeps extends FollowerDeps {
  readonly chain: Chain;
  readonly pause: Pause;
}

/** Position of an indexed transaction. */
export interface IndexedPlace {
  readonly number: number;
  readonly index: number;
}

/** Begins to follow. */
export function openAddressIndex(deps: AddressIndexDeps): BlockFollower {
  return openBlockFollower(deps, new AddressIndexing(deps));
}

/** Returns true when the index is kept, though it may be behind the newest block. */
export function hasAddressIndex(rows: Rows): boolean {
  return rows.get(CURSOR) !== undefined;
}

/** Returns the transactions that involve an address, in the order of the range's blocks. `to` is not among them. */
export async function* transactionsOf(
  store: Pick<Store, "entries">,
  address: Address,
  { from, to, reverse }: { readonly from: number; readonly to: number; readonly reverse: boolean },
): AsyncGenerator<IndexedPlace> {
  const key = (number: number): Uint8Array => tables.addressTransaction.key(address, number, 0);
  for await (const [row] of store.entries({ from: key(from), to: key(to), reverse })) yield placeIn(row);
}

/** Returns the sender's transaction with a nonce; undefined for an unknown one. */
export function transactionWithNonce(rows: Rows, sender: Address, nonce: bigint): IndexedPlace | undefined {
  const row = rows.get(nonceKey(sender, nonce));
  if (row === undefined) return undefined;
  const [number, index] = [row.subarray(0, NUMBER_BYTES), row.subarray(NUMBER_BYTES)].map(bytesToNumber);
  return { number: number ?? 0, index: index ?? 0 };
}

/** The transaction that created a contract, and the account or contract that sent the creation. */
export interface ContractCreation extends IndexedPlace {
  readonly creator: Address;
}

/** Returns the first creation of a contract; undefined for an account without one in the index. */
export async function creationOf(
  store: Pick<Store, "entries">,
  address: Address,
): Promise<ContractCreation | undefined> {
  const [from, to] = [0, MAX_NUMBER].map((number) => tables.addressTransaction.key(address, number, 0));
  if (from === undefined || to === undefined) return undefined;
  for await (const [key, value] of store.entries({ from, to }))
    if (value.length > 0) return { ...placeIn(key), creator: value };
  return undefined;
}

/** Adds to a batch the removal of the rows of a block with these transactions. */
export function forgetAddresses(
  rows: Rows,
  batch: Batch,
  { number, transactions }: { readonly number: number; readonly transactions: readonly Transaction[] },
): void {
  const row = rows.get(tables.addressBlock.key(number));
  if (row === undefined) return;
  let last = -1;
  for (let at = 0; at < row.length; at += ENTRY_BYTES) {
    const address = row.subarray(at, at + ADDRESS_BYTES);
    const index = bytesToNumber(row.subarray(at + ADDRESS_BYTES, at + ENTRY_BYTES));
    batch.delete(tables.addressTransaction.key(address, number, index));
    const tx = transactions[index];
    if (index !== last && tx !== undefined) batch.delete(nonceKey(address, tx.nonce)); // the sender comes first
    last = index;
  }
  batch.delete(tables.addressBlock.key(number));
}

const CURSOR = tables.meta.key("addressIndex");
const NUMBER_BYTES = 6;
const NONCE_BYTES = 8;
const ADDRESS_BYTES = 20;
const INDEX_BYTES = 4;
const ENTRY_BYTES = ADDRESS_BYTES + INDEX_BYTES;
const MAX_NUMBER = 2 ** 48 - 1;

function placeIn(key: Uint8Array): IndexedPlace {
  const numbers = key.subarray(1 + ADDRESS_BYTES);
  return {
    number: bytesToNumber(numbers.subarray(0, NUMBER_BYTES)),
    index: bytesToNumber(numbers.subarray(NUMBER_BYTES)),
  };
}

function nonceKey(sender: Address, nonce: bigint): Uint8Array {
  return tables.senderNonce.key(concatBytes(sender, fixedBytes(nonce, NONCE_BYTES)));
}

/** Addresses of a transaction by their text, the sender first; a created contract with its creator. */
type Involved = Map<string, { readonly address: Address; readonly creator: Address | undefined }>;

class AddressIndexing implements Derived {
  readonly name = "addressIndex";
  readonly #deps: AddressIndexDeps;
  #next: number;
  #cuts = 0;

  constructor(deps: AddressIndexDeps) {
    const { store, chain } = deps;
    this.#deps = deps;
    const isWhole = store.damage === undefined; // else any batch may be missing
    const next = isWhole ? readCursor(store, CURSOR, chain.head().header.number) : 0;
    this.#next = Math.max(next, oldestBody(store));
  }

  get next(): number {
    return this.#next;
  }

  async take(): Promise<void> {
    const { store, chain } = this.#deps;
    const number = this.#next;
    const cuts = this.#cuts;
    const block = chain.block(number);
    if (block === undefined) throw new Error(`the body of block ${number} is missing`);
    const involved = await involvedIn(this.#deps, block);
    if (cuts !== this.#cuts) return; // the block may have become another
    const batch = store.createBatch();
    const entries = involved.flatMap((each, index) => putInvolved(batch, each, { number, index }));
    if (entries.length > 0) batch.put(tables.addressBlock.key(number), concatBytes(...entries));
    for (const [index, tx] of block.transactions.entries()) {
      const place = concatBytes(fixedBytes(number, NUMBER_BYTES), fixedBytes(index, INDEX_BYTES));
      batch.put(nonceKey(senderOf(tx, chain.config.chainId), tx.nonce), place);
    }
    this.#next++;
    await this.#write(batch);
  }

  cut(head: number, removed: readonly RemovedBlock[]): void {
    const { store, log } = this.#deps;
    this.#cuts++;
    const batch = store.createBatch();
    for (const { block } of removed)
      forgetAddresses(store, batch, { number: block.header.number, transactions: block.transactions });
    this.#next = Math.min(this.#next, head + 1);
    this.#write(batch).catch((error: unknown) => {
      log.warn({ error }, "cannot remove removed transactions from the address index");
    });
  }

  #write(batch: Batch): Promise<void> {
    const { store } = this.#deps;
    putCursor(store, batch, { key: CURSOR, next: this.#next });
    return store.write(batch, { sync: false });
  }
}

/** Adds the rows of a transaction and returns their entries in the block's row. */
function putInvolved(batch: Batch, involved: Involved, { number, index }: IndexedPlace): Uint8Array[] {
  return [...involved.values()].map(({ address, creator }) => {
    batch.put(tables.addressTransaction.key(address, number, index), creator ?? new Uint8Array(0));
    return concatBytes(address, fixedBytes(index, INDEX_BYTES));
  });
}

/** Returns the addresses of each transaction of a block. */
async function involvedIn(deps: AddressIndexDeps, block: Block): Promise<Involved[]> {
  const { chain } = deps;
  const { transactions, header } = block;
  if (transactions.length === 0) return [];
  const receipts = chain.receipts(header.number) ?? [];
  const named = transactions.map((tx, i) => namedIn(tx, receipts[i], chain.config.chainId));
  try {
    await addInternal(deps, block, named);
  } catch (error) {
    const isGone = error instanceof StateError && error.code === "state-missing";
    if (!isGone && !(error instanceof ExecutionError)) throw error;
  }
  return named;
}

function namedIn(tx: Transaction, receipt: Receipt | undefined, chainId: bigint): Involved {
  const involved: Involved = new Map();
  const sender = senderOf(tx, chainId);
  const { feePayer } = tx.fields;
  for (const address of [sender, feePayer, tx.to])
    if (address !== undefined) involved.set(mapKey(address), { address, creator: undefined });
  const { contractAddress: created, status } = receipt ?? {};
  if (created !== undefined && tx.to === undefined && status === STATUS_SUCCESS)
    involved.set(mapKey(created), { address: created, creator: sender });
  return involved;
}

/** Executes a block again and adds the callers and callees of its calls. */
async function addInternal(
  { chain, pause }: AddressIndexDeps,
  { header, transactions }: Block,
  named: readonly Involved[],
): Promise<void> {
  const world = chain.worldAt(header.number - 1);
  const context = blockContext(chain.config, header, {
    author: chain.author(header) ?? new Uint8Array(ADDRESS_BYTES),
    blockHash: (number) => chain.header(number)?.hash,
  });
  beginBlock(world, context);
  for (const [index, tx] of transactions.entries()) {
    const { tracer, frames } = createFrameRecorder();
    executeTransaction(world, tx, context, tracer);
    const involved = named[index] ?? new Map();
    for (const frame of frames) addFrame(involved, frame);
    const waiting = pause();
    if (waiting !== undefined) await waiting;
  }
}

function addFrame(involved: Involved, { start, isUndone }: RecordedFrame): void {
  const { kind, from, to } = start;
  const isCreation = kind === "CREATE" || kind === "CREATE2";
  // An address where nothing came to be is none of a contract.
  for (const address of isCreation && isUndone ? [from] : [from, to]) {
    const known = involved.get(mapKey(address));
    const creator = isCreation && address === to ? from : known?.creator;
    if (known === undefined || creator !== undefined) involved.set(mapKey(address), { address, creator });
  }
}
