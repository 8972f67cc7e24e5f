/**
 * A prime field for vectors of 128 bits, which hold two elements side by side. Numbers are signed limbs; R is far
 * above the modulus, so sums and differences need no reduction, only carries.
 *
 * Reduction is Montgomery's with one change: all steps but the last add a multiple of a number N that is -1 modulo
 * a limb, so their factor is the low limb itself; the last adds a multiple of the modulus. N is a multiple of the
 * modulus of one limb more, so a product stays below twice the modulus plus what the factors bring.
 */

/** The field's parameters. */
export interface Field {
  readonly modulus: bigint;
  /** An even number of limbs: vectors hold two of each element. */
  readonly limbs: number;
  readonly bits: number;
}

/** Bytes of two elements side by side: limb i of the first, limb i of the second, and so on. */
export const sizeOf = ({ limbs }: Field): number => limbs * 8;

/** The limbs of a number below R, the lowest first. */
export function limbsOf({ limbs, bits }: Field, value: bigint): number[] {
  return Array.from({ length: limbs }, (_, i) =>
    Number(BigInt.asUintN(bits, value >> BigInt(bits * i))),
  );
}

/** R modulo the modulus. */
export function montgomeryOne({ modulus, limbs, bits }: Field): bigint {
  return (1n << BigInt(limbs * bits)) % modulus;
}

/** Two elements as a constant of the module, in Montgomery's form. */
export function constantOf(field: Field, first: bigint, second: bigint): string {
  const one = montgomeryOne(field);
  const form = (value: bigint): number[] => limbsOf(field, (value * one) % field.modulus);
  return plainConstant(form(first), form(second));
}

/** Limbs as they are. */
export function plainConstant(first: readonly number[], second: readonly number[]): string {
  const words = first.flatMap((limb, i) => [limb, second[i] ?? 0]);
  return `memory.data<i32>([${words.join(", ")}], 16)`;
}

/** base ** exponent modulo the modulus. */
export function powerOf(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let [result, square] = [1n, base % modulus];
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}

/** -1 / value modulo 2 ** bits, for an odd value. */
export function negativeInverse(value: bigint, bits: number): bigint {
  let inverse = 1n;
  for (let known = 1; known < bits; known *= 2) inverse = BigInt.asUintN(bits, inverse * (2n - value * inverse));
  return BigInt.asUintN(bits, -inverse);
}

/** Odd digits below half of 2^width in magnitude, and zeros: the number's, the highest first. */
export function signedDigits(value: bigint, width: number): number[] {
  const digits: number[] = [];
  for (let rest = value; rest > 0n; rest >>= 1n) {
    const digit = (rest & 1n) === 1n ? BigInt.asIntN(width, rest) : 0n;
    digits.push(Number(digit));
    rest -= digit;
  }
  return digits.reverse();
}

/** Limb i of the 64-bit words w0, w1 and so on, the lowest first, as an expression. */
export function limbOf({ bits }: Field, i: number, words: number): string {
  const [word, offset] = [Math.floor((bits * i) / 64), (bits * i) % 64];
  if (word >= words) return "0";
  const low = `(w${word} >> ${offset})`;
  const needsNext = offset + bits > 64 && word < words - 1;
  return `(${needsNext ? `(${low} | (w${word + 1} << ${64 - offset}))` : low} & ${2 ** bits - 1})`;
}
