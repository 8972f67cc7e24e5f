import { opcodes } from "../opcodes.ts";

/** Opcodes that the Go node has no names for. */
const NAMELESS: ReadonlySet<string> = new Set(["TLOAD", "TSTORE"]);
const names = new Map(
  opcodes.filter(({ name }) => !NAMELESS.has(name)).map(({ number, name }) => [number, name]),
);

/** An opcode's name, also in revisions that do not have it yet; in the Go node's words where it has none. */
export function opcodeName(op: number): string {
  return names.get(op) ?? `Missing opcode 0x${op.toString(16)}`;
}
