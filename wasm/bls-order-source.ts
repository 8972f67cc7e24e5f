/**
 * Writes the AssemblyScript source of the question whether points of BLS12-381's curves, y^2 = x^3 + 4 over Fp and its
 * twist y^2 = x^3 + 4 (1 + i) over Fp2, are in the groups of prime order. `scripts/build-wasm.ts` compiles what comes
 * out.
 *
 * With u the curve's parameter, points of the first group, and no others, have phi(P) = -u^2 P for phi(x, y) = (b x, y)
 * with a cube root b of one; those of the second have psi(Q) = u Q for psi, the p-th power behind the twist (Scott: "A
 * note on group membership tests for G1, G2 and GT on BLS pairing-friendly curves"). phi + u^2 is a map of degree
 * u^4 - u^2 + 1, which is the groups' order; psi - u is one of degree p - u, whose greatest common divisor with the
 * number of points of the twist is that order. test/node/crypto/bls-order.test.ts does the sums.
 *
 * The module exports `input()`, the address of four coordinates of 48 bytes, big-endian; `areInFirst()` for two points
 * of the first curve, both x before both y; `isInSecond()` for one of the twist, real parts first. Points are on their
 * curve and not infinity.
 */
import { BLS_ENDOMORPHISM, BLS_MODULUS, BLS_PARAMETER } from "./bls-pairing-source.ts";
import {
  constantOf,
  type Field,
  limbsOf,
  montgomeryOne,
  plainConstant,
  powerOf,
  signedDigits,
  sizeOf,
} from "./field.ts";
import { pairSource } from "./pair-source.ts";
import { limbsSource } from "./pairing-source.ts";

/** R is above 2,500 moduli: values whose product is below 35 squared moduli come to one between -1 and 3 moduli. */
const FIELD: Field = {
  modulus: BLS_MODULUS,
  limbs: 14,
  bits: 28,
};
const { modulus } = FIELD;
const SIZE = sizeOf(FIELD);
const COORDINATE = 48;
const NAMES = ["PX", "PY", "OPPOSITE", "X", "Y", "Z", "A", "B", "C", "D", "E"];

/** The module's source. */
export function blsOrderSource(): string {
  return `
  ${pairSource(FIELD)}
  ${NAMES.map((name) => `const ${name}: usize = memory.data(${SIZE}, 16);`).join("\n  ")}
  const ZERO: usize = memory.data(${SIZE}, 16);
  ${readSource()}
  ${groupSource({ name: "First", times: "multiplyLanes", squared: "squareLanes", one: [1n, 1n], factor: BLS_PARAMETER ** 2n })}
  ${groupSource({ name: "Second", times: "multiply", squared: "square", one: [1n, 0n], factor: BLS_PARAMETER })}
  ${firstSource()}
  ${secondSource()}
  `;
}

function readSource(): string {
  const square = limbsOf(FIELD, montgomeryOne(FIELD) ** 2n % modulus);
  return `
  const INPUT: usize = memory.data(${4 * COORDINATE}, 16);
  const R_SQUARED: usize = ${plainConstant(square, square)};
  export function input(): usize { return INPUT; }
  ${limbsSource(FIELD, COORDINATE, 0)}

  function readPair(to: usize, from: usize): void {
    readLimbs(to, from);
    readLimbs(to + 4, from + ${COORDINATE});
    multiplyLanes(to, to, R_SQUARED);
  }

  function read(): void {
    readPair(PX, INPUT);
    readPair(PY, INPUT + ${2 * COORDINATE});
    subtract(OPPOSITE, ZERO, PY);
  }
  `;
}

/** How coordinates of a curve are multiplied, what is one, and which multiple of points is looked at. */
interface Group {
  readonly name: string;
  readonly times: string;
  readonly squared: string;
  readonly one: readonly [bigint, bigint];
  readonly factor: bigint;
}

/** A multiple of P, the point (X / Z^2, Y / Z^3). Z stays 0 once P was added to itself or to its opposite. */
function groupSource(group: Group): string {
  const { name, one, factor } = group;
  const digits = signedDigits(factor, 2).slice(1);
  return `
  ${doubleSource(group)}
  ${addSource(group)}
  const ONE_${name}: usize = ${constantOf(FIELD, ...one)};
  const DIGITS_${name}: usize = memory.data<i8>([${digits.join(", ")}]);
  function multiple${name}(): void {
    memory.copy(X, PX, ${SIZE});
    memory.copy(Y, PY, ${SIZE});
    memory.copy(Z, ONE_${name}, ${SIZE});
    for (let at = 0; at < ${digits.length}; at++) {
      double${name}();
      const digit = i32(load<i8>(DIGITS_${name} + usize(at)));
      if (digit != 0) add${name}(digit > 0 ? PY : OPPOSITE);
    }
  }

  /** Whether X is that of \`x\` and Y is that of \`y\`, as far as Z is not zero. */
  function isAt${name}(x: usize, y: usize): bool {
    ${group.squared}(A, Z);
    ${group.times}(B, x, A);
    subtract(B, B, X);
    ${group.times}(A, A, Z);
    ${group.times}(A, A, y);
    subtract(A, A, Y);
    return isZero(A) && isZero(B);
  }
  `;
}

function doubleSource({ name, times, squared }: Group): string {
  return `
  function double${name}(): void {
    ${times}(Z, Y, Z);
    add(Z, Z, Z);
    ${squared}(A, X);
    ${squared}(B, Y);
    ${squared}(C, B);
    add(D, X, B);
    ${squared}(D, D);
    subtract(D, D, A);
    subtract(D, D, C);
    add(D, D, D);
    triple(E, A);
    ${squared}(X, E);
    subtract(X, X, D);
    subtract(X, X, D);
    subtract(D, D, X);
    ${times}(Y, E, D);
    add(C, C, C);
    add(C, C, C);
    add(C, C, C);
    subtract(Y, Y, C);
  }
  `;
}

function addSource({ name, times, squared }: Group): string {
  return `
  function add${name}(py: usize): void {
    ${squared}(A, Z);
    ${times}(B, PX, A);
    subtract(B, B, X);
    ${times}(A, A, Z);
    ${times}(C, py, A);
    subtract(C, C, Y);
    ${times}(Z, Z, B);
    ${squared}(D, B);
    ${times}(E, D, B);
    ${times}(D, D, X);
    ${times}(Y, Y, E);
    ${squared}(X, C);
    subtract(X, X, E);
    subtract(X, X, D);
    subtract(X, X, D);
    subtract(D, D, X);
    ${times}(D, D, C);
    subtract(Y, D, Y);
  }
  `;
}

/** The cube root of one that goes with -u^2; the other one goes with u^2 - 1. */
function firstSource(): string {
  const root = powerOf(2n, (modulus - 1n) / 3n, modulus);
  return `
  const ROOT: usize = ${constantOf(FIELD, root, root)};
  export function areInFirst(): bool {
    read();
    multipleFirst();
    multiplyLanes(D, PX, ROOT);
    return zeroLanes(Z) == 0 && isAtFirst(D, OPPOSITE);
  }
  `;
}

/** psi is the conjugates over (1 + i)^((p - 1) / 3) and (1 + i)^((p - 1) / 2). */
function secondSource(): string {
  return `
  const OVER_X: usize = ${constantOf(FIELD, ...BLS_ENDOMORPHISM[0])};
  const OVER_Y: usize = ${constantOf(FIELD, ...BLS_ENDOMORPHISM[1])};
  export function isInSecond(): bool {
    read();
    multipleSecond();
    conjugate(D, PX);
    multiply(D, D, OVER_X);
    conjugate(E, OPPOSITE);
    multiply(E, E, OVER_Y);
    return !isZero(Z) && isAtSecond(D, E);
  }
  `;
}
