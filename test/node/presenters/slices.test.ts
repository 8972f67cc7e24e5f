/** Long results share the event loop. */
import { expect, test } from "@jest/globals";
import { createBudget } from "../../../node/jsonrpc/dispatch-budget.ts";
import { MemoryBudget } from "../../../node/jsonrpc/memory-budget.ts";
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

function spinLong(): string {
  spin();
  return "x".repeat(1024);
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

test("a result that is too long, or for which there is no memory, ends and releases what it held", async () => {
  const { signal } = new AbortController();
  for (const [maxAnswer, memory, message] of [
    [4096, 1 << 20, "response too large"],
    [1 << 20, 80 * 1024, "too many answers wait"],
  ] as const) {
    const budget = createBudget({ maxAnswer, written: new MemoryBudget(memory) });
    const room = { budget, holder: { onDrop: () => undefined } };
    const written = writeInSlices(100, spinLong, (parts) => parts.length, { signal, room });
    expect(budget.written.used).toBe(1024); // before it waits for its turn
    await expect(written).rejects.toThrow(message);
    expect(budget.written.used).toBe(0);
  }
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
