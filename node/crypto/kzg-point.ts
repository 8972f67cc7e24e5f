/**
 * KZG proofs that a polynomial has a value at a point (EIP-4844, `verify_kzg_proof`), for contracts: needs one
 * point of the trusted setup and no more, so the first call is ready in some 20 ms. Blobs and cells are in `kzg.ts`.
 */
import { concatBytes, equalBytes, isZero } from "../bytes/compare.ts";
import { fromBareHex } from "../bytes/hex.ts";
import { type BlsMcl, blsMcl } from "./bls-mcl.ts";
import { areInG1 } from "./bls-order.ts";
import { isBlsProductOne } from "./bls-pairing.ts";
import { MCL_BYTES } from "./mcl.ts";
import { versionedHash } from "./versioned-hash.ts";

/**
 * The claim that the polynomial of `commitment` (48 bytes) is `y` (32) at `z` (32), with its `proof` (48).
 */
export interface KzgClaim {
  readonly commitment: Uint8Array;
  readonly z: Uint8Array;
  readonly y: Uint8Array;
  readonly proof: Uint8Array;
}

/** Bytes of the input of the precompiled contract. */
export const POINT_EVALUATION_INPUT_BYTES = 192;

const POINT_BYTES = 48;
const SCALAR_BYTES = 32;
/** Bits of a point's first byte. */
const COMPRESSED = 0x80;
const INFINITE = 0x40;
/** The order of the groups. */
const ORDER = fromBareHex("73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001");
const GENERATOR_G1 =
  "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb";
/** The generator of G2, its sign turned. */
const OPPOSITE_G2 =
  "b3e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e" +
  "024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8";
/** The setup of Ethereum's ceremony: its secret times the generator of G2. */
const SECRET_G2 =
  "b5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72" +
  "185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2";

/** The instance's room for points of G1, and the points of G2 that every proof is held against, as contracts write them. */
interface Setup extends BlsMcl {
  readonly generator: number;
  readonly commitment: number;
  readonly proof: number;
  readonly term: number;
  readonly scalar: number;
  readonly bytes: number;
  readonly opposite: Uint8Array;
  readonly secret: Uint8Array;
}

let opened: Setup | undefined;

function setup(): Setup {
  if (opened !== undefined) return opened;
  const mcl = blsMcl();
  const { raw, heap, codec } = mcl;
  const bytes = raw.malloc(2 * POINT_BYTES);
  const point = raw.malloc(MCL_BYTES.g2);
  const pointOfG2 = (hex: string): Uint8Array => {
    heap().set(fromBareHex(hex), bytes);
    compressPoint(mcl, () => raw.mclBnG2_deserialize(point, bytes, 2 * POINT_BYTES));
    return codec.writeG2(point);
  };
  opened = {
    ...mcl,
    generator: raw.malloc(MCL_BYTES.g1),
    commitment: raw.malloc(MCL_BYTES.g1),
    proof: raw.malloc(MCL_BYTES.g1),
    term: raw.malloc(MCL_BYTES.g1),
    scalar: raw.malloc(MCL_BYTES.fr),
    bytes,
    opposite: pointOfG2(OPPOSITE_G2),
    secret: pointOfG2(SECRET_G2),
  };
  readPoint(opened, opened.generator, fromBareHex(GENERATOR_G1));
  return opened;
}

/** True when the proof holds; false for any other bytes. Some 3 ms. */
export function verifyKzgProof({ commitment: c, z, y, proof: p }: KzgClaim): boolean {
  if (!isScalar(z) || !isScalar(y) || c.length !== POINT_BYTES || p.length !== POINT_BYTES) return false;
  const own = setup();
  const { raw, codec, commitment, proof, term } = own;
  if (!readPoint(own, commitment, c) || !readPoint(own, proof, p)) return false;
  const written = codec.writeG1(proof);
  if (!areInG1(concatBytes(codec.writeG1(commitment), written), [0, written.length])) return false;
  // e(C - y G1 + z P, -G2) e(P, secret G2) = 1, which is e(C - y G1, G2) = e(P, (secret - z) G2).
  multiply(own, own.generator, y);
  raw.mclBnG1_sub(commitment, commitment, term);
  multiply(own, proof, z);
  raw.mclBnG1_add(commitment, commitment, term);
  return isBlsProductOne(concatBytes(codec.writeG1(commitment), own.opposite, written, own.secret)) === true;
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

function isScalar(bytes: Uint8Array): boolean {
  return bytes.length === SCALAR_BYTES && Buffer.compare(bytes, ORDER) < 0;
}

/** False for what is no compressed point of the curve. */
function readPoint(own: Setup, to: number, point: Uint8Array): boolean {
  const { raw, heap, bytes } = own;
  const flags = (point[0] ?? 0) & (COMPRESSED | INFINITE);
  if (flags === (COMPRESSED | INFINITE)) {
    raw.mclBnG1_clear(to);
    return point[0] === flags && isZero(point.subarray(1)); // infinity has one encoding
  }
  if (flags !== COMPRESSED) return false;
  heap().set(point, bytes);
  const length = compressPoint(own, () => raw.mclBnG1_deserialize(to, bytes, POINT_BYTES));
  return length === POINT_BYTES;
}

/** Leaves the product in `term`. */
function multiply({ raw, heap, bytes, scalar, term }: Setup, point: number, factor: Uint8Array): void {
  heap().set(factor, bytes);
  raw.mclBnFr_setBigEndianMod(scalar, bytes, SCALAR_BYTES);
  raw.mclBnG1_mul(term, point, scalar);
}

/** Points are written as signatures have them only here; coordinates elsewhere are little-endian. */
function compressPoint(mcl: BlsMcl, read: () => number): number {
  mcl.raw.mclBn_setETHserialization(1);
  const length = read();
  mcl.raw.mclBn_setETHserialization(0);
  return length;
}
