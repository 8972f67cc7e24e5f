import { expect, test } from "@jest/globals";
import { createPause } from "../../node/pause.ts";

test("who has used up a slice of time waits until all others had their turn", async () => {
  const pause = createPause();
  const end = performance.now() + 10;
  while (performance.now() < end);
  let turns = 0;
  setImmediate(() => turns++);
  await pause();
  expect(turns).toBe(1);
});
