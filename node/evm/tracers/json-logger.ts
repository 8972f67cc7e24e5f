/**
 * Writes one line of JSON for every opcode and one for the end, in the form of the Go node's standard trace
 * (compare EIP-3155).
 */
import { bareHex, toHex } from "../../bytes/hex.ts";
import { toQuantity } from "../../bytes/integer.ts";
import type { EvmFailure } from "../failure.ts";
import type { OpcodeStep, Tracer } from "../tracer.ts";
import { opcodeName } from "./opcode-name.ts";

/** Parts of an entry that are left out. */
export interface JsonLogOptions {
  readonly disableMemory?: boolean | undefined;
  readonly disableStack?: boolean | undefined;
}

/** Creates a tracer of one transaction that calls `write` for each line. */
export function createJsonLogger(options: JsonLogOptions, write: (line: string) => void): Tracer {
  const note = (step: OpcodeStep, failure: EvmFailure | undefined): void =>
    write(lineOf(step, failure, options));
  return {
    step: note,
    fault: note,
    exit: ({ depth, output, gasUsed, failure }) => {
      if (depth > 0) return;
      const error = failure === undefined ? {} : { error: failure.message };
      write(`${JSON.stringify({ output: bareHex(output), gasUsed: toQuantity(gasUsed), ...error })}\n`);
    },
  };
}

function lineOf(step: OpcodeStep, failure: EvmFailure | undefined, options: JsonLogOptions): string {
  const { stack, stackLength } = step;
  const line = {
    pc: step.pc,
    op: step.op,
    gas: toQuantity(step.gas),
    gasCost: toQuantity(step.gasCost),
    memory: options.disableMemory === true ? "0x" : toHex(step.memory),
    memSize: step.memory.length,
    stack: options.disableStack === true ? null : stack.slice(0, stackLength).map(toQuantity),
    depth: step.depth + 1,
    refund: step.refund,
    opName: opcodeName(step.op),
    error: failure?.message ?? "",
  };
  return `${JSON.stringify(line)}\n`;
}
