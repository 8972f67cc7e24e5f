/**
 * Call traces of the Go node of version 1: another order of members, the gas of the frame, and a time
 * that is always 0.
 */
import { toHex } from "../bytes/hex.ts";
import { toQuantity } from "../bytes/integer.ts";
import type { FinishedCall } from "../calls/traces/tracing.ts";
import type { CallTrace } from "../evm/tracers/call-tracer.ts";

/** Returns the call trace of one transaction. */
export function klaytnCallTrace({ trace, start, gasUsed, isFast }: FinishedCall): object {
  if (trace === undefined || start === undefined) return frameless(gasUsed, isFast);
  const top = {
    ...trace,
    to: toHex(start.to),
    gas: toQuantity(isFast ? start.gas : BigInt.asUintN(32, start.gas)),
  };
  const reverted = trace.reverted && { contract: toHex(start.to), ...trace.reverted };
  return formatCall({ ...top, ...(reverted && { reverted }) }, isFast, true);
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

function formatCall(call: CallTrace, isFast: boolean, isTop: boolean): object {
  const { type, from, to, value, gas, gasUsed, input, output, error, calls, reverted } = call;
  return {
    type,
    from,
    to,
    value,
    gas: isFast && gas === "0x0" ? undefined : gas,
    gasUsed,
    input,
    output: error === undefined ? (output ?? "0x") : isTop ? output : undefined,
    error,
    time: isTop && !isFast ? 0 : undefined,
    calls: calls?.map((each) => formatCall(each, isFast, false)),
    reverted,
  };
}
