/**
 * What methods that run contracts for a caller read: blocks and worlds of one moment; in a reader thread out of a
 * snapshot of the chain's store.
 */
import { bytesToNumber } from "../../bytes/integer.ts";
import { decodeRlp } from "../../bytes/rlp.ts";
import type { Chain } from "../../chain/chain.ts";
import { storedConfig } from "../../chain/stored-config.ts";
import type { ChainConfig } from "../../config/chain-config.ts";
import { proposerOf } from "../../consensus/seal.ts";
import { blockContext } from "../../execution/block-context.ts";
import type { BlockContext } from "../../execution/transaction.ts";
import { blockHash, decodeHeader, type Header } from "../../model/header.ts";
import { parseExtra } from "../../model/istanbul-extra.ts";
import { readTransactions, type Transaction } from "../../model/transaction.ts";
import { stateReader } from "../../state/state-reader.ts";
import type { World } from "../../state/world.ts";
import type { StoreReader } from "../../store/store.ts";
import { tables } from "../../store/tables.ts";
import type { BlockReference } from "../codecs/block-number.ts";
import { failure } from "../errors.ts";

/** See the head of this file. Closed after one question. */
export interface ChainReading extends Disposable {
  readonly config: ChainConfig;
  /** Newest block. */
  readonly head: number;
  header(number: number): Header | undefined;
  transactions(number: number): readonly Transaction[] | undefined;
  numberOf(hash: Uint8Array): number | undefined;
  /** Throws `StateError` `state-missing`. */
  worldAt(number: number): World;
}

/** Opens a reading for one question. */
export type OpenReading = () => ChainReading;

/** The chain of this thread; `worldAt` is its state's. */
export function chainReading(chain: Chain): ChainReading {
  return {
    config: chain.config,
    head: chain.head().header.number,
    header: (number) => chain.block(number)?.header,
    transactions: (number) => chain.block(number)?.transactions,
    numberOf: (hash) => chain.blockByHash(hash)?.header.number,
    worldAt: (number) => chain.worldAt(number),
    [Symbol.dispose]: () => undefined,
  };
}

/** A snapshot of the chain's store. The configuration is read once, when the opener is made. */
export function storeReading(store: StoreReader): OpenReading {
  let config: ChainConfig | undefined;
  return () => {
    const snapshot = store.snapshot();
    const state = stateReader(snapshot);
    return {
      config: (config ??= storedConfig(snapshot)),
      head: state.number,
      header: (number) => {
        const row = snapshot.get(tables.header.key(number));
        return row && decodeHeader(decodeRlp(row));
      },
      transactions: (number) => {
        const row = snapshot.get(tables.body.key(number));
        return row && readTransactions(decodeRlp(row));
      },
      numberOf: (hash) => {
        const row = snapshot.get(tables.blockNumber.key(hash));
        return row && bytesToNumber(row);
      },
      worldAt: (number) => state.worldAt(number),
      [Symbol.dispose]: () => snapshot[Symbol.dispose](),
    };
  };
}

/** The number of the block that a caller means; `pending` is the newest. Throws `RpcError`. */
export function numberIn(reading: ChainReading, reference: BlockReference | undefined): number {
  if (reference === undefined) throw failure("invalid arguments; neither block nor hash specified");
  const { number, hash } = reference;
  if (hash !== undefined) {
    const found = reading.numberOf(hash);
    if (found === undefined || found > reading.head) throw failure("header for hash not found");
    return found;
  }
  if (number === "latest" || number === "pending") return reading.head;
  if (number === "earliest") return 0;
  if (number > reading.head) throw failure(`the header does not exist (block number: ${number})`);
  return number;
}

/** Block `number` as contracts see it. Throws `RpcError` where there is none. */
export function contextOf(reading: ChainReading, number: number): BlockContext {
  const header = reading.header(number);
  if (header === undefined) throw failure(`the block does not exist (block number: ${number})`);
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
