/** Collects what a call touches and an access list may name: addresses and storage slots. */
import { mapKey } from "../../bytes/hex.ts";
import { addressOf } from "../address.ts";
import type { Step, Tracer } from "../tracer.ts";

/** What was touched, in the order of first use. */
export interface Touched {
  readonly address: Uint8Array;
  readonly slots: readonly bigint[];
}

/** A tracer with its result. */
export interface AccessTracer extends Tracer {
  readonly touched: readonly Touched[];
}

/** Opcodes that name an account: how deep in the stack, from the top. */
const ACCOUNTS: ReadonlyMap<number, number> = new Map([
  [0x31, 1], // BALANCE
  [0x3b, 1], // EXTCODESIZE
  [0x3c, 1], // EXTCODECOPY
  [0x3f, 1], // EXTCODEHASH
  [0xff, 1], // SELFDESTRUCT
  [0xf1, 2], // CALL
  [0xf2, 2], // CALLCODE
  [0xf4, 2], // DELEGATECALL
  [0xfa, 2], // STATICCALL
]);
const SLOAD = 0x54;
const SSTORE = 0x55;

/** A tracer that starts from what a list names already; accounts that are `free` are left out unless they have slots. */
export function accessTracer(
  known: readonly Touched[],
  free: (address: Uint8Array) => boolean,
): AccessTracer {
  const touched = new Map<string, { readonly address: Uint8Array; readonly slots: Set<bigint> }>();
  const entry = (address: Uint8Array): Set<bigint> => {
    const key = mapKey(address);
    const found = touched.get(key) ?? { address: address.slice(), slots: new Set<bigint>() };
    touched.set(key, found);
    return found.slots;
  };
  for (const { address, slots } of known) {
    const all = free(address) && slots.length === 0 ? undefined : entry(address);
    for (const slot of slots) all?.add(slot);
  }
  return {
    step: ({ op, address, stack, stackLength }: Step) => {
      if ((op === SLOAD || op === SSTORE) && stackLength > 0) {
        entry(address).add(stack[stackLength - 1] as bigint); // within the stack
        return;
      }
      const depth = ACCOUNTS.get(op);
      if (depth === undefined || stackLength < depth) return;
      const named = addressOf(stack[stackLength - depth] as bigint); // within the stack
      if (!free(named)) entry(named);
    },
    get touched() {
      return [...touched.values()].map(({ address, slots }) => ({ address, slots: [...slots] }));
    },
  };
}
