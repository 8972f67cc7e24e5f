/**
 * The modular exponentiation contract (EIP-198), with the gas of EIP-198, EIP-2565 or EIP-7883 and the limit
 * of EIP-7823. Its running time is bounded by its gas.
 */
import { bytesToBigint, fixedBytes, MAX_UINT64 } from "../bytes/integer.ts";
import { MONTGOMERY_BITS, montgomeryPower } from "./montgomery.ts";

/** Gas rules of a fork. All numbers saturate at 2^64-1, as in the Go node. */
export interface ModexpPricing {
  /** Complexity of one multiplication of operands of the given size in bytes. */
  readonly complexity: (bytes: bigint) => bigint;
  readonly divisor: bigint;
  readonly minGas: bigint;
  /** Iterations for each byte of the exponent beyond the first 32. */
  readonly exponentByte: bigint;
  /** Upper bound of each operand in bytes; undefined for no bound. */
  readonly maxOperandBytes: bigint | undefined;
  /** Computation cost of a call whose gas does not fit into 64 bits. */
  readonly overflowCost: number;
}

/**
 * Computation cost of a gas amount beyond 64 bits before EIP-7883: the Go node adds 2^64-1 to a 64-bit sum,
 * which subtracts 1. From EIP-7883 on it adds a hundredth of 2^64-1, which ends the transaction (`bigModExp`
 * in `blockchain/vm/contracts.go@v2.2.2`).
 */
const WRAPPED_COST = -1;

/** Gas rules of EIP-198. */
export const MODEXP_198: ModexpPricing = {
  complexity: (bytes) => {
    if (bytes <= 64n) return bytes * bytes;
    if (bytes <= 1024n) return (bytes * bytes) / 4n + 96n * bytes - 3072n;
    return saturate(bytes * bytes, (square) => square / 16n + 480n * bytes - 199_680n);
  },
  divisor: 20n,
  minGas: 0n,
  exponentByte: 8n,
  maxOperandBytes: undefined,
  overflowCost: WRAPPED_COST,
};

/** Gas rules of EIP-2565. */
export const MODEXP_2565: ModexpPricing = {
  complexity: (bytes) => ((bytes + 7n) / 8n) ** 2n,
  divisor: 3n,
  minGas: 200n,
  exponentByte: 8n,
  maxOperandBytes: undefined,
  overflowCost: WRAPPED_COST,
};

/** Gas rules of EIP-7883 with the operand limit of EIP-7823. */
export const MODEXP_7883: ModexpPricing = {
  complexity: (bytes) => (bytes <= 32n ? 16n : 2n * ((bytes + 7n) / 8n) ** 2n),
  divisor: 1n,
  minGas: 500n,
  exponentByte: 16n,
  maxOperandBytes: 1024n,
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
 * Returns the gas of a call; 2^64-1 where it does not fit into 64 bits. A product that overflows is not
 * divided. The iterations saturate at 2^64-1, so an exponent of 2^61 bytes or more has a price that fits.
 */
export function modexpGas(input: Uint8Array, pricing: ModexpPricing): bigint {
  const { base, exponent, modulus } = readLengths(input);
  const headLength = exponent < 32n ? Number(exponent) : WORD;
  const head = base > BigInt(input.length) ? 0n : numberAt(input, HEADER + Number(base), headLength);
  const bits = head === 0n ? 0n : BigInt(head.toString(2).length - 1);
  const beyond = exponent > 32n ? pricing.exponentByte * (exponent - 32n) : 0n;
  const iterations = saturate(beyond + bits > 1n ? beyond + bits : 1n);
  const complexity = saturate(pricing.complexity(base > modulus ? base : modulus));
  // A saturated complexity overflows with every factor.
  if (complexity === MAX_UINT64) return MAX_UINT64;
  const gas = saturate(complexity * iterations, (product) => product / pricing.divisor);
  return gas > pricing.minGas ? gas : pricing.minGas;
}

/** Returns the computation cost of a call from its gas. */
export function modexpCost(gas: bigint, { overflowCost }: ModexpPricing): number {
  return gas === MAX_UINT64 ? overflowCost : costOfGas(gas);
}

function costOfGas(gas: bigint): number {
  return Number(gas / 100n + 100n);
}

/** Returns the number, or the result of `then` on it; 2^64-1 where either does not fit into 64 bits. */
function saturate(value: bigint, then = (fitting: bigint): bigint => fitting): bigint {
  if (value > MAX_UINT64) return MAX_UINT64;
  const result = then(value);
  return result > MAX_UINT64 ? MAX_UINT64 : result;
}

/**
 * Returns `base ** exponent % modulus` in as many bytes as the modulus has; zero for a modulus of zero,
 * undefined when an operand is above the limit.
 */
export function modexp(
  input: Uint8Array,
  { maxOperandBytes: longest }: ModexpPricing,
): Uint8Array | undefined {
  const { base, exponent, modulus } = readLengths(input);
  if (longest !== undefined && (base > longest || exponent > longest || modulus > longest)) return undefined;
  if (base === 0n && modulus === 0n) return new Uint8Array(0);
  // Lengths that gas was paid for are below 2^53; with an empty modulus the result is empty.
  const [baseLength, exponentLength, modulusLength] = [Number(base), Number(exponent), Number(modulus)];
  const divisor = numberAt(input, HEADER + baseLength + exponentLength, modulusLength);
  if (divisor <= 1n) return new Uint8Array(modulusLength);
  const value = numberAt(input, HEADER, baseLength) % divisor;
  const exponentAt = HEADER + baseLength;
  return fixedBytes(power(value, numberAt(input, exponentAt, exponentLength), divisor), modulusLength);
}

/** Reads the three lengths; a length beyond 64 bits counts as 2^64-1. */
function readLengths(input: Uint8Array): Lengths {
  return {
    base: saturate(numberAt(input, 0, WORD)),
    exponent: saturate(numberAt(input, WORD, WORD)),
    modulus: saturate(numberAt(input, 2 * WORD, WORD)),
  };
}

/** Reads a big-endian number; bytes beyond the end of the input are zeros. */
function numberAt(input: Uint8Array, at: number, length: number): bigint {
  const present = bytesToBigint(input.subarray(at, at + length));
  const missing = length - Math.max(0, Math.min(length, input.length - at));
  return missing === 0 || present === 0n ? present : present << BigInt(8 * missing);
}

/** Computes a power; `base` is below the modulus, which is above 1. */
function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  if (base <= 1n) return exponent === 0n ? 1n : base;
  const bits = exponent.toString(2);
  if (bits.length <= BIT_BY_BIT) return byBits(base, bits, modulus);
  if (modulus >> BigInt(MONTGOMERY_BITS) !== 0n) return byWindows(base, exponent, (value) => value % modulus);
  return (modulus & 1n) === 1n
    ? montgomeryPower(base, exponent, modulus)
    : powerByParts(base, exponent, modulus);
}

/**
 * Computes a power modulo an even number: modulo its odd part and modulo its power of two, combined by the
 * Chinese remainder theorem.
 */
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

/** Returns the inverse of an odd number modulo the power of two of `wrap`, by Newton's method. */
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

/** Computes a power with a window of four bits. */
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
