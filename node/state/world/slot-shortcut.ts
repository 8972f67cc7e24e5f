/**
 * The slots and accounts asked for last, found without making a map key. One place for each value of the low
 * bits, checked against the whole key: whoever picks keys that share a place only loses the short cut.
 */
import type { Address } from "../../bytes/brands.ts";
import { lowBits } from "../../bytes/word.ts";
import type { WorldAccount, WorldSlot } from "./world-entry.ts";

const SLOTS = 2048;
const ACCOUNTS = 256;
/** Places of each kind that a world begins with: that of a call meets few slots, and is made for each call. */
const FIRST_PLACES = 32;

/** Copied for each world: filling them again takes fifty times as long. */
const NO_SLOTS = Array.from<undefined>({ length: SLOTS });
const NO_ACCOUNTS = Array.from<undefined>({ length: ACCOUNTS });
const FIRST = Array.from<undefined>({ length: FIRST_PLACES });

/** Both short cuts of one world. */
export class RecentSlots {
  #slots: (WorldSlot | undefined)[] = FIRST.slice();
  #accounts: (WorldAccount | undefined)[] = FIRST.slice();
  #added = 0;

  slot(owner: WorldAccount, key: bigint): WorldSlot | undefined {
    const slot = this.#slots[placeOf(owner, key) & (this.#slots.length - 1)];
    return slot !== undefined && slot.owner === owner && slot.key === key ? slot : undefined;
  }

  addSlot(slot: WorldSlot): void {
    if (++this.#added === FIRST_PLACES) this.#grow();
    this.#slots[placeOf(slot.owner, slot.key) & (this.#slots.length - 1)] = slot;
  }

  /** Needed when an account loses its slots. */
  forgetSlots(): void {
    this.#slots.fill(undefined);
  }

  account(address: Address): WorldAccount | undefined {
    const entry = this.#accounts[accountPlace(address) & (this.#accounts.length - 1)];
    if (entry === undefined) return undefined;
    const known = entry.address;
    if (known.length !== address.length) return undefined;
    for (let i = 0; i < known.length; i++) if (known[i] !== address[i]) return undefined;
    return entry;
  }

  addAccount(entry: WorldAccount): void {
    if (++this.#added === FIRST_PLACES) this.#grow();
    this.#accounts[accountPlace(entry.address) & (this.#accounts.length - 1)] = entry;
  }

  /** Doubles the table. Existing entries are added again at their next use. */
  #grow(): void {
    this.#slots = NO_SLOTS.slice();
    this.#accounts = NO_ACCOUNTS.slice();
  }
}

function placeOf(owner: WorldAccount, key: bigint): number {
  const low = lowBits(key);
  return low ^ (low >>> 4) ^ ((owner.address[19] ?? 0) << 4);
}

function accountPlace(address: Address): number {
  return ((address[18] ?? 0) << 8) | (address[19] ?? 0);
}
