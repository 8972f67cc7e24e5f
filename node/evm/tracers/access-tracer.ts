/** Collects the addresses and storage slots that a call accesses, for an access list (EIP-2930). */
import type { Address } from "../../bytes/brands.ts";
import { mapKey } from "../../bytes/hex.ts";
import type { Tracer } from "../tracer.ts";
import { accountOperand, slotOperand } from "./opcode-operands.ts";

/** Accessed addresses and slots in the order of first use. */
export interface AccessedState {
  readonly address: Address;
  readonly slots: readonly bigint[];
}

/** A tracer with its result. */
export interface AccessTracer extends Tracer {
  readonly touched: readonly AccessedState[];
}

/**
 * Creates a tracer that starts from an existing list. Accounts in `free` are left out unless slots of them
 * are accessed.
 */
export function accessTracer(
  known: readonly AccessedState[],
  free: (address: Address) => boolean,
): AccessTracer {
  const touched = new Map<string, { readonly address: Address; readonly slots: Set<bigint> }>();
  const entry = (address: Address): Set<bigint> => {
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
    step: (step) => {
      const slot = slotOperand(step);
      if (slot !== undefined) entry(step.address).add(slot);
      const account = accountOperand(step);
      if (account !== undefined && !free(account)) entry(account);
    },
    get touched() {
      return [...touched.values()].map(({ address, slots }) => ({ address, slots: [...slots] }));
    },
  };
}
