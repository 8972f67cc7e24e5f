/**
 * Delimits the transactions in a message without decoding them, one at a time, so that a message of the
 * smallest items does not exhaust the memory.
 */
import { BytesError } from "../bytes/error.ts";
import { RlpCursor } from "../bytes/rlp-cursor.ts";
import { MAX_TRANSACTIONS } from "./limits.ts";

/**
 * First item of an Ethereum typed transaction, which has two more. Other typed transactions have one more.
 */
export const ETHEREUM_PREFIX = 0x78;

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
