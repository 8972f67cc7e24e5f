/**
 * What methods that run contracts for a caller read: blocks and worlds of one moment; in a reader thread out of a
 * snapshot of the chain's store.
 */
import {
  type StoredPlace,
  storedHeader,
  storedNumber,
  storedPlace,
  storedTransactions,
} from "../../chain/block-rows.ts";
import type { Chain } from "../../chain/chain.ts";
import { storedConfig } from "../../chain/stored-config.ts";
import type { ChainConfig } from "../../config/chain-config.ts";
import { proposerOf } from "../../consensus/seal.ts";
import { blockContext } from "../../execution/block-context.ts";
import type { BlockContext } from "../../execution/transaction.ts";
import { blockHash, type Header } from "../../model/header.ts";
import { parseExtra } from "../../model/istanbul-extra.ts";
import type { Transaction } from "../../model/transaction.ts";
import { type StateReader, stateReader } from "../../state/state-reader.ts";
import type { World } from "../../state/world.ts";
import type { Snapshot, StoreReader } from "../../store/store.ts";
import { type BlockReference, numberAt } from "../codecs/block-number.ts";
import { failure } from "../errors.ts";
import { noBlock, noReference } from "./not-there.ts";

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
  return {
    config: chain.config,
    head: chain.head().header.number,
    header: (number) => chain.block(number)?.header,
    transactions: (number) => chain.block(number)?.transactions,
    numberOf: (hash) => chain.blockByHash(hash)?.header.number,
    place: (hash) => {
      const found = chain.findTransaction(hash);
      return found && { number: found.block.header.number, index: found.index };
    },
    worldAt: (number) => chain.worldAt(number),
    [Symbol.dispose]: () => undefined,
  };
}

/** A snapshot of the chain's store. The configuration is read once, when the opener is made. */
export function storeReading(store: StoreReader): OpenStoreReading {
  let config: ChainConfig | undefined;
  return () => {
    const snapshot = store.snapshot();
    const state = stateReader(snapshot);
    return {
      rows: snapshot,
      states: state,
      config: (config ??= storedConfig(snapshot)),
      head: state.number,
      header: (number) => storedHeader(snapshot, number),
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
    author: authorOf(header),
    blockHash: (other) => {
      const found = reading.header(other);
      return found && blockHash(found);
    },
  });
}

/** Block 0 has no seal. */
function authorOf(header: Header): Uint8Array {
  const author = header.number === 0 ? undefined : proposerOf(header, parseExtra(header.extra));
  return author ?? new Uint8Array(20);
}
