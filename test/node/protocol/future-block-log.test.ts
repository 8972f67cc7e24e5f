/** Tests of the warnings about blocks ahead of the clock. */
import { expect, test } from "@jest/globals";
import { silentLog } from "../../../node/observe/log.ts";
import { FutureBlockLog } from "../../../node/protocol/future-block-log.ts";

test("blocks ahead of the clock for half a minute are warned about once a minute, single ones are not", () => {
  let seconds = 0;
  const reported: number[] = [];
  let debugged = 0;
  const log = { ...silentLog, warn: () => void reported.push(seconds), debug: () => void debugged++ };
  const early = new FutureBlockLog({ now: () => seconds * 1000 }, log);
  for (; seconds < 300; seconds += 20) early.report("a", new Error("block in the future"));
  expect(reported).toEqual([]);
  expect(debugged).toBe(15);
  for (; seconds <= 400; seconds++) early.report("a", new Error("block in the future"));
  expect(reported).toEqual([330, 390]);
});
