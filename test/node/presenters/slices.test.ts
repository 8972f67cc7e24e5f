/** Long results share the event loop. */
import { expect, test } from "@jest/globals";
import { writeInSlices } from "../../../node/presenters/slices.ts";
import { SLICE_MS } from "../../../node/runtime/scheduler.ts";

/** Takes longer than a slice, as a large block does. */
function spin(): void {
  for (const end = performance.now() + 1.5 * SLICE_MS.answer; performance.now() < end; );
}

function spinOnce(): string {
  spin();
  return "";
}

/** Counts turns of the event loop until it is disposed of. */
function aTurnCount() {
  const count = { turn: 0, [Symbol.dispose]: () => clearImmediate(next) };
  const step = (): void => {
    count.turn++;
    next = setImmediate(step);
  };
  let next = setImmediate(step);
  return count;
}

test("a turn of the event loop has one slice of all long results together, also of those with few parts", async () => {
  using count = aTurnCount();
  const turns: number[] = [];
  const write = (index: number): string => {
    if (index > 0) turns.push(count.turn);
    spin();
    return `${index}`;
  };
  const results = [1, 2, 3].map(async () => await writeInSlices(4, write, (parts) => parts.join("")));
  expect(await Promise.all(results)).toEqual(["0123", "0123", "0123"]);
  expect(turns).toHaveLength(9);
  expect(new Set(turns).size).toBe(turns.length);
});

test("a short result is written at once", () => {
  expect(writeInSlices(3, String, (parts) => parts.join())).toBe("0,1,2");
  expect(writeInSlices(0, String, (parts) => parts.join())).toBe("");
});

test("a result whose caller has gone ends", async () => {
  const controller = new AbortController();
  let written = 0;
  const write = (): string => {
    spin();
    if (++written === 3) controller.abort();
    return "";
  };
  const result = writeInSlices(100, write, () => "", { signal: controller.signal });
  await expect(result).rejects.toThrow("request cancelled");
  expect(written).toBe(3);
});

test("clients have equal shares of the turns, however many results they ask for", async () => {
  const { signal } = new AbortController();
  const order: string[] = [];
  const ask = async (owner: string): Promise<void> => {
    await writeInSlices(4, spinOnce, () => order.push(owner), { signal, caller: { owner } });
  };
  await Promise.all(["greedy", "greedy", "greedy", "greedy", "small"].map(ask));
  expect(order.indexOf("small")).toBeLessThan(2);
});
