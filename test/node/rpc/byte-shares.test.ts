import { expect, test } from "@jest/globals";
import { ByteShares, type Holder } from "../../../node/jsonrpc/memory-budget.ts";

test("when there is too much, whoever holds most is dropped, and as many as it takes", () => {
  const shares = new ByteShares(100);
  const dropped: string[] = [];
  const holder = (name: string): Holder => ({ dropped: () => void dropped.push(name) });
  const [small, large, larger] = [holder("small"), holder("large"), holder("larger")];
  shares.hold(small, 10);
  shares.hold(large, 40);
  shares.hold(larger, 50);
  expect([shares.used, dropped]).toEqual([100, []]);
  shares.hold(small, 11);
  expect([shares.used, dropped]).toEqual([51, ["larger"]]);
  shares.hold(larger, 0);
  shares.hold(small, 101);
  expect([shares.used, dropped]).toEqual([40, ["larger", "small"]]);
  shares.hold(large, 0);
  expect(shares.used).toBe(0);
});
