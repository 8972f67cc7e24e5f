/** Reading ahead: each item is asked for while the one before is used, and a failure comes in its turn. */
import { setImmediate } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { readAhead } from "../../../node/runtime/parallel.ts";

/** Gives 1, 2 and 3, then ends as told, and records what is asked for and when it is closed. */
async function* source(events: string[], end: () => void | Promise<void>): AsyncGenerator<number> {
  try {
    for (const item of [1, 2, 3]) {
      events.push(`asked ${item}`);
      yield item;
    }
    events.push("asked end");
    await end();
  } finally {
    events.push("closed");
  }
}

test("each item is asked for while the one before is used", async () => {
  const events: string[] = [];
  for await (const item of readAhead(source(events, () => undefined))) {
    await setImmediate();
    events.push(`used ${item}`);
  }
  expect(events.join(", ")).toBe("asked 1, asked 2, used 1, asked 3, used 2, asked end, closed, used 3");
});

test("a failure is thrown after the items before it", async () => {
  const used: number[] = [];
  const failing = source([], () => {
    throw new Error("torn");
  });
  const read = async (): Promise<void> => {
    for await (const item of readAhead(failing)) {
      await setImmediate(); // the failure is there now
      used.push(item);
    }
  };
  await expect(read()).rejects.toThrow("torn");
  expect(used).toEqual([1, 2, 3]);
});

test("a reader that stops does not wait for an item that never comes", async () => {
  const endless = source([], () => new Promise(() => undefined));
  let last = 0;
  for await (const item of readAhead(endless)) {
    last = item;
    if (item === 3) break;
  }
  expect(last).toBe(3);
});

test("a reader that stops closes the source", async () => {
  const events: string[] = [];
  for await (const _ of readAhead(source(events, () => undefined))) break;
  await setImmediate();
  expect(events).toEqual(["asked 1", "asked 2", "closed"]);
});
