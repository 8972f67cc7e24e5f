/** Tests of the recorded frames: their order and place, and which of them are undone. */
import { expect, test } from "@jest/globals";
import { internalOperations } from "../../../node/calls/traces/otterscan-traces.ts";
import { failures } from "../../../node/evm/failure.ts";
import type { FrameKind } from "../../../node/evm/tracer.ts";
import { createFrameRecorder } from "../../../node/evm/tracers/frame-recorder.ts";

const recorder = () => {
  const { tracer, frames } = createFrameRecorder();
  let depth = 0;
  const enter = (kind: FrameKind, { value = 0n, isPrecompile = false } = {}): void => {
    const [from, to] = [new Uint8Array(20).fill(depth), new Uint8Array(20).fill(depth + 1)];
    tracer.enter?.({
      kind,
      depth: depth++,
      from,
      to,
      value,
      gas: 0n,
      input: new Uint8Array(0),
      isPrecompile,
    });
  };
  const exit = (failure?: (typeof failures)["reverted"]): void =>
    tracer.exit?.({ depth: --depth, output: new Uint8Array(0), gasUsed: 0n, failure });
  return { enter, exit, frames };
};

test("frames of a failed call are undone with those that they called, and no others", () => {
  const { enter, exit, frames } = recorder();
  enter("CALL");
  enter("CALL", { value: 1n });
  enter("CREATE2");
  exit();
  exit(failures.reverted);
  enter("CALL", { value: 2n });
  exit();
  enter("SELFDESTRUCT");
  exit();
  exit();
  expect(frames.map(({ path, isUndone }) => [path.join("."), isUndone])).toEqual([
    ["", false],
    ["0", true],
    ["0.0", true],
    ["1", false],
    ["2", false],
  ]);
  expect(frames.map(({ children }) => children)).toEqual([3, 1, 0, 0, 0]);
  expect(internalOperations(frames).map(({ type, value }) => [type, value])).toEqual([
    [0, "0x2"],
    [1, "0x0"],
  ]);
});

test("calls of precompiled contracts take no place, but for the outermost", () => {
  const { enter, exit, frames } = recorder();
  enter("CALL", { isPrecompile: true });
  enter("STATICCALL", { isPrecompile: true });
  exit(failures["out-of-gas"]);
  enter("CALL");
  exit();
  exit();
  expect(frames.map(({ path, isUndone }) => [path.join("."), isUndone])).toEqual([
    ["", false],
    ["0", false],
  ]);
});
