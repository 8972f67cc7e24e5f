/**
 * Go's seeded `math/rand` source, an additive lagged Fibonacci generator, with the draws that the selection
 * of validators uses (`math/rand/rng.go@go1.22`).
 */
import { GO_RANDOM_TABLE } from "./go-random-table.ts";

const LENGTH = 607;
const TAP = 273;
const MODULUS = 2_147_483_647;
const ZERO_SEED = 89_482_311;
const WARM_UP = 20;
const INT63 = (1n << 63n) - 1n;
const TWO_32 = 2 ** 32;
const TWO_31 = 2 ** 31;

/** A stream of pseudo-random numbers that depends on the seed alone. */
export class GoRandom {
  readonly #words = new BigUint64Array(LENGTH);
  #tap = 0;
  #feed = LENGTH - TAP;

  /** Seeds the generator with a signed 64-bit integer. */
  constructor(seed: bigint) {
    let x = Number(seed % BigInt(MODULUS));
    if (x < 0) x += MODULUS;
    if (x === 0) x = ZERO_SEED;
    for (let i = 0; i < WARM_UP; i++) x = next(x);
    for (let i = 0; i < LENGTH; i++) {
      const first = next(x);
      const second = next(first);
      x = next(second);
      const seeded = (BigInt(first) << 40n) ^ (BigInt(second) << 20n) ^ BigInt(x);
      this.#words[i] = seeded ^ (GO_RANDOM_TABLE[i] as bigint); // 607 words: the table's length
    }
  }

  /** Returns 64 random bits. */
  uint64(): bigint {
    this.#tap = (this.#tap + LENGTH - 1) % LENGTH;
    this.#feed = (this.#feed + LENGTH - 1) % LENGTH;
    const words = this.#words;
    words[this.#feed] = (words[this.#feed] as bigint) + (words[this.#tap] as bigint); // in range; wraps at 2^64
    return words[this.#feed] as bigint; // in range
  }

  /** Returns an integer from 0 to n - 1, for 0 < n < 2^31, as Go's `rand.Intn`. */
  intn(n: number): number {
    if ((n & (n - 1)) === 0) return this.#int31() & (n - 1);
    const greatest = TWO_31 - 1 - (TWO_31 % n);
    let value = this.#int31();
    while (value > greatest) value = this.#int31();
    return value % n;
  }

  /** Returns an integer from 0 to n - 1, for 0 < n < 2^31, as drawn by Go's `rand.Shuffle`. */
  int31n(n: number): number {
    let product = BigInt(this.#uint32()) * BigInt(n);
    let low = Number(product & 0xffff_ffffn);
    if (low < n) {
      const least = (TWO_32 - n) % n;
      while (low < least) {
        product = BigInt(this.#uint32()) * BigInt(n);
        low = Number(product & 0xffff_ffffn);
      }
    }
    return Number(product >> 32n);
  }

  #int31(): number {
    return Number((this.uint64() & INT63) >> 32n);
  }

  #uint32(): number {
    return Number((this.uint64() & INT63) >> 31n);
  }
}

function next(x: number): number {
  const high = Math.floor(x / 44_488);
  const low = x % 44_488;
  const value = 48_271 * low - 3_399 * high;
  return value < 0 ? value + MODULUS : value;
}
