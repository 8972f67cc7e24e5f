/**
 * Hashes and signatures against their oracles, in the same run and in turns: `node bench/crypto.ts`.
 * One JSON line each; `ns` is the median of the rounds in CPU time of the thread, which other programs disturb
 * little, and `ratio` how many times faster ours is.
 */

import { p256 } from "@noble/curves/nist.js";
import { blake2b } from "@noble/hashes/blake2.js";
import { keccak256 as oracleKeccak } from "ethereum-cryptography/keccak.js";
import { ripemd160 as oracleRipemd160 } from "ethereum-cryptography/ripemd160.js";
import { secp256k1 as oracleCurve } from "ethereum-cryptography/secp256k1.js";
import { sha256 as oracleSha256 } from "ethereum-cryptography/sha256.js";
import { concatBytes } from "../node/bytes/compare.ts";
import { fromBareHex } from "../node/bytes/hex.ts";
import { blake2f } from "../node/crypto/blake2f.ts";
import { createBls, loadBls } from "../node/crypto/bls.ts";
import { deriveBlsKey } from "../node/crypto/bls-key.ts";
import { nobleBls } from "../node/crypto/bls-noble.ts";
import { createBn254, bn254 as openedBn254 } from "../node/crypto/bn254.ts";
import { ripemd160, sha256 } from "../node/crypto/hashes.ts";
import { hashInput, keccak256 } from "../node/crypto/keccak.ts";
import { verifyP256 } from "../node/crypto/p256.ts";
import { recoverPackedBy } from "../node/crypto/packed-recovery.ts";
import { MAX_AT_ONCE, openRecoverMany } from "../node/crypto/recover-many.ts";
import { openRecoverer } from "../node/crypto/recoverer.ts";
import { packJobs, recoverSigner } from "../node/crypto/recovery-batch.ts";
import {
  createSecp256k1,
  publicKeyOf,
  recover,
  secp256k1Backend,
  sign,
  verify,
} from "../node/crypto/secp256k1.ts";
import { nobleCurve } from "../node/crypto/secp256k1-noble.ts";
import { nobleBn254 } from "../test/support/bn254-noble.ts";
import { median, report, roundTo } from "./support/figures.ts";
import { compare } from "./support/pairs.ts";

const ethereumCryptography = "ethereum-cryptography";
for (const length of [32, 532, 65_536]) {
  const input = new Uint8Array(length).fill(7);
  compare({
    name: `keccak256 ${length} B`,
    ours: () => keccak256(input),
    oracle: () => oracleKeccak(input),
    oracleName: ethereumCryptography,
  });
}
compare({
  name: "hashInput 532 B, in place",
  ours: () => hashInput(532),
  oracle: () => oracleKeccak(new Uint8Array(532)),
  oracleName: ethereumCryptography,
});

const key = keccak256(Buffer.from("key"));
const digest = keccak256(Buffer.from("digest"));
const signature = sign(digest, key);
const fallback = createSecp256k1(nobleCurve);
compare({
  name: `recover (${secp256k1Backend})`,
  ours: () => recover(digest, signature),
  oracle: () => fallback.recover(digest, signature),
  oracleName: "noble fallback",
});
compare({
  name: `recover (${secp256k1Backend})`,
  ours: () => recover(digest, signature),
  oracle: () =>
    oracleCurve.Signature.fromCompact(signature.subarray(0, 64))
      .addRecoveryBit(signature[64] ?? 0)
      .recoverPublicKey(digest)
      .toRawBytes(false),
  oracleName: ethereumCryptography,
});
const jobs = packJobs(Array.from({ length: MAX_AT_ONCE }, () => ({ digest, signature })));
const recoverMany = openRecoverMany();
if (recoverMany !== undefined) {
  compare({
    name: `recover, ${MAX_AT_ONCE} at once`,
    ours: () => recoverMany(jobs),
    oracle: () => recoverPackedBy(undefined, jobs, "key"),
    oracleName: `${secp256k1Backend}, one after another`,
  });
}
compare({
  name: `sign (${secp256k1Backend})`,
  ours: () => sign(digest, key),
  oracle: () => fallback.sign(digest, key),
  oracleName: "noble fallback",
});
compare({
  name: `sign (${secp256k1Backend})`,
  ours: () => sign(digest, key),
  oracle: () => oracleCurve.sign(digest, key),
  oracleName: ethereumCryptography,
});

const publicKey = publicKeyOf(key);
const claim = { digest, signature: signature.subarray(0, 64), publicKey };
compare({
  name: `verify (${secp256k1Backend})`,
  ours: () => verify(claim),
  oracle: () => fallback.verify(claim),
  oracleName: "noble fallback",
});
const uncompressed = concatBytes(Uint8Array.of(4), publicKey);
compare({
  name: `verify (${secp256k1Backend})`,
  ours: () => verify(claim),
  oracle: () => oracleCurve.verify(claim.signature, digest, uncompressed),
  oracleName: ethereumCryptography,
});

for (const length of [32, 1024]) {
  const input = new Uint8Array(length).fill(7);
  compare({
    name: `sha256 ${length} B`,
    ours: () => sha256(input),
    oracle: () => oracleSha256(input),
    oracleName: ethereumCryptography,
  });
  compare({
    name: `ripemd160 ${length} B`,
    ours: () => ripemd160(input),
    oracle: () => oracleRipemd160(input),
    oracleName: ethereumCryptography,
  });
}
// 12 rounds of F are what the hash does for one block, give or take its padding.
const blakeInput = new Uint8Array(213);
blakeInput[3] = 12;
const blakeBlock = new Uint8Array(128);
compare({
  name: "blake2b F, 12 rounds",
  ours: () => blake2f(blakeInput),
  oracle: () => blake2b(blakeBlock),
  oracleName: "noble, one block",
});
blakeInput[2] = 39; // 9,996 rounds
compare({
  name: "blake2b F, 9,996 rounds",
  ours: () => blake2f(blakeInput),
  oracle: () => {
    for (let block = 0; block < 833; block++) blake2b(blakeBlock);
  },
  oracleName: "noble, 833 blocks",
});

const p256Key = p256.getPublicKey(key, false);
const p256Signature = p256.sign(digest, key, { prehash: false });
const p256Input = concatBytes(digest, p256Signature, p256Key.subarray(1));
compare({
  name: "p256 verify",
  ours: () => verifyP256(p256Input),
  oracle: () => p256.verify(p256Signature, digest, p256Key, { prehash: false }),
  oracleName: "noble",
});

const bls = await loadBls();
const slowBls = createBls(nobleBls);
const blsKey = deriveBlsKey(key);
const blsClaim = {
  publicKey: bls.publicKeyOf(blsKey),
  message: digest,
  signature: bls.sign(blsKey, digest),
};
compare({
  name: `BLS sign (${bls.backend})`,
  ours: () => bls.sign(blsKey, digest),
  oracle: () => slowBls.sign(blsKey, digest),
  oracleName: "noble fallback",
});
compare({
  name: `BLS verify (${bls.backend})`,
  ours: () => bls.verify(blsClaim),
  oracle: () => slowBls.verify(blsClaim),
  oracleName: "noble fallback",
});

const bn254 = openedBn254();
const slowBn254 = createBn254(nobleBn254);
const generators = fromBareHex(
  `${"1".padStart(64, "0")}${"2".padStart(64, "0")}` +
    "198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2" +
    "1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed" +
    "090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b" +
    "12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa",
);
const point = generators.subarray(0, 64);
for (const [name, input] of [
  ["add", concatBytes(point, bn254.multiply(concatBytes(point, digest)) ?? point)],
  ["multiply", concatBytes(point, digest)],
] as const) {
  compare({
    name: `bn254 ${name}`,
    ours: () => bn254[name](input),
    oracle: () => slowBn254[name](input),
    oracleName: "noble",
  });
}
const pairs = concatBytes(generators, generators);
compare({
  name: "bn254 pairing of 2",
  ours: () => bn254.isPairing(pairs),
  oracle: () => slowBn254.isPairing(pairs),
  oracleName: "noble",
});

const BATCH_ROUNDS = 9;
const ms = (values: readonly number[]): number => roundTo(median(values));

/** CPU time of the main thread for a batch on the thread, compared with the same work on the main thread. */
async function compareBatches(): Promise<void> {
  await using recoverer = openRecoverer({ warn: (fields, message) => console.error(message, fields) });
  const batch = Array.from({ length: 1000 }, () => ({ digest, signature }));
  await recoverer.recover(batch); // starts the thread
  const rounds: { main: number[]; elapsed: number[]; alone: number[] } = { main: [], elapsed: [], alone: [] };
  for (let round = 0; round < BATCH_ROUNDS; round++) {
    const before = performance.eventLoopUtilization();
    const start = performance.now();
    await recoverer.recover(batch);
    rounds.elapsed.push(performance.now() - start);
    rounds.main.push(performance.eventLoopUtilization(before).active);
    const alone = performance.now();
    batch.map((job) => recoverSigner(job, "address"));
    rounds.alone.push(performance.now() - alone);
  }
  report({
    name: "recoverer, batch of 1000",
    mainThreadMs: ms(rounds.main),
    elapsedMs: ms(rounds.elapsed),
    onMainThreadMs: ms(rounds.alone),
  });
}

await compareBatches();
