/** Blocks as their bytes, for whoever passes them on unread: nothing is decoded, nothing above the head is seen. */
import type { Hash } from "../bytes/brands.ts";
import { encodeReceipt } from "../model/receipt.ts";
import type { Rows } from "../store/store.ts";
import { tables } from "../store/tables.ts";
import { storedNumber } from "./block-rows.ts";
import type { Chain } from "./chain.ts";
import { isDropped } from "./kept-blocks.ts";

/** The bytes of durable blocks; pruned ones have no body and no receipts. */
export interface RawBlocks {
  readonly head: () => number;
  /** The number of a block by its hash. */
  readonly number: (hash: Hash) => number | undefined;
  /** RLP of a header. */
  readonly header: (number: number) => Uint8Array | undefined;
  /** RLP list of a block's transactions. */
  readonly body: (number: number) => Uint8Array | undefined;
  /** A block's receipts in the form that the receipts root covers. */
  readonly receipts: (number: number) => Uint8Array[] | undefined;
}

/** Reads the rows of the chain database as far as `chain` has come. */
export function createRawBlocks(rows: Rows, chain: Pick<Chain, "head" | "receipts">): RawBlocks {
  const head = (): number => chain.head().header.number;
  const upToHead = (key: Uint8Array, number: number): Uint8Array | undefined =>
    number <= head() ? rows.get(key) : undefined;
  return {
    head,
    number(hash) {
      const number = storedNumber(rows, hash);
      return number !== undefined && number <= head() ? number : undefined;
    },
    header: (number) => upToHead(tables.header.key(number), number),
    body: (number) => upToHead(tables.body.key(number), number),
    receipts: (number) => (isDropped(rows, number) ? undefined : chain.receipts(number)?.map(encodeReceipt)),
  };
}
