/** The copy of a generation's tries, without a chain beside it (docs/architecture.md, "A state migration"). */
import { expect, test } from "@jest/globals";
import { mapKey } from "../../../node/bytes/hex.ts";
import { copyTries } from "../../../node/state/migration/copy-tries.ts";
import { readMarker } from "../../../node/state/rows.ts";
import { createMemoryStore } from "../../../node/store/memory-store.ts";
import type { Row } from "../../../node/store/store.ts";
import { trieTables } from "../../../node/store/tables.ts";
import { keptTries, makeBlock, openInMemory, trieRowsOf } from "./fixture.ts";
import { aRandom } from "./random.ts";
import { randomBlock } from "./random-contracts.ts";

const { signal } = new AbortController();

/** A trie database after some blocks: its rows, and how many belong to tries. */
async function aTrie(): Promise<{ readonly rows: Row[]; readonly root: Uint8Array; readonly nodes: number }> {
  const tries = keptTries();
  await using node = await openInMemory({ trie: tries, flushInterval: 1 });
  while (node.state.number < 12) await makeBlock(node, randomBlock(node.state.number + 1));
  const { nodes } = await node.state.verify();
  const store = await tries.open(0);
  return { rows: await trieRowsOf(store), root: readMarker(store)?.root as Uint8Array, nodes };
}

async function copyRows(rows: readonly Row[], root: Uint8Array): Promise<Row[]> {
  const from = createMemoryStore();
  const batch = from.createBatch();
  for (const [key, value] of rows) batch.put(key, value);
  await from.write(batch, { sync: false });
  using snapshot = from.snapshot();
  const to = createMemoryStore();
  await copyTries({ from: snapshot, to, root, signal, rest: () => undefined, report: () => undefined });
  return trieRowsOf(to);
}

test("the copy holds the very rows of the tries, and none that belongs to no trie", async () => {
  const { rows, root, nodes } = await aTrie();
  const stray: Row[] = [
    [trieTables.accountNode.key(Uint8Array.of(0, 0, 0, 0, 0, 0, 1)), Uint8Array.of(1, 2, 3)],
    [trieTables.accountNode.key(new Uint8Array(64).fill(15)), Uint8Array.of(1, 2, 3)],
    [trieTables.storageNode.key(new Uint8Array(32), 1, new Uint8Array(0)), Uint8Array.of(1, 2, 3)],
    [trieTables.storageNode.key(new Uint8Array(32).fill(255), 9, Uint8Array.of(3)), Uint8Array.of(1, 2, 3)],
  ];
  const found = await copyRows([...rows, ...stray], root);
  expect(found.filter(([key]) => key[0] === trieTables.storageNode.prefix).length).toBeGreaterThan(5);
  expect(found.length).toBe(nodes);
  const known = new Map(rows.map(([key, value]) => [mapKey(key), value]));
  for (const [key, value] of found) expect(value).toEqual(known.get(mapKey(key)));
});

test("any row that is gone or changed is noticed", async () => {
  const { rows: all, root } = await aTrie();
  const rows = await copyRows(all, root);
  const random = aRandom(3);
  for (let i = 0; i < 60; i++) {
    const at = random.below(rows.length);
    const [key, value] = rows[at] as Row;
    const changed = Uint8Array.from(value);
    const byte = random.below(changed.length);
    changed[byte] = (changed[byte] as number) ^ (1 << random.below(8));
    const others = rows.filter((_, each) => each !== at);
    await expect(copyRows(others, root)).rejects.toMatchObject({ code: "trie-damaged" });
    await expect(copyRows([...others, [key, changed]], root)).rejects.toMatchObject({ code: "trie-damaged" });
  }
});
