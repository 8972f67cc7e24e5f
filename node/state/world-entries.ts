import { mapKey } from "../bytes/hex.ts";
import { bytesToBigint } from "../bytes/integer.ts";
import { wordBytes } from "../bytes/word.ts";
import { keccak256 } from "../crypto/keccak.ts";
import type { FlatState } from "./flat-state.ts";
import { RecentSlots } from "./recent-slots.ts";
import { newEntry, type WorldAccount, type WorldSlot, wordName } from "./world-entry.ts";

/** The accounts and slots that a world has met, read from the flat state on first sight. */
export class WorldEntries {
  readonly #flat: FlatState;
  readonly #accounts = new Map<string, WorldAccount>();
  readonly #recent = new RecentSlots();

  constructor(flat: FlatState) {
    this.#flat = flat;
  }

  account(address: Uint8Array): WorldAccount {
    const recent = this.#recent.account(address);
    if (recent !== undefined) return recent;
    const name = mapKey(address);
    let entry = this.#accounts.get(name);
    if (entry === undefined) {
      entry = newEntry(address, name, this.#flat.record(address, name));
      this.#accounts.set(name, entry);
    }
    this.#recent.addAccount(entry);
    return entry;
  }

  slot(owner: WorldAccount, key: bigint): WorldSlot {
    const recent = this.#recent.slot(owner, key);
    if (recent !== undefined) return recent;
    owner.slots ??= new Map();
    const name = wordName(key);
    let slot = owner.slots.get(name);
    if (slot === undefined) {
      slot = this.#read(owner, key);
      owner.slots.set(name, slot);
    }
    this.#recent.addSlot(slot);
    return slot;
  }

  /** The account has no storage any more. */
  forgetSlots(owner: WorldAccount): void {
    if (owner.slots === undefined) return;
    owner.slots = undefined;
    this.#recent.forgetSlots();
  }

  #read(owner: WorldAccount, key: bigint): WorldSlot {
    const { incarnation, record } = owner;
    const hash = incarnation === 0 ? undefined : keccak256(wordBytes(key));
    const row = hash && this.#flat.slot(record.hash, incarnation, hash);
    const before = row === undefined ? 0n : bytesToBigint(row);
    return { owner, key, hash, before, value: before, original: 0n, originalIn: 0, warmIn: 0 };
  }
}
