/** The single rows of the state: its head in the chain database, the marker in the trie database. */
import type { Hash } from "../bytes/brands.ts";
import { concatBytes } from "../bytes/compare.ts";
import { bytesToNumber, fixedBytes } from "../bytes/integer.ts";
import { EMPTY_TRIE_ROOT } from "../model/list-root.ts";
import type { Rows } from "../store/store.ts";
import { tables, trieTables } from "../store/tables.ts";

/** A block and its state root. */
export interface Point {
  readonly number: number;
  readonly root: Hash;
}

/** The newest block that the flat state holds, with what is counted from block to block. */
export interface StateHead extends Point {
  /** Incarnations given out. */
  readonly incarnations: number;
  /** The oldest block whose undo record is kept. */
  readonly firstUndo: number;
}

/** Before block 0. */
export const NOTHING: StateHead = { number: -1, root: EMPTY_TRIE_ROOT, incarnations: 0, firstUndo: 1 };

/** Key of the head of the flat state. */
export const HEAD_KEY = tables.meta.key("state");
/** Key of the number of the trie's generation. */
export const GENERATION_KEY = tables.meta.key("trie");
/** Key of the block whose trie a generation holds whole. */
export const MARKER_KEY = trieTables.marker.key();

/** The row of a head: number, root, incarnations, first undo record. */
export function encodeHead({ number, root, incarnations, firstUndo }: StateHead): Uint8Array {
  return concatBytes(fixedBytes(number, 6), root, fixedBytes(incarnations, 6), fixedBytes(firstUndo, 6));
}

/** Reads the head; `NOTHING` before block 0. */
export function readHead(rows: Rows): StateHead {
  const row = rows.get(HEAD_KEY);
  if (row === undefined) return NOTHING;
  const [incarnations, firstUndo] = [row.subarray(38, 44), row.subarray(44, 50)].map(bytesToNumber);
  return { ...pointOf(row), incarnations: incarnations ?? 0, firstUndo: firstUndo ?? 0 };
}

/** The row of a marker: number, root. */
export function encodeMarker({ number, root }: Point): Uint8Array {
  return concatBytes(fixedBytes(number, 6), root);
}

/** The block whose trie is stored; `undefined` where none ever was. */
export function readMarker(rows: Rows): Point | undefined {
  const row = rows.get(MARKER_KEY);
  return row && pointOf(row);
}

/** Reads the number of the valid trie directory. */
export function readGeneration(rows: Rows): number {
  const row = rows.get(GENERATION_KEY);
  return row === undefined ? 0 : bytesToNumber(row);
}

function pointOf(row: Uint8Array): Point {
  return { number: bytesToNumber(row.subarray(0, 6)), root: Uint8Array.from(row.subarray(6, 38)) };
}
