interface Link<T> {
  readonly item: T;
  older: Link<T> | undefined;
  newer: Link<T> | undefined;
}

/** Items in the order in which they were last touched. Every operation is constant. */
export class Recency<T> {
  readonly #links = new Map<T, Link<T>>();
  #oldest: Link<T> | undefined;
  #newest: Link<T> | undefined;

  get size(): number {
    return this.#links.size;
  }

  has(item: T): boolean {
    return this.#links.has(item);
  }

  /** Makes `item` the newest, adding it when it is not here. */
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

  /** Oldest first; the item just given may be deleted or touched while walking. */
  *fromOldest(): Generator<T> {
    for (let link = this.#oldest; link; ) {
      const { newer } = link;
      yield link.item;
      link = newer;
    }
  }

  /** Newest first; the item just given may be deleted while walking. */
  *fromNewest(): Generator<T> {
    for (let link = this.#newest; link; ) {
      const { older } = link;
      yield link.item;
      link = older;
    }
  }
}
