/** The published suites that run contracts; cases that are left out by design are listed one by one. */
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { stateSuite, vmSuite } from "../../support/vectors-execution.ts";

const SUITES = join(import.meta.dirname, "../../vectors/core-tests");
/** Every file of Ethereum's suite, not each sixth. */
const withAll = process.env["KNIT_ALL_CASES"] === "1";
/** Loops of a hundred million gas and more. */
const withLoops = process.env["KNIT_VM_PERFORMANCE"] === "1";

test("every state test of this chain leaves its root and logs", () => {
  const { passed, failures, excluded } = stateSuite(join(SUITES, "kaia-state.json.gz"));
  expect(failures).toEqual([]);
  expect({ passed, excluded }).toEqual({ passed: 2172, excluded: 12 });
}, 600_000);

test("every state test of Ethereum's Cancun leaves Ethereum's root and logs, but where this chain differs", () => {
  const { passed, failures, excluded } = stateSuite(
    join(SUITES, "eth-state-cancun.json.gz"),
    (_file, place) => withAll || place % 6 === 0,
  );
  expect(failures).toEqual([]);
  expect({ passed, excluded }).toEqual(
    withAll ? { passed: 9802, excluded: 674 } : { passed: 2668, excluded: 30 },
  );
}, 600_000);

const isLoop = (file: string): boolean => file.startsWith("vmPerformance/");

test("every frame leaves its output, gas, storage and logs", () => {
  const { passed, failures } = vmSuite(join(SUITES, "kaia-vm.json.gz"), (file) => withLoops || !isLoop(file));
  expect(failures).toEqual([]);
  expect(passed).toBe(withLoops ? 303 : 292);
}, 600_000);
