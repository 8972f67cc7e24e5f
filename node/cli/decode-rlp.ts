/** Any RLP as nested JSON arrays of hex texts. */
import { toHex } from "../bytes/hex.ts";
import { itemAt, MAX_RLP_DEPTH } from "../bytes/rlp.ts";
import { DecodeError, located } from "./decode-error.ts";

/** More items than this are not printed: nobody reads them, and each costs memory. */
const MOST_ITEMS = 1_000_000;

/** What RLP looks like in JSON. */
export type RlpJson = string | readonly RlpJson[];

/** All of `bytes` as one item. Throws `DecodeError`, also for items after the first. */
export function rlpJson(bytes: Uint8Array): RlpJson {
  const { length } = located("RLP", 0, () => itemAt(bytes, 0).raw);
  if (length < bytes.length) {
    throw new DecodeError(`RLP at byte 0: ${bytes.length - length} bytes after the item (byte ${length})`);
  }
  return readItem(bytes, { at: 0, items: 0 }, 0);
}

interface Walk {
  at: number;
  items: number;
}

/** Reads the item at `walk.at` and moves behind it; `bytes` ends where the list around it does. */
function readItem(bytes: Uint8Array, walk: Walk, depth: number): RlpJson {
  const { isList, payload, raw } = located("RLP", 0, () => itemAt(bytes, walk.at));
  if (++walk.items > MOST_ITEMS) throw tooMuch(`more than ${MOST_ITEMS} items`, walk.at);
  if (depth > MAX_RLP_DEPTH) throw tooMuch(`lists nested deeper than ${MAX_RLP_DEPTH}`, walk.at);
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

function tooMuch(what: string, at: number): DecodeError {
  return new DecodeError(`RLP at byte 0: ${what} (byte ${at})`);
}
