/** Items in the order of their last use. */

interface Link<T> {
  readonly item: T;
  older: Link<T> | undefined;
  newer: Link<T> | undefined;
}

/** A linked list in the order of the last `touch`. Every operation takes constant time. */
export class LruOrder<T> {
  readonly #links = new Map<T, Link<T>>();
  #oldest: Link<T> | undefined;
  #newest: Link<T> | undefined;

  get size(): number {
    return this.#links.size;
  }

  has(item: T): boolean {
    return this.#links.has(item);
  }

  /** Makes `item` the newest, and adds it when it is absent. */
  touch(item: T): void {
    this.delete(item);
    const link: Link<T> = { item, older: this.#newest, newer: undefined };
    if (this.#newest) this.#newest.newer = link;
    else this.#oldest = link;
    this.#newest = link;
    this.#links.set(item, link);
  }

  delete(item: T): void {
    const link = this.#links.get(item);
    if (!link) return;
    if (link.older) link.older.newer = link.newer;
    else this.#oldest = link.newer;
    if (link.newer) link.newer.older = link.older;
    else this.#newest = link.older;
    this.#links.delete(item);
  }

  /** Iterates oldest first; the current item may be deleted or touched. */
  *fromOldest(): Generator<T> {
    for (let link = this.#oldest; link; ) {
      const { newer } = link;
      yield link.item;
      link = newer;
    }
  }

  /** Iterates newest first; the current item may be deleted. */
  *fromNewest(): Generator<T> {
    for (let link = this.#newest; link; ) {
      const { older } = link;
      yield link.item;
      link = older;
    }
  }
}
