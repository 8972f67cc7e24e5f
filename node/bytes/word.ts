/** Integers of 256 bits and their 32 bytes, written and read in place. */

const MAX_64 = 0xffff_ffff_ffff_ffffn;
const MAX_32 = 0xffff_ffffn;

/** A word goes in as a whole and comes out as a number: ten times faster than `Number(word)`. */
const wide = new BigUint64Array(1);
const halves = new Uint32Array(wide.buffer);
wide[0] = 1n;
const LOW = halves[0] === 1 ? 0 : 1;

/** For words on their way to or from bytes. */
const scratch = new Uint8Array(32);
const scratchView = new DataView(scratch.buffer);

/** Writes a word as 32 bytes at `at`. Shifts cost, so words below 2^64 go without. */
export function writeWord(view: DataView, at: number, word: bigint): void {
  if (word <= MAX_64) {
    view.setFloat64(at, 0);
    view.setFloat64(at + 8, 0);
    view.setFloat64(at + 16, 0);
    view.setBigUint64(at + 24, word);
    return;
  }
  const high = word >> 128n;
  view.setBigUint64(at, high >> 64n);
  view.setBigUint64(at + 8, BigInt.asUintN(64, high));
  view.setBigUint64(at + 16, BigInt.asUintN(64, word >> 64n));
  view.setBigUint64(at + 24, BigInt.asUintN(64, word));
}

/** The word of the 32 bytes at `at`; the high parts are tested first, because most words are short. */
export function readWord(view: DataView, at: number): bigint {
  if (view.getInt32(at) === 0 && view.getInt32(at + 4) === 0 && isZero64(view, at + 8)) {
    if (!isZero64(view, at + 16)) return (view.getBigUint64(at + 16) << 64n) | view.getBigUint64(at + 24);
    if (view.getUint32(at + 24) === 0) return BigInt(view.getUint32(at + 28));
    return view.getBigUint64(at + 24);
  }
  const high = (view.getBigUint64(at) << 64n) | view.getBigUint64(at + 8);
  return (high << 128n) | ((view.getBigUint64(at + 16) << 64n) | view.getBigUint64(at + 24));
}

/** The low 32 bits of a word. */
export function lowBits(word: bigint): number {
  wide[0] = word;
  return halves[LOW] as number; // there are two
}

/** A word below 2^32 as a number, any other as `Infinity`. */
export function indexOf(word: bigint): number {
  return word <= MAX_32 ? lowBits(word) : Infinity;
}

/** A whole number below 2^53 as a word: four times faster than `BigInt(count)`. */
export function countWord(count: number): bigint {
  halves[LOW] = count;
  halves[1 - LOW] = count / 2 ** 32;
  return wide[0] as bigint; // there is one
}

/** A word as 32 new bytes. (A view of them would move them off the heap, which costs more than the copy.) */
export function wordBytes(word: bigint): Uint8Array<ArrayBuffer> {
  writeWord(scratchView, 0, word);
  const bytes = new Uint8Array(32);
  bytes.set(scratch);
  return bytes;
}

/** The word whose last bytes are these, at most 32. */
export function bytesWord(bytes: Uint8Array): bigint {
  const start = 32 - bytes.length;
  if (start > 0) scratch.fill(0, 0, start);
  scratch.set(bytes, start);
  return readWord(scratchView, 0);
}

/** The word whose first bytes are those from `at` to the end, the others zero. */
export function leadingWord(bytes: Uint8Array, at: number): bigint {
  const length = Math.min(32, bytes.length - at);
  for (let i = 0; i < length; i++) scratch[i] = bytes[at + i] as number; // in range: loop bound
  for (let i = Math.max(0, length); i < 32; i++) scratch[i] = 0;
  return readWord(scratchView, 0);
}

function isZero64(view: DataView, at: number): boolean {
  return view.getInt32(at) === 0 && view.getInt32(at + 4) === 0;
}
