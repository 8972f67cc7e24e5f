/**
 * The constants of the kernels' fields and curves, from the formulas that give them, as AssemblyScript: written by
 * `npm run wasm`, which fails CI when a committed file is another.
 *
 * A field's numbers are limbs of `bits` bits; R is 2^(bits * limbs), and elements are held times R (Montgomery's form).
 */

import { ISOGENY_FIRST, ISOGENY_SECOND, type Isogeny } from "./isogenies.ts";

/** A prime field, and how its elements are held. */
interface Field {
  readonly modulus: bigint;
  /** An even number: vectors hold two limbs of each lane. */
  readonly limbs: number;
  readonly bits: number;
  /** Bytes of an element as contracts write it. */
  readonly bytes: number;
}

/** a + b i. */
type Fp2 = readonly [bigint, bigint];

/** Declarations by name, with what each one is. */
type Declarations = Readonly<Record<string, { readonly is: string; readonly value: string }>>;

const BN254_FIELD: Field = {
  modulus: 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47n,
  limbs: 10,
  bits: 29,
  bytes: 32,
};
const BN254_PARAMETER = 4965661367192848881n;
const BLS_MODULUS =
  0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaabn;
/** Less the curve's parameter. */
const BLS_PARAMETER = 0xd201000000010000n;

const BLS_GROUP_FIELD: Field = { modulus: BLS_MODULUS, limbs: 14, bits: 28, bytes: 48 };

/** The files of constants, by their paths below `assembly/`. */
export function constantFiles(): Readonly<Record<string, string>> {
  return {
    "bn254/constants.ts": text("BN254", {
      ...fieldConstants(BN254_FIELD),
      ...towerConstants(BN254_FIELD, [9n, 1n]),
      ...bn254Constants(),
    }),
    "bls12-381/constants.ts": text("BLS12-381, for pairings", blsPairingConstants()),
    "bn254-points/constants.ts": text("BN254, for sums of points", bn254PointConstants()),
    "bls12-381-points/constants.ts": text("BLS12-381, for sums of points", blsPointConstants()),
    "bls12-381-points/isogenies.ts": text("the maps from fields to points of BLS12-381", {
      ...isogenyConstants(
        "FIRST",
        BLS_GROUP_FIELD,
        mapIsogeny(ISOGENY_FIRST, (k): Fp2 => [k, k]),
      ),
      ...isogenyConstants("SECOND", BLS_GROUP_FIELD, ISOGENY_SECOND),
    }),
    "bls12-381-groups/constants.ts": text("BLS12-381, for the groups' orders", blsGroupConstants()),
  };
}

function bn254Constants(): Declarations {
  const { modulus } = BN254_FIELD;
  // 3 / (9 + i) is 3 (9 - i) / 82.
  const third = (3n * power(82n, modulus - 2n, modulus)) % modulus;
  return {
    ...curveConstants(BN254_FIELD, 3n, [9n * third, modulus - third]),
    ...endomorphism(BN254_FIELD, frobenius(BN254_FIELD, [9n, 1n], 2n), frobenius(BN254_FIELD, [9n, 1n], 3n)),
    ...pairingConstants({ parameter: BN254_PARAMETER, loop: 6n * BN254_PARAMETER + 2n, word: 32 }),
    IS_IMAGINARY_FIRST: { is: "Contracts write b of a + b i first.", value: "true" },
  };
}

function blsPairingConstants(): Declarations {
  const field: Field = { modulus: BLS_MODULUS, limbs: 16, bits: 27, bytes: 48 };
  return {
    ...fieldConstants(field),
    ...towerConstants(field, [1n, 1n]),
    ...curveConstants(field, 4n, [4n, 4n]),
    ...endomorphism(field, overXi(field, 3n), overXi(field, 2n)),
    ...pairingConstants({ parameter: BLS_PARAMETER, loop: BLS_PARAMETER, word: 64 }),
    IS_IMAGINARY_FIRST: { is: "Contracts write a of a + b i first.", value: "false" },
  };
}

function blsGroupConstants(): Declarations {
  const field = BLS_GROUP_FIELD;
  // The cube root of one that goes with -u^2; the other one goes with u^2 - 1.
  const root = power(2n, (BLS_MODULUS - 1n) / 3n, BLS_MODULUS);
  return {
    ...fieldConstants(field),
    CUBE_ROOT: { is: "A cube root of one, in both lanes.", value: element(field, root, root) },
    ...endomorphism(field, overXi(field, 3n), overXi(field, 2n)),
    ...digits(
      "FIRST_DIGITS",
      "Digits of u^2 for the parameter u",
      signedDigits(BLS_PARAMETER ** 2n, 2).slice(1),
    ),
    ...digits("SECOND_DIGITS", "Digits of -u", signedDigits(BLS_PARAMETER, 2).slice(1)),
  };
}

function bn254PointConstants(): Declarations {
  const { modulus } = BN254_FIELD;
  const third = (3n * power(82n, modulus - 2n, modulus)) % modulus;
  return {
    ...fieldConstants(BN254_FIELD),
    ...curveConstants(BN254_FIELD, 3n, [9n * third, modulus - third]),
    ...endomorphism(BN254_FIELD, frobenius(BN254_FIELD, [9n, 1n], 2n), frobenius(BN254_FIELD, [9n, 1n], 3n)),
    ...pointConstants(BN254_FIELD, {
      root: power(3n, (modulus - 1n) / 3n, modulus), // 2 is a cube
      digitsFirst: 33,
      digitsSecond: 0,
      isB3: true,
      maxPoints: 2,
    }),
  };
}

function blsPointConstants(): Declarations {
  const field = BLS_GROUP_FIELD;
  return {
    ...fieldConstants(field),
    ...curveConstants(field, 4n, [4n, 4n]),
    ...endomorphism(field, overXi(field, 3n), overXi(field, 2n)),
    ...pointConstants(field, {
      root: power(2n, (BLS_MODULUS - 1n) / 3n, BLS_MODULUS),
      digitsFirst: 32,
      digitsSecond: 16,
      isB3: false,
      maxPoints: 64,
    }),
    ...digits(
      "PARAMETER_DIGITS",
      "Digits of -u for the parameter u",
      signedDigits(BLS_PARAMETER, 2).slice(1),
    ),
    ...mapConstants(field),
  };
}

/** Numbers of RFC 9380, sections 8.8.1 and 8.8.2, and of square roots. */
function mapConstants(field: Field): Declarations {
  const { modulus } = field;
  const one = (value: bigint): string => element(field, value, value);
  const root = (value: bigint): bigint => power(value, (modulus + 1n) / 4n, modulus);
  const exponent = (modulus - 3n) / 4n;
  const words = Array.from({ length: 6 }, (_, i) => BigInt.asUintN(64, exponent >> BigInt(64 * i)));
  const half = (modulus + 1n) / 2n;
  return {
    ROOT_EXPONENT: {
      is: "(p - 3) / 4 in words, the lowest first.",
      value: `memory.data<u64>([${words.map((word) => `0x${word.toString(16)}`).join(", ")}], 16)`,
    },
    ROOT_BITS: { is: "Bits of that.", value: `${exponent.toString(2).length}` },
    HALF: { is: "1 / 2, in both lanes.", value: one(half) },
    FIRST_A: {
      is: "A of the curve that maps to the first group.",
      value:
        one(
          0x144698a3b8e9433d693a02c96d4982b0ea985383ee66a8d8e8981aefd881ac98936f8da0e0f97f5cf428082d584c1dn,
        ),
    },
    FIRST_B: {
      is: "B of it.",
      value:
        one(
          0x12e2908d11688030018b12e8753eee3b2016c1f0f24f4070a0b9c14fcef35ef55a23215a316ceaa5d1cc48e98e172be0n,
        ),
    },
    FIRST_Z: { is: "Z of it.", value: one(11n) },
    FIRST_ROOT: { is: "A root of -Z.", value: one(root(modulus - 11n)) },
    SECOND_A: { is: "A of the curve that maps to the second group.", value: element(field, 0n, 240n) },
    SECOND_B: { is: "B of it.", value: element(field, 1012n, 1012n) },
    SECOND_Z: { is: "Z of it.", value: element(field, modulus - 2n, modulus - 1n) },
    SECOND_ROOT: {
      is: "A root of -5: of the norm of Z with its sign turned.",
      value: one(root(modulus - 5n)),
    },
  };
}

function mapIsogeny<T, U>(isogeny: Isogeny<T>, change: (value: T) => U): Isogeny<U> {
  return {
    xNumerator: isogeny.xNumerator.map(change),
    xDenominator: isogeny.xDenominator.map(change),
    yNumerator: isogeny.yNumerator.map(change),
    yDenominator: isogeny.yDenominator.map(change),
  };
}

function isogenyConstants(name: string, field: Field, isogeny: Isogeny<Fp2>): Declarations {
  const row = (what: string, values: readonly Fp2[]): Declarations => ({
    [`${name}_${what}`]: {
      is: "Coefficients of the map to the curve, the highest power first.",
      value: `memory.data<i32>([${values
        .toReversed()
        .flatMap((value) => wordsOf(field, ...value))
        .join(", ")}], 16)`,
    },
    [`${name}_${what}_COUNT`]: { is: "Number of those elements.", value: `${values.length}` },
  });
  return {
    ...row("X_NUMERATOR", isogeny.xNumerator),
    ...row("X_DENOMINATOR", isogeny.xDenominator),
    ...row("Y_NUMERATOR", isogeny.yNumerator),
    ...row("Y_DENOMINATOR", isogeny.yDenominator),
  };
}

/** Numbers of sums and products of points. */
interface PointNumbers {
  readonly root: bigint;
  readonly digitsFirst: number;
  readonly digitsSecond: number;
  readonly isB3: boolean;
  readonly maxPoints: number;
}

function pointConstants(
  field: Field,
  { root, digitsFirst, digitsSecond, isB3, maxPoints }: PointNumbers,
): Declarations {
  const words = Array.from({ length: field.bytes / 8 }, (_, i) =>
    BigInt.asUintN(64, field.modulus >> BigInt(64 * i)),
  );
  const halves = Array.from({ length: 10 }, (_, i) => {
    const half = power((field.modulus + 1n) / 2n, 1n << BigInt(i), field.modulus);
    return wordsOf(field, half, half);
  });
  return {
    CUBE_ROOT_SECOND: {
      is: "One, and a cube root of one in the second lane.",
      value: element(field, 1n, root),
    },
    DIGITS_FIRST: {
      is: "Digits of a factor of a point of the first group, and of its image's.",
      value: `${digitsFirst}`,
    },
    DIGITS_SECOND: { is: "The same in the second group.", value: `${digitsSecond}` },
    MAX_POINTS: { is: "Points in one sum.", value: `${maxPoints}` },
    IS_B_3: { is: "b is 3, not 4.", value: `${isB3}` },
    WORDS_OF_MODULUS: {
      is: "The modulus in words, the lowest first.",
      value: `memory.data<u64>([${words.map((word) => `0x${word.toString(16)}`).join(", ")}], 16)`,
    },
    HALVES: {
      is: "1 / 2 to the powers 1, 2, 4 to 512, in both lanes.",
      value: `memory.data<i32>([${halves.flat().join(", ")}], 16)`,
    },
  };
}

/** 1 / (1 + i) is (1 - i) / 2. */
function overXi(field: Field, divisor: bigint): Fp2 {
  const half = (BLS_MODULUS + 1n) / 2n;
  return powerOfPair(field, [half, BLS_MODULUS - half], (BLS_MODULUS - 1n) / divisor);
}

function fieldConstants(field: Field): Declarations {
  const { modulus, limbs, bits, bytes } = field;
  const factor = negativeInverse(modulus, bits);
  const both = (value: bigint): string => vectors(limbsOf(field, value), limbsOf(field, value));
  const mask = 2n ** BigInt(bits) - 1n;
  const bias = 1n << 63n;
  const square = r(field) ** 2n % modulus;
  return {
    LIMBS: declaration("Limbs of an element.", `${limbs}`),
    BITS: declaration("Bits of a limb.", `${bits}`),
    ELEMENT: declaration("Bytes of two elements side by side.", `${limbs * 8}`),
    FIELD_BYTES: declaration("Bytes of an element as contracts write it.", `${bytes}`),
    MODULUS: declaration("The modulus.", both(modulus)),
    FACTOR: declaration("-1 / modulus modulo 2^BITS.", pair(factor)),
    HIGH: declaration("(FACTOR * modulus + 1) / 2^BITS.", both((factor * modulus + 1n) >> BigInt(bits))),
    LIMB: declaration("All bits of a limb.", pair(mask)),
    MASKS: declaration("All bits of two limbs.", pair((mask << 32n) | mask)),
    TOP_MASKS: declaration(
      "The same for the top vector, whose top limb keeps what it has.",
      `memory.data<u32>([${mask}, ${mask}, 0xffffffff, 0xffffffff], 16)`,
    ),
    BIAS: declaration("2^63.", pair(bias)),
    NEXT_BIAS: declaration(
      "2^63 less what a bias of 2^63 becomes in the next column.",
      pair(bias - (bias >> BigInt(bits))),
    ),
    LAST_BIAS: declaration("Minus that: no bias remains.", pair(BigInt.asUintN(64, -(bias >> BigInt(bits))))),
    PLAIN_ONE: declaration("One, not times R.", both(1n)),
    R_SQUARED: declaration("R^2, by which elements come into Montgomery's form.", both(square)),
    ONE: declaration("1 + 0 i.", element(field, 1n, 0n)),
    BOTH_ONE: declaration("One in both lanes.", element(field, 1n, 1n)),
  };
}

function towerConstants(field: Field, xi: Fp2): Declarations {
  const exponent = field.modulus - 2n;
  const words = [0n, 64n, 128n, 192n, 256n, 320n].map((shift) => BigInt.asUintN(64, exponent >> shift));
  const powers = [0n, 1n, 2n, 3n, 4n, 5n].map((i) => [
    `FROBENIUS_${i}`,
    { is: `xi^(${i} (p - 1) / 6).`, value: element(field, ...frobenius(field, xi, i)) },
  ]);
  return {
    INVERSE_EXPONENT: {
      is: "p - 2, the lowest word first.",
      value: `memory.data<u64>([${words.map((word) => `0x${word.toString(16)}`).join(", ")}], 16)`,
    },
    INVERSE_BITS: { is: "Bits of p - 2.", value: `${exponent.toString(2).length}` },
    ...Object.fromEntries(powers),
  };
}

function curveConstants(field: Field, b: bigint, [x, y]: Fp2): Declarations {
  const of = (value: Fp2): string => element(field, ...value);
  return {
    B: { is: "b of the curve y^2 = x^3 + b, in both lanes.", value: of([b, b]) },
    TWIST_B: { is: "b of the twist.", value: of([x, y]) },
    TWIST_B_3: { is: "Three times that.", value: of([3n * x, 3n * y]) },
  };
}

function declaration(what: string, value: string): Declarations[string] {
  return { is: what, value };
}

function factorOf(coordinate: string): string {
  return `Factor of the conjugate of ${coordinate} in the p-th power behind the twist.`;
}

function endomorphism(field: Field, x: Fp2, y: Fp2): Declarations {
  return {
    PSI_X: { is: factorOf("x"), value: element(field, ...x) },
    PSI_Y: { is: factorOf("y"), value: element(field, ...y) },
  };
}

/** The curve's parameter and what points are multiplied by in the loop, without their signs. */
interface PairingNumbers {
  readonly parameter: bigint;
  readonly loop: bigint;
  readonly word: number;
}

function pairingConstants({ parameter, loop, word }: PairingNumbers): Declarations {
  const [first = 0, ...rest] = signedDigits(parameter, 4);
  return {
    WORD: { is: "Bytes of a coordinate as contracts write it, padding included.", value: `${word}` },
    ...digits("LOOP_DIGITS", "Digits of the loop", signedDigits(loop, 2).slice(1)),
    FIRST_POWER_DIGIT: { is: "The highest digit of the parameter, of four bits.", value: `${first}` },
    ...digits("POWER_DIGITS", "The others", rest),
  };
}

function digits(name: string, is: string, values: readonly number[]): Declarations {
  return {
    [name]: { is: `${is}, the highest first.`, value: `memory.data<i8>([${values.join(", ")}])` },
    [`${name}_COUNT`]: { is: "Number of those elements.", value: `${values.length}` },
  };
}

function text(curve: string, declarations: Declarations): string {
  const lines = Object.entries(declarations).map(([name, { is, value }]) => {
    const type = value.startsWith("memory.") ? ": usize" : "";
    return `/** ${is} */\nexport const ${name}${type} = ${value};`;
  });
  return `/**\n * Constants of ${curve}. Written by \`npm run wasm\` from the formulas of wasm/constants.ts: do not edit.\n */\n\n${lines.join("\n")}\n`;
}

/** R modulo the modulus. */
function r({ modulus, limbs, bits }: Field): bigint {
  return (1n << BigInt(limbs * bits)) % modulus;
}

/** Two elements in Montgomery's form. */
function element(field: Field, first: bigint, second: bigint): string {
  return `memory.data<i32>([${wordsOf(field, first, second).join(", ")}], 16)`;
}

function wordsOf(field: Field, first: bigint, second: bigint): number[] {
  const form = (value: bigint): number[] => limbsOf(field, (value * r(field)) % field.modulus);
  const others = form(second);
  return form(first).flatMap((limb, i) => [limb, others[i] ?? 0]);
}

function limbsOf({ limbs, bits }: Field, value: bigint): number[] {
  return Array.from({ length: limbs }, (_, i) => Number(BigInt.asUintN(bits, value >> BigInt(bits * i))));
}

function vectors(first: readonly number[], second: readonly number[]): string {
  const words = first.flatMap((limb, i) => [limb, second[i] ?? 0]);
  return `memory.data<i32>([${words.join(", ")}], 16)`;
}

/** A word twice. */
function pair(value: bigint): string {
  const word = `0x${value.toString(16)}`;
  return `memory.data<u64>([${word}, ${word}], 16)`;
}

/** Factor of w^i in the p-th power of the field, for w^6 = xi. */
function frobenius(field: Field, xi: Fp2, i: bigint): Fp2 {
  return powerOfPair(field, xi, (i * (field.modulus - 1n)) / 6n);
}

function powerOfPair({ modulus }: Field, base: Fp2, exponent: bigint): Fp2 {
  const product = ([a, b]: Fp2, [c, d]: Fp2): Fp2 => [
    (a * c + (modulus - b) * d) % modulus,
    (a * d + b * c) % modulus,
  ];
  let [result, square]: [Fp2, Fp2] = [[1n, 0n], base];
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = product(result, square);
    square = product(square, square);
  }
  return result;
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let [result, square] = [1n, base % modulus];
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}

/** -1 / value modulo 2 ** bits, for an odd value (Newton's iteration). */
function negativeInverse(value: bigint, bits: number): bigint {
  let inverse = 1n;
  for (let known = 1; known < bits; known *= 2)
    inverse = BigInt.asUintN(bits, inverse * (2n - value * inverse));
  return BigInt.asUintN(bits, -inverse);
}

/** Odd digits below half of 2^width in magnitude, and zeros, the highest first. */
function signedDigits(value: bigint, width: number): number[] {
  const result: number[] = [];
  for (let rest = value; rest > 0n; rest >>= 1n) {
    const digit = (rest & 1n) === 1n ? BigInt.asIntN(width, rest) : 0n;
    result.push(Number(digit));
    rest -= digit;
  }
  return result.reverse();
}
