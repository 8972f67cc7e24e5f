/**
 * Hashes and signatures against their oracles, in the same run and in turns: `node bench/crypto.ts`.
 * One JSON line each; `ns` is the median of the rounds in CPU time of the thread, which other programs disturb
 * little, and `ratio` how many times faster ours is.
 */
import { keccak256 as oracleKeccak } from "ethereum-cryptography/keccak.js";
import { secp256k1 as oracleCurve } from "ethereum-cryptography/secp256k1.js";
import { hashInput, keccak256 } from "../node/crypto/keccak.ts";
import { openRecoverer } from "../node/crypto/recoverer.ts";
import { recoverAddress } from "../node/crypto/recovery-batch.ts";
import { createSecp256k1, recover, secp256k1Backend, sign } from "../node/crypto/secp256k1.ts";
import { nobleCurve } from "../node/crypto/secp256k1-noble.ts";

interface Pair {
  readonly name: string;
  readonly ours: () => unknown;
  readonly oracle: () => unknown;
  readonly oracleName: string;
}

const ROUNDS = 9;
const ROUND_NS = 40_000_000;

function timeOf(run: () => unknown, times: number): number {
  const before = process.threadCpuUsage();
  for (let i = 0; i < times; i++) run();
  const { user, system } = process.threadCpuUsage(before);
  return ((user + system) * 1000) / times;
}

/** How often to run so that a round takes `ROUND_NS`; also warms up. */
function timesFor(run: () => unknown): number {
  let times = 1;
  let ns = timeOf(run, times);
  while (ns * times < ROUND_NS / 2) {
    times *= 2;
    ns = timeOf(run, times);
  }
  return Math.max(1, Math.round(ROUND_NS / ns));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function compare({ name, ours, oracle, oracleName }: Pair): void {
  const times = { ours: timesFor(ours), oracle: timesFor(oracle) };
  const rounds: { ours: number[]; oracle: number[] } = { ours: [], oracle: [] };
  for (let round = 0; round < ROUNDS; round++) {
    rounds.ours.push(timeOf(ours, times.ours));
    rounds.oracle.push(timeOf(oracle, times.oracle));
  }
  const [ns, oracleNs] = [median(rounds.ours), median(rounds.oracle)];
  const line = {
    name,
    ns: Math.round(ns),
    oracle: oracleName,
    oracleNs: Math.round(oracleNs),
    ratio: +(oracleNs / ns).toFixed(1),
  };
  console.log(JSON.stringify(line));
}

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

const ms = (values: readonly number[]): number => +median(values).toFixed(2);

/** What a batch on the thread costs the main thread, against doing it there. */
async function compareBatches(): Promise<void> {
  await using recoverer = openRecoverer({ warn: (fields, message) => console.error(message, fields) });
  const batch = Array.from({ length: 1000 }, () => ({ digest, signature }));
  await recoverer.recover(batch); // starts the thread
  const rounds: { main: number[]; elapsed: number[]; alone: number[] } = { main: [], elapsed: [], alone: [] };
  for (let round = 0; round < ROUNDS; round++) {
    const before = performance.eventLoopUtilization();
    const start = performance.now();
    await recoverer.recover(batch);
    rounds.elapsed.push(performance.now() - start);
    rounds.main.push(performance.eventLoopUtilization(before).active);
    rounds.alone.push(timeOf(() => batch.map(recoverAddress), 1) / 1e6);
  }
  const line = {
    name: "recoverer, batch of 1000",
    mainThreadMs: ms(rounds.main),
    elapsedMs: ms(rounds.elapsed),
    onMainThreadMs: ms(rounds.alone),
  };
  console.log(JSON.stringify(line));
}

await compareBatches();
