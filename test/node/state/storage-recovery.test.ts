/** Tests of the recovery of storage tries after a crash. */
import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import type { World } from "../../../node/state/world/world.ts";
import { anAddress, aTemporaryDirectory, makeBlock, openOnDisk } from "./fixture.ts";

const [alice, bob] = [anAddress(1), anAddress(2)];

/** A copy of a directory that is in use: what a crash would leave. */
function copyDirectory(from: string, to: string): string {
  cpSync(from, to, { recursive: true });
  return to;
}

test.each([
  ["destroyed", (world: World) => world.destroy(alice)],
  ["destroyed and made again", rebirth],
  ["emptied", (world: World) => fillSlots(world, 0n)],
  ["written to", (world: World) => fillSlots(world, 9n)],
  [
    "written to and destroyed",
    [(world: World) => fillSlots(world, 9n), (world: World) => world.destroy(alice)],
  ],
  ["made again and destroyed", [rebirth, (world: World) => world.destroy(alice)]],
  ["made again twice", [rebirth, rebirth]],
])("storage that was %s after the stored trie catches up without a rebuild", async (_, changes) => {
  using place = aTemporaryDirectory();
  await using node = await openOnDisk(join(place.path, "a"), { flushInterval: 1000, retention: 2 });
  await makeBlock(node, (world) => fillSlots(world, 7n));
  await makeBlock(node, (world) => fillSlots(world, 8n));
  await node.state.flush();
  for (const change of [changes].flat()) await makeBlock(node, change);
  await makeBlock(node, (world) => world.addBalance(bob, 1n));
  await using again = await openOnDisk(copyDirectory(join(place.path, "a"), join(place.path, "b")), {
    retention: 2,
  });
  await again.state.ready;
  expect(existsSync(join(place.path, "b", "trie", "0"))).toBe(true);
  for (let n = 0; n < 20; n++) await makeBlock(again, (world) => world.addBalance(bob, 1n));
  for (let n = 0; n < 20; n++) await makeBlock(node, (world) => world.addBalance(bob, 1n));
  expect(toHex(again.state.root)).toBe(toHex(node.state.root));
  expect(await again.state.verify()).toMatchObject({ strayNodes: 0, straySlots: 0 });
});

function fillSlots(world: World, value: bigint): void {
  world.setNonce(alice, 1n);
  for (let i = 0n; i < 40n; i++) world.setSlot(alice, i, value);
}

function rebirth(world: World): void {
  world.destroy(alice);
  world.endTransaction();
  world.setNonce(alice, 1n);
  for (let i = 20n; i < 60n; i++) world.setSlot(alice, i, 3n);
}
