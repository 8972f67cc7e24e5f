/**
 * Writes AssemblyScript for inverses and square roots in secp256k1's field, powers of p - 2 and (p + 1) / 4. In base
 * two both begin with 223 ones, which are put together from shorter rows of ones.
 */
import { QUAD } from "./quad-field-source.ts";

/** A row of ones: that of `from`, squared n times, times that of `times`. */
type Step = readonly [row: number, from: number, n: number, times: number];

const ROWS: readonly Step[] = [
  [2, 1, 1, 1],
  [3, 2, 1, 1],
  [6, 3, 3, 3],
  [9, 6, 3, 3],
  [11, 9, 2, 2],
  [22, 11, 11, 11],
  [44, 22, 22, 22],
  [88, 44, 44, 44],
  [176, 88, 88, 88],
  [220, 176, 44, 44],
  [223, 220, 3, 3],
];

/** The source of `invert`, `root` (a root of whatever has one) and `invertAll`; needs the field. */
export function quadPowerSource(most: number): string {
  const place = (row: number): string => (row === 1 ? "a" : `ONES_${row}`);
  const places = ROWS.map(([row]) => `const ONES_${row}: usize = memory.data(${QUAD}, 16);`);
  const steps = ROWS.map(
    ([row, from, n, times]) => `squareTimes(${place(row)}, ${place(from)}, ${n}, ${place(times)});`,
  );
  return `
  ${places.join("\n  ")}
  const TAIL: usize = memory.data(${QUAD}, 16);
  /** The 223 ones, a zero and 22 ones, with which both powers begin. */
  function beginPower(a: usize): void {
    ${steps.join("\n    ")}
    squareTimes(TAIL, ONES_223, 23, ONES_22);
  }

  function invert(r: usize, a: usize): void {
    beginPower(a);
    squareTimes(TAIL, TAIL, 5, a);
    squareTimes(TAIL, TAIL, 3, ONES_2);
    squareTimes(r, TAIL, 2, a);
  }

  function root(r: usize, a: usize): void {
    beginPower(a);
    squareTimes(TAIL, TAIL, 6, ONES_2);
    square(TAIL, TAIL);
    square(r, TAIL);
  }
  ${allSource(most)}
  `;
}

/** One inverse for all: that of the product, from which the products before each element give its own. */
function allSource(most: number): string {
  return `
  const PRODUCTS: usize = memory.data(${most * QUAD}, 16);
  const INVERSE: usize = memory.data(${QUAD}, 16);
  const OWN: usize = memory.data(${QUAD}, 16);
  function invertAll(first: usize, stride: usize, count: i32): void {
    memory.copy(PRODUCTS, first, ${QUAD});
    for (let i = 1; i < count; i++) {
      const before = PRODUCTS + usize(i - 1) * ${QUAD};
      multiply(before + ${QUAD}, before, first + usize(i) * stride);
    }
    invert(INVERSE, PRODUCTS + usize(count - 1) * ${QUAD});
    for (let i = count - 1; i > 0; i--) {
      const at = first + usize(i) * stride;
      multiply(OWN, INVERSE, PRODUCTS + usize(i - 1) * ${QUAD});
      multiply(INVERSE, INVERSE, at);
      memory.copy(at, OWN, ${QUAD});
    }
    memory.copy(first, INVERSE, ${QUAD});
  }`;
}
