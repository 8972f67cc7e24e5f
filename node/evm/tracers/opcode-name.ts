import { opcodes } from "../opcodes.ts";

const names = new Map(opcodes.map(({ number, name }) => [number, name]));

/** An opcode's name, also in revisions that do not have it yet. */
export function opcodeName(op: number): string {
  return names.get(op) ?? `opcode 0x${op.toString(16)} not defined`;
}
