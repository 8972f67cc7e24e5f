/** Where a search for logs reads: the chain itself, or a snapshot of its store in a reader thread. */
import { bytesToNumber } from "../bytes/integer.ts";
import { storedHeader, storedLoggedReceipts, storedNumber } from "../chain/block-rows.ts";
import type { Chain } from "../chain/chain.ts";
import { oldestBody } from "../chain/kept-blocks.ts";
import { indexedSections, SECTION_BLOCKS, type SectionSearch, searchSections } from "../chain/log-index.ts";
import { blockHash } from "../model/header.ts";
import { type LoggedReceipt, loggedReceipts } from "../model/receipt.ts";
import type { StoreReader } from "../store/store.ts";
import { tables } from "../store/tables.ts";

/** One block, as far as its logs go. */
export interface LogBlock {
  readonly bloom: Uint8Array;
  /** Computed when it is asked for. */
  readonly hash: () => Uint8Array;
}

/** Blocks as they were when it was opened. */
export interface LogSource extends Disposable {
  readonly head: number;
  /** The first block after block 0 of which receipts are kept. */
  readonly oldest: number;
  block(number: number): LogBlock | undefined;
  numberOf(hash: Uint8Array): number | undefined;
  /** The receipts of a block that have logs; undefined when they are not there. */
  logged(number: number): readonly LoggedReceipt[] | undefined;
  /** Where there is an index of blooms. */
  readonly index?: BloomIndex;
}

/** Which blocks may hold what is searched for, section by section. */
export interface BloomIndex {
  /** Blocks before this one are indexed. */
  readonly end: number;
  search(groups: readonly (readonly Uint8Array[])[]): SectionSearch;
}

/** Opens a source for one search. */
export type OpenLogSource = () => LogSource | Promise<LogSource>;

/** The chain of this thread. */
export function chainLogSource(chain: Chain): LogSource {
  return {
    head: chain.head().header.number,
    oldest: chain.oldestBody(),
    block: (number) => {
      const found = chain.header(number);
      return found === undefined ? undefined : { bloom: found.header.bloom, hash: () => found.hash };
    },
    numberOf: (hash) => chain.number(hash),
    logged: (number) => loggedReceipts(chain.receipts(number) ?? []),
    [Symbol.dispose]: () => undefined,
  };
}

/** A snapshot of the chain's store. */
export async function storeLogSource(store: StoreReader): Promise<LogSource> {
  const snapshot = store.snapshot();
  let head = -1;
  for await (const [key] of snapshot.entries({ ...tables.header.range(), reverse: true, limit: 1 })) {
    head = bytesToNumber(key.subarray(1));
  }
  const sections = Math.min(indexedSections(snapshot), Math.floor((head + 1) / SECTION_BLOCKS));
  return {
    head,
    oldest: oldestBody(snapshot),
    index: {
      end: sections * SECTION_BLOCKS,
      search: (groups) => searchSections(snapshot, groups),
    },
    block: (number) => {
      const header = storedHeader(snapshot, number);
      return header && { bloom: header.bloom, hash: () => blockHash(header) };
    },
    numberOf: (hash) => storedNumber(snapshot, hash),
    logged: (number) => storedLoggedReceipts(snapshot, number),
    [Symbol.dispose]: () => snapshot[Symbol.dispose](),
  };
}
