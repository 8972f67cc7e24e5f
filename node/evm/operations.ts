/**
 * Arithmetic, comparison and bit opcodes. Each function takes the stack and its length and leaves its result
 * in place of its last operand. The loop has checked the stack's length. Measured by `bench/evm.ts`.
 */

import { power } from "./power.ts";

/** The stack; only the first `sp` words are in use. */
export type Stack = bigint[];

const MODULUS = 1n << 256n;
const MAX = MODULUS - 1n;
const HALF = 1n << 255n;

export function add(s: Stack, sp: number): void {
  const sum = (s[sp - 1] as bigint) + (s[sp - 2] as bigint);
  s[sp - 2] = sum > MAX ? sum - MODULUS : sum;
}

export function mul(s: Stack, sp: number): void {
  s[sp - 2] = wrap256((s[sp - 1] as bigint) * (s[sp - 2] as bigint));
}

export function sub(s: Stack, sp: number): void {
  const difference = (s[sp - 1] as bigint) - (s[sp - 2] as bigint);
  s[sp - 2] = difference < 0n ? difference + MODULUS : difference;
}

export function div(s: Stack, sp: number): void {
  const divisor = s[sp - 2] as bigint;
  s[sp - 2] = divisor === 0n ? 0n : (s[sp - 1] as bigint) / divisor;
}

export function sdiv(s: Stack, sp: number): void {
  const divisor = toSigned(s[sp - 2] as bigint);
  s[sp - 2] = divisor === 0n ? 0n : BigInt.asUintN(256, toSigned(s[sp - 1] as bigint) / divisor);
}

export function mod(s: Stack, sp: number): void {
  const divisor = s[sp - 2] as bigint;
  s[sp - 2] = divisor === 0n ? 0n : (s[sp - 1] as bigint) % divisor;
}

export function smod(s: Stack, sp: number): void {
  const divisor = toSigned(s[sp - 2] as bigint);
  s[sp - 2] = divisor === 0n ? 0n : BigInt.asUintN(256, toSigned(s[sp - 1] as bigint) % divisor);
}

export function addmod(s: Stack, sp: number): void {
  const divisor = s[sp - 3] as bigint;
  s[sp - 3] = divisor === 0n ? 0n : ((s[sp - 1] as bigint) + (s[sp - 2] as bigint)) % divisor;
}

export function mulmod(s: Stack, sp: number): void {
  const divisor = s[sp - 3] as bigint;
  s[sp - 3] = divisor === 0n ? 0n : ((s[sp - 1] as bigint) * (s[sp - 2] as bigint)) % divisor;
}

export function exp(s: Stack, sp: number): void {
  s[sp - 2] = powerOf(s[sp - 1] as bigint, s[sp - 2] as bigint);
}

export function signextend(s: Stack, sp: number): void {
  const index = s[sp - 1] as bigint;
  if (index < 31n) {
    s[sp - 2] = BigInt.asUintN(256, BigInt.asIntN((Number(index) + 1) * 8, s[sp - 2] as bigint));
  }
}

export function lt(s: Stack, sp: number): void {
  s[sp - 2] = (s[sp - 1] as bigint) < (s[sp - 2] as bigint) ? 1n : 0n;
}

export function gt(s: Stack, sp: number): void {
  s[sp - 2] = (s[sp - 1] as bigint) > (s[sp - 2] as bigint) ? 1n : 0n;
}

export function slt(s: Stack, sp: number): void {
  s[sp - 2] = toSigned(s[sp - 1] as bigint) < toSigned(s[sp - 2] as bigint) ? 1n : 0n;
}

export function sgt(s: Stack, sp: number): void {
  s[sp - 2] = toSigned(s[sp - 1] as bigint) > toSigned(s[sp - 2] as bigint) ? 1n : 0n;
}

export function eq(s: Stack, sp: number): void {
  s[sp - 2] = s[sp - 1] === s[sp - 2] ? 1n : 0n;
}

export function iszero(s: Stack, sp: number): void {
  s[sp - 1] = s[sp - 1] === 0n ? 1n : 0n;
}

export function and(s: Stack, sp: number): void {
  s[sp - 2] = (s[sp - 1] as bigint) & (s[sp - 2] as bigint);
}

export function or(s: Stack, sp: number): void {
  s[sp - 2] = (s[sp - 1] as bigint) | (s[sp - 2] as bigint);
}

export function xor(s: Stack, sp: number): void {
  s[sp - 2] = (s[sp - 1] as bigint) ^ (s[sp - 2] as bigint);
}

export function not(s: Stack, sp: number): void {
  s[sp - 1] = (s[sp - 1] as bigint) ^ MAX;
}

export function byte(s: Stack, sp: number): void {
  const index = s[sp - 1] as bigint;
  s[sp - 2] = index > 31n ? 0n : ((s[sp - 2] as bigint) >> (248n - index * 8n)) & 0xffn;
}

export function shl(s: Stack, sp: number): void {
  const by = s[sp - 1] as bigint;
  s[sp - 2] = by > 255n ? 0n : BigInt.asUintN(256 - Number(by), s[sp - 2] as bigint) << by;
}

export function shr(s: Stack, sp: number): void {
  const by = s[sp - 1] as bigint;
  s[sp - 2] = by > 255n ? 0n : (s[sp - 2] as bigint) >> by;
}

export function sar(s: Stack, sp: number): void {
  const by = s[sp - 1] as bigint;
  const value = s[sp - 2] as bigint;
  if (value < HALF) s[sp - 2] = by > 255n ? 0n : value >> by;
  else s[sp - 2] = by > 255n ? MAX : BigInt.asUintN(256, (value - MODULUS) >> by);
}

/** CLZ (EIP-7939). */
export function clz(s: Stack, sp: number): void {
  s[sp - 1] = 256n - BigInt(bitLength(s[sp - 1] as bigint));
}

export function swap(s: Stack, sp: number, depth: number): void {
  const top = s[sp - 1] as bigint;
  s[sp - 1] = s[sp - 1 - depth] as bigint;
  s[sp - 1 - depth] = top;
}

/** Returns the number of bytes of a word without leading zeros. */
export function byteLength(word: bigint): number {
  return (bitLength(word) + 7) >> 3;
}

function bitLength(word: bigint): number {
  if (word === 0n) return 0;
  const digits = word.toString(16);
  return digits.length * 4 - (Math.clz32(Number.parseInt(digits.charAt(0), 16)) - 28);
}

function toSigned(word: bigint): bigint {
  return word < HALF ? word : word - MODULUS;
}

function wrap256(value: bigint): bigint {
  return value > MAX ? BigInt.asUintN(256, value) : value;
}

function powerOf(base: bigint, exponent: bigint): bigint {
  if (exponent < 3n) return exponent === 0n ? 1n : exponent === 1n ? base : wrap256(base * base);
  if (base === 2n) return exponent > 255n ? 0n : 1n << exponent;
  return power(base, exponent);
}
