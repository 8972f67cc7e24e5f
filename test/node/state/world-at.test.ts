/** Tests of worlds over past blocks. */
import { expect, test } from "@jest/globals";
import { recordOf } from "../../../node/state/flat/flat-rows.ts";
import { ReadSlots } from "../../../node/state/flat/slot-cache.ts";
import type { World } from "../../../node/state/world/world.ts";
import { anAddress, makeBlock, openInMemory } from "./fixture.ts";

const [alice, bob] = [anAddress(1), anAddress(2)];
const missing = expect.objectContaining({ code: "state-missing" });

test("a world over a past block shows that block under its own changes", async () => {
  await using node = await openInMemory();
  for (let n = 0; n < 4; n++) await makeBlock(node, (world) => world.addBalance(alice, 10n));
  for (const number of [0, 2, 3]) {
    const world = node.state.worldAt(number);
    expect(world.balance(alice)).toBe(10n * BigInt(number + 1));
    const mark = world.snapshot();
    world.subtractBalance(alice, 5n);
    world.setCode(bob, Uint8Array.of(1));
    expect([world.balance(alice), world.code(bob)]).toEqual([10n * BigInt(number) + 5n, Uint8Array.of(1)]);
    world.revert(mark);
    expect(world.balance(alice)).toBe(10n * BigInt(number + 1));
  }
});

test("a world for calls stays at its block while others come, and is never sealed", async () => {
  await using node = await openInMemory({ retention: 2 });
  await makeBlock(node, (world) => world.addBalance(alice, 1n));
  const world = node.state.worldAt(0);
  expect(() => node.state.seal(world)).toThrow(expect.objectContaining({ code: "busy" }));
  await makeBlock(node, (next) => {
    next.addBalance(alice, 1n);
    next.addBalance(bob, 1n);
  });
  expect([world.balance(alice), world.balance(bob)]).toEqual([1n, 0n]);
  const late = node.state.worldAt(0);
  for (let n = 0; n < 2; n++) await makeBlock(node, (next) => next.addBalance(bob, 1n));
  expect(() => late.balance(alice)).toThrow(missing);
});

test("there is no world over a block that is not kept or not made", async () => {
  await using node = await openInMemory({ retention: 1 });
  for (let n = 0; n < 3; n++) await makeBlock(node, (world) => world.addBalance(alice, 1n));
  for (const number of [-1, 0, 3]) expect(() => node.state.worldAt(number)).toThrow(missing);
});

test("worlds over one state share what they read, and none sees what a later block wrote", async () => {
  await using node = await openInMemory();
  const write =
    (value: bigint) =>
    (world: World): void => {
      world.addBalance(alice, 1n);
      world.setSlot(alice, 1n, value);
      world.setSlot(alice, 2n, value);
    };
  await makeBlock(node, write(5n));
  const [early, other] = [node.state.worldAt(0), node.state.worldAt(0)];
  expect(early.slot(alice, 1n)).toBe(5n);
  early.setSlot(alice, 1n, 6n);
  expect(other.slot(alice, 1n)).toBe(5n);
  await makeBlock(node, write(7n));
  const now = node.state.worldAt(1);
  expect([1n, 2n].map((key) => now.slot(alice, key))).toEqual([7n, 7n]);
  expect([1n, 2n].map((key) => early.slot(alice, key))).toEqual([6n, 5n]);
  const past = node.state.worldAt(0);
  expect([1n, 2n].map((key) => past.slot(alice, key))).toEqual([5n, 5n]);
});

test("what was read of a state is bounded: then all is forgotten and read anew", () => {
  const slots = new ReadSlots();
  const owner = recordOf(new Uint8Array(32), undefined);
  const slot = { hash: new Uint8Array(32), value: 1n };
  for (let n = 0; n < 16_384; n++) slots.add(owner, `${n}`, slot);
  expect(slots.get(owner, "0")).toBe(slot);
  slots.add(owner, "one more", slot);
  expect([slots.get(owner, "0"), slots.get(owner, "one more")]).toEqual([undefined, slot]);
});
