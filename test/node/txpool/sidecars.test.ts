/** Tests of the stored blob sidecars. */
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { mapKey } from "../../../node/bytes/hex.ts";
import type { HeadListener } from "../../../node/chain/chain.ts";
import { bareTransaction } from "../../../node/model/bare-transaction.ts";
import { type Block, createBlock } from "../../../node/model/block.ts";
import type { Transaction } from "../../../node/model/transaction.ts";
import type { BlobSidecar } from "../../../node/model/transaction-type.ts";
import { silentLog } from "../../../node/observe/log.ts";
import { openSidecars, RETENTION_MS, type SidecarPlace } from "../../../node/txpool/sidecars.ts";
import { bareHeader } from "../../support/bare-header.ts";
import { aBlobTransaction, aSidecar } from "../../support/blob-transactions.ts";

const NOW = 2_000_000_000_000;

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "knit-sidecars-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const ignore = (): void => undefined;

/** A chain of blocks that a test adds, and a pool that has the sidecars which the test gives it. */
function aWorld() {
  const blocks = new Map<number, Block>();
  const pooled = new Map<string, BlobSidecar>();
  const missing: SidecarPlace[] = [];
  const now = { hasRoom: true, proofHolds: true };
  let follow: HeadListener = ignore;
  const findTransaction = (hash: Uint8Array) => {
    for (const block of blocks.values()) {
      const index = block.transactions.findIndex((tx) => mapKey(tx.hash) === mapKey(hash));
      if (index >= 0) return { block, index };
    }
    return undefined;
  };
  const open = () => {
    const sidecars = openSidecars({
      chain: {
        findTransaction,
        block: (number) => blocks.get(number),
        onHead: (listener) => {
          follow = listener;
          return () => undefined;
        },
      },
      pool: {
        get: () => undefined,
        wire: ({ raw }) => raw,
        minedBlobs: (hash) => pooled.get(mapKey(hash)),
      },
      prove: async () => now.proofHolds,
      directory,
      hasRoom: () => now.hasRoom,
      clock: { now: () => NOW },
      log: silentLog,
    });
    sidecars.onMissing((place) => missing.push(place));
    return sidecars;
  };
  const add = (number: number, transactions: readonly Transaction[], time = NOW / 1000): void => {
    const block = createBlock(
      bareHeader({ number, time }),
      transactions.map((tx) => bareTransaction(tx)),
    );
    blocks.set(number, block);
    follow(block, []);
  };
  const kept = (sidecars: ReturnType<typeof open>, number: number, index: number) => {
    const block = blocks.get(number);
    return block && sidecars.sidecarAt({ block, index });
  };
  return { blocks, pooled, missing, now, open, add, kept };
}

const first = aBlobTransaction();
const second = aBlobTransaction({}, 1n);
const sidecar = aSidecar();

describe("sidecars of mined transactions", () => {
  test("come from the pool or a proposal, survive a restart, and are found by transaction", async () => {
    const { pooled, missing, open, add, kept } = aWorld();
    {
      await using sidecars = open();
      pooled.set(mapKey(first.hash), sidecar);
      sidecars.propose(second.hash, sidecar);
      add(7, [first, second]);
      pooled.clear();
      expect(kept(sidecars, 7, 0)).toEqual(sidecar); // before the write has ended
    }
    await using sidecars = open();
    expect(kept(sidecars, 7, 0)).toEqual(sidecar);
    expect(sidecars.find(second.hash)).toEqual(sidecar);
    expect(sidecars.find(new Uint8Array(32))).toBeUndefined();
    const [versioned = new Uint8Array(32)] = second.fields.blobVersionedHashes ?? [];
    expect(sidecars.blob(versioned)).toEqual(sidecar.blobs[0]);
    expect(sidecars.blob(new Uint8Array(32))).toBeUndefined();
    expect(missing).toEqual([]);
    expect(await readdir(join(directory, "0"))).toEqual(["7_0", "7_1"]);
  });

  test("that nobody here had are missing, once, unless the block is older than 21 days", async () => {
    const { missing, open, add } = aWorld();
    await using sidecars = open();
    add(7, [first], (NOW - RETENTION_MS) / 1000);
    add(8, [second], (NOW - RETENTION_MS) / 1000 - 1);
    expect(missing).toEqual([{ number: 7, index: 0, hash: first.hash }]);
    expect(sidecars.find(first.hash)).toBeUndefined();
  });

  test("are accepted of peers where they belong to the transaction and their proofs hold", async () => {
    const { now, open, add, kept } = aWorld();
    await using sidecars = open();
    expect(await sidecars.accept(first.hash, sidecar)).toBe(false); // not mined
    add(7, [first]);
    expect(await sidecars.accept(first.hash, aSidecar(2))).toBe(false);
    expect(await sidecars.accept(first.hash, aSidecar(1, 0))).toBe(false);
    now.proofHolds = false;
    expect(await sidecars.accept(first.hash, sidecar)).toBe(false);
    expect(kept(sidecars, 7, 0)).toBeUndefined();
    now.proofHolds = true;
    expect(await sidecars.accept(first.hash, sidecar)).toBe(true);
    expect(kept(sidecars, 7, 0)).toEqual(sidecar);
  });

  test("are deleted by buckets of 1,000 blocks after 1,814,400 blocks", async () => {
    const { pooled, open, add } = aWorld();
    pooled.set(mapKey(first.hash), sidecar);
    {
      await using sidecars = open();
      for (const number of [999, 1000, 1999, 2000]) add(number, [first]);
      add(1_816_000, []);
      expect(sidecars.find(second.hash)).toBeUndefined();
    }
    expect(await readdir(directory)).toEqual(["1", "2"]);
    {
      await using sidecars = open();
      add(1_816_400, []); // no multiple of 1,000
      add(1_817_000, []);
      expect(sidecars.find(second.hash)).toBeUndefined();
    }
    expect(await readdir(directory)).toEqual(["2"]);
  });

  test("are not written to a nearly full disk, nor more than 32 at once; they are missing then", async () => {
    const { pooled, missing, now, open, add } = aWorld();
    await using sidecars = open();
    const many = Array.from({ length: 40 }, (_, i) => aBlobTransaction({}, BigInt(i)));
    for (const { hash } of many) pooled.set(mapKey(hash), sidecar);
    now.hasRoom = false;
    add(7, [first]);
    now.hasRoom = true;
    add(8, many.slice(1));
    expect(missing.map(({ number, index }) => [number, index])).toEqual([
      [7, 0],
      ...many.slice(33).map((_, i) => [8, 32 + i]),
    ]);
    expect(sidecars.find(first.hash)).toBeDefined();
  });

  test("that were damaged on the disk, or belong to a block that was rewound, are absent", async () => {
    const { pooled, open, add, kept } = aWorld();
    {
      await using sidecars = open();
      pooled.set(mapKey(first.hash), sidecar);
      add(7, [first]);
      add(8, [first]);
      expect(kept(sidecars, 7, 0)).toBeDefined();
    }
    pooled.clear();
    await using sidecars = open();
    await writeFile(join(directory, "0", "7_0"), "damaged");
    expect(kept(sidecars, 7, 0)).toBeUndefined();
    const others = { blobVersionedHashes: [new Uint8Array(32).fill(7)] };
    add(8, [aBlobTransaction(others, 3n)]);
    expect(kept(sidecars, 8, 0)).toBeUndefined();
  });
});
