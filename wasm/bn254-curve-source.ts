/**
 * Writes AssemblyScript for points of BN254 and the lines through them. The first group is on y^2 = x^3 + 3 over Fp,
 * the second on its twist y^2 = x^3 + 3 / (9 + i) over Fp2. Multiples of a point of the twist are (X : Y : Z) with
 * x = X / Z and y = Y / Z (Costello, Lange, Naehrig: "Faster pairing computations on curves with high-degree
 * twists"). A line through them, at a point of the first group, is l0 + l1 w + l3 w^3; factors in Fp2 are of no account.
 */
import { BN254_FIELD, FP2, fp2Constant } from "./bn254-tower-source.ts";
import { powerOf } from "./field.ts";

/** What is held of a pair: x and y of both points, those of the first in both lanes, and a multiple of the second. */
export const PAIR = { px: 0, py: FP2, qx: 2 * FP2, qy: 3 * FP2, x: 4 * FP2, y: 5 * FP2, z: 6 * FP2, size: 7 * FP2 };

/** The curves' source; needs that of the tower. */
export function bn254CurveSource(): string {
  const { modulus } = BN254_FIELD;
  // 1 / (9 + i) = (9 - i) / 82
  const third = (3n * powerOf(82n, modulus - 2n, modulus)) % modulus;
  const twist = [(9n * third) % modulus, modulus - third] as const;
  return `
  const B: usize = ${fp2Constant([3n, 3n])};
  const TWIST_B: usize = ${fp2Constant(twist)};
  const TWIST_B_3: usize = ${fp2Constant([(3n * twist[0]) % modulus, (3n * twist[1]) % modulus])};
  const L0: usize = memory.data(${FP2}, 16);
  const L1: usize = memory.data(${FP2}, 16);
  const L3: usize = memory.data(${FP2}, 16);
  ${["D", "E", "F", "G", "H", "J", "K"].map((name) => `const ${name}: usize = memory.data(${FP2}, 16);`).join("\n  ")}
  ${memberSource()}
  ${tangentSource()}
  ${chordSource()}
  `;
}

/** Whether points are on their curves, and the endomorphism of the twist that is the p-th power behind it. */
function memberSource(): string {
  return `
  function isOnCurve(x: usize, y: usize): bool {
    multiplyLanes(D, x, x);
    multiplyLanes(D, D, x);
    add(D, D, B);
    multiplyLanes(E, y, y);
    return equal(D, E);
  }

  function isOnTwist(x: usize, y: usize): bool {
    square(D, x);
    multiply(D, D, x);
    add(D, D, TWIST_B);
    square(E, y);
    return equal(D, E);
  }

  function equal(a: usize, b: usize): bool {
    subtract(F, a, b);
    return isZero(F);
  }

  function endomorphism(rx: usize, ry: usize, x: usize, y: usize): void {
    conjugate(rx, x);
    multiply(rx, rx, FROBENIUS_2);
    conjugate(ry, y);
    multiply(ry, ry, FROBENIUS_3);
  }
  `;
}

/** The tangent and twice the point, all three coordinates times four to spare halves. */
function tangentSource(): string {
  return `
  function tangent(pair: usize): void {
    const x = pair + ${PAIR.x};
    const y = pair + ${PAIR.y};
    const z = pair + ${PAIR.z};
    square(J, x);
    square(D, y);
    square(K, z);
    multiply(E, K, TWIST_B_3);
    add(H, y, z);
    square(H, H);
    subtract(H, H, D);
    subtract(H, H, K);
    add(G, x, y);
    square(G, G);
    subtract(G, G, J);
    subtract(G, G, D);
    subtract(L3, E, D);
    triple(F, E);
    subtract(K, D, F);
    multiply(x, G, K);
    add(G, D, F);
    square(G, G);
    square(E, E);
    triple(E, E);
    add(E, E, E);
    add(E, E, E);
    subtract(y, G, E);
    multiply(z, D, H);
    add(z, z, z);
    add(z, z, z);
    subtract(H, ZERO, H);
    multiplyLanes(L0, H, pair + ${PAIR.py});
    triple(J, J);
    multiplyLanes(L1, J, pair + ${PAIR.px});
  }
  `;
}

/** The line to another point of the twist, whose z is 1, and the sum. z stays 0 once the two were equal or opposite. */
function chordSource(): string {
  return `
  function chord(pair: usize, qx: usize, qy: usize): void {
    const x = pair + ${PAIR.x};
    const y = pair + ${PAIR.y};
    const z = pair + ${PAIR.z};
    multiply(G, qy, z);
    subtract(G, y, G);
    multiply(H, qx, z);
    subtract(H, x, H);
    multiply(L3, G, qx);
    multiply(D, H, qy);
    subtract(L3, L3, D);
    multiplyLanes(L0, H, pair + ${PAIR.py});
    subtract(D, ZERO, G);
    multiplyLanes(L1, D, pair + ${PAIR.px});
    square(D, H);
    multiply(E, D, H);
    square(F, G);
    multiply(F, F, z);
    multiply(D, D, x);
    add(J, E, F);
    subtract(J, J, D);
    subtract(J, J, D);
    multiply(x, H, J);
    subtract(D, D, J);
    multiply(D, D, G);
    multiply(y, y, E);
    subtract(y, D, y);
    multiply(z, z, E);
  }
  `;
}
