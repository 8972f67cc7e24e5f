/** Tests of the log lines of an opened node. */
import { expect, test } from "@jest/globals";
import type { OpenedNode } from "../../../node/compose/start-log.ts";
import { logStart } from "../../../node/compose/start-log.ts";
import { createLog } from "../../../node/observe/log.ts";
import { options } from "../../support/options.ts";

function lines(line: Record<string, string>, metrics?: string): string[] {
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
  const reported = lines({ type: "proxy", datadir: "/d", port: "5" }, "http://0.0.0.0:61001/metrics");
  expect(reported).toHaveLength(3);
  expect(reported[0]).toContain("url=http://0.0.0.0:61001/metrics");
  expect(reported[1]).toMatch(/port=5 most=10 discovers=true/);
  expect(reported[2]).toMatch(
    /type=proxy network=2019 chainId=2019 number=7 hash=0x(ab){32} made=2020-09-13T12:26:40.000Z node=0x0{40} datadir=\/d version=/,
  );
});

test("the network is the public one, or the number that was given", () => {
  expect(lines({ kairos: "true" }).at(-1)).toContain("network=kairos ");
  expect(lines({ networkid: "99" }).at(-1)).toContain("network=99 ");
});
