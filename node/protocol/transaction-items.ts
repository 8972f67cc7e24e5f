/**
 * Delimits the transactions in a message without decoding them, one at a time, so that a message of the
 * smallest items does not exhaust the memory.
 */
import { concatBytes } from "../bytes/compare.ts";
import { BytesError } from "../bytes/error.ts";
import { RlpCursor } from "../bytes/rlp-cursor.ts";
import { MAX_TRANSACTIONS } from "./limits.ts";

/**
 * First item of an Ethereum typed transaction, which has two more. Other typed transactions have one more.
 */
const ETHEREUM_PREFIX = 0x78;
/** Type number of blob transactions behind the prefix. */
const BLOB_TYPE = 0x03;

/** Returns true for a transaction that may have blobs. */
export function isBlobTransaction(item: Uint8Array): boolean {
  return item[0] === ETHEREUM_PREFIX && item[1] === BLOB_TYPE;
}

/** Returns a transaction as blocks contain it: of one with blobs the inner list alone, behind the type. */
export function bareItem(item: Uint8Array): Uint8Array {
  if (!isBlobTransaction(item)) return item;
  const cursor = new RlpCursor(item, 2);
  cursor.enter();
  return cursor.atList ? concatBytes(item.subarray(0, 2), cursor.raw()) : item;
}

/**
 * Yields the raw form of each transaction of an RLP list, as views. Throws `BytesError` `bad-rlp` at a
 * damaged one.
 */
export function* transactionItems(list: Uint8Array): Generator<Uint8Array, void> {
  const cursor = new RlpCursor(list);
  const end = cursor.enter();
  for (let count = 1; !cursor.done; count++) {
    if (count > MAX_TRANSACTIONS) {
      throw new BytesError("bad-rlp", `more than ${MAX_TRANSACTIONS} transactions`);
    }
    yield nextItem(cursor);
  }
  cursor.leave(end);
  if (!cursor.done) throw new BytesError("bad-rlp", "bytes after the transactions");
}

function nextItem(cursor: RlpCursor): Uint8Array {
  const start = cursor.at;
  if (!cursor.atList) {
    const code = cursor.number(1);
    if (code === ETHEREUM_PREFIX) cursor.skipString();
  }
  cursor.skip();
  return cursor.bytes.subarray(start, cursor.at);
}
