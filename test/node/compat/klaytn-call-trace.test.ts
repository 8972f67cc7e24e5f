/** Call traces of Klaytn v1.12.1: members of frames without output, of failures and without gas. */
import { expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import { klaytnCallTrace } from "../../../node/compat/klaytn-call-trace.ts";
import { CALLER, OTHER } from "../../support/evm.ts";

const start = {
  kind: "CALL",
  depth: 0,
  from: CALLER,
  to: OTHER,
  value: 0n,
  gas: 0n,
  input: new Uint8Array(0),
  isPrecompile: false,
} as const;
const frame = {
  type: "CALL",
  from: toHex(CALLER),
  to: toHex(OTHER),
  gas: "0x5208",
  gasUsed: "0x5208",
  input: "0x",
  value: "0x0",
} as const;
const failed = { ...frame, error: "execution reverted", output: "0x01" };

function traceOf(more: object, isFast: boolean): object {
  const trace = klaytnCallTrace({ trace: { ...frame, ...more }, start, gasUsed: 21_000n, isFast });
  return JSON.parse(JSON.stringify(trace)) as object;
}

test("inner frames have gas when an opcode ran, and neither reasons nor, for the end of a contract, data, and none is precompiled", () => {
  const idle = { ...frame, gasUsed: "0x0" };
  const end = { ...frame, type: "SELFDESTRUCT" };
  const broke = { ...idle, error: "insufficient balance for transfer" };
  const reverted = { ...failed, reverted: { contract: frame.to, message: "no" } };
  const { calls } = traceOf(
    { calls: [idle, broke, { ...frame, to: `0x${"0".repeat(38)}0a` }, end, reverted] },
    false,
  ) as { calls: object[] };
  expect(calls.map((call) => Object.keys(call).join(" "))).toEqual([
    "type from to value input output",
    "type from to value input error",
    "type from to value",
    "type from to value gas gasUsed input error",
  ]);
  expect(calls[1]).toMatchObject({ error: "internal failure" });
});

test("a frame that succeeds has an output, and only the outermost of failed ones", () => {
  for (const isFast of [true, false]) {
    expect(traceOf({}, isFast)).toMatchObject({ output: "0x" });
    expect(traceOf({ error: "out of gas" }, isFast)).not.toHaveProperty("output");
    const reverted = traceOf({ ...failed, calls: [failed] }, isFast);
    expect(reverted).toMatchObject({ output: "0x01", calls: [{ error: "execution reverted" }] });
    expect(reverted).not.toHaveProperty("calls.0.output");
  }
  const refused = { ...failed, reverted: { contract: frame.to, message: "assert(false)" } };
  expect(traceOf({ ...refused, output: "0x4e487b71" }, false)).toMatchObject({
    reverted: { contract: frame.to },
  });
  expect(traceOf({ ...refused, output: "0x4e487b71" }, false)).not.toHaveProperty("reverted.message");
  expect(traceOf({ ...refused, output: "0x08c379a0" }, false)).toHaveProperty("reverted.message");
  expect(traceOf({}, true)).not.toHaveProperty("gas"); // left out at 0
  expect(traceOf({}, false)).toMatchObject({ gas: "0x0" });
});
