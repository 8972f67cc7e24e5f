/** Tests of KZG proofs of blobs and cells. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { bareHex } from "../../../node/bytes/hex.ts";
import { decodeRlp, listItems, type RlpItem, stringBytes } from "../../../node/bytes/rlp.ts";
import { BLOB_BYTES, type KzgClient, openKzg } from "../../../node/crypto/kzg.ts";
import type { KzgBackend } from "../../../node/crypto/kzg-backend.ts";
import { doKzgJob } from "../../../node/crypto/kzg-jobs.ts";
import { loadNativeKzg } from "../../../node/crypto/kzg-native.ts";
import { versionedHash } from "../../../node/crypto/versioned-hash.ts";
import { randomBytes, seededRandom } from "../../support/random.ts";

const blobOf = (seed: number): Uint8Array => {
  const random = seededRandom(seed);
  const blob = new Uint8Array(BLOB_BYTES);
  for (let element = 0; element < 4096; element++) blob.set(randomBytes(random, 31), element * 32 + 1);
  return blob;
};
/** Field elements at the order and above. */
const noBlob = new Uint8Array(BLOB_BYTES).fill(255);

describe("the thread", () => {
  const kzg = openKzg();
  afterAll(async () => kzg[Symbol.asyncDispose]());

  test("has the native library here", async () => {
    expect(await kzg.backend()).toBe("native");
  }, 120_000);

  test("commits, proves and verifies the proofs of cells", async () => {
    const blob = blobOf(1);
    const commitment = (await kzg.commitmentOf(blob)) ?? new Uint8Array();
    const proof = (await kzg.blobProofOf(blob, commitment)) ?? new Uint8Array();
    const { cells, proofs } = (await kzg.cellsOf(blob)) ?? { cells: [], proofs: [] };
    expect([commitment.length, proof.length, cells.length, proofs.length]).toEqual([48, 48, 128, 128]);
    expect(bareHex(Buffer.concat(cells.slice(0, 64)))).toBe(bareHex(blob));
    expect(await kzg.verifyBlobCells({ blob, commitment, proofs })).toBe(true);
    const other = blobOf(2);
    expect(await kzg.verifyBlobCells({ blob: other, commitment, proofs })).toBe(false);
    const swapped = [proofs[1], proofs[0], ...proofs.slice(2)] as Uint8Array[];
    expect(await kzg.verifyBlobCells({ blob, commitment, proofs: swapped })).toBe(false);
  }, 120_000);

  test("verifies the cell proofs of a recorded blob, whose commitment the transaction names", async () => {
    const { hash, blob, commitment, proofs } = recordedBlob();
    expect(bareHex(versionedHash(commitment))).toBe(bareHex(hash));
    expect(await kzg.verifyBlobCells({ blob, commitment, proofs })).toBe(true);
    const changed = blob.with(31, (blob[31] as number) ^ 1);
    expect(await kzg.verifyBlobCells({ blob: changed, commitment, proofs })).toBe(false);
    expect(bareHex((await kzg.commitmentOf(blob)) ?? new Uint8Array())).toBe(bareHex(commitment));
  }, 120_000);

  test("the zero polynomial's commitment is infinity", async () => {
    const commitment = (await kzg.commitmentOf(new Uint8Array(BLOB_BYTES))) ?? new Uint8Array();
    expect(bareHex(commitment)).toBe(`c0${"00".repeat(47)}`);
    expect(bareHex(versionedHash(commitment)).slice(0, 2)).toBe("01");
  }, 120_000);

  test("answers false or nothing for bytes of another size, blobs out of the field and points that are none", async () => {
    const blob = blobOf(1);
    const point = new Uint8Array(48).with(0, 0xc0);
    const noPoint = new Uint8Array(48).fill(0x81);
    expect(await kzg.commitmentOf(noBlob)).toBeUndefined();
    expect(await kzg.cellsOf(noBlob)).toBeUndefined();
    expect(await kzg.commitmentOf(blob.subarray(1))).toBeUndefined();
    expect(await kzg.blobProofOf(blob, noPoint)).toBeUndefined();
    const proofs = Array.from({ length: 128 }, () => point);
    expect(await kzg.verifyBlobCells({ blob: noBlob, commitment: point, proofs })).toBe(false);
    expect(await kzg.verifyBlobCells({ blob, commitment: point, proofs: proofs.slice(1) })).toBe(false);
    expect(await kzg.verifyBlobCells({ blob, commitment: point, proofs: proofs.with(5, noPoint) })).toBe(
      false,
    );
    expect(
      await kzg.verifyBlobCells({ blob, commitment: point, proofs: proofs.with(5, noPoint.subarray(1)) }),
    ).toBe(false);
  }, 120_000);
});

test("calls under way and later ones reject once it is closed, and closing without a call starts nothing", async () => {
  await openKzg()[Symbol.asyncDispose]();
  const code = `import { parentPort } from "node:worker_threads";
    parentPort.on("message", (job) => job === null && parentPort.close());`;
  const kzg = openKzg({ workerFile: new URL(`data:text/javascript,${encodeURIComponent(code)}`) });
  const asked = kzg.backend();
  const ended = expect(asked).rejects.toMatchObject({ code: "closed" });
  await kzg[Symbol.asyncDispose]();
  await ended;
  await expect(kzg.commitmentOf(blobOf(1))).rejects.toMatchObject({ code: "closed" });
});

test("calls that were under way when the thread dies reject, and the next call starts another", async () => {
  const code = `import { parentPort } from "node:worker_threads";
    parentPort.on("message", (job) => {
      if (job.do === "commitmentOf") throw new Error("no");
      parentPort.postMessage("native");
    });`;
  const workerFile = new URL(`data:text/javascript,${encodeURIComponent(code)}`);
  await using kzg = openKzg({ workerFile });
  expect(await kzg.backend()).toBe("native");
  const [blob, later] = await Promise.allSettled([kzg.commitmentOf(blobOf(1)), kzg.backend()]);
  expect(blob).toMatchObject({
    status: "rejected",
    reason: { code: "thread-died", cause: { message: "no" } },
  });
  expect(later).toMatchObject({ status: "rejected", reason: { code: "thread-died" } });
  expect(await kzg.backend()).toBe("native");
});

/** A thread that answers each question with the same value until it is closed. */
function answering(value: unknown): URL {
  const code = `import { parentPort } from "node:worker_threads";
    parentPort.on("message", (job) =>
      job === null ? parentPort.close() : parentPort.postMessage(${JSON.stringify(value)}));`;
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`);
}

test("the 65th waiting call is refused, and the others are not harmed", async () => {
  await using kzg = openKzg({ workerFile: answering("wasm") });
  const asked = Array.from({ length: 65 }, () => kzg.backend());
  await expect(kzg.backend()).rejects.toMatchObject({ code: "busy" });
  expect(new Set(await Promise.all(asked))).toEqual(new Set(["wasm"]));
  expect(await kzg.backend()).toBe("wasm");
});

describe("proofs of a crowded thread", () => {
  const point = new Uint8Array(48);
  const claim = { blob: blobOf(1), commitment: point, proofs: Array.from({ length: 128 }, () => point) };

  test("of a block come first, and strangers take turns", async () => {
    await using kzg = openKzg({ workerFile: answering(true) });
    const [crowd, other] = [{}, {}];
    const order: string[] = [];
    const ask = async (name: string, client: KzgClient): Promise<void> => {
      await kzg.verifyBlobCells(claim, client);
      order.push(name);
    };
    const crowded = ["crowd 1", "crowd 2", "crowd 3"].map((name) => ask(name, crowd));
    await Promise.all([...crowded, ask("other", other), ask("block", "block")]);
    expect(order).toEqual(["crowd 1", "block", "other", "crowd 2", "crowd 3"]);
  });

  test("are refused to who has most in the queue, never to a block because of strangers", async () => {
    await using kzg = openKzg({ workerFile: answering(true) });
    const crowd = {};
    const crowded = Array.from({ length: 70 }, () => kzg.verifyBlobCells(claim, crowd));
    const others = [kzg.verifyBlobCells(claim, {}), kzg.verifyBlobCells(claim, "block")];
    const settled = await Promise.allSettled(crowded);
    expect(await Promise.all(others)).toEqual([true, true]);
    const refused = settled.filter(({ status }) => status === "rejected");
    expect(refused).toHaveLength(6);
    expect(refused[0]).toMatchObject({ reason: { code: "busy" } });
  });
});

// 15 seconds to load: only where time is given.
const slow = process.env["KNIT_KZG_WASM"] === undefined ? describe.skip : describe;

slow("the WebAssembly library", () => {
  let wasm: KzgBackend;
  let native: KzgBackend | undefined;
  beforeAll(async () => {
    wasm = await (await import("../../../node/crypto/kzg-wasm.ts")).loadWasmKzg();
    native = loadNativeKzg();
  }, 300_000);

  test("gives the bytes and the answers that the native one gives", () => {
    const blob = blobOf(3);
    if (native === undefined) throw new Error("the native library did not load");
    const commitment = native.commitmentOf(blob);
    const proof = native.blobProofOf(blob, commitment);
    const { cells, proofs } = native.cellsOf(blob);
    expect(bareHex(wasm.commitmentOf(blob))).toBe(bareHex(commitment));
    expect(bareHex(wasm.blobProofOf(blob, commitment))).toBe(bareHex(proof));
    const found = wasm.cellsOf(blob);
    expect(found.cells.map(bareHex)).toEqual(cells.map(bareHex));
    expect(found.proofs.map(bareHex)).toEqual(proofs.map(bareHex));
    expect(wasm.extend(blob).map(bareHex)).toEqual(cells.map(bareHex));
    for (const job of [
      { do: "verifyBlobCells", blob, commitment, proofs },
      { do: "verifyBlobCells", blob: blobOf(4), commitment, proofs },
    ] as const) {
      expect(doKzgJob(wasm, job)).toBe(doKzgJob(native, job));
    }
    expect(doKzgJob(wasm, { do: "commitmentOf", blob: noBlob })).toBeUndefined();
    expect(doKzgJob(wasm, { do: "verifyBlobCells", blob: noBlob, commitment, proofs })).toBeUndefined();
  }, 120_000);
});

/** The sidecar of a transaction as it was sent to a Go node: 0x03, then [transaction, version, blobs, ...]. */
function recordedBlob(): Record<"hash" | "blob" | "commitment", Uint8Array> & { proofs: Uint8Array[] } {
  const file = gunzipSync(readFileSync("test/vectors/samples/blob-transaction.bin.gz"));
  const parts = listItems(decodeRlp(new Uint8Array(file.subarray(1))));
  const [transaction, version, blobs, commitments, proofs] = parts as [
    RlpItem,
    RlpItem,
    RlpItem,
    RlpItem,
    RlpItem,
  ];
  expect(stringBytes(version)).toEqual(Uint8Array.of(1));
  return {
    hash: first(listItems(transaction)[10] as RlpItem),
    blob: first(blobs),
    commitment: first(commitments),
    proofs: listItems(proofs).map(stringBytes),
  };
}

function first(list: RlpItem): Uint8Array {
  return stringBytes(listItems(list)[0] as RlpItem);
}
