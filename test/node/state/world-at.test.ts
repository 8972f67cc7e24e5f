import { expect, test } from "@jest/globals";
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
