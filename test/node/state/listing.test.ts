/** Tests of lists of accounts and slots. */
import { expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import { encodeRlp } from "../../../node/bytes/rlp.ts";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { encodeAccount } from "../../../node/model/account.ts";
import { EMPTY_TRIE_ROOT } from "../../../node/model/list-root.ts";
import {
  type ListedAccount,
  type ListedSlot,
  type StateReader,
  stateReader,
} from "../../../node/state/state-reader.ts";
import { anAddress, makeBlock, type Opened, openInMemory, oracleTrieRoot, trimZeros } from "./fixture.ts";
import { contractAddress, contractsOf, randomBlock } from "./random-contracts.ts";

const ROUNDS = Number(process.env["KNIT_WORLD_ROUNDS"] ?? 1);

async function all<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const found: Value[] = [];
  for await (const value of values) found.push(value);
  return found;
}

/** Lists a whole state and compares its roots with what an independent trie makes of the lists. */
async function expectListed(reader: StateReader, number: number, root: Uint8Array): Promise<ListedSlot[]> {
  const accounts = await all(reader.accounts(number));
  const leaves = accounts.map(({ hash, account }) => [hash, encodeAccount(account)] as const);
  expect(await oracleTrieRoot(leaves)).toBe(toHex(root));
  const listed: ListedSlot[] = [];
  for (const { hash, address, account } of accounts) {
    if (address === undefined) throw new Error("an address was not kept");
    expect(keccak256(address)).toEqual(hash);
    const slots = await all(reader.slots(number, address));
    expect(slots.length === 0).toBe(toHex(account.storageRoot) === toHex(EMPTY_TRIE_ROOT));
    for (const { hash: slotHash, key } of slots)
      expect(keccak256(key ?? new Uint8Array(0))).toEqual(slotHash);
    if (slots.length === 0) continue;
    const rows = slots.map((slot) => [slot.hash, encodeRlp(trimZeros(slot.value))] as const);
    expect(await oracleTrieRoot(rows)).toBe(toHex(account.storageRoot));
    listed.push(...slots);
  }
  return listed;
}

async function grow(node: Opened, blocks: number): Promise<Uint8Array[]> {
  const roots: Uint8Array[] = [];
  for (let n = 0; n < blocks; n++) roots.push(await makeBlock(node, randomBlock(n)));
  return roots;
}

test.each([
  ["recent blocks", { retention: 30 }, 30],
  ["an archive", { window: 4, archive: true }, Number.MAX_SAFE_INTEGER],
])("lists of accounts and slots of %s lead to their roots", async (_, settings, past) => {
  await using node = await openInMemory({ flushInterval: 5, ...settings });
  const roots = await grow(node, 20 * ROUNDS + 10);
  using snapshot = node.chain.snapshot();
  const reader = stateReader(snapshot);
  expect(reader.number).toBe(roots.length - 1);
  let slots = 0;
  const oldest = Math.max(0, reader.number - past);
  for (let i = 0; i <= ROUNDS; i++) {
    const number = oldest + Math.floor((i * (reader.number - oldest)) / ROUNDS);
    slots += (await expectListed(reader, number, roots[number] ?? new Uint8Array(0))).length;
  }
  expect(slots).toBeGreaterThan(50);
});

test("a list begins where it is told and ends when its reader has enough", async () => {
  await using node = await openInMemory();
  await makeBlock(node, (world) => {
    for (let i = 0; i < 50; i++) world.addBalance(anAddress(i), 1n);
    for (let i = 0; i < 50; i++) world.setSlot(anAddress(1), BigInt(i), 5n);
  });
  using snapshot = node.chain.snapshot();
  const reader = stateReader(snapshot);
  const [accounts, slots] = [await all(reader.accounts(0)), await all(reader.slots(0, anAddress(1)))];
  for (const i of [0, 20, 49]) {
    const [account, slot] = [accounts[i] as ListedAccount, slots[i] as ListedSlot];
    expect(await all(reader.accounts(0, account.hash))).toEqual(accounts.slice(i));
    expect(await all(reader.slots(0, anAddress(1), slot.hash))).toEqual(slots.slice(i));
    const after = Uint8Array.from([...slot.hash.subarray(0, 31), (slot.hash[31] ?? 0) + 1]);
    expect(await all(reader.slots(0, anAddress(1), after))).toEqual(slots.slice(i + 1));
  }
  for await (const { hash } of reader.accounts(0)) {
    expect(hash).toEqual(accounts[0]?.hash);
    break;
  }
  expect(await all(reader.slots(0, anAddress(2)))).toEqual([]);
  expect(await all(reader.slots(0, anAddress(77)))).toEqual([]);
});

test("a reader answers like the state it was taken from, while that goes on", async () => {
  await using node = await openInMemory({ retention: 10 });
  await grow(node, 25);
  using snapshot = node.chain.snapshot();
  const reader = stateReader(snapshot);
  const held = [16, 20, 24].map((number) => contractsOf(node.state.view(number)));
  for (let n = 25; n < 60; n++) await makeBlock(node, randomBlock(n));
  expect([16, 20, 24].map((number) => contractsOf(reader.view(number)))).toEqual(held);
  expect(reader.worldAt(20).nonce(contractAddress(3))).toBe(
    reader.view(20).account(contractAddress(3))?.nonce ?? 0n,
  );
  for (const number of [reader.oldest - 1, 25]) {
    for (const ask of [() => reader.view(number), () => reader.worldAt(number)]) {
      expect(ask).toThrow(expect.objectContaining({ code: "state-missing" }));
    }
    await expect(all(reader.accounts(number))).rejects.toMatchObject({ code: "state-missing" });
  }
});

test("a node that keeps no preimages lists hashes", async () => {
  await using node = await openInMemory({ preimages: false });
  await makeBlock(node, (world) => world.addBalance(anAddress(1), 1n));
  using snapshot = node.chain.snapshot();
  expect(await all(stateReader(snapshot).accounts(0))).toMatchObject([
    { hash: keccak256(anAddress(1)), address: undefined },
  ]);
});
