import { mapKey } from "../bytes/hex.ts";

/** A row as a batch changes it; `undefined` deletes it. */
export type Change = readonly [key: Uint8Array, value: Uint8Array | undefined];

/** The changes of a batch in their order. They are indexed by key only when someone looks one up. */
export class Changes {
  readonly #all: Change[] = [];
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

  /** What the changes leave under each key, by `mapKey`; nothing may be added afterwards. */
  byName(): ReadonlyMap<string, Uint8Array | undefined> {
    this.#byName ??= new Map(this.#all.map(([key, value]) => [mapKey(key), value]));
    return this.#byName;
  }
}
