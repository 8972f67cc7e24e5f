/**
 * KZG proofs that a polynomial has a value at a point (EIP-4844, `verify_kzg_proof`), for contracts: needs one
 * point of the trusted setup and no more, so it is ready in a fifth of a second. Blobs and cells are in `kzg.ts`.
 * Import this file dynamically, where a contract first asks: it loads and prepares a curve of 10 MB.
 */
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { equalBytes } from "../bytes/compare.ts";
import { bytesToBigint } from "../bytes/integer.ts";
import { versionedHash } from "./versioned-hash.ts";

/** What is proved: the polynomial behind `commitment` (48 bytes) is `y` (32) at `z` (32), by `proof` (48). */
export interface KzgClaim {
  readonly commitment: Uint8Array;
  readonly z: Uint8Array;
  readonly y: Uint8Array;
  readonly proof: Uint8Array;
}

/** Bytes of the input of the precompiled contract. */
export const POINT_EVALUATION_INPUT_BYTES = 192;

const COMMITMENT_BYTES = 48;
const SCALAR_BYTES = 32;

const { G1, G2, fields, utils, millerLoopBatch } = bls12_381;
type PointG1 = typeof G1.Point.ZERO;

/** The setup of Ethereum's ceremony: its secret times the generator of G2. */
const SECRET_G2 =
  "b5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72" +
  "185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2";

const secretLines = utils.calcPairingPrecomputes(G2.Point.fromHex(SECRET_G2));
const generatorLines = utils.calcPairingPrecomputes(G2.Point.BASE.negate());

/** True when the proof holds; false for any other bytes. Some 17 ms. */
export function verifyKzgProof({ commitment, z, y, proof }: KzgClaim): boolean {
  const [at, value] = [scalarOf(z), scalarOf(y)];
  const [c, p] = [pointOf(commitment), pointOf(proof)];
  if (at === undefined || value === undefined || c === undefined || p === undefined) return false;
  // e(C - y G1 + z P, -G2) e(P, secret G2) = 1, which is e(C - y G1, G2) = e(P, (secret - z) G2).
  const left = c.subtract(times(G1.Point.BASE, value)).add(times(p, at));
  const product = millerLoopBatch([...loop(left, generatorLines), ...loop(p, secretLines)]);
  return fields.Fp12.eql(fields.Fp12.finalExponentiate(product), fields.Fp12.ONE);
}

/**
 * The precompiled contract's check: versioned hash 32, z 32, y 32, commitment 48, proof 48. False is its failure,
 * for another length, hash, or a proof that does not hold.
 */
export function isPointEvaluation(input: Uint8Array): boolean {
  if (input.length !== POINT_EVALUATION_INPUT_BYTES) return false;
  const commitment = input.subarray(96, 144);
  if (!equalBytes(versionedHash(commitment), input.subarray(0, 32))) return false;
  return verifyKzgProof({
    commitment,
    z: input.subarray(32, 64),
    y: input.subarray(64, 96),
    proof: input.subarray(144),
  });
}

function scalarOf(bytes: Uint8Array): bigint | undefined {
  if (bytes.length !== SCALAR_BYTES) return undefined;
  const value = bytesToBigint(bytes);
  return value < fields.Fr.ORDER ? value : undefined;
}

function pointOf(bytes: Uint8Array): PointG1 | undefined {
  if (bytes.length !== COMMITMENT_BYTES) return undefined;
  if (isInfinity(bytes)) return G1.Point.ZERO;
  try {
    return G1.Point.fromBytes(bytes); // refuses points outside the group too
  } catch {
    return undefined; // the length is right, so the only cause is that there is no such point
  }
}

/** The one encoding of infinity: compressed, no sign, all other bits zero. */
function isInfinity(bytes: Uint8Array): boolean {
  return bytes.every((byte, at) => byte === (at === 0 ? 0xc0 : 0));
}

function times(point: PointG1, factor: bigint): PointG1 {
  return factor === 0n || point.is0() ? G1.Point.ZERO : point.multiplyUnsafe(factor);
}

/** A pairing with infinity is one: it is left out. */
function loop(point: PointG1, lines: typeof secretLines): [typeof secretLines, bigint, bigint][] {
  if (point.is0()) return [];
  const { x, y } = point.toAffine();
  return [[lines, x, y]];
}
