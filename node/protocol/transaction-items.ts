/**
 * Transactions inside the lists of peer messages, told apart without reading them: one that this release
 * cannot read must not take the others with it.
 */
import { RlpCursor } from "../model/rlp-cursor.ts";

/** First item of the kinds that Ethereum defined: two more follow. Other typed ones have one more. */
const ETHEREUM_PREFIX = 0x78;

/** The raw form of each transaction in an RLP list of them, as views. Throws `BytesError` `bad-rlp`. */
export function transactionItems(list: Uint8Array): Uint8Array[] {
  const cursor = new RlpCursor(list);
  const end = cursor.enter();
  const items: Uint8Array[] = [];
  while (!cursor.done) items.push(nextItem(cursor));
  cursor.leave(end);
  return items;
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
