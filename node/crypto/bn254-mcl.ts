import { createRequire } from "node:module";
import type * as Mcl from "mcl-wasm";
import { isZero } from "../bytes/compare.ts";
import type { Bn254Curve } from "./bn254.ts";

/** BN254 by mcl in WebAssembly, or undefined when it does not load on this machine. */
export async function loadMcl(): Promise<Bn254Curve | undefined> {
  try {
    // The package's main entry, whose types these are; it is CommonJS.
    const mcl = createRequire(import.meta.url)("mcl-wasm") as typeof Mcl;
    await mcl.init(mcl.BN_SNARK1);
    return createMclCurve(mcl);
  } catch {
    return undefined; // the caller chooses the other implementation and says so
  }
}

function createMclCurve(mcl: typeof Mcl): Bn254Curve {
  const codec = createCodec(mcl);
  return {
    name: "mcl",
    add: (first, second) => {
      const [a, b] = [codec.g1(first), codec.g1(second)];
      return a && b && codec.bytes(mcl.add(a, b));
    },
    multiply: (bytes, scalar) => {
      const point = codec.g1(bytes);
      if (point === undefined) return undefined;
      const factor = new mcl.Fr();
      factor.setBigEndianMod(scalar); // the group has prime order, so the rest is the same factor
      return codec.bytes(mcl.mul(point, factor));
    },
    isProductOne: (pairs) => {
      let product: Mcl.GT | undefined;
      for (const pair of pairs) {
        const [p, q] = [codec.g1(pair.subarray(0, 64)), codec.g2(pair.subarray(64))];
        if (p === undefined || q === undefined) return undefined;
        if (p.isZero() || q.isZero()) continue;
        const value = mcl.millerLoop(p, q);
        product = product === undefined ? value : mcl.mul(product, value);
      }
      return product === undefined || mcl.finalExp(product).isOne();
    },
  };
}

interface Codec {
  g1(bytes: Uint8Array): Mcl.G1 | undefined;
  g2(bytes: Uint8Array): Mcl.G2 | undefined;
  bytes(point: Mcl.G1): Uint8Array;
}

/** The library's words are little-endian, and a point is zero unless its z is set. */
function createCodec(mcl: typeof Mcl): Codec {
  const field = (word: Uint8Array): Mcl.Fp => {
    const value = new mcl.Fp();
    value.deserialize(word.toReversed());
    return value;
  };
  const pair = (words: Uint8Array): Mcl.Fp2 => {
    const value = new mcl.Fp2();
    value.set_a(field(words.subarray(32, 64)));
    value.set_b(field(words.subarray(0, 32)));
    return value;
  };
  const one = new mcl.Fp();
  one.setInt(1);
  const pairOne = new mcl.Fp2();
  pairOne.setInt(1, 0);
  return {
    g1: (bytes) => {
      const point = new mcl.G1();
      if (isZero(bytes)) return point;
      point.setX(field(bytes.subarray(0, 32)));
      point.setY(field(bytes.subarray(32)));
      point.setZ(one);
      return point.isValid() ? point : undefined;
    },
    g2: (bytes) => {
      const point = new mcl.G2();
      if (isZero(bytes)) return point;
      point.setX(pair(bytes.subarray(0, 64)));
      point.setY(pair(bytes.subarray(64)));
      point.setZ(pairOne);
      return point.isValid() && point.isValidOrder() ? point : undefined;
    },
    bytes: (point) => {
      const bytes = new Uint8Array(64);
      if (point.isZero()) return bytes;
      point.normalize();
      bytes.set(point.getX().serialize().toReversed());
      bytes.set(point.getY().serialize().toReversed(), 32);
      return bytes;
    },
  };
}
