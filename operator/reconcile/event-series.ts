/**
 * Which events are worth a write. One that repeats is counted, and its count written now and then; an object about
 * which there is ever something new is heard of now and then too. Pure but for what it remembers, which is bounded.
 */

/** What to write: a new event, or that one which is there has repeated. */
export type EventWrite =
  | { readonly kind: "new"; readonly name: string }
  | { readonly kind: "repeat"; readonly name: string; readonly count: number };

interface Series {
  readonly name: string;
  readonly count: number;
  /** When it was last written. */
  readonly at: number;
}

interface Allowance {
  readonly left: number;
  readonly at: number;
}

/** A repeated event is written once in this time. */
const REPEAT_MS = 10_000;
/** How many writes an object's events have at once, and how long it takes until there is one more. */
const BURST = 25;
const EVERY_MS = 30_000;
const MAX_REMEMBERED = 2_000;

/** Remembers what was told. */
export class EventSeries {
  readonly #series = new Map<string, Series>();
  readonly #allowances = new Map<string, Allowance>();
  #made = 0;

  /** What to write of an event `what` about an object that happens `now`, if anything. */
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

  /** The event is not there, or no longer: it is new when it happens again. */
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

/** Sets it as the last one; the one that was not asked for longest goes when there are too many. */
function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_REMEMBERED && oldest !== undefined) map.delete(oldest);
}
