/**
 * Mutations of RLP by its structure: items dropped, repeated, swapped, nested or replaced, integers of known edges, and
 * headers that lie about their length. In: one item, alone or behind up to two bytes of a type or a code.
 */
import { concatBytes } from "../../../node/bytes/compare.ts";
import { BytesError } from "../../../node/bytes/error.ts";
import { decodeRlp, decodeRlpTree, encodeRlp, type RlpInput } from "../../../node/bytes/rlp.ts";
import { RLP_LIST } from "../../../node/bytes/rlp-header.ts";

/** Chooses a whole number from 0 up to but not including `count`. */
export type Pick = (count: number) => number;

const MAX_PREFIX = 2;
/** Maximum bytes of an item that is taken apart, and of a result. */
const MAX_TREE_BYTES = 256 * 1024;
const MAX_BYTES = 2 * 1024 * 1024;
/** Times that an item is repeated, and levels that are put around it. */
const REPEATS = [1, 2, 7, 64, 1000] as const;
const LEVELS = [1, 3, 63, 64, 65, 300] as const;
const NOTHING = new Uint8Array(0);
/** Integers at the edges of sizes: 2^53, 2^63, 2^64, 2^256, and one with a zero in front. */
const INTEGERS: readonly Uint8Array[] = [
  NOTHING,
  Uint8Array.of(0),
  Uint8Array.of(0x7f),
  Uint8Array.of(0x80),
  Uint8Array.of(0, 1),
  Uint8Array.of(0x20, 0, 0, 0, 0, 0, 0),
  Uint8Array.of(0x80, 0, 0, 0, 0, 0, 0, 0),
  new Uint8Array(8).fill(0xff),
  Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0, 0),
  new Uint8Array(32).fill(0xff),
  new Uint8Array(33).fill(1),
  new Uint8Array(1024).fill(0xff),
];

type List = RlpInput[];

/** Changes an item of a list in place. */
type Change = (list: List, at: number, pick: Pick) => void;

const CHANGES: readonly Change[] = [
  (list, at) => void list.splice(at, 1),
  (list, at, pick) => {
    const item = list[at] ?? NOTHING;
    list.splice(at, 0, ...Array.from({ length: pickOf(REPEATS, pick) }, () => item));
  },
  (list, at, pick) => {
    const other = pick(list.length);
    [list[at], list[other]] = [list[other] ?? NOTHING, list[at] ?? NOTHING];
  },
  (list, at, pick) => {
    let item = list[at] ?? NOTHING;
    for (let level = pickOf(LEVELS, pick); level > 0; level--) item = [item];
    list[at] = item;
  },
  (list, at) => void (list[at] = []),
  (list, at, pick) => void (list[at] = pickOf(INTEGERS, pick)),
  (list, at, pick) => void list.splice(at, 0, pickOf(INTEGERS, pick)),
  (list, at) => {
    const item = list[at] ?? NOTHING;
    list[at] = item instanceof Uint8Array ? [item] : encodeRlp(item);
  },
  (list, at, pick) => {
    const item = list[at];
    if (item instanceof Uint8Array) list[at] = withLength(item, pick);
  },
  (list, at, pick) => {
    const item = list[at];
    if (item instanceof Uint8Array) list[at] = withBitChanged(item, pick);
  },
];

/** Returns a changed copy of an item; undefined for bytes that are no list, or where a copy would be too long. */
export function mutateRlp(input: Uint8Array, pick: Pick): Uint8Array | undefined {
  const at = input.subarray(0, MAX_PREFIX).findIndex((byte) => byte >= RLP_LIST);
  const start = at < 0 ? Math.min(MAX_PREFIX, input.length) : at;
  const [prefix, item] = [input.subarray(0, start), input.subarray(start)];
  if (pick(8) === 0 && item.length > 0) return concatBytes(prefix, withFalseHeader(item, pick));
  const tree = treeOf(item);
  if (tree === undefined) return undefined;
  const lists = listsOf(tree);
  for (let times = 1 + pick(3); times > 0; times--) {
    const list = pickOf(lists, pick);
    pickOf(CHANGES, pick)(list, pick(list.length), pick);
  }
  return roomAfter(tree, MAX_BYTES) < 0 ? undefined : concatBytes(prefix, encodeRlp(tree));
}

/** Returns the bytes that are left of `room` after the items of a list; negative as soon as they do not fit. */
function roomAfter(list: readonly RlpInput[], room: number): number {
  let left = room;
  for (const item of list) {
    left = item instanceof Uint8Array ? left - item.length - 1 : roomAfter(item, left - 1);
    if (left < 0) break;
  }
  return left;
}

/** Returns a list as nested arrays that may be changed; undefined for other bytes. */
function treeOf(item: Uint8Array): List | undefined {
  if (item.length > MAX_TREE_BYTES || (item[0] ?? 0) < RLP_LIST) return undefined;
  try {
    return decodeRlpTree(decodeRlp(item)) as List; // a list is a new array, as are those inside
  } catch (error) {
    if (error instanceof BytesError) return undefined;
    throw error;
  }
}

/** Returns a list with all lists inside it. */
function listsOf(list: List): readonly List[] {
  const lists = [list];
  for (const each of lists) {
    for (const item of each) if (!(item instanceof Uint8Array)) lists.push(item as List); // from `treeOf`
  }
  return lists;
}

/** Changes the length that the first header, or any byte that looks like one, states. */
function withFalseHeader(item: Uint8Array, pick: Pick): Uint8Array {
  const copy = item.slice();
  const heads = [...copy.subarray(0, 4096).keys()].filter((at) => (copy[at] ?? 0) >= 0x80);
  const at = pick(2) === 0 ? 0 : (heads[pick(heads.length)] ?? 0);
  const first = copy[at] ?? 0;
  if (pick(2) === 0) {
    copy[at] = first + (pick(2) === 0 ? 1 : 255);
    return copy;
  }
  const isList = first >= RLP_LIST;
  const bytes = 1 + pick(8);
  const length = new Uint8Array(bytes).fill(pick(2) === 0 ? 0xff : pick(256));
  return concatBytes(
    copy.subarray(0, at),
    Uint8Array.of((isList ? 0xf7 : 0xb7) + bytes),
    length,
    copy.subarray(at + 1),
  );
}

function withLength(bytes: Uint8Array, pick: Pick): Uint8Array {
  const length = Math.max(0, bytes.length + pickOf([-1, 1, 32, 4096, -bytes.length], pick));
  const out = new Uint8Array(length);
  out.set(bytes.subarray(0, length));
  return out;
}

function withBitChanged(bytes: Uint8Array, pick: Pick): Uint8Array {
  const out = bytes.slice();
  const at = pick(out.length);
  if (at < out.length) out[at] = (out[at] ?? 0) ^ (1 << pick(8));
  return out;
}

function pickOf<T>(values: readonly T[], pick: Pick): T {
  return values[pick(values.length)] as T; // no list of choices is empty
}
