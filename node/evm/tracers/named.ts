/** What an opcode names on the stack: the account or the slot that it asks about or changes. */
import { addressOf } from "../address.ts";
import type { Step } from "../tracer.ts";

/** Opcodes that take an account's address, and how deep it lies below the top. */
const ADDRESS_AT: ReadonlyMap<number, number> = new Map([
  [0x31, 0], // BALANCE
  [0x3b, 0], // EXTCODESIZE
  [0x3c, 0], // EXTCODECOPY
  [0x3f, 0], // EXTCODEHASH
  [0xf1, 1], // CALL
  [0xf2, 1], // CALLCODE
  [0xf4, 1], // DELEGATECALL
  [0xfa, 1], // STATICCALL
  [0xff, 0], // SELFDESTRUCT
]);
const SLOAD = 0x54;
const SSTORE = 0x55;

/** The account that an opcode names, not to be written into; undefined for none. */
export function accountNamed({ op, stack, stackLength }: Step): Uint8Array | undefined {
  const depth = ADDRESS_AT.get(op);
  if (depth === undefined || stackLength <= depth) return undefined;
  return addressOf(stack[stackLength - 1 - depth] as bigint); // within the stack
}

/** The slot of its own that a contract names; undefined for none. */
export function slotNamed({ op, stack, stackLength }: Step): bigint | undefined {
  return op === SLOAD || op === SSTORE ? stack[stackLength - 1] : undefined;
}
