/** Operands of opcodes, also of those that name an account or a storage slot. */
import type { Address } from "../../bytes/brands.ts";
import { addressOf } from "../address.ts";
import type { OpcodeStep } from "../tracer.ts";

/** Opcodes that take an account's address, with its position below the top of the stack. */
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

/** Returns the account that an opcode names, shared and not to be written to; undefined for none. */
export function accountOperand({ op, stack, stackLength }: OpcodeStep): Address | undefined {
  const depth = ADDRESS_AT.get(op);
  if (depth === undefined || stackLength <= depth) return undefined;
  return addressOf(stack[stackLength - 1 - depth] as bigint); // within the stack
}

/** Returns the slot that an SLOAD or SSTORE names; undefined for any other opcode. */
export function slotOperand({ op, stack, stackLength }: OpcodeStep): bigint | undefined {
  return op === SLOAD || op === SSTORE ? stack[stackLength - 1] : undefined;
}

/** Returns an operand by its position below the top of the stack, 0 for the top; 0n below the bottom. */
export function operandOf({ stack, stackLength }: OpcodeStep, position: number): bigint {
  return stack[stackLength - 1 - position] ?? 0n;
}
