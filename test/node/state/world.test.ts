import { expect, test } from "@jest/globals";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { newAccount } from "../../../node/model/account.ts";
import { anAddress, aWord, makeBlock, openInMemory } from "./fixture.ts";

const [alice, bob, carol] = [anAddress(1), anAddress(2), anAddress(3)];

test("an account that is not there has nothing", async () => {
  await using node = await openInMemory();
  const world = node.state.begin();
  expect(world.account(alice)).toBeUndefined();
  expect(world.exists(alice)).toBe(false);
  expect([world.nonce(alice), world.balance(alice)]).toEqual([0n, 0n]);
  expect(world.code(alice)).toHaveLength(0);
  expect(world.slot(alice, aWord(1))).toEqual(aWord());
});

test("changes show at once and in the next block's world", async () => {
  await using node = await openInMemory();
  await makeBlock(node, (world) => {
    world.addBalance(alice, 10n);
    world.subtractBalance(alice, 3n);
    world.setNonce(alice, 5n);
    expect([world.nonce(alice), world.balance(alice)]).toEqual([5n, 7n]);
  });
  const world = node.state.begin();
  expect([world.nonce(alice), world.balance(alice)]).toEqual([5n, 7n]);
});

test("a balance cannot fall below zero", async () => {
  await using node = await openInMemory();
  const world = node.state.begin();
  world.addBalance(alice, 1n);
  expect(() => world.subtractBalance(alice, 2n)).toThrow(RangeError);
  expect(() => world.subtractBalance(bob, 1n)).toThrow(RangeError);
});

test("nested snapshots are taken back one by one", async () => {
  await using node = await openInMemory();
  const world = node.state.begin();
  world.addBalance(alice, 1n);
  const outer = world.snapshot();
  world.addBalance(alice, 2n);
  world.addBalance(bob, 5n);
  const inner = world.snapshot();
  world.setNonce(alice, 9n);
  world.setSlot(bob, aWord(1), aWord(7));
  world.revert(inner);
  expect([world.nonce(alice), world.balance(alice)]).toEqual([0n, 3n]);
  expect(world.slot(bob, aWord(1))).toEqual(aWord());
  world.revert(outer);
  expect(world.balance(alice)).toBe(1n);
  expect(world.exists(bob)).toBe(false);
});

test("an account that a transaction touched and left empty disappears at its end", async () => {
  await using node = await openInMemory();
  const world = node.state.begin();
  world.addBalance(bob, 0n);
  expect(world.exists(bob)).toBe(true);
  world.addBalance(alice, 1n);
  world.subtractBalance(alice, 1n);
  world.endTransaction();
  expect([world.exists(alice), world.exists(bob)]).toEqual([false, false]);
});

test("a touch that was taken back removes nothing", async () => {
  await using node = await openInMemory();
  await makeBlock(node, (world) => world.setAccount(alice, newAccount()));
  const world = node.state.begin();
  const mark = world.snapshot();
  world.addBalance(alice, 0n);
  world.revert(mark);
  world.endTransaction();
  expect(world.exists(alice)).toBe(true);
  world.addBalance(alice, 0n);
  world.endTransaction();
  expect(world.exists(alice)).toBe(false);
});

test("a contract without code disappears with its storage and comes back with none", async () => {
  await using node = await openInMemory();
  await makeBlock(node, (world) => {
    world.setAccount(carol, { ...newAccount(), kind: "contract" });
    world.setSlot(carol, aWord(1), aWord(2));
  });
  await makeBlock(node, (world) => world.addBalance(carol, 0n));
  const world = node.state.begin();
  expect(world.exists(carol)).toBe(false);
  world.setAccount(carol, { ...newAccount(), kind: "contract", nonce: 1n });
  expect(world.slot(carol, aWord(1))).toEqual(aWord());
  world.setSlot(carol, aWord(2), aWord(3));
  const root = node.state.seal(world);
  node.state.reject();
  await makeBlock(node, (again) => {
    again.setAccount(carol, { ...newAccount(), kind: "contract", nonce: 1n });
    again.setSlot(carol, aWord(2), aWord(3));
  });
  expect(node.state.root).toEqual(root);
  const view = node.state.view(2);
  expect([view.slot(carol, aWord(1)), view.slot(carol, aWord(2))]).toEqual([aWord(), aWord(3)]);
  expect(node.state.view(0).slot(carol, aWord(1))).toEqual(aWord(2));
});

test("code is found by the account that has it", async () => {
  await using node = await openInMemory();
  const code = Uint8Array.of(0x60, 0x01, 0x60, 0x00);
  await makeBlock(node, (world) => {
    world.setAccount(carol, { ...newAccount(), kind: "contract", codeInfo: 0x10 });
    world.setCode(carol, code);
    expect(world.code(carol)).toEqual(code);
  });
  expect(node.state.begin().code(carol)).toEqual(code);
  expect(node.state.view(0).code(carol)).toEqual(code);
  expect(node.state.view(0).account(carol)).toMatchObject({ codeHash: keccak256(code), codeInfo: 0x10 });
});

test("a slot that is set to zero and one that is set back change nothing", async () => {
  await using node = await openInMemory();
  const change = (value: number): Promise<Uint8Array> =>
    makeBlock(node, (world) => {
      world.setNonce(carol, 1n);
      world.setSlot(carol, aWord(1), aWord(value));
    });
  await makeBlock(node, (world) => world.setNonce(carol, 1n));
  const without = node.state.root;
  const withSlot = await change(5);
  expect(await change(5)).toEqual(withSlot);
  expect(await change(0)).toEqual(without);
});

test("an account replaced as a whole keeps its storage", async () => {
  await using node = await openInMemory();
  await makeBlock(node, (world) => {
    world.setNonce(carol, 1n);
    world.setSlot(carol, aWord(1), aWord(5));
  });
  await makeBlock(node, (world) => world.setAccount(carol, { ...newAccount(), nonce: 2n }));
  expect(node.state.view(1).slot(carol, aWord(1))).toEqual(aWord(5));
  expect(await node.state.verify()).toMatchObject({ accounts: 1, slots: 1, strayNodes: 0 });
});
