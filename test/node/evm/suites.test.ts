/** The published suites that run contracts; cases that differ do so by a rule of `suite-exclusions.ts`. */
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { blockSuite } from "../../support/vectors-blocks.ts";
import { stateSuite, vmSuite } from "../../support/vectors-execution.ts";

const SUITES = join(import.meta.dirname, "../../vectors/core-tests");
/** Every file of the suites, not each third or sixth. */
const withAll = process.env["KNIT_ALL_CASES"] === "1";
/** Loops of a hundred million gas and more. */
const withLoops = process.env["KNIT_VM_PERFORMANCE"] === "1";

test("every state test of this chain leaves its root and logs", () => {
  const { passed, failures, excluded } = stateSuite(
    join(SUITES, "kaia-state.json.gz"),
    (_file, place) => withAll || place % 3 === 0,
  );
  expect(failures).toEqual([]);
  expect({ passed, excluded }).toEqual(
    withAll
      ? { passed: 2172, excluded: { "reserved-address": 6, "ethereum-root": 4, "skipped-by-go": 2 } }
      : { passed: 695, excluded: { "reserved-address": 2, "ethereum-root": 4, "skipped-by-go": 1 } },
  );
}, 600_000);

test("every state test of Ethereum's Cancun leaves Ethereum's root and logs, but where this chain differs", () => {
  const { passed, failures, excluded } = stateSuite(
    join(SUITES, "eth-state-cancun.json.gz"),
    (_file, place) => withAll || place % 6 === 0,
  );
  expect(failures).toEqual([]);
  expect({ passed, excluded }).toEqual(
    withAll
      ? {
          passed: 10_301,
          excluded: {
            "blobs-before-osaka": 110,
            "caps-before-prague": 2,
            "block-gas-limit": 1,
            "sender-with-code": 5,
            "reserved-address": 33,
            "ef-code": 2,
            "warm-0x0b": 22,
          },
        }
      : { passed: 2698, excluded: undefined },
  );
}, 600_000);

test("state tests of the execution specs up to Osaka leave Ethereum's root and logs", () => {
  const { passed, failures, excluded } = stateSuite(
    join(SUITES, "spec-state.json.gz"),
    (_file, place) => withAll || place % 3 === 0,
  );
  expect(failures).toEqual([]);
  expect({ passed, excluded }).toEqual(
    withAll
      ? {
          passed: 652,
          excluded: {
            "blobs-before-osaka": 10,
            "transaction-gas-limit": 2,
            "sender-with-code": 2,
            "reserved-address": 1,
            "warm-0x0b": 1,
          },
        }
      : {
          passed: 217,
          excluded: { "blobs-before-osaka": 4, "transaction-gas-limit": 1, "reserved-address": 1 },
        },
  );
}, 600_000);

test("blocks of the execution specs up to Osaka leave Ethereum's accounts, or are refused as they must be", () => {
  const { passed, failures, excluded } = blockSuite(
    join(SUITES, "spec-blockchain.json.gz"),
    (_file, place) => withAll || place % 3 === 0,
  );
  expect(failures).toEqual([]);
  expect({ passed, excluded }).toEqual(
    withAll
      ? {
          passed: 184,
          excluded: {
            "blobs-before-osaka": 11,
            requests: 18,
            "header-fields": 2,
            "transaction-gas-limit": 1,
            "reserved-address": 3,
          },
        }
      : {
          passed: 60,
          excluded: { "blobs-before-osaka": 4, requests: 6, "header-fields": 1, "reserved-address": 2 },
        },
  );
}, 600_000);

test("invalid blocks of Ethereum's legacy tests are refused, but where this chain differs", () => {
  const { passed, failures, excluded } = blockSuite(join(SUITES, "legacy-blockchain-invalid.json.gz"));
  expect(failures).toEqual([]);
  expect({ passed, excluded }).toEqual({
    passed: 35,
    excluded: { "block-gas-limit": 3, uncles: 52, "header-fields": 16, requests: 12 },
  });
}, 600_000);

const isLoop = (file: string): boolean => file.startsWith("vmPerformance/");

test("every frame leaves its output, gas, storage and logs", () => {
  const { passed, failures } = vmSuite(join(SUITES, "kaia-vm.json.gz"), (file) => withLoops || !isLoop(file));
  expect(failures).toEqual([]);
  expect(passed).toBe(withLoops ? 303 : 292);
}, 600_000);
