/** Tests of the memory budget of connections. */
import { expect, test } from "@jest/globals";
import { type Holder, MemoryBudget } from "../../../node/jsonrpc/memory-budget.ts";

test("when there is too much, whoever holds most is dropped, and as many as it takes", () => {
  const shares = new MemoryBudget(100);
  const dropped: string[] = [];
  const holder = (name: string): Holder => ({ onDrop: () => void dropped.push(name) });
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

/** Shares of 1,200 bytes and holders by name. */
function aClaim() {
  const shares = new MemoryBudget(1_200);
  const dropped: string[] = [];
  const holders = new Map<string, Holder>();
  const claim = (name: string, bytes: number): boolean => {
    const holder = holders.get(name) ?? { onDrop: () => void dropped.push(name) };
    holders.set(name, holder);
    return shares.claim(holder, bytes);
  };
  return { shares, dropped, claim };
}

test("a claim without room drops who holds more than twice an equal share, and is refused where nobody does", () => {
  const { shares, dropped, claim } = aClaim();
  expect([claim("flood", 600), claim("flood", 601)]).toEqual([true, false]);
  expect([claim("a", 100), claim("b", 100), claim("c", 100)]).toEqual([true, true, true]);
  expect([claim("d", 100), dropped, shares.used]).toEqual([true, ["flood"], 400]);
  expect([claim("flood", 200), claim("e", 200), claim("flood", 201)]).toEqual([true, true, false]);
  expect([claim("f", 101), dropped, shares.used]).toEqual([false, ["flood"], 800]);
});

test("greedy holders that come again when they are dropped come to rest, with room for one more of very little", () => {
  const shares = new MemoryBudget(1_000_000);
  const bytes = new Map<Holder, number>();
  let dropped = 0;
  const holders = Array.from({ length: 300 }, () => {
    const holder: Holder = {
      onDrop: () => {
        dropped++;
        bytes.set(holder, 0);
      },
    };
    bytes.set(holder, 0);
    return holder;
  });
  const round = (): void => {
    for (const holder of holders) {
      for (let own = bytes.get(holder) ?? 0; own < 20_000 && shares.claim(holder, own + 200); own += 200) {
        bytes.set(holder, own + 200);
      }
    }
  };
  for (let rounds = 0; rounds < 10; rounds++) round();
  const before = dropped;
  for (let rounds = 0; rounds < 10; rounds++) round();
  const late = { onDrop: () => dropped++ };
  expect([shares.claim(late, 200), dropped]).toEqual([true, before]);
  expect(dropped).toBeLessThan(300);
  expect(shares.used).toBeLessThan(shares.max);
});

test("many small holders of one owner cannot refuse room to another owner", () => {
  const shares = new MemoryBudget(1_200);
  let dropped = 0;
  const crowd = Array.from({ length: 20 }, () => ({ owner: "crowd", onDrop: () => void dropped++ }));
  for (const each of crowd) shares.hold(each, 50);
  const good: Holder = { owner: "good", onDrop: () => undefined };
  expect([shares.claim(good, 50), dropped, shares.of(good), shares.used]).toEqual([true, 3, 50, 900]);
  expect(shares.claim({ owner: "crowd", onDrop: () => undefined }, 60)).toBe(false);
});
