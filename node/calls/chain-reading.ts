/**
 * The chain's blocks and worlds at one moment, for methods that run contracts: of the chain in this thread,
 * or of a snapshot of its store in a reader thread.
 */
import type { Address, Hash } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { decodeRlp } from "../bytes/rlp.ts";
import { type StoredPlace, storedNumber, storedPlace, storedTransactions } from "../chain/block-rows.ts";
import type { Chain } from "../chain/chain.ts";
import { storedConfig } from "../chain/stored-config.ts";
import type { ChainConfig } from "../config/chain-config.ts";
import { signersOf } from "../config/rules.ts";
import { authorOf } from "../consensus/sealers.ts";
import { blockContext } from "../execution/block-context.ts";
import type { BlockContext } from "../execution/transaction.ts";
import { blockHash, decodeHeader, type Header } from "../model/header.ts";
import type { Transaction } from "../model/transaction.ts";
import { noBlock } from "../presenters/not-found.ts";
import { type StateReader, stateReader } from "../state/state-reader.ts";
import type { World } from "../state/world/world.ts";
import type { Rows, Snapshot, StoreReader } from "../store/store.ts";
import { tables } from "../store/tables.ts";

/** A consistent view of the chain, opened for one request and closed after it. */
export interface ChainReading extends Disposable {
  readonly config: ChainConfig;
  /** Number of the newest block. */
  readonly head: number;
  header(number: number): Header | undefined;
  transactions(number: number): readonly Transaction[] | undefined;
  numberOf(hash: Hash): number | undefined;
  /** Returns the position of a canonical transaction. */
  place(hash: Hash): StoredPlace | undefined;
  /** Opens the state after a block. Throws `StateError` `state-missing`. */
  worldAt(number: number): World;
}

/** Opens a reading for one request. */
export type OpenReading = () => ChainReading;

/** A reading that can also iterate over states and the other tables of the store. */
export interface StoreReading extends ChainReading {
  readonly rows: Snapshot;
  readonly states: StateReader;
}

/** Opens a reading of the store for one request. */
export type OpenStoreReading = () => StoreReading;

/** Opens a reading of the chain in this thread. */
export function chainReading(chain: Chain): ChainReading {
  return new LocalReading(chain);
}

/**
 * A reading of the chain in this thread. Created for each call: a class costs a tenth of as many closures.
 */
class LocalReading implements ChainReading {
  readonly config: ChainConfig;
  readonly head: number;
  readonly #chain: Chain;

  constructor(chain: Chain) {
    this.#chain = chain;
    this.config = chain.config;
    this.head = chain.head().header.number;
  }

  header(number: number): Header | undefined {
    return this.#chain.header(number)?.header;
  }

  transactions(number: number): readonly Transaction[] | undefined {
    return this.#chain.block(number)?.transactions;
  }

  numberOf(hash: Hash): number | undefined {
    return this.#chain.number(hash);
  }

  place(hash: Hash): StoredPlace | undefined {
    const found = this.#chain.findTransaction(hash);
    return found && { number: found.block.header.number, index: found.index };
  }

  worldAt(number: number): World {
    return this.#chain.worldAt(number);
  }

  [Symbol.dispose](): void {
    // nothing was opened
  }
}

/**
 * Creates a function that opens snapshots of the chain's store. The configuration and the last decoded header
 * are cached. `signers` are those of a development chain.
 */
export function storeReading(
  store: StoreReader,
  signers: Iterable<readonly [string, Address]> = [],
): OpenStoreReading {
  let config: ChainConfig | undefined;
  let last: { readonly row: Uint8Array; readonly header: Header } | undefined;
  const headerIn = (row: Uint8Array): Header => {
    if (last === undefined || !equalBytes(row, last.row))
      last = { row, header: decodeHeader(decodeRlp(row)) };
    return last.header;
  };
  return () => {
    const snapshot = store.snapshot();
    const state = stateReader(snapshot);
    return {
      rows: snapshot,
      states: state,
      config: (config ??= configWith(snapshot, signers)),
      head: state.number,
      header: (number) => {
        const row = snapshot.get(tables.header.key(number));
        return row && headerIn(row);
      },
      transactions: (number) => storedTransactions(snapshot, number),
      numberOf: (hash) => storedNumber(snapshot, hash),
      place: (hash) => storedPlace(snapshot, hash),
      worldAt: (number) => state.worldAt(number),
      [Symbol.dispose]: () => snapshot[Symbol.dispose](),
    };
  };
}

function configWith(rows: Rows, signers: Iterable<readonly [string, Address]>): ChainConfig {
  const config = storedConfig(rows);
  for (const [signature, signer] of signers) signersOf(config).set(signature, signer);
  return config;
}

/** Returns the execution context of block `number`. Throws `RpcError` for an unknown block. */
export function contextOf(reading: ChainReading, number: number): BlockContext {
  const header = reading.header(number);
  if (header === undefined) throw noBlock(number);
  return contextOfHeader(reading, header);
}

/** Returns the execution context of a block that need not be canonical. */
export function contextOfHeader(reading: ChainReading, header: Header): BlockContext {
  return blockContext(reading.config, header, {
    author: authorOrZero(header),
    blockHash: (other) => {
      const found = reading.header(other);
      return found && blockHash(found);
    },
  });
}

/** Returns the author of a block; the zero address for block 0, which has no seal. */
function authorOrZero(header: Header): Address {
  return (header.number === 0 ? undefined : authorOf(header)) ?? new Uint8Array(20);
}
