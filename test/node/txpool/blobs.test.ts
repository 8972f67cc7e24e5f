/** Tests of blob transactions in the pool: sidecars, proofs, restart. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "@jest/globals";
import { fromHex, toHex } from "../../../node/bytes/hex.ts";
import { openKzg } from "../../../node/crypto/kzg.ts";
import { sign } from "../../../node/crypto/secp256k1.ts";
import { versionedHash } from "../../../node/crypto/versioned-hash.ts";
import { bareTransaction } from "../../../node/model/bare-transaction.ts";
import { decodeTransaction, signTransaction, type Transaction } from "../../../node/model/transaction.ts";
import type { BlobSidecar, TypeFields } from "../../../node/model/transaction-type.ts";
import { checkSentBlobs, kzgProver, type ProveSidecar, withCellProofs } from "../../../node/txpool/blobs.ts";
import { aBlobTransaction, aSidecar, BLOB_TX_PRICE } from "../../support/blob-transactions.ts";
import { FakeChain } from "../../support/pool-chain.ts";
import { aPool, type PoolWorld } from "../../support/pool-open.ts";
import { aSigner, aTransaction, CHAIN_ID } from "../../support/pool-transactions.ts";
import { transactionSamples } from "../model/samples.ts";

const BLOB = 0x7803;
const RULES = { baseFee: true, acceptedTypes: new Set([0x7801, 0x7802, BLOB]), blobGas: true };
const PRICE = BLOB_TX_PRICE;

async function aBlobPool(prove: ProveSidecar = async () => true, journalPath?: string): Promise<PoolWorld> {
  const chain = new FakeChain({ rules: RULES, baseFee: PRICE });
  return aPool({ chain, prove, journalPath });
}

async function refusalOf(world: PoolWorld, tx: Transaction): Promise<string> {
  return world.pool.addWithBlobs(tx, "remote").then(
    () => "accepted",
    (error: Error) => error.message,
  );
}

/** Loading the library takes seconds. */
const kzg = openKzg();
afterAll(async () => kzg[Symbol.asyncDispose]());

test("proofs of blobs give way to proofs of cells, up to a number of blobs, and the hash stays", async () => {
  const old = aBlobTransaction({ sidecar: aSidecar(2, 0) });
  expect(await withCellProofs(old, { kzg, maxBlobs: 1 })).toBe(old);
  const { hash, fields } = await withCellProofs(old, { kzg, maxBlobs: 2 });
  expect(hash).toEqual(old.hash);
  expect([fields.sidecar?.version, fields.sidecar?.blobs.length, fields.sidecar?.proofs.length]).toEqual([
    1, 2, 256,
  ]);
  const cells = await kzg.cellsOf(new Uint8Array(131_072));
  expect(fields.sidecar?.proofs.slice(128)).toEqual(cells?.proofs);
  const whole = aBlobTransaction();
  expect(await withCellProofs(whole, { kzg, maxBlobs: 2 })).toBe(whole);
  const noField = { ...aSidecar(1, 0), blobs: [new Uint8Array(131_072).fill(0xff)] };
  await expect(withCellProofs(aBlobTransaction({ sidecar: noField }), { kzg, maxBlobs: 2 })).rejects.toThrow(
    "no list of field elements",
  );
});

describe("a pool with blobs", () => {
  test("refuses a tip above the fee, and names the fee as a price, as the Go node does", async () => {
    await using world = await aBlobPool();
    const tx = aBlobTransaction();
    const [above, below] = [{ gasTipCap: PRICE + 1n }, { gasFeeCap: PRICE - 1n }].map((caps) =>
      signTransaction({ ...tx, code: BLOB, ...caps }, CHAIN_ID, (digest) => sign(digest, aSigner(1).key)),
    ) as [Transaction, Transaction];
    expect(await refusalOf(world, above)).toBe("max fee per gas higher than max priority fee per gas");
    expect(await refusalOf(world, below)).toBe(
      "invalid gas price. It must be set to value greater than or equal to baseFee",
    );
  });

  test("keeps the transaction as blocks hold it, and gives peers its blobs", async () => {
    await using world = await aBlobPool();
    const tx = aBlobTransaction();
    expect(await refusalOf(world, tx)).toBe("accepted");
    const pooled = world.pool.get(tx.hash);
    expect(pooled?.fields.sidecar).toBeUndefined();
    expect(pooled?.raw.length).toBeLessThan(200);
    expect(pooled?.raw.buffer.byteLength).toBeLessThan(200);
    expect(world.pool.byPrice(PRICE).peek()).toBe(pooled);
    expect(world.pool.wire(pooled as Transaction)).toBe(tx.raw);
    expect(decodeTransaction(world.pool.wire(pooled as Transaction)).fields.sidecar?.blobs).toHaveLength(1);
  });

  test("asks for no proof of what is wrong anyhow, and takes nothing whose proof fails", async () => {
    let asked = 0;
    await using world = await aBlobPool(async () => {
      asked++;
      return false;
    });
    expect(await refusalOf(world, aBlobTransaction())).toBe("invalid blob sidecar: a proof does not hold");
    expect(asked).toBe(1);
    expect(await refusalOf(world, aBlobTransaction({ maxFeePerBlobGas: 1n }))).toContain("blob fee cap 1,");
    expect(asked).toBe(1);
    expect(world.pool.status()).toEqual({ pending: 0, queued: 0 });
  });

  const other = aSidecar();
  test.each<[string, Partial<TypeFields>, string]>([
    ["no sidecar", { sidecar: undefined as never }, "missing sidecar in blob transaction"],
    [
      "too low an offer",
      { maxFeePerBlobGas: PRICE * 8n - 1n },
      "transaction gas price below minimum: blob fee cap 199, minimum needed 200",
    ],
    ["no blob", { sidecar: aSidecar(0) }, "blobless blob transaction"],
    ["too many blobs", { sidecar: aSidecar(3) }, "too many blobs in transaction: have 3, permitted 2"],
    [
      "another's hashes",
      { blobVersionedHashes: [new Uint8Array(32).fill(7)] },
      "invalid blob sidecar: blob 0: the commitment is not that of the hash",
    ],
    ["a blob too few", { sidecar: { ...other, blobs: [] } }, "invalid blob sidecar: 0 blobs for 1 hashes"],
    [
      "a proof too few",
      { sidecar: { ...other, proofs: other.proofs.slice(1) } },
      "invalid blob sidecar: 127 proofs, not 128",
    ],
  ])("refuses one with %s", async (_what, changes, message) => {
    await using world = await aBlobPool();
    expect(await refusalOf(world, aBlobTransaction(changes))).toBe(message);
  });

  test("refuses blobs whose proofs nobody checked", async () => {
    await using world = await aBlobPool();
    expect(() => world.pool.add(aBlobTransaction(), "local")).toThrow("its proofs were not checked");
  });

  test("proves one copy of a transaction at a time, and no more once one was taken in", async () => {
    const answers = [false, true, true];
    let asked = 0;
    await using world = await aBlobPool(async () => answers[asked++] === true);
    const copies = Array.from({ length: 5 }, () => decodeTransaction(aBlobTransaction().raw));
    const outcomes = await Promise.all(copies.map((copy) => refusalOf(world, copy)));
    const known = `known transaction: ${toHex(aBlobTransaction().hash).slice(2)}`;
    expect(outcomes).toEqual([
      "invalid blob sidecar: a proof does not hold",
      "accepted",
      known,
      known,
      known,
    ]);
    expect(asked).toBe(2);
  });

  test("counts the blobs in what the sender has to have, and in the pool's slots", async () => {
    await using world = await aBlobPool();
    const cost = 21_000n * PRICE + 131_072n * PRICE * 8n;
    world.chain.setAccount(aSigner(1), { balance: cost - 1n });
    world.chain.advance();
    expect(await refusalOf(world, aBlobTransaction())).toBe("insufficient funds of the sender for value ");
    world.chain.setAccount(aSigner(1), { balance: cost });
    world.chain.advance();
    expect(await refusalOf(world, aBlobTransaction())).toBe("accepted");
    expect(await world.metrics.render()).toMatch(/txpool_slots 5$/m);
  });

  test("lets one wait when blobs become dearer than it offers", async () => {
    await using world = await aBlobPool();
    const dear = PRICE * 2n;
    const tx = aBlobTransaction();
    expect(await refusalOf(world, tx)).toBe("accepted");
    world.chain.baseFee = dear;
    world.chain.advance();
    expect(world.pool.status()).toEqual({ pending: 0, queued: 1 });
  });

  test("has the blobs of the newest blocks for peers, and no older ones", async () => {
    await using world = await aBlobPool();
    const mined: Transaction[] = [];
    for (let nonce = 0n; nonce < 20n; nonce++) {
      const tx = aBlobTransaction({}, nonce);
      expect(await refusalOf(world, tx)).toBe("accepted");
      const pooled = world.pool.get(tx.hash) as Transaction;
      world.chain.setAccount(aSigner(1), { nonce: nonce + 1n });
      world.chain.advance([pooled]);
      mined.push(pooled);
    }
    expect(world.pool.status()).toEqual({ pending: 0, queued: 0 });
    const withBlobs = mined.filter((tx) => world.pool.wire(tx).length > 131_072);
    expect(withBlobs.map(({ nonce }) => nonce)).toEqual(mined.slice(4).map(({ nonce }) => nonce));
    const blobs = mined.map((tx) => world.pool.minedBlobs(tx.hash)?.blobs.length);
    expect(blobs).toEqual(mined.map((_, place) => (place < 4 ? undefined : 1)));
  });

  test("brings blobs over a restart, and proves them again", async () => {
    const directory = await mkdtemp(join(tmpdir(), "knit-blobs-"));
    const journalPath = join(directory, "transactions.rlp");
    const tx = aBlobTransaction();
    let asked = 0;
    const prove = async () => ++asked > 0;
    {
      await using world = await aBlobPool(prove, journalPath);
      world.pool.add(aTransaction({ from: aSigner(2) }), "local");
      await world.pool.addWithBlobs(tx, "local");
    }
    for (let restarts = 0; restarts < 2; restarts++) {
      await using world = await aBlobPool(prove, journalPath);
      expect(world.pool.status().pending).toBe(2);
      expect(Buffer.compare(world.pool.wire(tx), tx.raw)).toBe(0);
    }
    expect(asked).toBe(3);
    expect((await readFile(journalPath)).length).toBeGreaterThan(131_072);
    await rm(directory, { recursive: true });
  });
});

const proven: ProveSidecar = async () => true;

describe("blobs of a proposed transaction", () => {
  test("are there, are those that it names, and are proven", async () => {
    await expect(checkSentBlobs(aBlobTransaction(), proven)).resolves.toBeUndefined();
    await expect(checkSentBlobs(aTransaction(), proven)).resolves.toBeUndefined();
  });

  test.each<[string, Transaction, ProveSidecar, string]>([
    ["missing", bareTransaction(aBlobTransaction()), proven, "missing sidecar in blob transaction"],
    [
      "others",
      aBlobTransaction({ blobVersionedHashes: [new Uint8Array(32)] }),
      proven,
      "the commitment is not that of the hash",
    ],
    [
      "of version 0",
      aBlobTransaction({ sidecar: aSidecar(1, 0) }),
      proven,
      "blob sidecar version 0 not supported",
    ],
    ["not proven", aBlobTransaction(), async () => false, "a proof does not hold"],
  ])("are refused when they are %s", async (_what, tx, prove, message) => {
    await expect(checkSentBlobs(tx, prove)).rejects.toThrow(message);
  });
});

describe("with KZG", () => {
  const prove = kzgProver(kzg);
  const sample = transactionSamples().find(({ name }) => name === "sidecar/blob/one");
  const { sidecar } = decodeTransaction(fromHex(sample?.raw ?? "0x")).fields as { sidecar: BlobSidecar };

  test("a sidecar that a Go node took is proven; one changed byte is not", async () => {
    expect(toHex(versionedHash(sidecar.commitments[0] as Uint8Array))).toMatch(/^0x01/);
    expect(await prove(sidecar)).toBe(true);
    const [blob] = sidecar.blobs as [Uint8Array];
    const changed = new Uint8Array(blob);
    changed[5] = 0xff;
    expect(await prove({ ...sidecar, blobs: [changed] })).toBe(false);
    const [first, ...rest] = sidecar.proofs as [Uint8Array, ...Uint8Array[]];
    expect(await prove({ ...sidecar, proofs: [...rest, first] })).toBe(false);
  }, 60_000);
});
