/** Keys of unlocked accounts, with their timers. */
import type { Address } from "../bytes/brands.ts";
import { mapKey } from "../bytes/hex.ts";
import { type Clock, MAX_TIMER_MS } from "../runtime/clock.ts";
import { type Keyring, wipe } from "./keyring.ts";

interface Unlocked {
  readonly keyring: Keyring;
  /** Milliseconds since the epoch; `undefined` for "until exit". */
  readonly until: number | undefined;
  timer: NodeJS.Timeout | undefined;
}

/** Private keys in memory with expiry. It owns the arrays and wipes them on removal. */
export class UnlockedKeys {
  readonly #clock: Clock;
  readonly #keys = new Map<string, Unlocked>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Adds keys for `seconds`, 0 for until exit. A new expiry replaces an old one, except until exit. */
  put(address: Address, keyring: Keyring, seconds: number): void {
    const id = mapKey(address);
    const now = this.#keys.get(id);
    if (now !== undefined && now.until === undefined) {
      wipe(keyring);
      return;
    }
    this.drop(address);
    const until = seconds === 0 ? undefined : this.#clock.now() + seconds * 1000;
    const unlocked: Unlocked = { keyring, until, timer: undefined };
    this.#keys.set(id, unlocked);
    if (until !== undefined) this.#wait(address, unlocked, until);
  }

  #wait(address: Address, unlocked: Unlocked, until: number): void {
    const rest = until - this.#clock.now();
    if (rest <= 0) {
      this.drop(address);
      return;
    }
    const delay = Math.min(rest, MAX_TIMER_MS);
    unlocked.timer = setTimeout(() => this.#wait(address, unlocked, until), delay).unref();
  }

  /** Returns the unlocked keys, not copies. */
  get(address: Address): Keyring | undefined {
    const unlocked = this.#keys.get(mapKey(address));
    if (unlocked?.until === undefined || unlocked.until > this.#clock.now()) return unlocked?.keyring;
    this.drop(address); // its timer is late
    return undefined;
  }

  /** Wipes one account's keys. */
  drop(address: Address): void {
    const id = mapKey(address);
    const unlocked = this.#keys.get(id);
    if (unlocked === undefined) return;
    clearTimeout(unlocked.timer);
    wipe(unlocked.keyring);
    this.#keys.delete(id);
  }

  /** Wipes all keys. */
  clear(): void {
    for (const { keyring, timer } of this.#keys.values()) {
      clearTimeout(timer);
      wipe(keyring);
    }
    this.#keys.clear();
  }
}
