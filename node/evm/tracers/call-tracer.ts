/**
 * The tree of calls in the form of the Go node's `callTracer` and `fastCallTracer`; the records of internal
 * transactions (`--vm.internaltx`) have the same form.
 */
import type { Address } from "../../bytes/brands.ts";
import { toHex } from "../../bytes/hex.ts";
import { toQuantity } from "../../bytes/integer.ts";
import type { EvmFailure } from "../failure.ts";
import { revertReason } from "../revert-reason.ts";
import { type FrameEnd, type FrameKind, type FrameStart, isCreation, type Tracer } from "../tracer.ts";

/** One call. Members are in the Go node's order; those without a value are absent. */
export interface CallTrace {
  readonly from: string;
  readonly gas: string;
  readonly gasUsed: string;
  readonly to?: string;
  readonly input: string;
  readonly output?: string;
  readonly error?: string;
  readonly revertReason?: string;
  readonly reverted?: { readonly contract?: string; readonly message?: string };
  readonly calls?: readonly CallTrace[];
  readonly value?: string;
  readonly type: FrameKind;
}

/** Facts about the transaction for its outermost frame. */
export interface TracedTransaction {
  readonly gasLimit: bigint;
  /** Gas used as in the receipt. */
  readonly gasUsed: bigint;
}

/** A transaction that begins no frame, such as an account update. */
export interface FramelessTransaction extends TracedTransaction {
  readonly from: Address;
  readonly to: Address;
  readonly input: Uint8Array;
  readonly value: bigint;
}

/** A tracer with its result. */
export interface CallTracer {
  readonly tracer: Tracer;
  /** Returns the outermost call; undefined when no frame ran. */
  readonly result: (transaction: TracedTransaction) => CallTrace | undefined;
}

interface Open {
  readonly start: FrameStart;
  readonly calls: CallTrace[];
}

/** Creates a tracer for one transaction. */
export function createCallTracer(): CallTracer {
  const open: Open[] = [];
  let outermost: (Open & { readonly end: FrameEnd }) | undefined;
  return {
    tracer: {
      enter: (start) => {
        open.push({ start, calls: [] });
      },
      exit: (end) => {
        const frame = open.pop();
        if (frame === undefined) return;
        const { start, calls } = frame;
        const outer = open.at(-1);
        if (outer === undefined) outermost = { start, calls, end };
        else outer.calls.push(toCallTrace({ start, calls, end, gas: start.gas, gasUsed: end.gasUsed }));
      },
    },
    result: ({ gasLimit, gasUsed }) => outermost && toCallTrace({ ...outermost, gas: gasLimit, gasUsed }),
  };
}

/** Returns the trace of a transaction that begins no frame. */
export function framelessCall({
  from,
  to,
  input,
  value,
  gasLimit,
  gasUsed,
}: FramelessTransaction): CallTrace {
  return {
    from: toHex(from),
    gas: toQuantity(gasLimit),
    gasUsed: toQuantity(gasUsed),
    to: toHex(to),
    input: toHex(input),
    value: toQuantity(value),
    type: "CALL",
  };
}

interface Ended extends Open {
  readonly end: FrameEnd;
  readonly gas: bigint;
  readonly gasUsed: bigint;
}

function toCallTrace({ start, calls, end, gas, gasUsed }: Ended): CallTrace {
  const { failure, output } = end;
  const to = failure !== undefined && isCreation(start) ? undefined : toHex(start.to);
  const showsOutput = output.length > 0 && (failure === undefined || failure.code === "reverted");
  return {
    from: toHex(start.from),
    gas: toQuantity(gas),
    gasUsed: toQuantity(gasUsed),
    ...(to === undefined ? {} : { to }),
    input: toHex(start.input),
    ...(showsOutput ? { output: toHex(output) } : {}),
    ...(failure === undefined ? {} : failureMembers(failure, output, to)),
    ...(calls.length > 0 ? { calls } : {}),
    ...(start.kind === "STATICCALL" ? {} : { value: toQuantity(start.value) }),
    type: start.kind,
  };
}

function failureMembers(
  failure: EvmFailure,
  output: Uint8Array,
  contract: string | undefined,
): Pick<CallTrace, "error" | "revertReason" | "reverted"> {
  if (failure.code !== "reverted") return { error: failure.message };
  const message = revertReason(output);
  return {
    error: "execution reverted",
    ...(message === undefined ? {} : { revertReason: message }),
    reverted: {
      ...(contract === undefined ? {} : { contract }),
      ...(message === undefined ? {} : { message }),
    },
  };
}
