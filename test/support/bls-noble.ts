/** The contracts of EIP-2537 in JavaScript, by the words of the EIP: what those in use are compared with. */
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { bytesToBigint } from "../../node/bytes/integer.ts";
import { bytesOfG1, bytesOfG2 } from "./bls-points.ts";

const { G1, G2, fields } = bls12_381;
const { Fp, Fp2, Fp12, Fr } = fields;
type PointG1 = typeof G1.Point.ZERO;
type PointG2 = typeof G2.Point.ZERO;
// The library's types say less than it does: both give points of their groups.
const mapFp = G1.mapToCurve as unknown as (x: bigint) => PointG1;
const mapFp2 = G2.mapToCurve as unknown as (x: readonly [bigint, bigint]) => PointG2;
type Contract = (input: Uint8Array) => Uint8Array | undefined;

/** An operation that may be done to both groups. */
interface Point<P> {
  add(other: P): P;
  multiplyUnsafe(factor: bigint): P;
  is0(): boolean;
  isTorsionFree(): boolean;
}

/** A group: bytes of a point, how one is read and written. */
interface Group<P extends Point<P>> {
  readonly bytes: number;
  readonly zero: P;
  readonly read: (input: Uint8Array) => P | undefined;
  readonly write: (point: P) => Uint8Array;
}

const FIRST: Group<PointG1> = { bytes: 128, zero: G1.Point.ZERO, read: readG1, write: bytesOfG1 };
const SECOND: Group<PointG2> = { bytes: 256, zero: G2.Point.ZERO, read: readG2, write: bytesOfG2 };

/** The contracts, undefined for input that they refuse. */
export const nobleContracts: Readonly<
  Record<"addG1" | "addG2" | "sumG1" | "sumG2" | "mapToG1" | "mapToG2", Contract>
> & { readonly isPairing: (input: Uint8Array) => boolean | undefined } = {
  addG1: (input) => add(FIRST, input),
  addG2: (input) => add(SECOND, input),
  sumG1: (input) => sum(FIRST, input),
  sumG2: (input) => sum(SECOND, input),
  isPairing,
  mapToG1: (input) => {
    const x = input.length === 64 ? element(input, 0) : undefined;
    return x === undefined ? undefined : bytesOfG1(mapFp(x));
  },
  mapToG2: (input) => {
    const [c0, c1] = input.length === 128 ? [element(input, 0), element(input, 1)] : [];
    if (c0 === undefined || c1 === undefined) return undefined;
    return bytesOfG2(mapFp2([c0, c1]));
  },
};

function add<P extends Point<P>>(
  { bytes, read, write }: Group<P>,
  input: Uint8Array,
): Uint8Array | undefined {
  if (input.length !== 2 * bytes) return undefined;
  const [a, b] = [read(input), read(input.subarray(bytes))];
  return a && b && write(a.add(b));
}

function sum<P extends Point<P>>(group: Group<P>, input: Uint8Array): Uint8Array | undefined {
  const { bytes, zero, read, write } = group;
  if (input.length === 0 || input.length % (bytes + 32) !== 0) return undefined;
  let total = zero;
  for (let at = 0; at < input.length; at += bytes + 32) {
    const point = read(input.subarray(at, at + bytes));
    if (point === undefined || !isInGroup(point)) return undefined;
    const factor = Fr.create(bytesToBigint(input.subarray(at + bytes, at + bytes + 32)));
    if (factor !== 0n) total = total.add(point.multiplyUnsafe(factor));
  }
  return write(total);
}

function isPairing(input: Uint8Array): boolean | undefined {
  if (input.length === 0 || input.length % 384 !== 0) return undefined;
  const pairs: { g1: PointG1; g2: PointG2 }[] = [];
  for (let at = 0; at < input.length; at += 384) {
    const [g1, g2] = [readG1(input.subarray(at)), readG2(input.subarray(at + 128))];
    if (g1 === undefined || g2 === undefined || !isInGroup(g1) || !isInGroup(g2)) return undefined;
    if (!g1.is0() && !g2.is0()) pairs.push({ g1, g2 });
  }
  return pairs.length === 0 || Fp12.eql(bls12_381.pairingBatch(pairs), Fp12.ONE);
}

function isInGroup<P extends Point<P>>(point: P): boolean {
  return point.is0() || point.isTorsionFree();
}

/** A coordinate; undefined when it is not in the field. */
function element(input: Uint8Array, word: number): bigint | undefined {
  const value = bytesToBigint(input.subarray(64 * word, 64 * word + 64));
  return value < Fp.ORDER ? value : undefined;
}

/** A point on the curve, of any order. */
function readG1(input: Uint8Array): PointG1 | undefined {
  const [x, y] = [element(input, 0), element(input, 1)];
  if (x === undefined || y === undefined) return undefined;
  if (x === 0n && y === 0n) return G1.Point.ZERO;
  return Fp.eql(Fp.sqr(y), Fp.add(Fp.pow(x, 3n), 4n)) ? G1.Point.fromAffine({ x, y }) : undefined;
}

function readG2(input: Uint8Array): PointG2 | undefined {
  const [a, b, c, d] = [element(input, 0), element(input, 1), element(input, 2), element(input, 3)];
  if (a === undefined || b === undefined || c === undefined || d === undefined) return undefined;
  if (a === 0n && b === 0n && c === 0n && d === 0n) return G2.Point.ZERO;
  const [x, y] = [Fp2.fromBigTuple([a, b]), Fp2.fromBigTuple([c, d])];
  const isOnTwist = Fp2.eql(Fp2.sqr(y), Fp2.add(Fp2.mul(Fp2.sqr(x), x), Fp2.fromBigTuple([4n, 4n])));
  return isOnTwist ? G2.Point.fromAffine({ x, y }) : undefined;
}
