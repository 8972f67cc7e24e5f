/** Things to come, by their time: those of one time in the order in which they were put down. */
export class Agenda<T> {
  readonly #heap: { readonly time: number; readonly order: number; readonly what: T }[] = [];
  #count = 0;

  add(time: number, what: T): void {
    const heap = this.#heap;
    let at = heap.push({ time, order: this.#count++, what }) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#isBefore(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  /** The next one; undefined when nothing is left. */
  take(): { readonly time: number; readonly what: T } | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    heap[0] = last;
    for (let at = 0; ; ) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < heap.length && this.#isBefore(child, least)) least = child;
      }
      if (least === at) return first;
      this.#swap(at, least);
      at = least;
    }
  }

  #isBefore(a: number, b: number): boolean {
    const [one, other] = [this.#heap[a], this.#heap[b]];
    if (one === undefined || other === undefined) return false;
    return one.time < other.time || (one.time === other.time && one.order < other.order);
  }

  #swap(a: number, b: number): void {
    const [one, other] = [this.#heap[a], this.#heap[b]];
    if (one === undefined || other === undefined) return;
    this.#heap[a] = other;
    this.#heap[b] = one;
  }
}
