/**
 * Operations on BLS12-381 as contracts ask for them (EIP-2537), on the encodings of those precompiled contracts:
 * 128 bytes a point of G1, 256 a point of G2, 32 a scalar. Undefined is their failure: another length, a
 * coordinate that is not in the field, a point off the curve and, but for additions, outside the group.
 */
import { BLS_WORD_BYTES, type BlsMcl, blsMcl } from "./bls-mcl.ts";
import { areInG1, areInG2 } from "./bls-order.ts";
import { isBlsProductOne } from "./bls-pairing.ts";
import { MCL_BYTES } from "./mcl.ts";

/** Bytes of points, of terms of the multi-scalar multiplications and of pairs, as contracts write them. */
export const BLS_POINT_BYTES = { g1: 128, g2: 256, g1Term: 160, g2Term: 288, pair: 384 } as const;

const SCALAR = 32;
/** Terms held at once; longer sums are computed in parts. */
const TERMS_AT_ONCE = 128;

/** Differences between the two groups. */
interface Group {
  readonly pointBytes: number;
  readonly size: number;
  /** Addresses of operands and results. */
  readonly points: number;
  readonly scalars: number;
  readonly sum: number;
  readonly part: number;
  readonly read: (to: number, bytes: Uint8Array, at: number) => boolean;
  readonly write: (from: number) => Uint8Array;
  readonly add: (to: number, a: number, b: number) => void;
  readonly clear: (point: number) => void;
  /** Returns true when the points at these offsets of the input are in the group. */
  readonly areInGroup: (input: Uint8Array, places: readonly number[]) => boolean;
  readonly multiplyAll: (to: number, points: number, scalars: number, count: number) => void;
}

interface Groups {
  readonly mcl: BlsMcl;
  readonly g1: Group;
  readonly g2: Group;
}

let opened: Groups | undefined;

function groups(): Groups {
  opened ??= openGroups(blsMcl());
  return opened;
}

function openGroups(mcl: BlsMcl): Groups {
  const { raw, codec } = mcl;
  const scalars = raw.malloc(TERMS_AT_ONCE * MCL_BYTES.fr);
  const room = (size: number): Pick<Group, "points" | "scalars" | "size" | "sum" | "part"> => ({
    size,
    scalars,
    points: raw.malloc(TERMS_AT_ONCE * size),
    sum: raw.malloc(size),
    part: raw.malloc(size),
  });
  return {
    mcl,
    g1: {
      ...room(MCL_BYTES.g1),
      pointBytes: BLS_POINT_BYTES.g1,
      read: codec.readG1,
      write: codec.writeG1,
      add: raw.mclBnG1_add,
      clear: raw.mclBnG1_clear,
      areInGroup: areInG1,
      multiplyAll: raw.mclBnG1_mulVec,
    },
    g2: {
      ...room(MCL_BYTES.g2),
      pointBytes: BLS_POINT_BYTES.g2,
      read: codec.readG2,
      write: codec.writeG2,
      add: raw.mclBnG2_add,
      clear: raw.mclBnG2_clear,
      areInGroup: areInG2,
      multiplyAll: raw.mclBnG2_mulVec,
    },
  };
}

/** Adds two points of G1's curve. */
export function addG1(input: Uint8Array): Uint8Array | undefined {
  return add(groups().g1, input);
}

/** Adds two points of G2's curve. */
export function addG2(input: Uint8Array): Uint8Array | undefined {
  return add(groups().g2, input);
}

/** Returns the sum of points of G1 times their scalars; at least one term. */
export function sumG1(input: Uint8Array): Uint8Array | undefined {
  return sumOfTerms(groups(), "g1", input);
}

/** Returns the sum of points of G2 times their scalars; at least one term. */
export function sumG2(input: Uint8Array): Uint8Array | undefined {
  return sumOfTerms(groups(), "g2", input);
}

/** Returns true when the product of the pairings of points of G1 and G2 is one; at least one pair. */
export function isBlsPairing(input: Uint8Array): boolean | undefined {
  if (input.length === 0 || input.length % BLS_POINT_BYTES.pair !== 0) return undefined;
  const isOne = isBlsProductOne(input);
  const count = input.length / BLS_POINT_BYTES.pair;
  const firsts = Array.from({ length: count }, (_, index) => index * BLS_POINT_BYTES.pair);
  return isOne === undefined || !areInG1(input, firsts) ? undefined : isOne;
}

/** Maps an element of the field to a point of G1 (RFC 9380). */
export function mapToG1(input: Uint8Array): Uint8Array | undefined {
  if (input.length !== BLS_WORD_BYTES) return undefined;
  const { g1, mcl } = groups();
  if (!mcl.codec.readField(g1.points, input, 0)) return undefined;
  mcl.raw.mclBnFp_mapToG1(g1.sum, g1.points);
  return g1.write(g1.sum);
}

/** Maps an element of the quadratic extension to a point of G2 (RFC 9380). */
export function mapToG2(input: Uint8Array): Uint8Array | undefined {
  if (input.length !== 2 * BLS_WORD_BYTES) return undefined;
  const { g2, mcl } = groups();
  if (!mcl.codec.readPair(g2.points, input, 0)) return undefined;
  mcl.raw.mclBnFp2_mapToG2(g2.sum, g2.points);
  return g2.write(g2.sum);
}

function add(group: Group, input: Uint8Array): Uint8Array | undefined {
  const { pointBytes, sum, part } = group;
  if (input.length !== 2 * pointBytes) return undefined;
  if (!group.read(sum, input, 0) || !group.read(part, input, pointBytes)) return undefined;
  group.add(sum, sum, part);
  return group.write(sum);
}

function sumOfTerms({ mcl, ...of }: Groups, name: "g1" | "g2", input: Uint8Array): Uint8Array | undefined {
  const { [name]: group } = of;
  const termBytes = group.pointBytes + SCALAR;
  if (input.length === 0 || input.length % termBytes !== 0) return undefined;
  group.clear(group.sum);
  for (let at = 0; at < input.length; at += TERMS_AT_ONCE * termBytes) {
    const count = Math.min(TERMS_AT_ONCE, (input.length - at) / termBytes);
    const places = Array.from({ length: count }, (_, i) => at + i * termBytes);
    for (const [i, place] of places.entries()) {
      if (!group.read(group.points + i * group.size, input, place)) return undefined;
      const scalar = input.subarray(place + group.pointBytes, place + termBytes);
      readScalar(mcl, group.scalars + i * MCL_BYTES.fr, scalar);
    }
    if (!group.areInGroup(input, places)) return undefined;
    group.multiplyAll(group.part, group.points, group.scalars, count);
    group.add(group.sum, group.sum, group.part);
  }
  return group.write(group.sum);
}

/** Reads a scalar of any 32 bytes; the group has prime order, so it is reduced. Uses `part` as a buffer. */
function readScalar({ raw, heap }: BlsMcl, to: number, bytes: Uint8Array): void {
  const { part } = groups().g1;
  heap().set(bytes, part);
  raw.mclBnFr_setBigEndianMod(to, part, SCALAR);
}
