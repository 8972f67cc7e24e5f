/**
 * Writes AssemblyScript for points of secp256k1, y^2 = x^3 + 7, four side by side. The point at hand is
 * (X / Z^2, Y / Z^3); formulas are those of the Explicit-Formulas Database, "dbl-2009-l" and "madd-2004-hmv". Adding a
 * point to itself or to its opposite makes Z zero, and from then on it stays zero; only there are the formulas wrong.
 *
 * A table holds the odd multiples P, 3 P, 5 P and so on of a point: entries of `ENTRY` bytes with x, y and what its
 * third place is used for. While it is made its points are on another curve, on which 2 P is (x, y) with Z = 1, so
 * each comes from the one before by the shorter addition; Z is then the product of what the additions left in H.
 */
import { HALF, QUAD, splat } from "./quad-field-source.ts";

/** Bytes of a table's entry. */
export const ENTRY: number = 3 * QUAD;
/** From one lane's limb of a table to its place in a picked element, by which picks are made. */
const LIMB = 16;
const LIMBS = HALF / LIMB;

const names = ["X", "Y", "Z", "H", "A", "B", "C", "D", "E", "DX", "DY", "LAST_Z", "PICKED_X", "PICKED_Y", "ZERO"];

/** The source of `double`, `addPoint`, `makeTable`, `finishTable`, `pick`; needs the field and lanes. */
export function quadPointsSource(): string {
  return `
  ${names.map((name) => `const ${name}: usize = memory.data(${QUAD}, 16);`).join("\n  ")}
  const ONE: usize = memory.data<f64>([${oneLimbs().join(", ")}], 16);
  ${doubleSource()}
  ${addSource()}
  ${tableSource()}
  ${pickSource()}
  `;
}

function oneLimbs(): string[] {
  const half = Array.from({ length: HALF / 8 }, (_, i) => (i < 2 ? "1.0" : "0.0"));
  return [...half, ...half];
}

/** The point times two. */
function doubleSource(): string {
  return `
  const TWO: usize = ${splat(2)};
  const THREE: usize = ${splat(3)};
  const FOUR: usize = ${splat(4)};
  const EIGHT: usize = ${splat(8)};
  function double(): void {
    multiplyBy(Z, Y, Z, TWO);
    squareBy(A, X, THREE);
    square(B, Y);
    multiplyBy(D, X, B, FOUR);
    squareBy(C, B, EIGHT);
    squareLess(X, A, ZERO, D);
    multiplyGapLess(Y, A, D, X, C);
  }`;
}

/** The sum with the point (px, py). */
function addSource(): string {
  return `
  function addPoint(px: usize, py: usize): void {
    square(A, Z);
    multiplyLess(H, px, A, X);
    multiply(A, A, Z);
    multiplyLess(B, py, A, Y);
    multiply(Z, Z, H);
    square(A, H);
    multiply(C, A, X);
    multiply(A, A, H);
    squareLess(X, B, A, C);
    multiplyApart(Y, B, C, X, Y, A);
  }`;
}

function tableSource(): string {
  return `
  /** From the point (x, y) of the first entry. Leaves Z, whose inverse \`finishTable\` asks for. */
  function makeTable(table: usize, entries: i32): void {
    memory.copy(X, table, ${QUAD});
    memory.copy(Y, table + ${QUAD}, ${QUAD});
    memory.copy(Z, ONE, ${QUAD});
    double();
    memory.copy(DX, X, ${QUAD});
    memory.copy(DY, Y, ${QUAD});
    memory.copy(LAST_Z, Z, ${QUAD});
    square(A, Z);
    multiply(X, table, A);
    multiply(A, A, Z);
    multiply(Y, table + ${QUAD}, A);
    memory.copy(Z, ONE, ${QUAD});
    let at = table;
    for (let i = 1; i < entries; i++) {
      at += ${ENTRY};
      addPoint(DX, DY);
      memory.copy(at, X, ${QUAD});
      memory.copy(at + ${QUAD}, Y, ${QUAD});
      memory.copy(at + ${2 * QUAD}, H, ${QUAD});
    }
    multiply(Z, Z, LAST_Z);
  }

  function finishTable(table: usize, entries: i32, inverse: usize): void {
    memory.copy(E, inverse, ${QUAD});
    let at = table + usize(entries) * ${ENTRY};
    for (let i = 1; i < entries; i++) {
      at -= ${ENTRY};
      square(A, E);
      multiply(B, A, E);
      multiply(at, at, A);
      multiply(at + ${QUAD}, at + ${QUAD}, B);
      multiply(E, E, at + ${2 * QUAD});
    }
  }`;
}

/** Two lanes of elements from two places, with their signs. */
function pickSource(): string {
  const steps = Array.from({ length: LIMBS }, (_, i) => [
    `v = v128.load64_lane(second, v128.load64_zero(first, ${LIMB * i}), 1, ${LIMB * i});`,
    `v128.store(to, v128.xor(v, signs), ${LIMB * i});`,
  ]);
  return `
  function pick(to: usize, first: usize, second: usize, signs: v128): void {
    let v: v128;
    ${steps.flat().join("\n    ")}
  }`;
}
