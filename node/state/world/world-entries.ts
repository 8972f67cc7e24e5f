/** Accounts and slots of a world, read on demand. */
import type { Address } from "../../bytes/brands.ts";
import { mapKey } from "../../bytes/hex.ts";
import { bytesToBigint } from "../../bytes/integer.ts";
import { wordBytes } from "../../bytes/word.ts";
import { keccak256 } from "../../crypto/keccak.ts";
import type { FlatState } from "../flat/flat-state.ts";
import type { ReadSlot, ReadSlots } from "../flat/slot-cache.ts";
import { RecentSlots } from "./slot-shortcut.ts";
import { newEntry, type WorldAccount, type WorldSlot, wordName } from "./world-entry.ts";

/** Of an account without storage. */
const NO_SLOT = { hash: undefined, value: 0n };

/** The accounts and slots that a world has met, read from the flat state on first sight. */
export class WorldEntries {
  readonly #flat: FlatState;
  readonly #read: ReadSlots | undefined;
  readonly #accounts = new Map<string, WorldAccount>();
  readonly #recent = new RecentSlots();

  constructor(flat: FlatState, read: ReadSlots | undefined) {
    this.#flat = flat;
    this.#read = read;
  }

  account(address: Address): WorldAccount {
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
      slot = this.#find(owner, key, name);
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

  /** Accounts have other slots than were met last. */
  forgetRecentSlots(): void {
    this.#recent.forgetSlots();
  }

  #find(owner: WorldAccount, key: bigint, name: string): WorldSlot {
    const { hash, value } = this.#readStored(owner, key, name);
    return { owner, key, hash, before: value, value, original: 0n, originalIn: 0, warmIn: 0 };
  }

  #readStored({ incarnation, record }: WorldAccount, key: bigint, name: string): ReadSlot | typeof NO_SLOT {
    if (incarnation === 0) return NO_SLOT;
    const isOfRecord = incarnation === record.incarnation;
    const known = isOfRecord ? this.#read?.get(record, name) : undefined;
    if (known !== undefined) return known;
    const hash = keccak256(wordBytes(key));
    const row = this.#flat.slot(record.hash, incarnation, hash);
    const slot = { hash, value: row === undefined ? 0n : bytesToBigint(row) };
    if (isOfRecord) this.#read?.add(record, name, slot);
    return slot;
  }
}
