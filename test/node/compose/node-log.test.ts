/** Tests of the log lines about the node itself. */
import { expect, test } from "@jest/globals";
import {
  checkClock,
  logStart,
  type OpenedNode,
  openStatusLog,
  type StatusLogDeps,
} from "../../../node/compose/node-log.ts";
import { createLog, silentLog } from "../../../node/observe/log.ts";
import { options } from "../../support/options.ts";
import { until } from "../../support/until.ts";

function startLines(line: Record<string, string>, metrics?: string): string[] {
  const head = { header: { number: 7, time: 1_600_000_000 }, hash: new Uint8Array(32).fill(0xab) };
  const chain = { config: { chainId: 2019n }, head: () => head } as unknown as OpenedNode["chain"]; // what is read
  const reported: string[] = [];
  const log = createLog({
    level: "info",
    format: "logfmt",
    stream: { write: (text) => reported.push(text) },
  });
  logStart(log, {
    options: options({ line }).options,
    chain,
    nodeKey: { address: new Uint8Array(20) },
    metrics,
  });
  return reported.map((text) => text.replace(/^.*? msg=/, "").trim());
}

test("an open node says who it is, its chain and head, and where peers and metrics find it", () => {
  const reported = startLines({ type: "proxy", datadir: "/d", port: "5" }, "http://0.0.0.0:61001/metrics");
  expect(reported).toHaveLength(3);
  expect(reported[0]).toContain("url=http://0.0.0.0:61001/metrics");
  expect(reported[1]).toMatch(/port=5 most=10 discovers=true/);
  expect(reported[2]).toMatch(
    /type=proxy network=2019 chainId=2019 number=7 hash=0x(ab){32} made=2020-09-13T12:26:40.000Z node=0x0{40} datadir=\/d version=/,
  );
});

test("the network is the public one, or the number that was given", () => {
  expect(startLines({ kairos: "true" }).at(-1)).toContain("network=kairos ");
  expect(startLines({ networkid: "99" }).at(-1)).toContain("network=99 ");
});

test.each([
  [1_000_000, []],
  [1_000_005, []],
  [1_000_060, [{ behindSeconds: 60, number: 7, now: "1970-01-12T13:46:40.000Z" }]],
])(
  "a clock at 1000000 s, more than five seconds behind a block of %i s, is an error in the log",
  (time, expected) => {
    const said: object[] = [];
    const log = { ...silentLog, error: (fields: object) => void said.push(fields) };
    const chain = { head: () => ({ header: { number: 7, time } }) as never };
    checkClock(chain, { now: () => 1_000_000_000 }, log);
    expect(said).toEqual(expected);
  },
);

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
