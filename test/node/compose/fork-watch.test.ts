/** Tests of the watch for scheduled forks that this version has no rules for. */
import { expect, jest, test } from "@jest/globals";
import { declareForkMetrics, openForkWatch } from "../../../node/compose/fork-watch.ts";
import { createLog } from "../../../node/observe/log.ts";
import { createMetrics } from "../../../node/observe/metrics.ts";

function aChain(forks: Readonly<Record<string, number>>, number = 9) {
  return { config: { unknownForks: new Map(Object.entries(forks)) }, head: () => ({ header: { number } }) };
}

function warningsOf(lines: readonly string[]): readonly unknown[] {
  return lines.map((line) => {
    const { fork, block, blocks } = JSON.parse(line) as Record<string, unknown>;
    return [fork, block, blocks];
  });
}

test("a node warns at its start and daily of a fork without rules within 1,000,000 blocks", () => {
  jest.useFakeTimers();
  const lines: string[] = [];
  const stream = { write: (line: string) => lines.push(line) > 0 };
  const log = createLog({ level: "info", format: "json", stream } as never);
  const chain = aChain({ nextCompatibleBlock: 1_000_010, lateCompatibleBlock: 1_000_011 });
  const watch = openForkWatch({ chain, log } as never);
  expect(warningsOf(lines)).toEqual([["nextCompatibleBlock", 1_000_010, 1_000_000]]);
  jest.advanceTimersByTime(86_400_000);
  expect(lines).toHaveLength(2);
  watch[Symbol.dispose]();
  jest.advanceTimersByTime(86_400_000);
  expect(lines).toHaveLength(2);
  jest.useRealTimers();
});

test("the metric has the blocks until each fork without rules, and nothing on other chains", async () => {
  const metrics = createMetrics();
  declareForkMetrics(metrics, aChain({ nextCompatibleBlock: 15 }) as never);
  expect(await metrics.render()).toContain('knit_unknown_fork_blocks{fork="nextCompatibleBlock"} 5\n');
  const others = createMetrics();
  declareForkMetrics(others, aChain({}) as never);
  expect(await others.render()).not.toContain("knit_unknown_fork_blocks{");
});
