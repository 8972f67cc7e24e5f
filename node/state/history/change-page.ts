/**
 * Pages of the index of changes. A page is the block before which its answers do not hold (the last block of the
 * page before it; 0 in the first one) and then, block by block: distance from the block before, length of the row
 * plus one (0: there was none), the row as that block found it. Numbers are in groups of seven bits, lowest first.
 */

/** A number and the offset after it. */
interface NumberAt {
  readonly value: number;
  readonly end: number;
}

/** A row after some block as a page has it; `found` is false when no change in the page is later. */
export interface PageAnswer {
  readonly found: boolean;
  readonly before: Uint8Array | undefined;
}

/** Of a key of a newest page: prefix 1, then an account's row of 33 or a slot's of 71 bytes; others have a number. */
const NEWEST_LENGTHS: readonly number[] = [34, 72];
const NOT_FOUND: PageAnswer = { found: false, before: undefined };

/** Groups of seven bits in the largest number. */
const MAX_UNIT = 2 ** 49;

/** Reads a number of a page. Throws `RangeError` for one that does not end. */
export function numberAt(bytes: Uint8Array, at: number): NumberAt {
  let value = 0;
  let unit = 1;
  let end = at;
  for (;;) {
    const byte = bytes[end++];
    if (byte === undefined || unit > MAX_UNIT)
      throw new RangeError("a number of a page of changes does not end");
    value += (byte & 127) * unit;
    if (byte < 128) return { value, end };
    unit *= 128;
  }
}

/** Writes numbers as a page holds them. */
export function numberBytes(...values: readonly number[]): Uint8Array {
  const bytes: number[] = [];
  for (const value of values) {
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push(128 + (rest % 128));
    bytes.push(rest);
  }
  return Uint8Array.from(bytes);
}

/** True for the key of a row's newest page. */
export function isNewestPage(key: Uint8Array): boolean {
  return NEWEST_LENGTHS.includes(key.length);
}

/**
 * Returns the offset of the page in the row of this key: the newest page is preceded by the number of closed
 * ones.
 */
export function pageStart(key: Uint8Array, row: Uint8Array): number {
  return isNewestPage(key) ? numberAt(row, 0).end : 0;
}

/** A change of a page: block and row before it, as a view, and where the next change begins. */
interface PageChange {
  readonly block: number;
  readonly before: Uint8Array | undefined;
  readonly at: number;
}

/** The changes of a page that begins at `start`. */
export function* changesOf(page: Uint8Array, start: number): Generator<PageChange> {
  const base = numberAt(page, start);
  let block = base.value;
  for (let at = base.end; at < page.length; ) {
    const distance = numberAt(page, at);
    const marked = numberAt(page, distance.end);
    at = marked.end + Math.max(0, marked.value - 1);
    if (at > page.length) throw new RangeError("a page of changes ends early");
    block += distance.value;
    yield { block, before: marked.value === 0 ? undefined : page.subarray(marked.end, at), at };
  }
}

/** The first change after block `number` in the page that begins at `start`. */
export function firstChangeAfter(page: Uint8Array, start: number, number: number): PageAnswer {
  for (const { block, before } of changesOf(page, start)) if (block > number) return { found: true, before };
  return NOT_FOUND;
}

/** A page that begins at 0 without the changes after block `number`; `undefined` where none is left. */
export function upTo(page: Uint8Array, number: number): Uint8Array | undefined {
  let end = 0;
  for (const { block, at } of changesOf(page, 0)) {
    if (block > number) break;
    end = at;
  }
  return end === 0 ? undefined : page.subarray(0, end);
}

/** The last block of the page that begins at `start`. */
export function lastBlockOf(page: Uint8Array, start: number): number {
  let last = 0;
  for (const { block } of changesOf(page, start)) last = block;
  return last;
}
