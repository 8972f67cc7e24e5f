/** The changes of a batch against a map, for keys and values of all sizes. */
import { expect, test } from "@jest/globals";
import { equalOptional } from "../../../node/bytes/compare.ts";
import { mapKey } from "../../../node/bytes/hex.ts";
import { BatchChanges } from "../../../node/store/changes.ts";
import { randomBytes, seededRandom } from "../../support/random.ts";

const random = seededRandom(25);
const upTo = (most: number): number => Math.floor(random() * (most + 1));

/** Now and then larger than any block of memory. */
function aValue(): Uint8Array | undefined {
  const kind = random();
  if (kind < 0.1) return undefined;
  return randomBytes(random, kind < 0.999 ? upTo(600) : 1_200_000);
}

test("the newest change of each key is found, whenever it is looked for", () => {
  const keys = Array.from({ length: 3_000 }, () => randomBytes(random, upTo(70)));
  const changes = new BatchChanges();
  const newest = new Map<string, Uint8Array | undefined>();
  let bytes = 0;
  for (let i = 0; i < 10_000; i++) {
    const key = keys[upTo(keys.length - 1)] ?? new Uint8Array(0);
    const value = aValue();
    if (value === undefined) changes.delete(key);
    else changes.put(key, value);
    newest.set(mapKey(key), value);
    bytes += key.length + (value?.length ?? 0);
    const asked = keys[upTo(keys.length - 1)] ?? new Uint8Array(0);
    if (i % 7 > 0) continue;
    const name = mapKey(asked);
    const { found, value: change } = changes.find(asked);
    expect([found, equalOptional(change, newest.get(name))]).toEqual([newest.has(name), true]);
  }
  expect({ size: changes.size, bytes: changes.bytes }).toEqual({ size: 10_000, bytes });
  const applied = new Map([...changes].map(([key, value]) => [mapKey(key), value]));
  const wrong = [...newest].filter(([name, value]) => !equalOptional(applied.get(name), value));
  expect([applied.size, wrong.length]).toEqual([newest.size, 0]);
});

test("what is put into a batch may change afterwards, and so may what is found", () => {
  const changes = new BatchChanges();
  const [key, value] = [Uint8Array.of(1), Uint8Array.of(2)];
  changes.put(key, value);
  value[0] = 3;
  changes.find(key).value?.fill(4);
  key[0] = 5;
  expect(changes.find(Uint8Array.of(1))).toEqual({ found: true, value: Uint8Array.of(2) });
});
