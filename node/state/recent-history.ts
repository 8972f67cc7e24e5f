import { mapKey } from "../bytes/hex.ts";
import type { Rows } from "../store/store.ts";
import { tables } from "../store/tables.ts";
import { StateError } from "./error.ts";
import type { FlatChanges } from "./flat-state.ts";
import type { StateHead } from "./rows.ts";
import { decodeUndo, findUndone, type Undone } from "./undo.ts";

/** A row of the flat state by its names: `key` in the chain database, `name` what blocks made here call it. */
export interface RowName {
  readonly key: Uint8Array;
  /** `mapKey` of an account's address or of a slot's key. */
  readonly name: string;
}

/** What a row was; `changed` is false when no later block has changed it. */
export interface Past {
  readonly changed: boolean;
  readonly row: Uint8Array | undefined;
}

/** Past rows of the flat state. */
export interface PastRows {
  /** The oldest block whose state can be read. */
  readonly oldest: number;
  /** What a row was after block `number`, which must not be before `oldest`. */
  past(row: RowName, number: number): Past;
}

/** Names of the rows that a block changed: as blocks made here call them, or `mapKey` of the keys on disk. */
interface ChangedRows {
  readonly made: boolean;
  readonly names: ReadonlySet<string>;
}

/**
 * Which of the recent blocks changed which rows: a row as it was after block n is what the first block after n
 * that changed it found. Values stay in the undo records on disk; names of a block from before the start are
 * read from there when a view first passes it.
 */
export class RecentHistory implements PastRows {
  readonly #rows: Rows;
  readonly #retention: number;
  /** Changed rows of block `#oldest` + 1 and so on; `undefined` where they were not read yet. */
  readonly #blocks: (ChangedRows | undefined)[];
  #oldest: number;
  #newest: { readonly number: number; readonly rows: readonly Undone[] } = { number: -1, rows: [] };

  /** The history below `head`, as far as undo records and retention reach. */
  constructor(rows: Rows, retention: number, { number, firstUndo }: StateHead) {
    this.#rows = rows;
    this.#retention = retention;
    this.#oldest = Math.max(firstUndo - 1, number - retention, 0);
    this.#blocks = Array.from({ length: Math.max(0, number - this.#oldest) }, () => undefined);
  }

  get oldest(): number {
    return this.#oldest;
  }

  /** The next block; its undo record need not be in the store before the block after it comes. */
  add(number: number, rows: readonly Undone[], { accounts, slots }: FlatChanges): void {
    this.#newest = { number, rows };
    const names = new Set<string>(accounts.keys());
    for (const name of slots.keys()) names.add(name);
    this.#blocks.push({ made: true, names });
    while (this.#blocks.length > this.#retention) {
      this.#blocks.shift();
      this.#oldest++;
    }
  }

  /** Forgets the blocks after `number`, which is not before `oldest`. */
  rewind(number: number): void {
    this.#blocks.length = Math.min(this.#blocks.length, number - this.#oldest);
    this.#newest = { number: -1, rows: [] };
  }

  past({ key, name }: RowName, number: number): Past {
    const first = number - this.#oldest;
    if (first >= this.#blocks.length) return UNCHANGED;
    const stored = mapKey(key);
    for (let i = first; i < this.#blocks.length; i++) {
      const { made, names } = this.#blocks[i] ?? this.#readNames(i);
      if (names.has(made ? name : stored))
        return { changed: true, row: this.#undone(this.#oldest + 1 + i, key) };
    }
    return UNCHANGED;
  }

  #undone(block: number, key: Uint8Array): Uint8Array | undefined {
    if (block === this.#newest.number) {
      return this.#newest.rows.find((row) => Buffer.compare(row.key, key) === 0)?.before;
    }
    const { found, before } = findUndone(this.#record(block), key);
    if (!found) throw new StateError("corrupt", `the undo record of block ${block} lacks a row`);
    return before;
  }

  #readNames(i: number): ChangedRows {
    const names = new Set<string>();
    for (const { key } of decodeUndo(this.#record(this.#oldest + 1 + i))) names.add(mapKey(key));
    const changed = { made: false, names };
    this.#blocks[i] = changed;
    return changed;
  }

  #record(block: number): Uint8Array {
    const record = this.#rows.get(tables.undo.key(block));
    if (record === undefined) throw new StateError("corrupt", `the undo record of block ${block} is missing`);
    return record;
  }
}

const UNCHANGED: Past = { changed: false, row: undefined };
