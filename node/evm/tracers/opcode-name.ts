/** Names of opcodes for traces, as the Go node shows them. */
import { opcodes } from "../opcodes.ts";

/** Opcodes without a name in the Go node. */
const NAMELESS: ReadonlySet<string> = new Set(["TLOAD", "TSTORE"]);
const names = new Map(
  opcodes.filter(({ name }) => !NAMELESS.has(name)).map(({ number, name }) => [number, name]),
);

/** Returns an opcode's name, also in revisions that lack it; the Go node's placeholder where it has none. */
export function opcodeName(op: number): string {
  return names.get(op) ?? `Missing opcode 0x${op.toString(16)}`;
}
