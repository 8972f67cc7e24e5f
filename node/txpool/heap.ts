/** A binary heap: the item that comes before all others is at the top. */
export class Heap<T> {
  readonly #items: T[];
  readonly #before: (a: T, b: T) => boolean;

  /** Takes over `items` and orders them in linear time. */
  constructor(before: (a: T, b: T) => boolean, items: T[] = []) {
    this.#before = before;
    this.#items = items;
    for (let i = (items.length >> 1) - 1; i >= 0; i--) this.#sink(i);
  }

  get size(): number {
    return this.#items.length;
  }

  /** All items, in no particular order. */
  values(): readonly T[] {
    return this.#items;
  }

  top(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    const items = this.#items;
    let at = items.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = items[parent] as T; // parent < at
      if (!this.#before(item, above)) break;
      items[at] = above;
      at = parent;
    }
    items[at] = item;
  }

  pop(): T | undefined {
    const top = this.#items[0];
    const last = this.#items.pop();
    if (last !== undefined && this.#items.length > 0) {
      this.#items[0] = last;
      this.#sink(0);
    }
    return top;
  }

  /** Puts `item` in the place of the top: one sift instead of a pop and a push. */
  replaceTop(item: T): void {
    this.#items[0] = item;
    this.#sink(0);
  }

  #sink(start: number): void {
    const items = this.#items;
    const item = items[start] as T; // start is an index of the heap
    let at = start;
    for (let child = 2 * at + 1; child < items.length; child = 2 * at + 1) {
      const right = child + 1;
      if (right < items.length && this.#before(items[right] as T, items[child] as T)) child = right;
      const below = items[child] as T; // child < length
      if (!this.#before(below, item)) break;
      items[at] = below;
      at = child;
    }
    items[at] = item;
  }
}
