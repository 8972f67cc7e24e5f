/** The changes of one batch. */
import { mapKey } from "../bytes/hex.ts";

/** A row as a batch changes it; `undefined` deletes it. */
export type RowChange = readonly [key: Uint8Array, value: Uint8Array | undefined];

/** The changes of a batch in their order. They are indexed by key when someone looks one up, or before. */
export class BatchChanges {
  readonly #all: RowChange[] = [];
  readonly #byName = new Map<string, Uint8Array | undefined>();
  #indexed = 0;
  #bytes = 0;

  /** Number of changes. */
  get size(): number {
    return this.#all.length;
  }

  /** Bytes of all keys and values. */
  get bytes(): number {
    return this.#bytes;
  }

  add(key: Uint8Array, value: Uint8Array | undefined): void {
    this.#all.push([key, value]);
    this.#bytes += key.length + (value?.length ?? 0);
  }

  /** Returns the final value of each key, by `mapKey`. */
  byName(): ReadonlyMap<string, Uint8Array | undefined> {
    for (; this.#indexed < this.#all.length; this.#indexed++) {
      const [key, value] = this.#all[this.#indexed] as RowChange; // within the length
      this.#byName.set(mapKey(key), value);
    }
    return this.#byName;
  }
}
