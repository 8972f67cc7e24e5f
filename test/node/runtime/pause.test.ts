/** Tests of the slices of event-loop time. */
import { expect, test } from "@jest/globals";
import { createPause } from "../../../node/runtime/scheduler.ts";

test("who has used up a slice of time waits until all others had their turn", async () => {
  const pause = createPause();
  expect(pause()).toBeUndefined();
  const end = performance.now() + 10;
  while (performance.now() < end);
  let turns = 0;
  setImmediate(() => turns++);
  await pause();
  expect(turns).toBe(1);
});

test("who begins in a turn of its own does not wait, however long ago the last slice was", async () => {
  const pause = createPause();
  for (let turn = 0; turn < 2; turn++) {
    expect(pause()).toBeUndefined();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
});
