import { mapKey } from "../bytes/hex.ts";
import type { Rows, Store } from "../store/store.ts";
import { tables } from "../store/tables.ts";
import { StateError } from "./error.ts";
import { decodeUndo, findUndone, type Undone } from "./undo.ts";

/**
 * Which of the recent blocks changed which rows: a row as it was after block n is what the first block after n
 * that changed it found. The undo records themselves stay on disk.
 */
export class History {
  readonly #rows: Rows;
  readonly #retention: number;
  /** Numbers of the blocks that changed a row, ascending, by `mapKey` of the row's key. */
  readonly #blocks = new Map<string, number[]>();
  /** Changed rows of the blocks from `#oldest` + 1 on. */
  readonly #changed: string[][] = [];
  #oldest: number;
  #newest: { readonly number: number; readonly rows: readonly Undone[] } = { number: -1, rows: [] };

  /** Nothing is known before block `oldest`. */
  constructor(rows: Rows, retention: number, oldest: number) {
    this.#rows = rows;
    this.#retention = retention;
    this.#oldest = oldest;
  }

  /** The oldest block whose state can be read. */
  get oldest(): number {
    return this.#oldest;
  }

  /** The next block; its undo record need not be in the store before the block after it comes. */
  add(number: number, rows: readonly Undone[]): void {
    this.#newest = { number, rows };
    this.#index(
      number,
      rows.map(({ key }) => mapKey(key)),
    );
  }

  /** The next block, whose undo record is in the store. */
  addStored(number: number, record: Uint8Array): void {
    this.#index(
      number,
      Array.from(decodeUndo(record), ({ key }) => mapKey(key)),
    );
  }

  /** What a row was after block `number`; `changed` is false when it is still the same. */
  before(
    key: Uint8Array,
    number: number,
  ): { readonly changed: boolean; readonly row: Uint8Array | undefined } {
    const block = this.#blocks.get(mapKey(key))?.find((candidate) => candidate > number);
    return block === undefined ? UNCHANGED : { changed: true, row: this.#undone(block, key) };
  }

  #undone(block: number, key: Uint8Array): Uint8Array | undefined {
    if (block === this.#newest.number) {
      return this.#newest.rows.find((row) => Buffer.compare(row.key, key) === 0)?.before;
    }
    const record = this.#rows.get(tables.undo.key(block));
    const { found, before } =
      record === undefined ? { found: false, before: undefined } : findUndone(record, key);
    if (!found) throw new StateError("corrupt", `the undo record of block ${block} lacks a row`);
    return before;
  }

  #index(number: number, names: string[]): void {
    for (const name of names) {
      const blocks = this.#blocks.get(name);
      if (blocks === undefined) this.#blocks.set(name, [number]);
      else blocks.push(number);
    }
    this.#changed.push(names);
    while (this.#changed.length > this.#retention) this.#forgetOldest();
  }

  #forgetOldest(): void {
    for (const name of this.#changed.shift() ?? []) {
      const blocks = this.#blocks.get(name);
      if (blocks === undefined || blocks.length === 1) this.#blocks.delete(name);
      else blocks.shift();
    }
    this.#oldest++;
  }
}

const UNCHANGED = { changed: false, row: undefined } as const;

/** Undo records in the store: what is there, and whether it goes on without a gap up to the head. */
export interface StoredHistory {
  readonly history: History;
  /** The oldest block with an undo record; `head` + 1 where there is none. */
  readonly firstRecord: number;
  /** A record below the head is missing. */
  readonly hasGap: boolean;
}

/** Builds the index from the undo records of the last `retention` blocks. */
export async function readHistory(store: Store, retention: number, head: number): Promise<StoredHistory> {
  const firstRecord = await firstUndo(store, head);
  let start = Math.max(firstRecord, head - retention + 1);
  const records: Uint8Array[] = [];
  let hasGap = false;
  for (let number = start; number <= head; number++) {
    const record = store.get(tables.undo.key(number));
    if (record !== undefined) {
      records.push(record);
      continue;
    }
    hasGap = true;
    start = number + 1;
    records.length = 0;
  }
  const history = new History(store, retention, Math.max(start - 1, 0));
  records.forEach((record, i) => history.addStored(start + i, record));
  return { history, firstRecord, hasGap };
}

async function firstUndo(store: Store, head: number): Promise<number> {
  for await (const [key] of store.entries({ ...tables.undo.range(), limit: 1 })) {
    return Buffer.from(key.buffer, key.byteOffset, key.byteLength).readUIntBE(1, 6);
  }
  return head + 1;
}
