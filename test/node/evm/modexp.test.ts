/** Tests of the modular exponentiation contract. */
import { expect, test } from "@jest/globals";
import { concatBytes } from "../../../node/bytes/compare.ts";
import { bareHex } from "../../../node/bytes/hex.ts";
import { bytesToBigint, fixedBytes } from "../../../node/bytes/integer.ts";
import {
  MODEXP_198,
  MODEXP_2565,
  MODEXP_7883,
  modexp,
  modexpCost,
  modexpGas,
} from "../../../node/evm/modexp.ts";
import { randomBytes, seededRandom } from "../../support/random.ts";

const call = (base: Uint8Array, exponent: Uint8Array, modulus: Uint8Array): Uint8Array =>
  concatBytes(
    ...[base, exponent, modulus].map(({ length }) => fixedBytes(length, 32)),
    base,
    exponent,
    modulus,
  );
const lengths = (...values: readonly bigint[]): Uint8Array =>
  concatBytes(...values.map((value) => fixedBytes(value, 32)));

const MAX = 2n ** 64n - 1n;

/** By the definition. */
function powerBySquares(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let [result, square] = [1n % modulus, base % modulus];
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}

test("powers are those of the definition, odd and even moduli, short and long exponents", () => {
  const random = seededRandom(198);
  for (let round = 0; round < 200; round++) {
    const part = (most: number): Uint8Array => randomBytes(random, Math.floor(random() * most));
    const [base, exponent, modulus] = [part(80), part(40), part(80)];
    const value = bytesToBigint(modulus);
    const expected = value === 0n ? 0n : powerBySquares(bytesToBigint(base), bytesToBigint(exponent), value);
    const found = modexp(call(base, exponent, modulus), MODEXP_2565);
    expect(bareHex(found ?? new Uint8Array())).toBe(bareHex(fixedBytes(expected, modulus.length)));
  }
});

test("long powers of long numbers are those of the definition, whatever the modulus is divisible by", () => {
  const random = seededRandom(2565);
  for (let round = 0; round < 60; round++) {
    const length = 1 + Math.floor(random() * (round % 10 === 0 ? 300 : 120));
    const twos = BigInt(Math.floor(random() * 8 * length * (round % 3)) >> 1);
    const modulus = ((bytesToBigint(randomBytes(random, length)) >> twos) | 1n) << twos;
    const [base, exponent] = [randomBytes(random, length + 3), randomBytes(random, 7 + (round % 30))];
    const input = call(base, exponent, fixedBytes(modulus, length + 40));
    const expected = powerBySquares(bytesToBigint(base), bytesToBigint(exponent), modulus);
    expect(bareHex(modexp(input, MODEXP_2565) ?? new Uint8Array())).toBe(
      bareHex(fixedBytes(expected, length + 40)),
    );
  }
});

test("edges of long powers: bases that fall to 0 and 1, moduli of one, two and all bits", () => {
  const long = new Uint8Array(20).fill(255);
  for (const modulus of [
    2n,
    3n,
    4n,
    8n,
    1n << 64n,
    3n << 64n,
    (1n << 2048n) - 1n,
    1n << 2047n,
    (1n << 2048n) + 2n,
  ]) {
    for (const base of [0n, 1n, 2n, 3n, 6n, modulus - 1n, modulus, modulus + 1n]) {
      const bytes = fixedBytes(modulus, 260);
      const expected = powerBySquares(base, bytesToBigint(long), modulus);
      const found = modexp(call(fixedBytes(base, 260), long, bytes), MODEXP_198);
      expect(bytesToBigint(found ?? new Uint8Array())).toBe(expected);
    }
  }
});

test("what the input does not have is zero, and what it has too much is not looked at", () => {
  const input = call(Uint8Array.of(3), Uint8Array.of(2), Uint8Array.of(5, 0));
  expect(modexp(input.subarray(0, input.length - 1), MODEXP_198)).toEqual(Uint8Array.of(0, 9));
  expect(modexp(concatBytes(input, Uint8Array.of(7)), MODEXP_198)).toEqual(Uint8Array.of(0, 9));
  expect(modexp(new Uint8Array(0), MODEXP_198)).toEqual(new Uint8Array(0));
  expect(modexp(lengths(1n, 1n, 3n), MODEXP_198)).toEqual(new Uint8Array(3));
  expect(modexp(call(new Uint8Array(0), new Uint8Array(0), Uint8Array.of(7)), MODEXP_198)).toEqual(
    Uint8Array.of(1),
  );
});

test.each([
  ["a square of 64 bytes", 64, 1, 2, [204n, 200n, 500n]],
  ["a cube of 256 bytes", 256, 1, 3, [1894n, 341n, 2048n]],
  ["65537 of 1024 bytes", 1024, 3, 65_537, [285_900n, 87_381n, 524_288n]],
])("gas of %s by EIP-198, EIP-2565 and EIP-7883", (_name, bytes, exponentBytes, exponent, gas) => {
  const operand = new Uint8Array(bytes).fill(255);
  const input = call(operand, fixedBytes(exponent, exponentBytes), operand);
  expect([MODEXP_198, MODEXP_2565, MODEXP_7883].map((pricing) => modexpGas(input, pricing))).toEqual(gas);
});

test("lengths of any size have a price, and cost nothing where there is nothing to multiply", () => {
  const most = 2n ** 256n - 1n;
  for (const pricing of [MODEXP_198, MODEXP_2565, MODEXP_7883]) {
    for (const huge of [lengths(most, 0n, 0n), lengths(0n, 1n, most), lengths(9n, most, 9n)]) {
      expect(modexpGas(huge, pricing)).toBe(MAX);
    }
  }
  expect(modexpGas(lengths(0n, most, 0n), MODEXP_198)).toBe(0n);
  expect(modexp(lengths(0n, most, 0n), MODEXP_198)).toEqual(new Uint8Array(0));
  expect(modexp(lengths(0n, most, 0n), MODEXP_7883)).toBeUndefined();
});

// Figures of the Go node's own functions (blockchain/vm/contracts.go@v2.2.2).
test.each([
  ["iterations stop at 2^64-1", [1n, 2n ** 63n + 32n, 1n], [MAX / 20n, MAX / 3n, MAX]],
  [
    "iterations at their last that fit",
    [1n, 2n ** 60n + 31n, 1n],
    [461_168_601_842_738_790n, 3_074_457_345_618_258_600n, MAX],
  ],
  ["a product is tested before it is divided", [0x13n, 2n ** 58n + 32n, 0n], [MAX, MAX, MAX]],
  ["a square is tested before it is divided", [2n ** 32n, 0n, 0n], [MAX, 2n ** 58n / 3n, 2n ** 59n]],
  [
    "the longest square before it overflows",
    [2n ** 32n - 1n, 0n, 0n],
    [57_646_178_282_703_899n, 2n ** 58n / 3n, 2n ** 59n],
  ],
  ["a base of 2^64 bytes", [2n ** 64n, 0n, 0n], [MAX, MAX, MAX]],
  ["an exponent of 2^64 bytes and nothing else", [0n, 2n ** 64n, 0n], [0n, 200n, MAX]],
])("gas beyond 64 bits, by each rule: %s", (_name, operands, gas) => {
  expect([MODEXP_198, MODEXP_2565, MODEXP_7883].map((each) => modexpGas(lengths(...operands), each))).toEqual(
    gas,
  );
});

test("computation is a hundredth of the gas, and of gas beyond 64 bits only since EIP-7883", () => {
  const pricings = [MODEXP_198, MODEXP_2565, MODEXP_7883];
  expect(pricings.map((pricing) => modexpCost(299n, pricing))).toEqual([102, 102, 102]);
  expect(pricings.map((pricing) => modexpCost(MAX, pricing))).toEqual([-1, -1, Number(MAX / 100n) + 100]);
});

test("operands longer than 1,024 bytes are refused since EIP-7823", () => {
  for (const at of [0, 1, 2]) {
    const sizes = [1n, 1n, 1n];
    sizes[at] = 1024n;
    expect(modexp(lengths(...sizes), MODEXP_7883)).toBeDefined();
    sizes[at] = 1025n;
    expect(modexp(lengths(...sizes), MODEXP_7883)).toBeUndefined();
    expect(modexp(lengths(...sizes), MODEXP_2565)).toBeDefined();
  }
});
