/**
 * Slots that worlds on one state have read: each call has a world of its own and often reads the same
 * contracts.
 */
import type { Hash } from "../../bytes/brands.ts";
import type { AccountRecord } from "./flat-rows.ts";

/** A slot as the state has it. */
export interface ReadSlot {
  /** keccak of its key. */
  readonly hash: Hash;
  readonly value: bigint;
}

/** Slots that are remembered; then all are forgotten. */
const MAX_SLOTS = 16_384;

/** Slots by the record of their account and the `wordName` of their key. */
export class ReadSlots {
  #slots = new WeakMap<AccountRecord, Map<string, ReadSlot>>();
  #count = 0;

  get(owner: AccountRecord, name: string): ReadSlot | undefined {
    return this.#slots.get(owner)?.get(name);
  }

  add(owner: AccountRecord, name: string, slot: ReadSlot): void {
    if (this.#count >= MAX_SLOTS) {
      this.#slots = new WeakMap();
      this.#count = 0;
    }
    this.#count++;
    const known = this.#slots.get(owner);
    if (known === undefined) this.#slots.set(owner, new Map([[name, slot]]));
    else known.set(name, slot);
  }
}
