/** Sources of a log search: the chain in this thread, or a snapshot of its store in a reader thread. */
import type { Hash } from "../bytes/brands.ts";
import { storedHeader, storedLoggedReceipts, storedNumber } from "../chain/block-rows.ts";
import type { Chain } from "../chain/chain.ts";
import { oldestBody } from "../chain/kept-blocks.ts";
import { indexedSections, SECTION_BLOCKS, type SectionSearch, searchSections } from "../chain/log-index.ts";
import { blockHash } from "../model/header.ts";
import { type LoggedReceipt, loggedReceipts } from "../model/receipt.ts";
import { readHead } from "../state/rows.ts";
import type { StoreReader } from "../store/store.ts";

/** The members of a block that a log search needs. */
export interface LogBlock {
  readonly bloom: Uint8Array;
  /** Computes the block hash. */
  readonly hash: () => Hash;
}

/** A consistent view of blocks and receipts. */
export interface LogSource extends Disposable {
  readonly head: number;
  /** Number of the first block after block 0 with stored receipts. */
  readonly oldest: number;
  block(number: number): LogBlock | undefined;
  numberOf(hash: Hash): number | undefined;
  /** Returns the receipts of a block that have logs; undefined when they are not stored. */
  loggedReceipts(number: number): readonly LoggedReceipt[] | undefined;
  /** The bloom index, if the node maintains one. */
  readonly index?: BloomIndex;
}

/** Candidate blocks of a search by section. */
export interface BloomIndex {
  /** Number of the first block that is not indexed. */
  readonly end: number;
  search(groups: readonly (readonly Uint8Array[])[]): SectionSearch;
}

/** Opens a source for one search. */
export type OpenLogSource = () => LogSource;

/** Creates a source of the chain in this thread. */
export function chainLogSource(chain: Chain): LogSource {
  return {
    head: chain.head().header.number,
    oldest: chain.oldestBody(),
    block: (number) => {
      const found = chain.header(number);
      return found === undefined ? undefined : { bloom: found.header.bloom, hash: () => found.hash };
    },
    numberOf: (hash) => chain.number(hash),
    loggedReceipts: (number) => loggedReceipts(chain.receipts(number) ?? []),
    [Symbol.dispose]: () => undefined,
  };
}

/** Creates a source of a snapshot of the chain's store. */
export function storeLogSource(store: StoreReader): LogSource {
  const snapshot = store.snapshot();
  const head = readHead(snapshot).number;
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
    loggedReceipts: (number) => storedLoggedReceipts(snapshot, number),
    [Symbol.dispose]: () => snapshot[Symbol.dispose](),
  };
}
