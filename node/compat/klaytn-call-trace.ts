/**
 * Call traces of the Go node of version 1: another order of members, the gas of the frame, and a time
 * that is always 0.
 */
import { toHex } from "../bytes/hex.ts";
import { toQuantity } from "../bytes/integer.ts";
import type { FinishedCall } from "../calls/traces/tracing.ts";
import type { CallTrace } from "../evm/tracers/call-tracer.ts";

/** Selector of Solidity's `Error(string)`. */
const ERROR_SELECTOR = "0x08c379a0";

/** Returns the call trace of one transaction. */
export function klaytnCallTrace({ trace, start, gasUsed, isFast }: FinishedCall): object {
  if (trace === undefined || start === undefined) return frameless(gasUsed, isFast);
  const top = {
    ...trace,
    to: toHex(start.to),
    gas: toQuantity(isFast ? start.gas : BigInt.asUintN(32, start.gas)),
  };
  const { message } = trace.reverted ?? {};
  const isText = message !== undefined && trace.output?.startsWith(ERROR_SELECTOR) === true; // Solidity's panics have none
  const reverted = trace.reverted && { contract: toHex(start.to), ...(isText ? { message } : {}) };
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

/** Reserved for precompiled contracts, whose calls the Go node does not list. */
const RESERVED = /^0x0{37}[0-3][0-9a-f]{2}$/;

function formatCall(call: CallTrace, isFast: boolean, isTop: boolean): object {
  const { type, from, to, value, gas, input, calls = [], reverted } = call;
  if (type === "SELFDESTRUCT") return { type, from, to, value };
  const inner = calls.filter((each) => !RESERVED.test(each.to ?? ""));
  return {
    type,
    from,
    to,
    value,
    gas: isFast && gas === "0x0" ? undefined : gas,
    gasUsed: call.gasUsed,
    ...(isTop ? {} : idleMembers(call)),
    input,
    output: outputOf(call, isTop),
    error: call.error,
    ...(isTop ? {} : idleFault(call)),
    time: isTop && !isFast ? 0 : undefined,
    calls: inner.length === 0 ? undefined : inner.map((each) => formatCall(each, isFast, false)),
    reverted: isTop ? reverted : undefined,
  };
}

function outputOf({ output, error }: CallTrace, isTop: boolean): string | undefined {
  if (error === undefined) return output ?? "0x";
  return isTop ? output : undefined;
}

/** Leaves out the gas of an inner frame in which no opcode ran: the Go node did not see it. */
function idleMembers({ gasUsed }: CallTrace): object {
  return gasUsed === "0x0" ? { gas: undefined, gasUsed: undefined } : {};
}

function idleFault({ gasUsed, error }: CallTrace): object {
  return gasUsed === "0x0" && error !== undefined ? { error: "internal failure" } : {};
}
