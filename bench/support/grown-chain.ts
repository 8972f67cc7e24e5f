/**
 * Data directories with large states and long chains, made block by block: accounts and slots go into the state
 * beside the transactions of a block, through the same worlds, seals and batches as those of transactions. Receipts do not
 * tell of them, so the blocks cannot be executed again; everything else of the chain is as a node leaves it.
 */
import { mkdir } from "node:fs/promises";
import { equalBytes } from "../../node/bytes/compare.ts";
import { bareHex, toHex } from "../../node/bytes/hex.ts";
import { bytesToBigint, fixedBytes, toQuantity } from "../../node/bytes/integer.ts";
import { writeGenesis } from "../../node/chain/genesis-block.ts";
import { openConsensusChain } from "../../node/compose/consensus-chain.ts";
import { openDatabase } from "../../node/compose/database.ts";
import { initDatadir } from "../../node/compose/offline-jobs.ts";
import type { NodeOptions } from "../../node/compose/options.ts";
import { parseGenesis } from "../../node/config/genesis.ts";
import { keccak256 } from "../../node/crypto/keccak.ts";
import { addressOfKey, sign } from "../../node/crypto/secp256k1.ts";
import { setSender, signTransaction, type Transaction } from "../../node/model/transaction.ts";
import { silentLog } from "../../node/observe/log.ts";
import { systemClock } from "../../node/runtime/clock.ts";
import { lowerHelperPriorities } from "../../node/runtime/thread-priority.ts";
import { enlargeYoungSpace } from "../../node/runtime/young-space.ts";
import type { World } from "../../node/state/world/world.ts";
import { options as optionsFrom } from "../../test/support/options.ts";
import { TOKEN_ADDRESS } from "../../test/support/token.ts";
import {
  CHAIN_ID,
  makeBlock,
  type Open,
  senderKey,
  transferGenesis,
} from "../../test/support/transfer-chain.ts";

/** Accounts with keys, which send all transfers. */
const SENDERS = 5_000;
/** Accounts of a block. */
const GROWTH = 10_000;
/** Every so manieth account holds the token: a slot. */
const HOLDER_EVERY = 5;
/** More than there are places. */
const PLACES = 2 ** 32;
/** Blocks before the first that counts: the engine compiles what they do, and the caches fill. */
export const WARM_BLOCKS = 20;
/** Blocks between two syncs. */
const SYNC_EVERY = 1_000;
/** Number of a transfer beyond those with which a directory was grown: it and later ones pay accounts not changed lately. */
export const FIRST_FRESH: number = 2 ** 24;
const UNIT_PRICE = 25_000_000_000n;
const NO_BYTES = new Uint8Array(0);
const SENDERS_ALONE = { accounts: SENDERS, blocks: 0, transfers: 0, tokenEvery: 1 };

/** Size of a chain, or of what is added to one. */
export interface ChainSize {
  /** Accounts in the state. */
  readonly accounts: number;
  /** Blocks in all, of a transfer each behind those in which the state grows; or further ones. */
  readonly blocks: number;
}

/** The address of an account by its place. */
export function grownAddress(place: number): Uint8Array {
  return keccak256(fixedBytes(place, 8)).slice(12);
}

/** The slot of the token with the balance of a holder by its place. */
export function holderSlot(place: number): Uint8Array {
  return keccak256(fixedBytes(place * HOLDER_EVERY, 8));
}

/** Number of holders among so many accounts. */
export function holdersOf(accounts: number): number {
  return Math.floor(accounts / HOLDER_EVERY);
}

/** Returns the options of a node on the directory with a limit of memory. */
export function limitedOptions(datadir: string, maxMemory: string): NodeOptions {
  return optionsFrom({ line: { datadir, "max-memory": maxMemory } }).options;
}

/** Makes the chain in a new data directory. */
export async function growDirectory(options: NodeOptions, { accounts, blocks }: ChainSize): Promise<void> {
  await mkdir(options.paths.instance, { recursive: true });
  await initDatadir(options, transferGenesis(SENDERS_ALONE));
  let made = 0;
  await onDirectory(options, async (open, state) => {
    for (const places of chunksInOrder(accounts, (place) => keccak256(grownAddress(place))))
      await makeBlock(open, state, [], (world) => addAccounts(world, places));
    for (const places of chunksInOrder(holdersOf(accounts), (place) => keccak256(holderSlot(place))))
      await makeBlock(open, state, [], (world) => addHolders(world, places));
    made = open.writer.tip.header.number;
  });
  await addBlocks(options, { accounts, blocks: blocks - made });
}

/** Makes so many further blocks of a transfer each. */
export async function addBlocks(options: NodeOptions, { accounts, blocks }: ChainSize): Promise<void> {
  await onDirectory(options, async (open, state, transfersFrom) => {
    const transfers = transfersFrom(0);
    for (let made = 1; made <= blocks; made++) {
      await makeBlock(open, state, [transfers.next(accounts)]);
      if (made % SYNC_EVERY === 0) await open.writer.settle();
    }
  });
}

/**
 * The places below `count` in the order of their keys' first two bytes, in the portions of blocks: what neighbours in a trie
 * share is made once. Takes 8 bytes for each place.
 */
function* chunksInOrder(count: number, keyOf: (place: number) => Uint8Array): Generator<number[]> {
  const order = new Float64Array(count);
  for (let place = 0; place < count; place++) {
    const [high = 0, low = 0] = keyOf(place);
    order[place] = (high * 256 + low) * PLACES + place;
  }
  order.sort();
  for (let first = 0; first < count; first += GROWTH)
    yield Array.from(order.subarray(first, first + GROWTH), (key) => key % PLACES);
}

/**
 * Writes block 0 with the accounts and slots of a grown state into a new data directory, and returns the milliseconds
 * that it took. The accounts come from no file: `knit init` takes one of 64 MiB.
 */
export async function writeGrownGenesis(options: NodeOptions, accounts: number): Promise<number> {
  const genesis = parseGenesis(transferGenesis(SENDERS_ALONE));
  const alloc = genesis.alloc.map((account) =>
    equalBytes(account.address, TOKEN_ADDRESS)
      ? { ...account, storage: [...(account.storage ?? []), ...holdings(accounts)] }
      : account,
  );
  for (let place = 0; place < accounts; place++) {
    const [address, balance] = [grownAddress(place), balanceOf(place)];
    alloc.push({ address, balance, nonce: 1n, code: undefined, storage: undefined });
  }
  const begun = performance.now();
  await mkdir(options.paths.instance, { recursive: true });
  await using database = await openDatabase(options, silentLog);
  await database.state.ready;
  await writeGenesis(database, { ...genesis, alloc });
  return performance.now() - begun;
}

/** Returns the genesis file of the same block 0. */
export function grownGenesis(accounts: number): string {
  const genesis = JSON.parse(transferGenesis(SENDERS_ALONE)) as { alloc: Record<string, AllocAccount> };
  const { alloc } = genesis;
  for (let place = 0; place < accounts; place++)
    alloc[bareHex(grownAddress(place))] = { balance: toQuantity(balanceOf(place)), nonce: "0x1" };
  const { storage } = alloc[bareHex(TOKEN_ADDRESS)] ?? {};
  if (storage === undefined) throw new Error("the genesis has no token");
  for (const [slot, value] of holdings(accounts)) storage[toHex(slot)] = toHex(value);
  return JSON.stringify(genesis);
}

interface AllocAccount {
  readonly balance: string;
  readonly nonce?: string;
  readonly storage?: Record<string, string>;
}

/** The slots of all holders and their values. */
function holdings(accounts: number): (readonly [slot: Uint8Array, value: Uint8Array])[] {
  return Array.from({ length: holdersOf(accounts) }, (_, place) => [
    holderSlot(place),
    fixedBytes(place * HOLDER_EVERY + 1, 32),
  ]);
}

function balanceOf(place: number): bigint {
  return 10n ** 18n + BigInt(place);
}

function addAccounts(world: World, places: readonly number[]): void {
  for (const place of places) {
    const address = grownAddress(place);
    world.addBalance(address, balanceOf(place));
    world.setNonce(address, 1n);
  }
  world.endTransaction();
}

function addHolders(world: World, places: readonly number[]): void {
  for (const place of places)
    world.setSlot(TOKEN_ADDRESS, bytesToBigint(holderSlot(place)), BigInt(place * HOLDER_EVERY + 1));
  world.endTransaction();
}

/**
 * Blocks of transfers on a grown chain, and milliseconds that each took to be made, sealed and written, behind some that
 * are not counted.
 */
export async function makeTransfers(
  options: NodeOptions,
  { accounts, blocks, transfers: each }: ChainSize & { readonly transfers: number },
): Promise<number[]> {
  const times: number[] = [];
  await onDirectory(options, async (open, state, transfersFrom) => {
    const transfers = transfersFrom(FIRST_FRESH);
    for (let number = -WARM_BLOCKS; number < blocks; number++) {
      const signed = Array.from({ length: each }, () => transfers.next(accounts));
      const begun = performance.now();
      await makeBlock(open, state, signed);
      if (number >= 0) times.push(performance.now() - begun);
    }
  });
  return times;
}

type State = Parameters<typeof makeBlock>[1];
type Work = (open: Open, state: State, transfersFrom: TransfersFrom) => Promise<void>;
/** Returns transfers from a number on. */
type TransfersFrom = (first: number) => Transfers;

async function onDirectory(options: NodeOptions, work: Work): Promise<void> {
  enlargeYoungSpace();
  using _ = lowerHelperPriorities();
  await using database = await openDatabase(options, silentLog);
  await database.state.ready;
  const open = await openConsensusChain(database, silentLog, systemClock);
  const { state } = database;
  const nonceOf = (address: Uint8Array): bigint => state.view(state.number).account(address)?.nonce ?? 0n;
  await work(open, state, (first) => new Transfers(nonceOf, first));
  await open.writer.settle();
}

/** Returns the addresses of all senders. */
export function grownSenders(): readonly Uint8Array[] {
  return Array.from({ length: SENDERS }, (_, place) => addressOfKey(senderKey(place)));
}

/** Signed transfers from each sender in turn to accounts anywhere in the state; their senders are known, as to a pool. */
export class Transfers {
  readonly #keys = Array.from({ length: SENDERS }, (_, place) => senderKey(place));
  readonly #addresses = grownSenders();
  readonly #nonces: bigint[];
  #next: number;

  /** `first`: number of the first transfer, which decides whom it pays. */
  constructor(nonceOf: (address: Uint8Array) => bigint, first: number) {
    this.#nonces = this.#addresses.map(nonceOf);
    this.#next = first;
  }

  next(accounts: number): Transaction {
    const at = this.#next++;
    const from = at % SENDERS;
    const key = this.#keys[from] ?? NO_BYTES;
    const nonce = this.#nonces[from] ?? 0n;
    this.#nonces[from] = nonce + 1n;
    const to = grownAddress((Math.imul(at + Number(nonce), 2_654_435_761) >>> 0) % accounts);
    const price = { gasFeeCap: UNIT_PRICE, gasTipCap: UNIT_PRICE };
    const draft = { code: 0, nonce, gas: 100_000n, ...price, to, value: 1n, input: NO_BYTES };
    const transaction = signTransaction(draft, BigInt(CHAIN_ID), (digest) => sign(digest, key));
    setSender(transaction, BigInt(CHAIN_ID), this.#addresses[from] ?? NO_BYTES);
    return transaction;
  }
}
