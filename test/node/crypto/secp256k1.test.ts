/** Tests of signatures on secp256k1, native and fallback. */
import { describe, expect, test } from "@jest/globals";
import { secp256k1 as oracle } from "ethereum-cryptography/secp256k1.js";
import { bareHex, fromBareHex } from "../../../node/bytes/hex.ts";
import { fixedBytes } from "../../../node/bytes/integer.ts";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import {
  addressOfKey,
  addressOfPublicKey,
  createSecp256k1,
  isLowS,
  isPrivateKey,
  isScalar,
  publicKeyOf,
  recover,
  secp256k1Backend,
  sign,
  verify,
} from "../../../node/crypto/secp256k1.ts";
import { loadNativeCurve } from "../../../node/crypto/secp256k1-native.ts";
import { nobleCurve } from "../../../node/crypto/secp256k1-noble.ts";

const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const P = 2n ** 256n - 2n ** 32n - 977n;
const native = loadNativeCurve();
const backends = [createSecp256k1(nobleCurve), ...(native === undefined ? [] : [createSecp256k1(native)])];

const digestOf = (seed: number): Uint8Array => keccak256(Buffer.from(`digest ${seed}`));
const scalars = (r: bigint, s: bigint, v = 0): Uint8Array =>
  Uint8Array.from([...fixedBytes(r, 32), ...fixedBytes(s, 32), v]);
/** The public key that the oracle recovers, in hex. */
function oracleKey(digest: Uint8Array, signature: Uint8Array): string | undefined {
  try {
    const parsed = oracle.Signature.fromCompact(signature.subarray(0, 64)).addRecoveryBit(
      signature[64] as number,
    );
    return parsed.recoverPublicKey(digest).toHex(false).slice(2);
  } catch {
    return undefined;
  }
}

const keyOf = (seed: number): Uint8Array => keccak256(Buffer.from(`key ${seed}`));

test("the native implementation loads here and is the one in use", () => {
  expect(secp256k1Backend).toBe("native");
  expect(backends.map(({ backend }) => backend)).toEqual(["noble", "native"]);
});

describe.each(backends)("secp256k1 by $backend", (curve) => {
  test("signs as the oracle does, low s, with v 0 or 1, and recovers the signer", () => {
    for (let seed = 0; seed < 40; seed++) {
      const signature = curve.sign(digestOf(seed), keyOf(seed));
      const expected = oracle.sign(digestOf(seed), keyOf(seed));
      expect(bareHex(signature.subarray(0, 64))).toBe(expected.toCompactHex());
      expect(signature[64]).toBe(expected.recovery);
      expect(isLowS(signature.subarray(32, 64))).toBe(true);
      const publicKey = curve.recover(digestOf(seed), signature);
      expect(publicKey && bareHex(publicKey)).toBe(
        bareHex(oracle.getPublicKey(keyOf(seed), false).subarray(1)),
      );
      expect(bareHex(curve.publicKeyOf(keyOf(seed)))).toBe(bareHex(publicKey ?? new Uint8Array()));
    }
  });

  test("recovers the signer from the high-s twin of a signature too", () => {
    const signature = curve.sign(digestOf(1), keyOf(1));
    const s = BigInt(`0x${bareHex(signature.subarray(32, 64))}`);
    const twin = Uint8Array.from([
      ...signature.subarray(0, 32),
      ...fixedBytes(N - s, 32),
      1 - (signature[64] as number),
    ]);
    expect(isLowS(twin.subarray(32, 64))).toBe(false);
    expect(curve.recover(digestOf(1), twin)).toEqual(curve.publicKeyOf(keyOf(1)));
  });

  test("gives undefined for what cannot be recovered, and never throws", () => {
    const good = curve.sign(digestOf(2), keyOf(2));
    const withByte = (at: number, value: number): Uint8Array => good.with(at, value);
    for (const v of [2, 3, 4, 27, 28, 255])
      expect(curve.recover(digestOf(2), withByte(64, v))).toBeUndefined();
    for (const bad of [0n, N, N + 1n, 2n ** 256n - 1n]) {
      expect(curve.recover(digestOf(2), scalars(bad, 5n))).toBeUndefined();
      expect(curve.recover(digestOf(2), scalars(5n, bad))).toBeUndefined();
    }
    // No point of the curve has x = 5.
    expect(curve.recover(digestOf(2), scalars(5n, 7n))).toBeUndefined();
    expect(curve.recover(digestOf(2), scalars(1n, 7n))).toBeDefined();
    for (const length of [0, 1, 64, 66, 1000]) {
      expect(curve.recover(digestOf(2), new Uint8Array(length).fill(1))).toBeUndefined();
    }
    for (const length of [0, 31, 33]) expect(curve.recover(new Uint8Array(length), good)).toBeUndefined();
  });

  test("recovers with the ids 2 and 3 from r + N where any id is allowed, and as before with 0 and 1", () => {
    const signature = curve.sign(digestOf(5), keyOf(5));
    expect(curve.recoverAnyId(digestOf(5), signature)).toEqual(curve.publicKeyOf(keyOf(5)));
    // Found by libsecp256k1 of the Go node.
    const recovered = [1, 2].map((r) =>
      curve.recoverAnyId(new Uint8Array(32).fill(7), scalars(BigInt(r), 1n, 2)),
    );
    expect(recovered.map((key) => key && bareHex(addressOfPublicKey(key)))).toEqual([
      undefined,
      "ddbf3d9d46227feacd09d0beef5d66cbe72c03c5",
    ]);
    const ids = new Set<number>();
    for (let r = 1n; r < 40n; r++) {
      const id = 2 + Number(r % 2n);
      const expected = oracleKey(digestOf(6), scalars(r, 9n, id));
      const found = curve.recoverAnyId(digestOf(6), scalars(r, 9n, id));
      expect(found && bareHex(found)).toBe(expected);
      if (found !== undefined) ids.add(id);
    }
    expect(ids).toEqual(new Set([2, 3]));
  });

  test("recovers with no id above 3, with no x at or above the field's size, and from no r or s out of range", () => {
    const digest = digestOf(6);
    for (const v of [4, 5, 27, 28, 255])
      expect(curve.recoverAnyId(digest, scalars(2n, 1n, v))).toBeUndefined();
    const first = P - N;
    for (let r = first; r < first + 8n; r++)
      expect(curve.recoverAnyId(digest, scalars(r, 1n, 2))).toBeUndefined();
    const last = Array.from({ length: 16 }, (_, below) => scalars(first - 1n - BigInt(below), 1n, 2));
    expect(last.filter((signature) => curve.recoverAnyId(digest, signature) !== undefined)).not.toEqual([]);
    for (const bad of [0n, N, N + 1n, 2n ** 256n - 1n]) {
      expect(curve.recoverAnyId(digest, scalars(bad, 1n, 2))).toBeUndefined();
      expect(curve.recoverAnyId(digest, scalars(2n, bad, 2))).toBeUndefined();
    }
    expect(curve.recoverAnyId(digest, scalars(2n, N - 1n, 2))).toBeDefined();
    expect(curve.recoverAnyId(digest, scalars(2n, 1n, 2).subarray(0, 64))).toBeUndefined();
    expect(curve.recoverAnyId(digest.subarray(1), scalars(2n, 1n, 2))).toBeUndefined();
  });

  test("verifies its own signatures and nothing that differs from them in any byte", () => {
    for (let seed = 0; seed < 10; seed++) {
      const [digest, publicKey] = [digestOf(seed), curve.publicKeyOf(keyOf(seed))];
      const signature = curve.sign(digest, keyOf(seed)).subarray(0, 64);
      expect(curve.verify({ digest, signature, publicKey })).toBe(true);
      expect(oracle.verify(signature, digest, Uint8Array.from([4, ...publicKey]))).toBe(true);
      const at = seed * 3;
      const flip = (bytes: Uint8Array): Uint8Array => bytes.with(at, (bytes[at] as number) ^ 1);
      expect(curve.verify({ digest: flip(digest), signature, publicKey })).toBe(false);
      expect(curve.verify({ digest, signature: flip(signature), publicKey })).toBe(false);
      expect(curve.verify({ digest, signature, publicKey: flip(publicKey) })).toBe(false);
      expect(curve.verify({ digest, signature, publicKey: curve.publicKeyOf(keyOf(seed + 1)) })).toBe(false);
    }
  });

  test("verifies no high s, nothing out of range and nothing of another size, and never throws", () => {
    const [digest, publicKey] = [digestOf(1), curve.publicKeyOf(keyOf(1))];
    const signature = curve.sign(digest, keyOf(1)).subarray(0, 64);
    const s = BigInt(`0x${bareHex(signature.subarray(32))}`);
    const twin = Uint8Array.from([...signature.subarray(0, 32), ...fixedBytes(N - s, 32)]);
    expect(curve.verify({ digest, signature: twin, publicKey })).toBe(false);
    for (const bad of [0n, N, 2n ** 256n - 1n]) {
      for (const outOfRange of [scalars(bad, 5n), scalars(5n, bad)]) {
        expect(curve.verify({ digest, signature: outOfRange.subarray(0, 64), publicKey })).toBe(false);
      }
    }
    expect(curve.verify({ digest, signature, publicKey: new Uint8Array(64) })).toBe(false);
    for (const length of [0, 31, 63, 65, 1000]) {
      const bytes = new Uint8Array(length).fill(1);
      expect(curve.verify({ digest: bytes, signature, publicKey })).toBe(false);
      expect(curve.verify({ digest, signature: bytes, publicKey })).toBe(false);
      expect(curve.verify({ digest, signature, publicKey: bytes })).toBe(false);
    }
  });

  test("answers undefined when the recovered point is infinity", () => {
    // r = x(G), s = z: then s*R - z*G is the point at infinity for the even-y R = G.
    const gx = 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n;
    const z = 12_345n;
    const signature = Uint8Array.from([...fixedBytes(gx, 32), ...fixedBytes(z, 32), 0]);
    expect(curve.recover(fixedBytes(z, 32), signature)).toBeUndefined();
  });

  test("refuses keys outside 1..N-1 and digests of another size, without showing them", () => {
    for (const key of [
      new Uint8Array(32),
      fixedBytes(N, 32),
      new Uint8Array(31).fill(1),
      new Uint8Array(0),
    ]) {
      expect(() => curve.sign(digestOf(3), key)).toThrow(
        expect.objectContaining({ code: "bad-private-key" }),
      );
      expect(() => curve.publicKeyOf(key)).toThrow(expect.objectContaining({ code: "bad-private-key" }));
    }
    expect(() => curve.sign(new Uint8Array(31), keyOf(3))).toThrow(
      expect.objectContaining({ code: "bad-digest" }),
    );
    expect(curve.publicKeyOf(fixedBytes(N - 1n, 32)).length).toBe(64);
  });

  test("two key holders share the x coordinate that the oracle finds, and no secret with a point off the curve", () => {
    for (let seed = 0; seed < 20; seed++) {
      const [mine, theirs] = [keyOf(seed), keyOf(seed + 100)];
      const shared = curve.ecdh(mine, curve.publicKeyOf(theirs));
      expect(shared && bareHex(shared)).toBe(
        bareHex(oracle.getSharedSecret(mine, oracle.getPublicKey(theirs, false), false).subarray(1, 33)),
      );
      expect(curve.ecdh(theirs, curve.publicKeyOf(mine))).toEqual(shared);
    }
    const publicKey = curve.publicKeyOf(keyOf(1));
    expect(curve.ecdh(keyOf(2), publicKey.with(63, (publicKey[63] as number) ^ 1))).toBeUndefined();
    for (const length of [0, 33, 63, 65])
      expect(curve.ecdh(keyOf(2), new Uint8Array(length).fill(2))).toBeUndefined();
    expect(curve.ecdh(keyOf(2), new Uint8Array(64))).toBeUndefined();
    expect(() => curve.ecdh(new Uint8Array(32), publicKey)).toThrow(
      expect.objectContaining({ code: "bad-private-key" }),
    );
  });

  test("agrees with the oracle on random signatures, recoverable or not", () => {
    for (let seed = 0; seed < 40; seed++) {
      const r = keccak256(Buffer.from(`r ${seed}`));
      const s = keccak256(Buffer.from(`s ${seed}`));
      const v = seed % 2;
      const expected = oracleKey(digestOf(seed), Uint8Array.from([...r, ...s, v]));
      const found = curve.recover(digestOf(seed), Uint8Array.from([...r, ...s, v]));
      expect(found && bareHex(found)).toBe(expected);
    }
  });
});

test("the exported functions give the published address and key of a known private key", () => {
  const key = fromBareHex("c87509a1c067bbde78beb793e6fa76530b6382a4c0241e5e4a9ec0a0f44dc0d3");
  expect(bareHex(addressOfKey(key))).toBe("627306090abab3a6e1400e9345bc60c78a8bef57");
  expect(addressOfPublicKey(publicKeyOf(key))).toEqual(addressOfKey(key));
  expect(recover(digestOf(4), sign(digestOf(4), key))).toEqual(publicKeyOf(key));
  const signature = sign(digestOf(4), key).subarray(0, 64);
  expect(verify({ digest: digestOf(4), signature, publicKey: publicKeyOf(key) })).toBe(true);
});

test("scalars and low s end exactly at the order and at half of it", () => {
  expect([1n, N - 1n].map((n) => isScalar(fixedBytes(n, 32)))).toEqual([true, true]);
  expect([0n, N].map((n) => isScalar(fixedBytes(n, 32)))).toEqual([false, false]);
  expect([1n, N - 1n, 0n, N].map((n) => isPrivateKey(fixedBytes(n, 32)))).toEqual([true, true, false, false]);
  expect(isLowS(fixedBytes(N / 2n, 32))).toBe(true);
  expect(isLowS(fixedBytes(N / 2n + 1n, 32))).toBe(false);
});
