/** Tests of the threads that recover signers. */
import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { bareHex } from "../../../node/bytes/hex.ts";
import { loadBls } from "../../../node/crypto/bls.ts";
import { loadBlst } from "../../../node/crypto/bls-blst.ts";
import { deriveBlsKey } from "../../../node/crypto/bls-key.ts";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { recoverPacked } from "../../../node/crypto/packed-recovery.ts";
import { openRecoverer } from "../../../node/crypto/recoverer.ts";
import { packJobs, type RecoveryJob, unpackSigners } from "../../../node/crypto/recovery-batch.ts";
import { addressOfKey, publicKeyOf, sign } from "../../../node/crypto/secp256k1.ts";

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "knit-recoverer-"));
});
afterAll(() => rm(directory, { recursive: true }));

const keyOf = (seed: number): Uint8Array => keccak256(Buffer.from(`key ${seed}`));
const jobOf = (seed: number): RecoveryJob => {
  const digest = keccak256(Buffer.from(`digest ${seed}`));
  return { digest, signature: sign(digest, keyOf(seed)) };
};
const someJobs = (count: number): RecoveryJob[] => Array.from({ length: count }, (_, i) => jobOf(i));
const signers = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => bareHex(addressOfKey(keyOf(i))));
const texts = (found: readonly (Uint8Array | undefined)[]): (string | undefined)[] =>
  found.map((address) => address && bareHex(address));

/** A log that keeps its warnings. */
function keepingLog() {
  const warnings: string[] = [];
  return { warnings, warn: (_: object, message: string) => void warnings.push(message) };
}

async function workerFile(name: string, source: string): Promise<URL> {
  await writeFile(join(directory, name), source);
  return pathToFileURL(join(directory, name));
}

test("gives the signers in order for small and for large batches", async () => {
  const log = keepingLog();
  await using recoverer = openRecoverer(log);
  recoverer.start();
  for (const count of [0, 1, 7, 8, 63, 64, 127, 128, 129, 1000]) {
    expect(texts(await recoverer.recover(someJobs(count)))).toEqual(signers(count));
  }
  expect(log.warnings).toEqual([]);
});

test("tells good BLS signatures from bad ones on a running thread, and says nothing without one", async () => {
  await using recoverer = openRecoverer(keepingLog(), { threads: 1 });
  const bls = await loadBls();
  const [secret, message] = [deriveBlsKey(keyOf(1)), keccak256(keyOf(2))];
  const good = { publicKey: bls.publicKeyOf(secret), message, signature: bls.sign(secret, message) };
  const claims = [good, { ...good, message: keyOf(3) }, { ...good, signature: new Uint8Array(5) }, good];
  expect(await recoverer.verifyClaims(claims)).toEqual([undefined, undefined, undefined, undefined]);
  recoverer.start();
  const known = loadBlst() === undefined ? claims.map(() => undefined) : [true, false, false, true];
  expect(await recoverer.verifyClaims(claims)).toEqual(known);
});

test("gives public keys too, for small and for large batches", async () => {
  await using recoverer = openRecoverer(keepingLog());
  const keys = Array.from({ length: 200 }, (_, i) => bareHex(publicKeyOf(keyOf(i))));
  expect(texts(await recoverer.recoverKeys(someJobs(20)))).toEqual(keys.slice(0, 20));
  expect(texts(await recoverer.recoverKeys(someJobs(200)))).toEqual(keys);
});

test("a large batch is shared out among the threads, in order", async () => {
  // Each thread answers with its own number, so what it did can be told apart.
  const file = await workerFile(
    "numbers.mjs",
    `import { parentPort, threadId } from "node:worker_threads";
     parentPort.on("message", ({ id, packed }) => {
       const answer = new Uint8Array(packed.length / 97 * 21).fill(threadId);
       for (let at = 0; at < answer.length; at += 21) answer[at] = 1;
       parentPort.postMessage({ id, answer });
     });`,
  );
  await using recoverer = openRecoverer(keepingLog(), { threads: 2, workerFile: file });
  const found = texts(await recoverer.recover(someJobs(201)));
  expect(found).toHaveLength(201);
  const halves = [found.slice(0, 101), found.slice(101)].map((half) => new Set(half));
  expect(halves.map(({ size }) => size)).toEqual([1, 1]);
  expect(halves[0]).not.toEqual(halves[1]);
});

test("large batches run on the thread and small ones do not", async () => {
  // This thread answers nothing but zeros, so what it did can be told apart.
  const file = await workerFile(
    "zeros.mjs",
    `import { parentPort } from "node:worker_threads";
     parentPort.on("message", ({ id, packed }) => parentPort.postMessage({ id, answer: new Uint8Array(packed.length / 97 * 21) }));`,
  );
  await using recoverer = openRecoverer(keepingLog(), {
    threads: 1,
    workerFile: file,
    budgetBytes: 97 * 100,
  });
  expect(texts(await recoverer.recover(someJobs(64)))).toEqual(Array.from({ length: 64 }));
  expect(texts(await recoverer.recover(someJobs(7)))).toEqual(signers(7));
  const withinBudget = recoverer.recover(someJobs(64));
  const aboveBudget = recoverer.recover(someJobs(64));
  expect(texts(await withinBudget)).toEqual(Array.from({ length: 64 }));
  expect(texts(await aboveBudget)).toEqual(signers(64));
  expect(texts(await recoverer.recover(someJobs(100)))).toEqual(Array.from({ length: 100 }));
});

test("leaves the caller's arrays whole and gives undefined where nothing recovers", async () => {
  await using recoverer = openRecoverer(keepingLog());
  const jobs = someJobs(70);
  jobs[3] = { digest: new Uint8Array(31), signature: new Uint8Array(65) };
  jobs[5] = { digest: new Uint8Array(32), signature: new Uint8Array(64).fill(1) };
  jobs[7] = { digest: new Uint8Array(32), signature: new Uint8Array(65).fill(9) };
  const expected = signers(70).map((text, i) => ([3, 5, 7].includes(i) ? undefined : text));
  expect(texts(await recoverer.recover(jobs))).toEqual(expected);
  expect(jobs[0]).toEqual(jobOf(0));
  expect(texts(unpackSigners(recoverPacked(packJobs(jobs), "address"), "address"))).toEqual(expected);
});

test("many batches at once are each answered with their own signers", async () => {
  await using recoverer = openRecoverer(keepingLog());
  const counts = [64, 100, 65, 10, 128];
  const found = await Promise.all(counts.map((count) => recoverer.recover(someJobs(count))));
  expect(found.map(texts)).toEqual(counts.map(signers));
});

test("when the thread dies its batches are done on the main thread with a warning", async () => {
  const file = await workerFile(
    "dies.mjs",
    `import { parentPort } from "node:worker_threads"; parentPort.on("message", () => { throw new Error("no"); });`,
  );
  const log = keepingLog();
  await using recoverer = openRecoverer(log, { threads: 1, workerFile: file });
  const found = await Promise.all([recoverer.recover(someJobs(64)), recoverer.recover(someJobs(80))]);
  expect(found.map(texts)).toEqual([signers(64), signers(80)]);
  expect(log.warnings).toEqual(["signature recovery thread died, recovering on the main thread"]);
  for (let i = 0; i < 4; i++) expect(texts(await recoverer.recover(someJobs(64)))).toEqual(signers(64));
  expect(log.warnings.length).toBe(3);
});

test("a thread that cannot start is no worse than none", async () => {
  const log = keepingLog();
  await using recoverer = openRecoverer(log, {
    threads: 1,
    workerFile: pathToFileURL(join(directory, "missing.mjs")),
  });
  expect(texts(await recoverer.recover(someJobs(64)))).toEqual(signers(64));
  expect(log.warnings.length).toBe(1);
});

test("closing waits for batches under way, and a closed one still answers", async () => {
  const log = keepingLog();
  const recoverer = openRecoverer(log);
  const underWay = recoverer.recover(someJobs(300));
  await recoverer[Symbol.asyncDispose]();
  expect(texts(await underWay)).toEqual(signers(300));
  expect(texts(await recoverer.recover(someJobs(64)))).toEqual(signers(64));
  expect(log.warnings).toEqual([]);
});

test("an idle thread keeps no process alive, a waiting batch does", () => {
  const source = `
    const { openRecoverer } = await import("./node/crypto/recoverer.ts");
    const recoverer = openRecoverer({ warn: console.log });
    const job = { digest: new Uint8Array(32).fill(1), signature: new Uint8Array(65).fill(1) };
    console.log((await recoverer.recover(Array.from({ length: 64 }, () => job))).length);`;
  const output = execFileSync(process.execPath, ["--input-type=module", "--eval", source], {
    encoding: "utf8",
  });
  expect(output.trim()).toBe("64");
});
