/** Frames of transactions in the flat form of OpenEthereum's `trace` methods, which Erigon and Nethermind share. */
import { toHex } from "../../bytes/hex.ts";
import { toQuantity } from "../../bytes/integer.ts";
import type { EvmFailure, EvmFailureCode } from "../../evm/failure.ts";
import { isCreation } from "../../evm/tracer.ts";
import type { RecordedFrame } from "../../evm/tracers/frame-recorder.ts";
import { blockHash } from "../../model/header.ts";
import { senderOf, type Transaction } from "../../model/transaction.ts";
import type { TracedBlock } from "./trace-transaction.ts";

/** One flat trace. */
export interface FlatTrace {
  readonly action: object;
  readonly blockHash: string;
  readonly blockNumber: number;
  readonly error?: string;
  readonly result?: object | null;
  readonly subtraces: number;
  readonly traceAddress: readonly number[];
  readonly transactionHash: string;
  readonly transactionPosition: number;
  readonly type: "call" | "create" | "suicide";
}

/** A block, and one of its transactions by its index. */
export interface TracedPlace {
  readonly block: TracedBlock;
  readonly index: number;
  readonly chainId: bigint;
}

/** OpenEthereum's words for failures. */
const ERRORS: Partial<Record<EvmFailureCode, string>> = {
  reverted: "Reverted",
  "out-of-gas": "Out of gas",
  "code-store-out-of-gas": "Out of gas",
  "gas-overflow": "Out of gas",
  "code-size": "Out of gas",
  "write-protection": "Mutable Call In Static Context",
  "invalid-jump": "Bad jump destination",
  "invalid-opcode": "Bad instruction",
  "return-data-out-of-bounds": "Out of bounds",
  "stack-underflow": "Stack underflow",
  "stack-overflow": "Out of stack",
  "precompile-failed": "Built-in failed",
};

/** Formats the frames of a transaction. One that ran no code is a call of its recipient that used no gas. */
export function flatTraces(frames: readonly RecordedFrame[], place: TracedPlace): FlatTrace[] {
  const { block, index, chainId } = place;
  const tx = block.transactions[index];
  if (tx === undefined) return [];
  const common = {
    blockHash: toHex(blockHash(block.header)),
    blockNumber: block.header.number,
    transactionHash: toHex(tx.hash),
    transactionPosition: index,
  };
  return frameTraces(frames, tx, chainId).map((trace) => ({ ...trace, ...common }));
}

/** A flat trace without the members that name the block and the transaction. */
export type FrameTrace = Omit<
  FlatTrace,
  "blockHash" | "blockNumber" | "transactionHash" | "transactionPosition"
>;

/** Formats the frames of a transaction as `flatTraces` does, without its place. */
export function frameTraces(
  frames: readonly RecordedFrame[],
  tx: Transaction,
  chainId: bigint,
): readonly FrameTrace[] {
  return frames.length === 0 ? [framelessTrace(tx, chainId)] : frames.map(traceOf);
}

function framelessTrace(tx: Transaction, chainId: bigint): FrameTrace {
  const from = toHex(senderOf(tx, chainId));
  const to = tx.to === undefined ? from : toHex(tx.to);
  const action = {
    callType: "call",
    from,
    gas: "0x0",
    input: toHex(tx.input),
    to,
    value: toQuantity(tx.value),
  };
  return { action, result: { gasUsed: "0x0", output: "0x" }, subtraces: 0, traceAddress: [], type: "call" };
}

function traceOf(frame: RecordedFrame): FrameTrace {
  const { start, path: traceAddress, children: subtraces } = frame;
  const outcome = { ...outcomeOf(frame), subtraces, traceAddress };
  const [from, to, gas, input] = [
    toHex(start.from),
    toHex(start.to),
    toQuantity(start.gas),
    toHex(start.input),
  ];
  const value = toQuantity(start.value);
  if (start.kind === "SELFDESTRUCT") {
    const action = { address: from, balance: value, refundAddress: to };
    return { action, ...outcome, result: null, type: "suicide" };
  }
  if (isCreation(start)) {
    const action = { creationMethod: start.kind.toLowerCase(), from, gas, init: input, value };
    return { action, ...outcome, type: "create" };
  }
  return {
    action: { callType: start.kind.toLowerCase(), from, gas, input, to, value },
    ...outcome,
    type: "call",
  };
}

/** Returns the result of a frame; for one that failed the error alone. */
function outcomeOf({ start, end }: RecordedFrame): Pick<FlatTrace, "error" | "result"> {
  if (end === undefined) return { result: null };
  if (end.failure !== undefined) return { error: errorText(end.failure) };
  const [gasUsed, output] = [toQuantity(end.gasUsed), toHex(end.output)];
  return {
    result: isCreation(start) ? { address: toHex(start.to), code: output, gasUsed } : { gasUsed, output },
  };
}

function errorText({ code, message }: EvmFailure): string {
  return ERRORS[code] ?? message;
}
