/** Tests of the warning about a clock behind the chain. */
import { expect, test } from "@jest/globals";
import { checkClock } from "../../../node/compose/start-log.ts";
import { silentLog } from "../../../node/observe/log.ts";

test.each([
  [1_000_000, []],
  [1_000_005, []],
  [1_000_060, [{ behindSeconds: 60, number: 7, now: "1970-01-12T13:46:40.000Z" }]],
])("at 1000000 the newest block is of %i", (time, expected) => {
  const said: object[] = [];
  const log = { ...silentLog, error: (fields: object) => void said.push(fields) };
  const chain = { head: () => ({ header: { number: 7, time } }) as never };
  checkClock(chain, { now: () => 1_000_000_000 }, log);
  expect(said).toEqual(expected);
});
