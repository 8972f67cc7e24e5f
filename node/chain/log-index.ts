/**
 * The bloom index: blooms of 1,024 blocks each turned round, so that one row says which blocks of a section have one
 * bit. A search reads three short rows for a value instead of a thousand headers.
 */

import { bytesToNumber, fixedBytes } from "../bytes/integer.ts";
import { BLOOM_LENGTH, bloomBits } from "../model/bloom.ts";
import type { Batch, Rows } from "../store/store.ts";
import { tables } from "../store/tables.ts";

/** Blocks in a section. */
export const SECTION_BLOCKS = 1024;
/** Bytes of a row: a bit for each block, the first block's the highest of the first byte. */
const SECTION_BYTES = SECTION_BLOCKS / 8;

const BITS = BLOOM_LENGTH * 8;
/** The row of blocks that have any logs. */
const ANY = BITS;
const CURSOR = tables.meta.key("logIndex");

/** Sections that are there, from the first on. */
export function indexedSections(rows: Rows): number {
  const row = rows.get(CURSOR);
  return row === undefined ? 0 : bytesToNumber(row);
}

/** Says in the batch how many sections there are from now on. */
export function putIndexedSections(batch: Batch, sections: number): void {
  batch.put(CURSOR, fixedBytes(sections, 6));
}

/** Takes the rows of a section out. */
export function deleteSection(batch: Batch, section: number): void {
  for (let bit = 0; bit <= ANY; bit++) batch.delete(tables.logIndex.key(section, bit));
}

/** A section in the making. */
export class SectionBits {
  readonly #rows = new Uint8Array((BITS + 1) * SECTION_BYTES);

  /** Adds the bloom of the block at `offset` in the section. */
  add(offset: number, bloom: Uint8Array): void {
    const at = offset >> 3;
    const mark = 0x80 >> (offset & 7);
    let hasAny = false;
    for (let byte = 0; byte < BLOOM_LENGTH; byte++) {
      const value = bloom[byte] ?? 0;
      if (value === 0) continue;
      hasAny = true;
      const first = (BLOOM_LENGTH - 1 - byte) * 8;
      for (let bit = 0; bit < 8; bit++) if (value & (1 << bit)) this.#set(first + bit, at, mark);
    }
    if (hasAny) this.#set(ANY, at, mark);
  }

  /** Gives the section's rows to a batch; empty ones are left out. */
  put(batch: Batch, section: number): void {
    for (let bit = 0; bit <= ANY; bit++) {
      const row = this.#rows.slice(bit * SECTION_BYTES, (bit + 1) * SECTION_BYTES);
      if (row.some((byte) => byte !== 0)) batch.put(tables.logIndex.key(section, bit), row);
      else batch.delete(tables.logIndex.key(section, bit)); // of a section that was there before a rewind
    }
  }

  clear(): void {
    this.#rows.fill(0);
  }

  #set(bit: number, at: number, mark: number): void {
    const place = bit * SECTION_BYTES + at;
    this.#rows[place] = (this.#rows[place] ?? 0) | mark;
  }
}

/** Returns the blocks of a section that may match, one bit each as in the rows. */
export type SectionSearch = (section: number) => Uint8Array;

/**
 * Searches for blocks with one value (an address or a topic) of each group; a group without values asks for
 * nothing. Without any group every block with logs is found.
 */
export function searchSections(rows: Rows, groups: readonly (readonly Uint8Array[])[]): SectionSearch {
  const wanted = groups.filter((values) => values.length > 0).map((values) => values.map(bloomBits));
  return (section) => {
    const known = new Map<number, Uint8Array>();
    const rowOf = (bit: number): Uint8Array => {
      let row = known.get(bit);
      if (row === undefined) {
        row = rows.get(tables.logIndex.key(section, bit)) ?? NO_BLOCKS;
        known.set(bit, row);
      }
      return row;
    };
    const found = Uint8Array.from(rowOf(ANY));
    for (const values of wanted) intersect(found, union(values.map((bits) => bits.map(rowOf))));
    return found;
  };
}

const NO_BLOCKS = new Uint8Array(SECTION_BYTES);

/** Blocks in all rows of one of the values. */
function union(values: readonly (readonly Uint8Array[])[]): Uint8Array {
  const blocks = new Uint8Array(SECTION_BYTES);
  for (const rows of values) {
    for (let at = 0; at < SECTION_BYTES; at++) {
      let byte = 0xff;
      for (const row of rows) byte &= row[at] ?? 0;
      blocks[at] = (blocks[at] ?? 0) | byte;
    }
  }
  return blocks;
}

function intersect(found: Uint8Array, blocks: Uint8Array): void {
  for (let at = 0; at < SECTION_BYTES; at++) found[at] = (found[at] ?? 0) & (blocks[at] ?? 0);
}
