/** Tests of the world of one block: accounts, code, slots, reverts. */
import { expect, test } from "@jest/globals";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { emptyAccount } from "../../../node/model/account.ts";
import { anAddress, aWord, makeBlock, openInMemory } from "./fixture.ts";

const [alice, bob, carol] = [anAddress(1), anAddress(2), anAddress(3)];

test("an account that is not there has nothing", async () => {
  await using node = await openInMemory();
  const world = node.state.begin();
  expect(world.account(alice)).toBeUndefined();
  expect(world.exists(alice)).toBe(false);
  expect([world.nonce(alice), world.balance(alice)]).toEqual([0n, 0n]);
  expect(world.code(alice)).toHaveLength(0);
  expect(world.slot(alice, 1n)).toBe(0n);
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
  world.setSlot(bob, 1n, 7n);
  world.revert(inner);
  expect([world.nonce(alice), world.balance(alice)]).toEqual([0n, 3n]);
  expect(world.slot(bob, 1n)).toBe(0n);
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
  await makeBlock(node, (world) => world.setAccount(alice, emptyAccount()));
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
    world.setAccount(carol, { ...emptyAccount(), kind: "contract" });
    world.setSlot(carol, 1n, 2n);
  });
  await makeBlock(node, (world) => world.addBalance(carol, 0n));
  const world = node.state.begin();
  expect(world.exists(carol)).toBe(false);
  world.setAccount(carol, { ...emptyAccount(), kind: "contract", nonce: 1n });
  expect(world.slot(carol, 1n)).toBe(0n);
  world.setSlot(carol, 2n, 3n);
  const sealed = node.state.seal(world);
  const { root } = sealed;
  sealed.discard();
  await makeBlock(node, (again) => {
    again.setAccount(carol, { ...emptyAccount(), kind: "contract", nonce: 1n });
    again.setSlot(carol, 2n, 3n);
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
    world.setAccount(carol, { ...emptyAccount(), kind: "contract", codeInfo: 0x10 });
    world.setCode(carol, code);
    expect(world.code(carol)).toEqual(code);
  });
  expect(node.state.begin().code(carol)).toEqual(code);
  expect(node.state.view(0).code(carol)).toEqual(code);
  expect(node.state.view(0).account(carol)).toMatchObject({ codeHash: keccak256(code), codeInfo: 0x10 });
});

test("code that the store lacks is an error, not an account without code", async () => {
  await using node = await openInMemory();
  const world = node.state.begin();
  world.setAccount(carol, { ...emptyAccount(), kind: "contract", codeHash: aWord(1) });
  expect(() => world.code(carol)).toThrow(/^the code 0+1 of account (03)+ is missing$/);
});

test("a slot that is set to zero and one that is set back change nothing", async () => {
  await using node = await openInMemory();
  const change = (value: number): Promise<Uint8Array> =>
    makeBlock(node, (world) => {
      world.setNonce(carol, 1n);
      world.setSlot(carol, 1n, BigInt(value));
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
    world.setSlot(carol, 1n, 5n);
  });
  await makeBlock(node, (world) => world.setAccount(carol, { ...emptyAccount(), nonce: 2n }));
  expect(node.state.view(1).slot(carol, aWord(1))).toEqual(aWord(5));
  expect(await node.state.verify()).toMatchObject({ accounts: 1, slots: 1, strayNodes: 0 });
});

test("what a transaction wrote is measured against the value it began with", async () => {
  await using node = await openInMemory();
  await makeBlock(node, (world) => {
    world.setNonce(carol, 1n);
    world.setSlot(carol, 1n, 5n);
  });
  const world = node.state.begin();
  const mark = world.snapshot();
  world.setSlot(carol, 1n, 6n);
  world.setSlot(carol, 1n, 7n);
  expect([world.originalSlot(carol, 1n), world.slot(carol, 1n)]).toEqual([5n, 7n]);
  world.revert(mark);
  expect([world.originalSlot(carol, 1n), world.slot(carol, 1n)]).toEqual([5n, 5n]);
  world.setSlot(carol, 1n, 8n);
  world.endTransaction();
  expect(world.originalSlot(carol, 1n)).toBe(8n);
});

test("slots whose keys end in the same bits are kept apart", async () => {
  await using node = await openInMemory();
  const world = node.state.begin();
  world.setNonce(carol, 1n);
  const keys = Array.from({ length: 40 }, (_, i) => (BigInt(i) << 64n) + 7n);
  for (const key of keys) world.setSlot(carol, key, key + 1n);
  for (const key of keys) expect(world.slot(carol, key)).toBe(key + 1n);
  expect(world.slot(bob, 7n)).toBe(0n);
});

test("logs, refund, transient values and what was met are taken back, and end with the transaction", async () => {
  await using node = await openInMemory();
  const world = node.state.begin();
  const log = { address: alice, topics: [], data: new Uint8Array(0) };
  const all = (): unknown[] => [
    world.logs.length,
    world.refund,
    world.transient(alice, 1n),
    world.isWarm(alice),
    world.isCreated(alice),
  ];
  const change = (): void => {
    world.addLog(log);
    world.addRefund(10);
    world.subtractRefund(4);
    world.setTransient(alice, 1n, 9n);
    expect([world.warmAddress(alice), world.warmAddress(alice)]).toEqual([true, false]);
    expect([world.warmSlot(alice, 1n), world.warmSlot(alice, 1n)]).toEqual([true, false]);
    world.markCreated(alice);
  };
  const mark = world.snapshot();
  change();
  expect(all()).toEqual([1, 6, 9n, true, true]);
  expect(() => world.subtractRefund(7)).toThrow(RangeError);
  world.revert(mark);
  expect(all()).toEqual([0, 0, 0n, false, false]);
  change();
  world.endTransaction();
  expect(all()).toEqual([0, 0, 0n, false, false]);
  change();
});

test("a destroyed account keeps what it has but its balance until the transaction ends", async () => {
  await using node = await openInMemory();
  await makeBlock(node, (world) => {
    world.setAccount(carol, { ...emptyAccount(), kind: "contract", nonce: 1n, balance: 7n });
    world.setSlot(carol, 1n, 2n);
  });
  const world = node.state.begin();
  const mark = world.snapshot();
  world.destroy(carol);
  expect([world.isDestroyed(carol), world.balance(carol), world.slot(carol, 1n)]).toEqual([true, 0n, 2n]);
  world.revert(mark);
  expect([world.isDestroyed(carol), world.balance(carol)]).toEqual([false, 7n]);
  world.destroy(carol);
  world.addBalance(carol, 3n);
  expect([world.exists(carol), world.hasStorage(carol)]).toEqual([true, true]);
  world.endTransaction();
  expect([world.exists(carol), world.hasStorage(carol), world.slot(carol, 1n)]).toEqual([false, false, 0n]);
  world.setNonce(carol, 1n);
  expect([world.isDestroyed(carol), world.slot(carol, 1n)]).toEqual([false, 0n]);
});

test("taking nothing from an empty account does not touch it", async () => {
  await using node = await openInMemory();
  await makeBlock(node, (world) => world.setAccount(alice, emptyAccount()));
  const world = node.state.begin();
  world.subtractBalance(alice, 0n);
  world.endTransaction();
  expect([world.exists(alice), world.isEmpty(alice), world.isEmpty(bob)]).toEqual([true, true, true]);
});

test.each([
  [0n, false],
  [5n, true],
])(
  "of what is taken back a touch of RIPEMD-160 counts all the same, a payment does not: %s peb, stays %s",
  async (amount, stays) => {
    await using node = await openInMemory();
    const ripemd = Uint8Array.of(...new Uint8Array(19), 3);
    await makeBlock(node, (world) => world.setAccount(ripemd, emptyAccount()));
    const world = node.state.begin();
    const mark = world.snapshot();
    world.addBalance(ripemd, amount);
    world.revert(mark);
    world.endTransaction();
    expect(world.exists(ripemd)).toBe(stays);
  },
);

test("nothing of a transaction that is taken back as a whole is left, not even a touch of RIPEMD-160", async () => {
  await using node = await openInMemory();
  const ripemd = Uint8Array.of(...new Uint8Array(19), 3);
  await makeBlock(node, (world) => world.setAccount(ripemd, emptyAccount()));
  const world = node.state.begin();
  world.warmAddress(ripemd);
  world.addBalance(ripemd, 0n);
  world.addLog({ address: ripemd, topics: [], data: new Uint8Array(0) });
  world.addRefund(5);
  world.cancelTransaction();
  expect([world.logs.length, world.refund, world.isWarm(ripemd)]).toEqual([0, 0, false]);
  world.endTransaction();
  expect(world.exists(ripemd)).toBe(true);
});

test("transactions of a group are taken back together: balances, slots, code and accounts that had disappeared", async () => {
  await using node = await openInMemory();
  await makeBlock(node, (world) => {
    world.addBalance(alice, 9n);
    world.addBalance(bob, 3n);
    world.setCode(bob, Uint8Array.of(1));
    world.setSlot(bob, 1n, 7n);
  });
  const world = node.state.begin();
  world.setSlot(bob, 2n, 8n);
  world.endTransaction();
  world.beginGroup();
  world.addBalance(alice, 1n);
  world.setSlot(bob, 1n, 70n);
  world.endTransaction();
  world.destroy(bob);
  world.subtractBalance(alice, 10n);
  world.endTransaction();
  expect([world.exists(alice), world.exists(bob)]).toEqual([false, false]);
  world.addBalance(bob, 5n);
  expect(world.slot(bob, 1n)).toBe(0n);
  world.markCreated(bob);
  world.endTransaction();
  world.addBalance(carol, 1n); // of a transaction that has not ended
  world.cancelGroup();
  const slots = [1n, 2n].map((key) => world.slot(bob, key));
  expect([world.balance(alice), world.balance(bob), world.exists(carol), slots]).toEqual([
    9n,
    3n,
    false,
    [7n, 8n],
  ]);
  expect([...world.code(bob)]).toEqual([1]);
  world.endTransaction();
  expect([world.exists(alice), world.isCreated(bob), world.isDestroyed(bob)]).toEqual([true, false, false]);
});

test("transactions of a group that ends stay, and what comes after it is not part of it", async () => {
  await using node = await openInMemory();
  const world = node.state.begin();
  world.beginGroup();
  world.addBalance(alice, 1n);
  world.endTransaction();
  world.endGroup();
  world.addBalance(bob, 1n);
  world.endTransaction();
  world.beginGroup();
  world.addBalance(carol, 1n);
  world.endTransaction();
  world.cancelGroup();
  expect([alice, bob, carol].map((each) => world.balance(each))).toEqual([1n, 1n, 0n]);
});
