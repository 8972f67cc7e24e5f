/** Collects what a call touches and an access list may name: addresses and storage slots. */
import { mapKey } from "../../bytes/hex.ts";
import type { Tracer } from "../tracer.ts";
import { accountNamed, slotNamed } from "./named.ts";

/** What was touched, in the order of first use. */
export interface Touched {
  readonly address: Uint8Array;
  readonly slots: readonly bigint[];
}

/** A tracer with its result. */
export interface AccessTracer extends Tracer {
  readonly touched: readonly Touched[];
}

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
    step: (step) => {
      const slot = slotNamed(step);
      if (slot !== undefined) entry(step.address).add(slot);
      const account = accountNamed(step);
      if (account !== undefined && !free(account)) entry(account);
    },
    get touched() {
      return [...touched.values()].map(({ address, slots }) => ({ address, slots: [...slots] }));
    },
  };
}
