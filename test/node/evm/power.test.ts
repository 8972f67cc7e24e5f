/** Tests of powers modulo 2^256. */
import { expect, test } from "@jest/globals";
import { bytesToBigint } from "../../../node/bytes/integer.ts";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { power } from "../../../node/evm/power.ts";

const WORD = 1n << 256n;

/** Square and multiply, the plain way. */
function plainPower(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (const bit of exponent.toString(2)) {
    result = (result * result) % WORD;
    if (bit === "1") result = (result * base) % WORD;
  }
  return exponent === 0n ? 1n : result;
}

const random = (seed: number, bits: number): bigint =>
  BigInt.asUintN(bits, bytesToBigint(keccak256(Uint8Array.of(seed, bits & 0xff, bits >> 8))));

test("powers of words of every length are what plain arithmetic gives", () => {
  for (let bits = 0; bits <= 256; bits += 4) {
    const base = random(bits & 0xff, 256 - (bits % 64));
    const exponent = random(7, bits);
    expect([bits, power(base, exponent)]).toEqual([bits, plainPower(base, exponent)]);
  }
});

test("the edges wrap", () => {
  for (const base of [
    0n,
    1n,
    2n,
    3n,
    WORD - 1n,
    WORD - 2n,
    1n << 255n,
    (1n << 232n) - 1n,
    (1n << 29n) + 1n,
  ]) {
    for (const exponent of [0n, 1n, 2n, 3n, 255n, 256n, (1n << 48n) - 1n, 1n << 48n, WORD - 1n]) {
      expect([base, exponent, power(base, exponent)]).toEqual([base, exponent, plainPower(base, exponent)]);
    }
  }
});
