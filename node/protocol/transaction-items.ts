/**
 * Transactions inside the lists of peer messages, told apart without reading them, one at a time: a message that
 * is full of the smallest items must not fill the memory.
 */
import { BytesError } from "../bytes/error.ts";
import { RlpCursor } from "../model/rlp-cursor.ts";
import { MOST_TRANSACTIONS } from "./limits.ts";

/** First item of the kinds that Ethereum defined: two more follow. Other typed ones have one more. */
const ETHEREUM_PREFIX = 0x78;

/** The raw form of each transaction in an RLP list of them, as views. Throws `BytesError` `bad-rlp` on the way. */
export function* transactionItems(list: Uint8Array): Generator<Uint8Array, void> {
  const cursor = new RlpCursor(list);
  const end = cursor.enter();
  for (let count = 1; !cursor.done; count++) {
    if (count > MOST_TRANSACTIONS) {
      throw new BytesError("bad-rlp", `more than ${MOST_TRANSACTIONS} transactions`);
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
