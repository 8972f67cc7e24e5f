/**
 * The modular exponentiation contract (EIP-198; gas by EIP-198, EIP-2565 or EIP-7883 with the limit of EIP-7823).
 * Its work is bounded by its gas.
 */
import { bytesToBigint, fixedBytes } from "../bytes/integer.ts";
import { MONTGOMERY_BITS, montgomeryPower } from "./montgomery.ts";

const MAX_UINT64 = (1n << 64n) - 1n;

/** Pricing of an operation. All numbers saturate at 2^64-1, as they do in the Go node. */
export interface ModexpPricing {
  /** Complexity of a multiplication of operands of so many bytes. */
  readonly complexity: (bytes: bigint) => bigint;
  readonly divisor: bigint;
  readonly least: bigint;
  /** Iterations for each byte of the exponent beyond 32. */
  readonly exponentByte: bigint;
  /** Longest operand, in bytes. */
  readonly longest: bigint | undefined;
  /** Computation cost of a call whose gas does not fit into 64 bits. */
  readonly overflowCost: number;
}

/**
 * Before EIP-7883 the Go node adds 2^64-1 to a sum of 64 bits, which takes 1 from it; from then on it adds a hundredth
 * of 2^64-1, which ends the transaction (kaia/blockchain/vm/contracts.go@v2.2.2, bigModExp).
 */
const WRAPPED_COST = -1;

/** EIP-198. */
export const MODEXP_198: ModexpPricing = {
  complexity: (bytes) => {
    if (bytes <= 64n) return bytes * bytes;
    if (bytes <= 1024n) return (bytes * bytes) / 4n + 96n * bytes - 3072n;
    return saturated(bytes * bytes, (square) => square / 16n + 480n * bytes - 199_680n);
  },
  divisor: 20n,
  least: 0n,
  exponentByte: 8n,
  longest: undefined,
  overflowCost: WRAPPED_COST,
};

/** EIP-2565. */
export const MODEXP_2565: ModexpPricing = {
  complexity: (bytes) => ((bytes + 7n) / 8n) ** 2n,
  divisor: 3n,
  least: 200n,
  exponentByte: 8n,
  longest: undefined,
  overflowCost: WRAPPED_COST,
};

/** EIP-7883, with the longest operand of EIP-7823. */
export const MODEXP_7883: ModexpPricing = {
  complexity: (bytes) => (bytes <= 32n ? 16n : 2n * ((bytes + 7n) / 8n) ** 2n),
  divisor: 1n,
  least: 500n,
  exponentByte: 16n,
  longest: 1024n,
  overflowCost: costOfGas(MAX_UINT64),
};

const HEADER = 96;
const WORD = 32;
const BIT_BY_BIT = 48;
const WINDOW = 4;

interface Lengths {
  readonly base: bigint;
  readonly exponent: bigint;
  readonly modulus: bigint;
}

/**
 * Gas of a call, 2^64-1 where it does not fit into 64 bits. A product that overflows is not divided, and the iterations
 * stop at 2^64-1 by themselves, so an exponent of 2^61 bytes and more has a price that fits.
 */
export function modexpGas(input: Uint8Array, pricing: ModexpPricing): bigint {
  const { base, exponent, modulus } = readLengths(input);
  const headLength = exponent < 32n ? Number(exponent) : WORD;
  const head = base > BigInt(input.length) ? 0n : numberAt(input, HEADER + Number(base), headLength);
  const bits = head === 0n ? 0n : BigInt(head.toString(2).length - 1);
  const beyond = exponent > 32n ? pricing.exponentByte * (exponent - 32n) : 0n;
  const iterations = saturated(beyond + bits > 1n ? beyond + bits : 1n);
  const complexity = saturated(pricing.complexity(base > modulus ? base : modulus));
  // A saturated complexity overflows whatever it is multiplied with.
  if (complexity === MAX_UINT64) return MAX_UINT64;
  const gas = saturated(complexity * iterations, (product) => product / pricing.divisor);
  return gas > pricing.least ? gas : pricing.least;
}

/** Computation cost of a call that costs so much gas. */
export function modexpCost(gas: bigint, { overflowCost }: ModexpPricing): number {
  return gas === MAX_UINT64 ? overflowCost : costOfGas(gas);
}

function costOfGas(gas: bigint): number {
  return Number(gas / 100n + 100n);
}

/** The number, or what `then` makes of it; 2^64-1 where the number or the result does not fit into 64 bits. */
function saturated(value: bigint, then = (fitting: bigint): bigint => fitting): bigint {
  if (value > MAX_UINT64) return MAX_UINT64;
  const result = then(value);
  return result > MAX_UINT64 ? MAX_UINT64 : result;
}

/** The power, in as many bytes as the modulus has; zero for a modulus of zero. Undefined when it is too long. */
export function modexp(input: Uint8Array, { longest }: ModexpPricing): Uint8Array | undefined {
  const { base, exponent, modulus } = readLengths(input);
  if (longest !== undefined && (base > longest || exponent > longest || modulus > longest)) return undefined;
  if (base === 0n && modulus === 0n) return new Uint8Array(0);
  // Whoever paid for lengths has them below 2^53; without a modulus nothing of them matters.
  const [baseLength, exponentLength, modulusLength] = [Number(base), Number(exponent), Number(modulus)];
  const divisor = numberAt(input, HEADER + baseLength + exponentLength, modulusLength);
  if (divisor <= 1n) return new Uint8Array(modulusLength);
  const value = numberAt(input, HEADER, baseLength) % divisor;
  const exponentAt = HEADER + baseLength;
  return fixedBytes(power(value, numberAt(input, exponentAt, exponentLength), divisor), modulusLength);
}

/** A length beyond 64 bits counts as 2^64-1. */
function readLengths(input: Uint8Array): Lengths {
  return {
    base: saturated(numberAt(input, 0, WORD)),
    exponent: saturated(numberAt(input, WORD, WORD)),
    modulus: saturated(numberAt(input, 2 * WORD, WORD)),
  };
}

/** Beyond the input all bytes are zero. */
function numberAt(input: Uint8Array, at: number, length: number): bigint {
  const present = bytesToBigint(input.subarray(at, at + length));
  const missing = length - Math.max(0, Math.min(length, input.length - at));
  return missing === 0 || present === 0n ? present : present << BigInt(8 * missing);
}

/** `base` is below the modulus, which is above 1. */
function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  if (base <= 1n) return exponent === 0n ? 1n : base;
  const bits = exponent.toString(2);
  if (bits.length <= BIT_BY_BIT) return byBits(base, bits, modulus);
  if (modulus >> BigInt(MONTGOMERY_BITS) !== 0n) return byWindows(base, exponent, (value) => value % modulus);
  return (modulus & 1n) === 1n
    ? montgomeryPower(base, exponent, modulus)
    : powerByParts(base, exponent, modulus);
}

/** An even modulus is an odd one times a power of two; the two powers make one (Chinese remainders). */
function powerByParts(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let twos = 0;
  while (((modulus >> BigInt(twos)) & 1n) === 0n) twos++;
  const odd = modulus >> BigInt(twos);
  const wrap = (value: bigint): bigint => BigInt.asUintN(twos, value);
  // Odd numbers come back to 1 after 2^(twos - 2) steps at most, so the rest of the exponent is enough.
  const rest = (base & 1n) === 1n ? BigInt.asUintN(twos, exponent) : exponent;
  const low = (base & 1n) === 0n && exponent >= BigInt(twos) ? 0n : byWindows(wrap(base), rest, wrap);
  if (odd === 1n) return low;
  const reduced = base % odd;
  const high = reduced <= 1n ? reduced : montgomeryPower(reduced, exponent, odd);
  return high + odd * wrap((low - high) * inverseOf(odd, wrap));
}

/** The inverse of an odd number modulo the power of two that `wrap` keeps, by Newton's method. */
function inverseOf(odd: bigint, wrap: (value: bigint) => bigint): bigint {
  let inverse = wrap(odd);
  while (wrap(inverse * odd) !== wrap(1n)) inverse = wrap(inverse * (2n - inverse * odd));
  return inverse;
}

function byBits(base: bigint, bits: string, modulus: bigint): bigint {
  let result = 1n;
  for (const bit of bits) {
    result = (result * result) % modulus;
    if (bit === "1") result = (result * base) % modulus;
  }
  return result;
}

/** Four bits at a time. */
function byWindows(base: bigint, exponent: bigint, reduce: (value: bigint) => bigint): bigint {
  const powers = [1n, base];
  for (let i = 2; i < 1 << WINDOW; i++) powers.push(reduce((powers[i - 1] ?? 1n) * base));
  let result = 1n;
  for (const digit of exponent.toString(1 << WINDOW)) {
    if (result !== 1n) {
      for (let i = 0; i < WINDOW; i++) result = reduce(result * result);
    }
    const factor = powers[Number.parseInt(digit, 1 << WINDOW)] ?? 1n;
    if (factor !== 1n) result = reduce(result * factor);
  }
  return reduce(result);
}
