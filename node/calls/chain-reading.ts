/**
 * What methods that run contracts for a caller read: blocks and worlds of one moment; in a reader thread out of a
 * snapshot of the chain's store.
 */
import { equalBytes } from "../bytes/compare.ts";
import { decodeRlp } from "../bytes/rlp.ts";
import { type StoredPlace, storedNumber, storedPlace, storedTransactions } from "../chain/block-rows.ts";
import type { Chain } from "../chain/chain.ts";
import { storedConfig } from "../chain/stored-config.ts";
import type { ChainConfig } from "../config/chain-config.ts";
import { authorOf } from "../consensus/sealers.ts";
import { blockContext } from "../execution/block-context.ts";
import type { BlockContext } from "../execution/transaction.ts";
import { failure } from "../jsonrpc/errors.ts";
import { blockHash, decodeHeader, type Header } from "../model/header.ts";
import type { Transaction } from "../model/transaction.ts";
import { noBlock, noReference } from "../presenters/not-found.ts";
import { type StateReader, stateReader } from "../state/state-reader.ts";
import type { World } from "../state/world/world.ts";
import type { Snapshot, StoreReader } from "../store/store.ts";
import { tables } from "../store/tables.ts";
import { type BlockReference, numberAt } from "./arguments/block-number.ts";

/** See the head of this file. Closed after one question. */
export interface ChainReading extends Disposable {
  readonly config: ChainConfig;
  /** Newest block. */
  readonly head: number;
  header(number: number): Header | undefined;
  transactions(number: number): readonly Transaction[] | undefined;
  numberOf(hash: Uint8Array): number | undefined;
  /** Where a transaction of the chain stands. */
  place(hash: Uint8Array): StoredPlace | undefined;
  /** Throws `StateError` `state-missing`. */
  worldAt(number: number): World;
}

/** Opens a reading for one question. */
export type OpenReading = () => ChainReading;

/** A reading that can also list states and what stands beside the chain. */
export interface StoreReading extends ChainReading {
  readonly rows: Snapshot;
  readonly states: StateReader;
}

/** Opens one of these. */
export type OpenStoreReading = () => StoreReading;

/** The chain of this thread; `worldAt` is its state's. */
export function chainReading(chain: Chain): ChainReading {
  return new ReadingHere(chain);
}

/** Made for each call: a class costs a tenth of so many closures. */
class ReadingHere implements ChainReading {
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

  numberOf(hash: Uint8Array): number | undefined {
    return this.#chain.number(hash);
  }

  place(hash: Uint8Array): StoredPlace | undefined {
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

/** A snapshot of the chain's store. The configuration is read once, and a header asked for again is not decoded anew. */
export function storeReading(store: StoreReader): OpenStoreReading {
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
      config: (config ??= storedConfig(snapshot)),
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

/** The number of the block that a caller means; `pending` is the newest. Throws `RpcError`. */
export function numberIn(
  reading: Pick<ChainReading, "head" | "numberOf">,
  reference: BlockReference | undefined,
): number {
  if (reference === undefined) throw noReference();
  const { number, hash } = reference;
  if (hash !== undefined) {
    const found = reading.numberOf(hash);
    if (found === undefined || found > reading.head) throw failure("header for hash not found");
    return found;
  }
  const wanted = numberAt(reading.head, number);
  if (wanted > reading.head) throw failure(`the header does not exist (block number: ${wanted})`);
  return wanted;
}

/** Block `number` as contracts see it. Throws `RpcError` where there is none. */
export function contextOf(reading: ChainReading, number: number): BlockContext {
  const header = reading.header(number);
  if (header === undefined) throw noBlock(number);
  return contextOfHeader(reading, header);
}

/** The same of a block that need not be in the chain. */
export function contextOfHeader(reading: ChainReading, header: Header): BlockContext {
  return blockContext(reading.config, header, {
    author: authorIn(header),
    blockHash: (other) => {
      const found = reading.header(other);
      return found && blockHash(found);
    },
  });
}

/** Block 0 has no seal. */
function authorIn(header: Header): Uint8Array {
  return (header.number === 0 ? undefined : authorOf(header)) ?? new Uint8Array(20);
}
