/** Draws from a seeded generator, and the edge values that operands, lengths and gas are drawn from first. */
import { concatBytes } from "../../../node/bytes/compare.ts";
import { fromBareHex } from "../../../node/bytes/hex.ts";
import { bytesToBigint, integerBytes } from "../../../node/bytes/integer.ts";
import { wordBytes } from "../../../node/bytes/word.ts";
import { randomBytes, seededRandom } from "../random.ts";

/** Draws of one case. */
export class Draw {
  readonly random: () => number;

  constructor(seed: number) {
    this.random = seededRandom(seed);
  }

  /** An integer in [0, limit). */
  below(limit: number): number {
    return Math.floor(this.random() * limit);
  }

  /** True with probability `share`. */
  chance(share: number): boolean {
    return this.random() < share;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T; // lists are never empty
  }

  bytes(length: number): Uint8Array {
    return randomBytes(this.random, length);
  }

  /** A word: an edge value, a neighbour of one, or anything. */
  word(): bigint {
    const kind = this.random();
    if (kind < 0.7) return this.pick(EDGES);
    if (kind < 0.8) return BigInt.asUintN(256, this.pick(EDGES) + BigInt(this.below(5) - 2));
    if (kind < 0.9) return bytesToBigint(this.pick(NAMED));
    return bytesToBigint(this.bytes(1 + this.below(32)));
  }

  /** A word that mostly is a small place or length in memory. */
  place(): bigint {
    return this.chance(0.8) ? BigInt(this.pick(PLACES)) : this.word();
  }
}

const power = (exponent: bigint): bigint => 1n << exponent;

/** Values at which implementations change their way. */
export const EDGES: readonly bigint[] = [
  0n,
  1n,
  2n,
  ...[8n, 31n, 32n, 53n, 63n, 64n, 128n, 160n, 255n].flatMap((exponent) => [
    power(exponent) - 1n,
    power(exponent),
    power(exponent) + 1n,
  ]),
  power(256n) - 32n,
  power(256n) - 2n,
  power(256n) - 1n,
];

const PLACES: readonly number[] = [0, 0, 1, 2, 31, 32, 33, 63, 64, 65, 96, 255, 256, 1023, 1024, 4096];

/** Accounts that programs call and read: four contracts, an account without code, no account, empty accounts. */
export const CONTRACTS: readonly Uint8Array[] = ["a1", "a2", "a3", "a4"].map((pair) =>
  fromBareHex(pair.repeat(20)),
);
export const PLAIN: Uint8Array = fromBareHex("e0a0".repeat(10));
export const ABSENT: Uint8Array = fromBareHex("dead".repeat(10));

/** Returns the address of a number below 2^32. */
export function addressOfNumber(number: number): Uint8Array {
  return wordBytes(BigInt(number)).slice(12);
}

const NAMED: readonly Uint8Array[] = [
  ...CONTRACTS,
  PLAIN,
  ABSENT,
  ...[1, 2, 3, 4, 5, 9, 10, 11, 18, 0x100, 0x3fd, 0x3fe, 0x3ff, 0x400].map(addressOfNumber),
];

/** Code that pushes a value. */
export function push(value: bigint | Uint8Array): Uint8Array {
  const bytes = typeof value === "bigint" ? integerBytes(value) : value;
  return bytes.length === 0 ? Uint8Array.of(0x60, 0) : concatBytes(Uint8Array.of(0x5f + bytes.length), bytes);
}

/** Code of an opcode with operands, the first on top of the stack. */
export function operation(opcode: number, ...operands: readonly (bigint | Uint8Array)[]): Uint8Array {
  return concatBytes(...operands.toReversed().map(push), Uint8Array.of(opcode));
}
