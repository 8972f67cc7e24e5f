/** Tests of the state: views, worlds, undo records, windows. */
import { expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import { bytesToBigint } from "../../../node/bytes/integer.ts";
import { encodeRlp } from "../../../node/bytes/rlp.ts";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { type Account, emptyAccount } from "../../../node/model/account.ts";
import { EMPTY_TRIE_ROOT } from "../../../node/model/list-root.ts";
import { tables } from "../../../node/store/tables.ts";
import {
  anAddress,
  aTemporaryDirectory,
  aWord,
  makeBlock,
  type Opened,
  openInMemory,
  openOnDisk,
  oracleRoot,
  oracleTrieRoot,
  trimZeros,
} from "./fixture.ts";
import { aRandom } from "./random.ts";
import { contentOf, randomChange } from "./random-block.ts";

const [alice, bob] = [anAddress(1), anAddress(2)];

test("a new state is that before block 0", async () => {
  await using node = await openInMemory();
  await node.state.ready;
  expect(node.state.number).toBe(-1);
  expect(node.state.root).toEqual(EMPTY_TRIE_ROOT);
  expect(() => node.state.view(0)).toThrow(expect.objectContaining({ code: "state-missing" }));
});

test("block 0 keeps accounts that are empty, later blocks do not make any", async () => {
  await using node = await openInMemory();
  await makeBlock(node, (world) => world.setAccount(alice, emptyAccount()));
  expect(toHex(node.state.root)).toBe(await oracleRoot([[alice, emptyAccount()]]));
  await makeBlock(node, (world) => world.addBalance(bob, 0n));
  expect(toHex(node.state.root)).toBe(await oracleRoot([[alice, emptyAccount()]]));
});

test("a state root covers the storage of contracts", async () => {
  await using node = await openInMemory();
  const values = [1, 2, 3].map((n) => [aWord(n), aWord(n, 0)] as const);
  await makeBlock(node, (world) => {
    world.setNonce(alice, 1n);
    for (const [key, value] of values) world.setSlot(alice, bytesToBigint(key), bytesToBigint(value));
  });
  const leaves = values.map(([key, value]) => [keccak256(key), encodeRlp(trimZeros(value))] as const);
  const storageRoot = Buffer.from((await oracleTrieRoot(leaves)).slice(2), "hex");
  const account: Account = { ...emptyAccount(), nonce: 1n, storageRoot };
  expect(toHex(node.state.root)).toBe(await oracleRoot([[alice, account]]));
});

test("views show each recent block and nothing of later ones", async () => {
  await using node = await openInMemory({ retention: 4, flushInterval: 2 });
  for (let n = 0; n < 10; n++) {
    await makeBlock(node, (world) => {
      world.addBalance(alice, 1n);
      if (n % 2 === 0) world.setNonce(bob, BigInt(n));
      world.setSlot(alice, 1n, BigInt(n));
    });
  }
  for (let n = 5; n < 10; n++) {
    const view = node.state.view(n);
    expect(view.account(alice)?.balance).toBe(BigInt(n + 1));
    expect(view.account(bob)?.nonce).toBe(BigInt(n - (n % 2)));
    expect(view.slot(alice, aWord(1))).toEqual(aWord(n));
    expect(view.account(anAddress(9))).toBeUndefined();
  }
  for (const n of [4, 10, -1]) {
    expect(() => node.state.view(n)).toThrow(expect.objectContaining({ code: "state-missing" }));
  }
});

test("a view stays at its block while blocks are added, until it leaves the window", async () => {
  await using node = await openInMemory({ retention: 2 });
  await makeBlock(node, (world) => world.addBalance(alice, 1n));
  const view = node.state.view(0);
  for (let n = 1; n <= 2; n++) {
    await makeBlock(node, (world) => world.addBalance(alice, 1n));
    expect(view.account(alice)?.balance).toBe(1n);
  }
  await makeBlock(node, (world) => world.addBalance(alice, 1n));
  expect(() => view.account(alice)).toThrow(expect.objectContaining({ code: "state-missing" }));
});

test("an accepted block is read before its batch is written", async () => {
  await using node = await openInMemory({ cachedAccounts: 2 });
  await makeBlock(node, (world) => world.addBalance(alice, 1n));
  const world = node.state.begin();
  for (let n = 0; n < 20; n++) world.addBalance(anAddress(10 + n), 5n);
  world.addBalance(alice, 1n);
  world.setSlot(alice, 1n, 9n);
  world.setCode(alice, Uint8Array.of(1, 2));
  node.state.seal(world).commit(1, node.chain.createBatch());
  expect(node.state.view(1).account(anAddress(10))?.balance).toBe(5n);
  expect(node.state.view(1).slot(alice, aWord(1))).toEqual(aWord(9));
  expect(node.state.view(1).code(alice)).toEqual(Uint8Array.of(1, 2));
  expect(node.state.view(0).account(anAddress(10))).toBeUndefined();
  expect(node.state.view(0).account(alice)?.balance).toBe(1n);
});

test("a slot that was read before is what the newest block made of it", async () => {
  await using node = await openInMemory();
  await makeBlock(node, (world) => world.addBalance(alice, 1n));
  for (const value of [0n, 7n, 7n, 0n, 300n]) {
    await makeBlock(node, (world) => world.setSlot(alice, 1n, value));
    for (let again = 0; again < 2; again++) {
      expect(node.state.worldAt(node.state.number).slot(alice, 1n)).toBe(value);
      expect(node.state.worldAt(node.state.number).slot(alice, 2n)).toBe(0n);
    }
  }
  await makeBlock(node, (world) => world.destroy(alice));
  expect(node.state.worldAt(node.state.number).slot(alice, 1n)).toBe(0n);
});

test("calls out of order are refused", async () => {
  await using node = await openInMemory();
  const busy = expect.objectContaining({ code: "busy" });
  const [first, second] = [node.state.begin(), node.state.begin()];
  const sealed = node.state.seal(first);
  expect(() => node.state.seal(second)).toThrow(busy);
  expect(() => sealed.commit(7, node.chain.createBatch())).toThrow(busy);
  expect(sealed.isOpen).toBe(true);
  sealed.commit(0, node.chain.createBatch());
  expect(sealed.isOpen).toBe(false);
  expect(() => sealed.commit(1, node.chain.createBatch())).toThrow(busy);
  sealed.discard(); // ends once: the committed state stays
  expect(node.state.number).toBe(0);
});

test("a world that stands on an earlier block or was sealed before is refused", async () => {
  await using node = await openInMemory();
  const busy = expect.objectContaining({ code: "busy" });
  const stale = node.state.begin();
  await makeBlock(node, (world) => world.addBalance(alice, 1n));
  expect(() => node.state.seal(stale)).toThrow(busy);
  const spent = node.state.begin();
  node.state.seal(spent).discard();
  expect(() => node.state.seal(spent)).toThrow(busy);
});

test("the trie is not flushed before the newest block is durable", async () => {
  await using node = await openInMemory({ flushInterval: 1 });
  await makeBlock(node, (world) => world.addBalance(alice, 1n));
  const world = node.state.begin();
  world.addBalance(alice, 1n);
  const batch = node.chain.createBatch();
  node.state.seal(world).commit(1, batch);
  await expect(node.state.flush()).rejects.toMatchObject({ code: "busy" });
  await node.state.flushIfDue();
  await node.chain.write(batch, { sync: true });
  node.state.markPersisted(1);
  await node.state.flush();
  expect(await node.state.verify()).toMatchObject({ accounts: 1, strayNodes: 0 });
});

async function databaseOf({ chain }: Opened): Promise<string[]> {
  const rows: string[] = [];
  for await (const [key, value] of chain.entries({ from: Uint8Array.of(0), to: Uint8Array.of(255) })) {
    rows.push(`${toHex(key)}=${toHex(value)}`);
  }
  return rows;
}

test("a rejected block leaves trie and flat state as they were, over flushes and restarts", async () => {
  using directory = aTemporaryDirectory();
  const random = aRandom(77);
  await using plain = await openInMemory();
  let seen = await openOnDisk(directory.path, { flushInterval: 3, retention: 5 });
  for (let n = 0; n < 40; n++) {
    const rows = await databaseOf(seen);
    for (let rejected = random.below(3); rejected > 0; rejected--) {
      const world = seen.state.begin();
      randomChange(random)(world);
      using _ = seen.state.seal(world); // discarded with its scope
    }
    expect(await databaseOf(seen)).toEqual(rows);
    const seed = random.below(1e6);
    await makeBlock(plain, randomChange(aRandom(seed)));
    await makeBlock(seen, randomChange(aRandom(seed)));
    expect(toHex(seen.state.root)).toBe(toHex(plain.state.root));
    if (random.below(4) === 0) {
      await seen[Symbol.asyncDispose]();
      seen = await openOnDisk(directory.path, { flushInterval: 3, retention: 5 });
      await seen.state.ready;
    }
    if (random.below(8) === 0) await seen.state.verify();
    expect(contentOf(seen, n)).toEqual(contentOf(plain, n));
    if (n > 5) expect(contentOf(seen, n - 5)).toEqual(contentOf(plain, n - 5));
  }
  const { accounts, slots } = await seen.state.verify();
  expect([accounts, slots]).toEqual([
    (await plain.state.verify()).accounts,
    (await plain.state.verify()).slots,
  ]);
  await seen[Symbol.asyncDispose]();
}, 120_000);

test("undo records go when they have left the window and the trie on disk has passed them", async () => {
  await using node = await openInMemory({ retention: 2, flushInterval: 5 });
  const records = async (): Promise<number> => {
    let count = 0;
    for await (const _ of node.chain.entries(tables.undo.range())) count++;
    return count;
  };
  const counts: number[] = [];
  for (let n = 0; n <= 12; n++) {
    await makeBlock(node, (world) => world.addBalance(alice, 1n));
    await node.state.flush().catch(() => undefined);
    counts.push(await records());
  }
  expect(Math.max(...counts)).toBeLessThanOrEqual(3);
  expect(counts.at(-1)).toBeGreaterThanOrEqual(2);
});

test("no undo record above the marker goes, however short the window", async () => {
  await using node = await openInMemory({ retention: 1, flushInterval: 1000 });
  await makeBlock(node, (world) => world.addBalance(alice, 1n));
  await node.state.flush();
  for (let n = 1; n <= 9; n++) await makeBlock(node, (world) => world.addBalance(alice, 1n));
  for (let n = 1; n <= 9; n++) expect(node.chain.get(tables.undo.key(n))).toBeDefined();
});
