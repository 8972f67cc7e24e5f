/** Tests of the line a minute. */
import { expect, test } from "@jest/globals";
import { openStatusLog, type StatusLogDeps } from "../../../node/compose/status-log.ts";
import { createLog } from "../../../node/observe/log.ts";
import { until } from "../../support/until.ts";

test("a running node reports its height, the age of its head and its peers until it closes", async () => {
  const lines: string[] = [];
  const log = createLog({ level: "info", format: "logfmt", stream: { write: (line) => lines.push(line) } });
  const head = { header: { number: 7, time: 100 } };
  const parts = { chain: { head: () => head }, p2p: { connectedPeers: () => [{}, {}] } };
  const deps = { ...parts, clock: { now: () => 112_400 }, log } as unknown as StatusLogDeps; // what is read
  {
    using _log = openStatusLog(deps, 5);
    await until(() => lines.length >= 2);
  }
  const { length } = lines;
  expect(lines[0]).toMatch(/msg="node status" number=7 ageSeconds=12 peers=2\n$/);
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(lines).toHaveLength(length);
});
