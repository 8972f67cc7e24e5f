/** Ends frames: reverts failures, stores the code of creations, and passes output and gas to the caller. */
import { wordOf } from "./address.ts";
import { finishCreation } from "./creation-frames.ts";
import { type CallFrame, NO_BYTES, releaseFrame, returnGas, setGas } from "./frame.ts";
import type { Machine } from "./machine.ts";

/** Ends a frame: a failure reverts the world, a creation stores its code. */
export function finish(m: Machine, f: CallFrame): void {
  if (f.failure === undefined && (f.kind === "CREATE" || f.kind === "CREATE2")) finishCreation(m, f);
  const { failure } = f;
  if (failure !== undefined && !f.isRejected) {
    m.world.revert(f.snapshotId);
    if (failure.code !== "reverted") setGas(f, 0n);
  }
  m.watch?.exit(f);
}

/** Ends a frame and passes its result, output and gas to its caller. */
export function settle(m: Machine, f: CallFrame): void {
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

function giveOutput(parent: CallFrame, { output, returnAt, returnLength }: CallFrame): void {
  const length = Math.min(output.length, returnLength);
  if (length === 0) return;
  parent.memory.bytes.set(length === output.length ? output : output.subarray(0, length), returnAt);
}
