/** A store of objects by key, `namespace/name`, with an index by namespace. */

/** An object with a namespace. */
interface Placed {
  readonly meta: { readonly namespace: string };
}

/** The store. */
export class Store<T extends Placed> {
  readonly #all = new Map<string, T>();
  readonly #spaces = new Map<string, Map<string, T>>();

  get size(): number {
    return this.#all.size;
  }

  get(key: string): T | undefined {
    return this.#all.get(key);
  }

  /** Lists all objects, or those of a namespace. */
  values(namespace?: string): Iterable<T> {
    if (namespace === undefined) return this.#all.values();
    return this.#spaces.get(namespace)?.values() ?? [];
  }

  entries(): Iterable<readonly [string, T]> {
    return this.#all.entries();
  }

  set(key: string, object: T): void {
    const { namespace } = object.meta;
    const space = this.#spaces.get(namespace) ?? new Map<string, T>();
    this.#spaces.set(namespace, space.set(key, object));
    this.#all.set(key, object);
  }

  delete(key: string): void {
    const namespace = this.#all.get(key)?.meta.namespace;
    if (namespace === undefined) return;
    this.#all.delete(key);
    const space = this.#spaces.get(namespace);
    space?.delete(key);
    if (space?.size === 0) this.#spaces.delete(namespace);
  }
}
