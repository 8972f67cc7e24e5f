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

test("a frame that succeeds has an output, and only the outermost of failed ones", () => {
  for (const isFast of [true, false]) {
    expect(traceOf({}, isFast)).toMatchObject({ output: "0x" });
    expect(traceOf({ error: "out of gas" }, isFast)).not.toHaveProperty("output");
    const reverted = traceOf({ ...failed, calls: [failed] }, isFast);
    expect(reverted).toMatchObject({ output: "0x01", calls: [{ error: "execution reverted" }] });
    expect(reverted).not.toHaveProperty("calls.0.output");
  }
  expect(traceOf({}, true)).not.toHaveProperty("gas"); // left out at 0
  expect(traceOf({}, false)).toMatchObject({ gas: "0x0" });
});
