/**
 * Writes AssemblyScript for points of pairing-friendly curves and the lines through them. The first group is on
 * y^2 = x^3 + b over Fp, the second on a twist over Fp2. Multiples of a point of the twist are (X : Y : Z) with
 * x = X / Z and y = Y / Z (Costello, Lange, Naehrig: "Faster pairing computations on curves with high-degree
 * twists"). A line through them has three coefficients: LY and LX, which are multiples of y and x of the point of the
 * first group that it is taken at, and LC; factors in Fp2 are of no account.
 */
import { fp2Constant, type Fp2Value, sizesOf, type Tower } from "./tower-source.ts";

/** A curve with its twist. */
export interface TwistedCurve {
  readonly tower: Tower;
  readonly b: bigint;
  readonly twistB: Fp2Value;
  /** What the conjugates of x and y are multiplied by in the p-th power behind the twist. */
  readonly endomorphism: readonly [Fp2Value, Fp2Value];
}

/** What is held of a pair: x and y of both points, those of the first in both lanes, and a multiple of the second. */
export function placesOf({ tower }: TwistedCurve): Places {
  const { fp2 } = sizesOf(tower);
  return { px: 0, py: fp2, qx: 2 * fp2, qy: 3 * fp2, x: 4 * fp2, y: 5 * fp2, z: 6 * fp2, size: 7 * fp2 };
}

type Places = Readonly<Record<"px" | "py" | "qx" | "qy" | "x" | "y" | "z" | "size", number>>;

/** The curves' source; needs that of the tower. */
export function curveSource(curve: TwistedCurve): string {
  const { tower, b, twistB, endomorphism } = curve;
  const { fp2 } = sizesOf(tower);
  const [x, y] = twistB;
  const { modulus } = tower.field;
  const names = ["LY", "LX", "LC", "D", "E", "F", "G", "H", "J", "K"];
  return `
  const B: usize = ${fp2Constant(tower, [b, b])};
  const TWIST_B: usize = ${fp2Constant(tower, twistB)};
  const TWIST_B_3: usize = ${fp2Constant(tower, [(3n * x) % modulus, (3n * y) % modulus])};
  const PSI_X: usize = ${fp2Constant(tower, endomorphism[0])};
  const PSI_Y: usize = ${fp2Constant(tower, endomorphism[1])};
  ${names.map((name) => `const ${name}: usize = memory.data(${fp2}, 16);`).join("\n  ")}
  ${memberSource()}
  ${tangentSource(placesOf(curve))}
  ${chordSource(placesOf(curve))}
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
    multiply(rx, rx, PSI_X);
    conjugate(ry, y);
    multiply(ry, ry, PSI_Y);
  }
  `;
}

/** The tangent and twice the point, all three coordinates times four to spare halves. */
function tangentSource(at: Places): string {
  return `
  function tangent(pair: usize): void {
    const x = pair + ${at.x};
    const y = pair + ${at.y};
    const z = pair + ${at.z};
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
    subtract(LC, E, D);
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
    multiplyLanes(LY, H, pair + ${at.py});
    triple(J, J);
    multiplyLanes(LX, J, pair + ${at.px});
  }
  `;
}

/** The line to another point of the twist, whose z is 1, and the sum. z stays 0 once the two were equal or opposite. */
function chordSource(at: Places): string {
  return `
  function chord(pair: usize, qx: usize, qy: usize): void {
    const x = pair + ${at.x};
    const y = pair + ${at.y};
    const z = pair + ${at.z};
    multiply(G, qy, z);
    subtract(G, y, G);
    multiply(H, qx, z);
    subtract(H, x, H);
    multiply(LC, G, qx);
    multiply(D, H, qy);
    subtract(LC, LC, D);
    multiplyLanes(LY, H, pair + ${at.py});
    subtract(D, ZERO, G);
    multiplyLanes(LX, D, pair + ${at.px});
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
