/**
 * A map that is bounded by the sizes of its entries, first in, first out. For caches of results that are dear to make
 * and differ much in size; `RecentMap` is bounded by their number.
 */
export class SizedMap<Value> {
  readonly #max: number;
  readonly #sizeOf: (value: Value, key: string) => number;
  readonly #onRemove: ((value: Value) => void) | undefined;
  readonly #entries = new Map<string, Value>();
  #size = 0;

  /**
   * `sizeOf` returns the size of an entry, which never changes; `max` bounds their sum. `onRemove` receives each value
   * that leaves.
   */
  constructor(max: number, sizeOf: (value: Value, key: string) => number, onRemove?: (value: Value) => void) {
    this.#max = max;
    this.#sizeOf = sizeOf;
    this.#onRemove = onRemove;
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key);
  }

  /** Adds an entry under a new key and removes the oldest ones above the bound, never the new one. */
  add(key: string, value: Value): void {
    this.#entries.set(key, value);
    this.#size += this.#sizeOf(value, key);
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= this.#max || oldest === key) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const value = this.#entries.get(key);
    if (value === undefined) return;
    this.#entries.delete(key);
    this.#size -= this.#sizeOf(value, key);
    this.#onRemove?.(value);
  }

  clear(): void {
    for (const value of this.#entries.values()) this.#onRemove?.(value);
    this.#entries.clear();
    this.#size = 0;
  }
}
