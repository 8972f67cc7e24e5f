/** About how long the entries of a default trace are, counted before they are made. */
import { mapKey } from "../../bytes/hex.ts";
import type { Step } from "../../evm/tracer.ts";
import type { TraceConfig } from "../arguments/trace-config.ts";

const ENTRY_BYTES = 120;
const WORD_BYTES = 67;
const SLOT_BYTES = 2 * WORD_BYTES;
const SSTORE = 0x55;

/** Counts one transaction's entries; those beyond the caller's own limit are none. */
export function structBytes(config: TraceConfig): (step: Step) => number {
  const slots = new Map<string, Set<bigint>>();
  const limit = config.limit ?? 0;
  let entries = 0;
  const storageBytes = ({ op, address, stack, stackLength }: Step): number => {
    const name = mapKey(address);
    const own = slots.get(name) ?? new Set();
    slots.set(name, own);
    if (op === SSTORE && stackLength > 0) own.add(stack[stackLength - 1] ?? 0n);
    return own.size * SLOT_BYTES;
  };
  return (step) => {
    entries++;
    if (limit > 0 && entries > limit) return 0;
    const stack = config.disableStack === true ? 0 : step.stackLength * WORD_BYTES;
    const memory = config.disableMemory === true ? 0 : (step.memory.length >>> 5) * WORD_BYTES;
    const storage = config.disableStorage === true ? 0 : storageBytes(step);
    return ENTRY_BYTES + stack + memory + storage;
  };
}
