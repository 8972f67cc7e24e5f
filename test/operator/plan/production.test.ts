/** Block production: new blocks, a chain that stalls, seldom reports and operators that start again. */
import { expect, test } from "@jest/globals";
import {
  type HeightReport,
  judgeProduction,
  type Production,
  type ProductionView,
} from "../../../operator/plan/production.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");
const report = (height: number, seconds: number): HeightReport => ({ height, at: NOW + seconds * 1_000 });

/** Judges reports one after another, as an operator does that runs on. */
function judgeAll(
  steps: readonly (readonly HeightReport[])[],
  more: Partial<ProductionView> = {},
): readonly string[] {
  let before: Production | undefined;
  return steps.map((reports) => {
    const { condition, height } = { condition: undefined, height: undefined, ...more };
    before = judgeProduction({ reports, mark: before?.mark, condition, height });
    return `${before.verdict.status} ${before.verdict.reason}`;
  });
}

test("a chain stalls after a minute without a new block, and goes on with the next one", () => {
  const steps = [
    [report(5, 0), report(4, 0)],
    [report(6, 10)],
    [report(6, 69), report(5, 69)],
    [report(6, 70)],
    [report(7, 80)],
    [],
  ];
  expect(judgeAll(steps)).toEqual([
    "Unknown NotReported",
    "True NewBlocks",
    "True NewBlocks",
    "False ChainStalled",
    "True NewBlocks",
    "Unknown NotReported",
  ]);
});

test("a chain that never had a block after block 0 stalls too", () => {
  expect(judgeAll([[report(0, 0)], [report(0, 60)]])).toEqual(["Unknown NotReported", "False ChainStalled"]);
});

test("a clock that is set back hides no stalled chain, also from a new operator", () => {
  const steps = [[report(5, 0)], [report(6, 86_400)], [report(6, 10)], [report(6, 69)], [report(6, 70)]];
  expect(judgeAll(steps).slice(2)).toEqual(["True NewBlocks", "True NewBlocks", "False ChainStalled"]);
  const condition = { status: "False", lastTransitionTime: "2026-01-02T00:00:00Z" } as const;
  expect(judgeAll([[report(6, 0)]], { condition, height: 6 })).toEqual(["False ChainStalled"]);
});

test("seldom reports are no stalled chain, and a silent node does not count", () => {
  expect(judgeAll([[report(5, 0)], [report(130, 125)], [report(255, 250)]]).slice(1)).toEqual([
    "True NewBlocks",
    "True NewBlocks",
  ]);
  expect(judgeAll([[report(5, 0)], [report(6, 1)], [report(6, 1)]]).at(-1)).toBe("True NewBlocks");
});

test("a new operator believes the condition until it knows better", () => {
  const since = "2025-12-31T23:00:00Z";
  const isStalled = { condition: { status: "False", lastTransitionTime: since }, height: 6 } as const;
  expect(judgeAll([[report(6, 0)], [report(7, 10)]], isStalled)).toEqual([
    "False ChainStalled",
    "True NewBlocks",
  ]);
  expect(judgeAll([[report(9, 0)]], isStalled)).toEqual(["Unknown NotReported"]);
  const isWell = { condition: { status: "True", lastTransitionTime: since }, height: 6 } as const;
  expect(judgeAll([[report(6, 0)], [report(6, 60)]], isWell)).toEqual([
    "True NewBlocks",
    "False ChainStalled",
  ]);
});
