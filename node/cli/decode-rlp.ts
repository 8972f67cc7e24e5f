/** RLP as nested JSON arrays of hex texts. */
import { toHex } from "../bytes/hex.ts";
import { itemAt, MAX_RLP_DEPTH } from "../bytes/rlp.ts";
import { partError, withOffset } from "./decode-error.ts";

/** Maximum number of items in the output, which bounds its memory. */
const MAX_ITEMS = 1_000_000;

/** RLP as JSON: bytes as hex text, lists as arrays. */
export type RlpJson = string | readonly RlpJson[];

/** Decodes `bytes` as one item. Throws `DecodeError`, also for bytes after the item. */
export function rlpJson(bytes: Uint8Array): RlpJson {
  const { length } = withOffset("RLP", 0, () => itemAt(bytes, 0).raw);
  if (length < bytes.length) {
    throw partError("RLP", 0, `${bytes.length - length} bytes after the item`, length);
  }
  return readItem(bytes, { at: 0, items: 0 }, 0);
}

interface Walk {
  at: number;
  items: number;
}

/** Reads the item at `walk.at` and advances; `bytes` ends at the end of the enclosing list. */
function readItem(bytes: Uint8Array, walk: Walk, depth: number): RlpJson {
  const { isList, payload, raw } = withOffset("RLP", 0, () => itemAt(bytes, walk.at));
  if (++walk.items > MAX_ITEMS) throw partError("RLP", 0, `more than ${MAX_ITEMS} items`, walk.at);
  if (depth > MAX_RLP_DEPTH) throw partError("RLP", 0, `lists nested deeper than ${MAX_RLP_DEPTH}`, walk.at);
  const end = walk.at + raw.length;
  if (!isList) {
    walk.at = end;
    return toHex(payload);
  }
  const inside = bytes.subarray(0, end);
  const items: RlpJson[] = [];
  for (walk.at = end - payload.length; walk.at < end; ) items.push(readItem(inside, walk, depth + 1));
  return items;
}
