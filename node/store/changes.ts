/** The changes of one batch. */
import { mapKey } from "../bytes/hex.ts";

/** A row as a batch changes it; `undefined` deletes it. */
export type RowChange = readonly [key: Uint8Array, value: Uint8Array | undefined];

/** The changes of a batch in their order. They are indexed by key only when someone looks one up. */
export class BatchChanges {
  readonly #all: RowChange[] = [];
  #byName: Map<string, Uint8Array | undefined> | undefined;
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

  /** Returns the final value of each key, by `mapKey`. Nothing may be added afterwards. */
  byName(): ReadonlyMap<string, Uint8Array | undefined> {
    this.#byName ??= new Map(this.#all.map(([key, value]) => [mapKey(key), value]));
    return this.#byName;
  }
}
