/**
 * Selects the events to write. Repeated events are counted and written periodically, and each object has a
 * token bucket. State is bounded.
 */

/** A write: a new event, or the count of a repeated one. */
export type EventWrite =
  | { readonly kind: "new"; readonly name: string }
  | { readonly kind: "repeat"; readonly name: string; readonly count: number };

interface Series {
  readonly name: string;
  readonly count: number;
  /** Time of the last write. */
  readonly at: number;
}

interface Allowance {
  readonly left: number;
  readonly at: number;
}

/** Minimum interval of writes of a repeated event. */
const REPEAT_MS = 10_000;
/** Token bucket of an object: writes at once, and the interval of further ones. */
const BURST = 25;
const EVERY_MS = 30_000;
const MAX_REMEMBERED = 2_000;

/** Recent events. */
export class EventSeries {
  readonly #series = new Map<string, Series>();
  readonly #allowances = new Map<string, Allowance>();
  #made = 0;

  /** Returns the write for an event `what` about an object at `now`, if any. */
  next(uid: string, what: string, now: number): EventWrite | undefined {
    const key = `${uid} ${what}`;
    const before = this.#series.get(key);
    if (before === undefined) {
      if (!this.#allow(uid, now)) return undefined;
      const name = `${now.toString(16)}${(++this.#made).toString(16)}`;
      remember(this.#series, key, { name, count: 1, at: now });
      return { kind: "new", name };
    }
    const { name } = before;
    const count = before.count + 1;
    const isTold = Math.abs(now - before.at) >= REPEAT_MS && this.#allow(uid, now);
    remember(this.#series, key, { name, count, at: isTold ? now : before.at });
    return isTold ? { kind: "repeat", name, count } : undefined;
  }

  /** Forgets an event that was not written or was deleted. */
  forget(uid: string, what: string): void {
    this.#series.delete(`${uid} ${what}`);
  }

  #allow(uid: string, now: number): boolean {
    const { left, at } = this.#allowances.get(uid) ?? { left: BURST, at: now };
    const there = Math.min(BURST, left + Math.max(0, now - at) / EVERY_MS);
    const isAllowed = there >= 1;
    remember(this.#allowances, uid, { left: there - (isAllowed ? 1 : 0), at: now });
    return isAllowed;
  }
}

/** Sets an entry as the most recent one and evicts the least recent above the limit. */
function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_REMEMBERED && oldest !== undefined) map.delete(oldest);
}
