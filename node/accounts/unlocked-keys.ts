import { mapKey } from "../bytes/hex.ts";
import type { Clock } from "../observe/clock.ts";

/** The longest delay a timer takes, in milliseconds. */
const LONGEST_DELAY = 2 ** 31 - 1;

interface Unlocked {
  readonly key: Uint8Array;
  /** Milliseconds since the epoch, or undefined for "until exit". */
  readonly until: number | undefined;
  timer: NodeJS.Timeout | undefined;
}

/** Private keys in memory, each for a time; a key that leaves is wiped. It owns the arrays it is given. */
export class UnlockedKeys {
  readonly #clock: Clock;
  readonly #keys = new Map<string, Unlocked>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Keeps a key for `seconds`, 0 for until exit. A key kept until exit stays so; a new time replaces an old one.
   */
  put(address: Uint8Array, key: Uint8Array, seconds: number): void {
    const id = mapKey(address);
    const now = this.#keys.get(id);
    if (now !== undefined && now.until === undefined) {
      key.fill(0);
      return;
    }
    this.drop(address);
    const until = seconds === 0 ? undefined : this.#clock.now() + seconds * 1000;
    const unlocked: Unlocked = { key, until, timer: undefined };
    this.#keys.set(id, unlocked);
    if (until !== undefined) this.#wait(address, unlocked, until);
  }

  #wait(address: Uint8Array, unlocked: Unlocked, until: number): void {
    const rest = until - this.#clock.now();
    if (rest <= 0) {
      this.drop(address);
      return;
    }
    const delay = Math.min(rest, LONGEST_DELAY);
    unlocked.timer = setTimeout(() => this.#wait(address, unlocked, until), delay).unref();
  }

  /** The key while it is unlocked; not a copy. */
  get(address: Uint8Array): Uint8Array | undefined {
    const unlocked = this.#keys.get(mapKey(address));
    if (unlocked?.until === undefined || unlocked.until > this.#clock.now()) return unlocked?.key;
    this.drop(address); // its timer is late
    return undefined;
  }

  /** Wipes one key. */
  drop(address: Uint8Array): void {
    const id = mapKey(address);
    const unlocked = this.#keys.get(id);
    if (unlocked === undefined) return;
    clearTimeout(unlocked.timer);
    unlocked.key.fill(0);
    this.#keys.delete(id);
  }

  /** Wipes all keys. */
  clear(): void {
    for (const { key, timer } of this.#keys.values()) {
      clearTimeout(timer);
      key.fill(0);
    }
    this.#keys.clear();
  }
}
