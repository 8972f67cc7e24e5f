/**
 * KZG proofs that a polynomial has a value at a point (EIP-4844, `verify_kzg_proof`), for contracts: needs one
 * point of the trusted setup and no more, so the first call is ready in some 20 ms. Blobs and cells are in `kzg.ts`.
 */
import { concatBytes, equalBytes, isZero } from "../bytes/compare.ts";
import { fromBareHex } from "../bytes/hex.ts";
import { fixedBytes } from "../bytes/integer.ts";
import { isBlsProductOne } from "./bls-pairing.ts";
import { BLS_POINT_BYTES, liftToG1, sumG1 } from "./bls-points.ts";
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
const LARGER = 0x20;
const FLAGS = COMPRESSED | INFINITE | LARGER;
const ONE = fixedBytes(1, 32);
/** The order of the groups. */
const ORDER = fromBareHex("73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001");
// Points as contracts write them (EIP-2537).
/** The generator of G1, its sign turned. */
const OPPOSITE_G1 = fromElements(
  "17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb",
  "114d1d6855d545a8aa7d76c8cf2e21f267816aef1db507c96655b9d5caac42364e6f38ba0ecb751bad54dcd6b939c2ca",
);
/** The generator of G2, its sign turned. */
const OPPOSITE_G2 = fromElements(
  "024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8",
  "13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e",
  "0d1b3cc2c7027888be51d9ef691d77bcb679afda66c73f17f9ee3837a55024f78c71363275a75d75d86bab79f74782aa",
  "13fa4d4a0ad8b1ce186ed5061789213d993923066dddaf1040bc3ff59f825c78df74f2d75467e25e0f55f8a00fa030ed",
);
/** The setup of Ethereum's ceremony: its secret times the generator of G2. */
const SECRET_G2 = fromElements(
  "185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2",
  "15bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72",
  "014353bdb96b626dd7d5ee8599d1fca2131569490e28de18e82451a496a9c9794ce26d105941f383ee689bfbbb832a99",
  "1666c54b0a32529503432fcae0181b4bef79de09fc63671fda5ed1ba9bfa07899495346f3d7ac9cd23048ef30d0a154f",
);

/** True when the proof holds; false for any other bytes. Some 3 ms. */
export function verifyKzgProof({ commitment, z, y, proof }: KzgClaim): boolean {
  if (!isScalar(z) || !isScalar(y)) return false;
  const [c, p] = [readPoint(commitment), readPoint(proof)];
  if (c === undefined || p === undefined) return false;
  // e(C - y G1 + z P, -G2) e(P, secret G2) = 1, which is e(C - y G1, G2) = e(P, (secret - z) G2).
  const sum = sumG1(concatBytes(c, ONE, OPPOSITE_G1, y, p, z)); // refuses points outside the group
  return sum !== undefined && isBlsProductOne(concatBytes(sum, OPPOSITE_G2, p, SECRET_G2)) === true;
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

/** Reads a compressed point of the curve; undefined for any other bytes. */
function readPoint(point: Uint8Array): Uint8Array | undefined {
  if (point.length !== POINT_BYTES) return undefined;
  const flags = (point[0] ?? 0) & FLAGS;
  if ((flags & INFINITE) !== 0) {
    // Infinity has one encoding.
    return flags === (COMPRESSED | INFINITE) && point[0] === flags && isZero(point.subarray(1))
      ? new Uint8Array(BLS_POINT_BYTES.g1)
      : undefined;
  }
  if ((flags & COMPRESSED) === 0) return undefined;
  const x = new Uint8Array(point); // not `slice`, which shares the memory of a `Buffer`
  x[0] = (point[0] ?? 0) & ~FLAGS;
  return liftToG1(x, (flags & LARGER) !== 0);
}

function fromElements(...elements: readonly string[]): Uint8Array {
  return fromBareHex(elements.map((element) => element.padStart(128, "0")).join(""));
}
