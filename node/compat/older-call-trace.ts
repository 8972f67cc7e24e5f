/** The call trees of the older line: other members first, what the frame had as gas, a time that it never measured. */
import { toHex } from "../bytes/hex.ts";
import { toQuantity } from "../bytes/integer.ts";
import type { FrameStart } from "../evm/tracer.ts";
import type { CallTrace } from "../evm/tracers/call-tracer.ts";

/** What a tree is made of. */
export interface OlderCall {
  /** Undefined when no frame ran. */
  readonly trace: CallTrace | undefined;
  readonly start: FrameStart | undefined;
  readonly gasUsed: bigint;
  /** `fastCallTracer` leaves out what is nothing. */
  readonly isFast: boolean;
}

/** The tree of one transaction. */
export function olderCallTrace({ trace, start, gasUsed, isFast }: OlderCall): object {
  if (trace === undefined || start === undefined) return frameless(gasUsed, isFast);
  const top = {
    ...trace,
    to: toHex(start.to),
    gas: toQuantity(isFast ? start.gas : BigInt.asUintN(32, start.gas)),
  };
  const reverted = trace.reverted && { contract: toHex(start.to), ...trace.reverted };
  return shown({ ...top, ...(reverted && { reverted }) }, isFast, true);
}

function frameless(gasUsed: bigint, isFast: boolean): object {
  const used = toQuantity(gasUsed);
  if (isFast) return { type: "", value: "0x0", gasUsed: used };
  const nothing = "0x";
  return {
    type: 0,
    from: nothing,
    to: nothing,
    value: "0x0",
    gas: "0x0",
    gasUsed: used,
    input: nothing,
    output: nothing,
    time: 0,
  };
}

function shown(call: CallTrace, isFast: boolean, isTop: boolean): object {
  const { type, from, to, value, gas, gasUsed, input, output, error, calls, reverted } = call;
  return {
    type,
    from,
    to,
    value,
    gas,
    gasUsed,
    input,
    output: output ?? (isFast ? undefined : "0x"),
    error,
    time: isTop && !isFast ? 0 : undefined,
    calls: calls?.map((each) => shown(each, isFast, false)),
    reverted,
  };
}
