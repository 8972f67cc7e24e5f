/** How frames end (execution.md 5.1). */
import { wordOf } from "./address.ts";
import { finishCreation } from "./creation-frames.ts";
import { type Frame, NO_BYTES, releaseFrame, returnGas, setGas } from "./frame.ts";
import type { Machine } from "./machine.ts";

/** Ends a frame: what a failure takes back, what a new contract pays for its code. */
export function finish(m: Machine, f: Frame): void {
  if (f.failure === undefined && (f.kind === "CREATE" || f.kind === "CREATE2")) finishCreation(m, f);
  const { failure } = f;
  if (failure !== undefined && !f.refused) {
    m.world.revert(f.mark);
    if (failure.code !== "reverted") setGas(f, 0n);
  }
  m.watch?.exit(f);
}

/** Ends a frame and gives its caller what comes of it. */
export function settle(m: Machine, f: Frame): void {
  finish(m, f);
  const { parent, failure } = f;
  if (parent === undefined) return;
  const creates = f.kind === "CREATE" || f.kind === "CREATE2";
  parent.stack[parent.sp - 1] = failure !== undefined ? 0n : creates ? wordOf(f.address) : 1n;
  const gives = failure === undefined ? !creates : failure.code === "reverted";
  parent.returnData = gives ? f.output : NO_BYTES;
  if (gives && !creates) giveOutput(parent, f);
  returnGas(parent, f);
  releaseFrame(f);
}

function giveOutput(parent: Frame, { output, returnAt, returnLength }: Frame): void {
  const length = Math.min(output.length, returnLength);
  if (length === 0) return;
  parent.memory.bytes.set(length === output.length ? output : output.subarray(0, length), returnAt);
}
