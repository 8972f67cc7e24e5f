/** Tests of the search for the cheapest entries. */
import { expect, test } from "@jest/globals";
import type { PoolEntry } from "../../../node/txpool/entry.ts";
import { PriceFloor } from "../../../node/txpool/price-floor.ts";
import { anEntry } from "../../support/pool-entries.ts";
import { seededChoices } from "../../support/pool-random.ts";

function cheapest(
  floor: PriceFloor,
  count: number,
  eligible: (entry: PoolEntry) => boolean = () => true,
): PoolEntry[] {
  const found: PoolEntry[] = [];
  floor.cheapest(eligible, (entry) => found.push(entry) >= count);
  return found;
}

test("of equal prices the higher nonce is the cheaper one", () => {
  const floor = new PriceFloor();
  const entries = [
    anEntry({ nonce: 1, price: 5 }),
    anEntry({ nonce: 9, price: 5 }),
    anEntry({ nonce: 3, price: 4 }),
  ];
  for (const entry of entries) {
    entry.pooled = true;
    floor.add(entry);
  }
  expect(cheapest(floor, 3)).toEqual([entries[2], entries[1], entries[0]]);
  expect(cheapest(floor, 1, (entry) => entry !== entries[2])).toEqual([entries[1]]);
});

test("among many that come and go the cheapest are always found", () => {
  const choices = seededChoices(5);
  const floor = new PriceFloor();
  const live: PoolEntry[] = [];
  for (let step = 0; step < 3000; step++) {
    if (live.length > 0 && choices.int(100) < 48) {
      const [gone] = live.splice(choices.int(live.length), 1);
      if (gone) gone.pooled = false;
      floor.noteReleased();
    } else {
      const entry = anEntry({ nonce: step, price: choices.int(50) });
      entry.pooled = true;
      live.push(entry);
      floor.add(entry);
    }
    const expected = live
      .toSorted((a, b) =>
        Number(
          a.transaction.gasFeeCap - b.transaction.gasFeeCap || b.transaction.nonce - a.transaction.nonce,
        ),
      )
      .slice(0, 3);
    expect(cheapest(floor, 3)).toEqual(expected);
  }
});
