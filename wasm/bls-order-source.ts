/**
 * Writes the AssemblyScript source of the question whether points of BLS12-381's first curve, y^2 = x^3 + 4, are in
 * the group of prime order, for two points at once. `scripts/build-wasm.ts` compiles what comes out.
 *
 * With u the curve's parameter and phi(x, y) = (b x, y) for a cube root b of one, points of the group have
 * phi(P) = -u^2 P (Scott: "A note on group membership tests for G1, G2 and GT on BLS pairing-friendly curves"). No other
 * point has: phi^2 + phi + 1 = 0, so phi + u^2 is a map of degree u^4 - u^2 + 1, which is the order of the group.
 *
 * The module exports `input()`, the address of two points, 48 bytes a coordinate, big-endian, on the curve and not
 * infinity; and `areInGroup()`.
 */
import { constantOf, type Field, limbOf, limbsOf, montgomeryOne, plainConstant, powerOf, signedDigits, sizeOf } from "./field.ts";
import { laneSource } from "./lane-source.ts";

const FIELD: Field = {
  modulus:
    0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaabn,
  limbs: 14,
  bits: 29,
};
const SIZE = sizeOf(FIELD);
const COORDINATE = 48;
/** The curve's parameter u is negative. */
const PARAMETER_SQUARED = 0xd201000000010000n ** 2n;
const NAMES = ["PX", "PY", "X", "Y", "Z", "A", "B", "C", "D", "E"];

/** The module's source. */
export function blsOrderSource(): string {
  return `
  ${laneSource(FIELD)}
  ${NAMES.map((name) => `const ${name}: usize = memory.data(${SIZE}, 16);`).join("\n  ")}
  ${readSource()}
  ${multipleSource()}
  ${groupSource()}
  `;
}

/** The cube root of one that goes with -u^2; the other goes with u^2 - 1. */
function cubeRoot(): bigint {
  const { modulus } = FIELD;
  return powerOf(2n, (modulus - 1n) / 3n, modulus);
}

function readSource(): string {
  const { limbs, modulus } = FIELD;
  const square = limbsOf(FIELD, montgomeryOne(FIELD) ** 2n % modulus);
  const words = [0, 1, 2, 3, 4, 5].map((k) => `const w${k} = bswap<u64>(load<u64>(from, ${40 - 8 * k}));`);
  const parts = Array.from({ length: limbs }, (_, i) => `store<i32>(to, i32(${limbOf(FIELD, i, 6)}), ${8 * i});`);
  return `
  const INPUT: usize = memory.data(${4 * COORDINATE}, 16);
  const R_SQUARED: usize = ${plainConstant(square, square)};
  export function input(): usize { return INPUT; }

  function readLimbs(to: usize, from: usize): void {
    ${words.join("\n    ")}
    ${parts.join("\n    ")}
  }

  /** One coordinate of both points. */
  function read(to: usize, from: usize): void {
    readLimbs(to, from);
    readLimbs(to + 4, from + ${2 * COORDINATE});
    multiplyLanes(to, to, R_SQUARED);
  }
  `;
}

/** Twice a point (X / Z^2, Y / Z^3), and its sum with P. Z stays 0 once the two were equal or opposite. */
function multipleSource(): string {
  return `
  function double(): void {
    multiplyLanes(Z, Y, Z);
    add(Z, Z, Z);
    squareLanes(A, X);
    squareLanes(B, Y);
    squareLanes(C, B);
    add(D, X, B);
    squareLanes(D, D);
    subtract(D, D, A);
    subtract(D, D, C);
    add(D, D, D);
    triple(E, A);
    squareLanes(X, E);
    subtract(X, X, D);
    subtract(X, X, D);
    subtract(D, D, X);
    multiplyLanes(Y, E, D);
    add(C, C, C);
    add(C, C, C);
    add(C, C, C);
    subtract(Y, Y, C);
  }

  function addPoint(py: usize): void {
    squareLanes(A, Z);
    multiplyLanes(B, PX, A);
    subtract(B, B, X);
    multiplyLanes(A, A, Z);
    multiplyLanes(C, py, A);
    subtract(C, C, Y);
    multiplyLanes(Z, Z, B);
    squareLanes(D, B);
    multiplyLanes(E, D, B);
    multiplyLanes(D, D, X);
    multiplyLanes(Y, Y, E);
    squareLanes(X, C);
    subtract(X, X, E);
    subtract(X, X, D);
    subtract(X, X, D);
    subtract(D, D, X);
    multiplyLanes(D, D, C);
    subtract(Y, D, Y);
  }
  `;
}

function groupSource(): string {
  const digits = signedDigits(PARAMETER_SQUARED, 2).slice(1);
  const root = cubeRoot();
  return `
  const DIGITS: usize = memory.data<i8>([${digits.join(", ")}]);
  const ROOT: usize = ${constantOf(FIELD, root, root)};
  const ONE: usize = ${constantOf(FIELD, 1n, 1n)};
  const ZERO: usize = memory.data(${SIZE}, 16);
  const OPPOSITE: usize = memory.data(${SIZE}, 16);

  export function areInGroup(): bool {
    read(PX, INPUT);
    read(PY, INPUT + ${COORDINATE});
    subtract(OPPOSITE, ZERO, PY);
    memory.copy(X, PX, ${SIZE});
    memory.copy(Y, PY, ${SIZE});
    memory.copy(Z, ONE, ${SIZE});
    for (let at = 0; at < ${digits.length}; at++) {
      double();
      const digit = i32(load<i8>(DIGITS + usize(at)));
      if (digit != 0) addPoint(digit > 0 ? PY : OPPOSITE);
    }
    squareLanes(A, Z);
    multiplyLanes(B, PX, A);
    multiplyLanes(B, B, ROOT);
    subtract(B, B, X);
    multiplyLanes(A, A, Z);
    multiplyLanes(A, A, OPPOSITE);
    subtract(A, A, Y);
    return zeroLanes(Z) == 0 && isZero(A) && isZero(B);
  }
  `;
}
