/**
 * The states before the newest. Recent ones come from the undo records with an index in memory. Where more are
 * wanted (a longer retention, or all: an archive node), an index on disk takes every change from then on.
 */
import { isDeepStrictEqual } from "node:util";
import { concatBytes } from "../../bytes/compare.ts";
import { mapKey } from "../../bytes/hex.ts";
import { bytesToNumber, fixedBytes } from "../../bytes/integer.ts";
import type { Log } from "../../observe/log.ts";
import type { Batch, Rows, Store } from "../../store/store.ts";
import { tables } from "../../store/tables.ts";
import { StateError } from "../error.ts";
import type { StateHead } from "../rows.ts";
import { ChangeIndex, type Past, type PastRows } from "./change-index.ts";
import { RecordIndex } from "./record-index.ts";
import { decodeUndo, encodeUndo, type Undone } from "./undo-record.ts";

/** Retention of past states. */
export interface HistorySettings {
  /** Blocks whose states can be read besides the newest; `undefined`: as the database did before, else `window`. */
  readonly retention: number | undefined;
  /** All of them; `undefined`: as the database did before, a new one is none. */
  readonly archive: boolean | undefined;
  /** Blocks indexed in memory; a longer retention needs the index on disk. */
  readonly window: number;
}

/** Content of the index on disk. */
export interface HistoryMode {
  readonly archive: boolean;
  /** Without meaning in an archive node. */
  readonly retention: number;
  /** States of this block and later ones are in the index. */
  readonly from: number;
}

const HISTORY_KEY = tables.meta.key("history");

/** The mode that the database was left in; `undefined` where it has no index. */
export function readHistoryMode(rows: Rows): HistoryMode | undefined {
  const row = rows.get(HISTORY_KEY);
  if (row === undefined) return undefined;
  const [from, retention] = [row.subarray(1, 7), row.subarray(7)].map(bytesToNumber);
  return { archive: row[0] === 1, from: from ?? 0, retention: retention ?? 0 };
}

/** Settles what is kept from now on and writes that down. */
export async function openHistory(
  chain: Store,
  settings: HistorySettings,
  head: StateHead,
  log: Log,
): Promise<History> {
  const before = readHistoryMode(chain);
  const mode = nextMode(before, settings, head, chain.damage !== undefined);
  if (!isDeepStrictEqual(mode, before)) {
    const batch = chain.createBatch();
    if (mode === undefined) batch.delete(HISTORY_KEY);
    else putMode(batch, mode);
    await chain.write(batch, { sync: true });
    if (before !== undefined)
      log.warn({ before, now: mode, head: head.number }, "retention of states changed");
  }
  const recent = Math.min(mode?.retention ?? settings.retention ?? settings.window, settings.window);
  return new History(chain, recent, head, mode);
}

function nextMode(
  before: HistoryMode | undefined,
  settings: HistorySettings,
  { number }: StateHead,
  isDamaged: boolean,
): HistoryMode | undefined {
  const { window, archive = before?.archive === true } = settings;
  const wasRetention = before?.archive === false && settings.archive === undefined;
  const retention = settings.retention ?? (wasRetention ? before.retention : window);
  if (!archive && retention <= window) return undefined;
  const now = Math.max(number, 0);
  // entries may be among what was lost: only later ones can be trusted
  const from = before === undefined || isDamaged ? now : Math.min(before.from, now);
  return { archive, from, retention };
}

function putMode(batch: Batch, { archive, from, retention }: HistoryMode): void {
  const row = concatBytes(Uint8Array.of(archive ? 1 : 0), fixedBytes(from, 6), fixedBytes(retention, 6));
  batch.put(HISTORY_KEY, row);
}

/** Past rows from the undo records or the index, whichever reaches the block. */
export class History implements PastRows {
  /** Blocks whose undo records are needed. */
  readonly recentBlocks: number;
  readonly #recent: RecentHistory;
  readonly #index: ChangeIndex;
  #mode: HistoryMode | undefined;
  #head: number;

  constructor(rows: Rows, recentBlocks: number, head: StateHead, mode: HistoryMode | undefined) {
    this.recentBlocks = recentBlocks;
    this.#recent = new RecentHistory(rows, recentBlocks, head);
    this.#index = new ChangeIndex(rows);
    this.#mode = mode;
    this.#head = head.number;
  }

  /** `undefined` without an index on disk. */
  get mode(): HistoryMode | undefined {
    return this.#mode;
  }

  get oldest(): number {
    if (this.#mode === undefined) return this.#recent.oldest;
    const { archive, from, retention } = this.#mode;
    const oldest = archive ? from : Math.max(from, this.#head - retention);
    return Math.min(oldest, this.#recent.oldest);
  }

  /** The oldest block after which all undo records are kept. */
  get oldestRecent(): number {
    return this.#recent.oldest;
  }

  /** The next block: its undo record, and what the index takes of it, go into its batch. */
  add(number: number, rows: readonly Undone[], batch: Batch): void {
    const record = encodeUndo(rows);
    batch.put(tables.undo.key(number), record);
    this.#recent.add(number, rows, record);
    if (this.#mode !== undefined) this.#index.add(batch, number, rows);
    this.#head = number;
  }

  /** Adds rows to the undo record of the newest block, which changed them outside its transactions. */
  amend(number: number, rows: readonly Undone[], batch: Batch): void {
    const { all, added } = this.#recent.extend(number, rows);
    const record = encodeUndo(all);
    batch.put(tables.undo.key(number), record);
    this.#recent.replace(number, all, record);
    if (this.#mode !== undefined) this.#index.add(batch, number, added);
  }

  /** Takes the changes of blocks after `number` out of the index on disk, in steps. */
  *rewindIndex(rows: readonly Undone[], number: number, batch: Batch): Generator<undefined> {
    if (this.#mode !== undefined) yield* this.#index.rewind(batch, rows, number);
  }

  /** The blocks after `number`, which is not before `oldestRecent`, are gone. */
  rewind(number: number): void {
    this.#recent.rewind(number);
    this.#head = number;
  }

  past(key: Uint8Array, number: number): Past {
    return number >= this.#recent.oldest ? this.#recent.past(key, number) : this.#index.past(key, number);
  }

  /** States before block `oldest` are gone, their undo records with them. */
  forgetRecent(oldest: number): void {
    this.#recent.forget(oldest);
  }

  /** Changes up to `oldest` are needed no more, and the index may lose them: the batch says so first. */
  forgetBefore(oldest: number, batch: Batch): void {
    if (this.#mode === undefined || oldest <= this.#mode.from) return;
    this.#mode = { ...this.#mode, from: oldest };
    putMode(batch, this.#mode);
  }
}

/** Undo records kept in memory once they have been read, in bytes. */
const CACHED_BYTES = 4 * 1024 * 1024;
const UNCHANGED: Past = { changed: false, row: undefined };

/**
 * An index from rows to the recent blocks that changed them. The row after block n is the previous value of
 * the first block after n that changed it. Values stay in the undo records on disk; the index of a block from
 * before the start is built when a view first passes it.
 */
class RecentHistory implements PastRows {
  readonly #rows: Rows;
  readonly #retention: number;
  /** Of block `#oldest` + 1 and so on; `undefined` where the record was not read yet. */
  readonly #blocks: (RecordIndex | undefined)[];
  readonly #records = new Map<number, Uint8Array>();
  #cachedBytes = 0;
  #oldest: number;
  #newest: { readonly number: number; readonly record: Uint8Array } | undefined;

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
  add(number: number, rows: readonly Undone[], record: Uint8Array): void {
    this.#newest = { number, record };
    this.#blocks.push(new RecordIndex(rows));
    while (this.#blocks.length > this.#retention) {
      this.#blocks.shift();
      this.#oldest++;
    }
  }

  /** Returns the rows of the newest block's record with further ones, and those that it lacked. */
  extend(number: number, rows: readonly Undone[]): { readonly all: Undone[]; readonly added: Undone[] } {
    const before = [...decodeUndo(this.#record(number))];
    const names = new Set(before.map(({ key }) => mapKey(key)));
    const added = rows.filter(({ key }) => !names.has(mapKey(key)));
    return { all: [...before, ...added], added };
  }

  /** Replaces the record of the newest block. */
  replace(number: number, rows: readonly Undone[], record: Uint8Array): void {
    this.#newest = { number, record };
    this.#blocks[this.#blocks.length - 1] = new RecordIndex(rows);
    this.#records.delete(number);
  }

  /** Forgets the states before block `oldest`. */
  forget(oldest: number): void {
    const gone = Math.max(0, oldest - this.#oldest);
    this.#blocks.splice(0, gone);
    this.#oldest += gone;
  }

  /** Forgets the blocks after `number`, which is not before `oldest`. */
  rewind(number: number): void {
    this.#blocks.length = Math.min(this.#blocks.length, number - this.#oldest);
    this.#newest = undefined;
    this.#records.clear();
    this.#cachedBytes = 0;
  }

  past(key: Uint8Array, number: number): Past {
    for (let i = number - this.#oldest; i < this.#blocks.length; i++) {
      const index = this.#blocks[i] ?? this.#readIndex(i);
      if (!index.mayHave(key)) continue;
      const { found, before } = index.find(this.#record(this.#oldest + 1 + i), key);
      if (found) return { changed: true, row: before };
    }
    return UNCHANGED;
  }

  #readIndex(i: number): RecordIndex {
    const index = new RecordIndex([...decodeUndo(this.#record(this.#oldest + 1 + i))]);
    this.#blocks[i] = index;
    return index;
  }

  #record(block: number): Uint8Array {
    if (block === this.#newest?.number) return this.#newest.record;
    const known = this.#records.get(block);
    if (known !== undefined) return known;
    const record = this.#rows.get(tables.undo.key(block));
    if (record === undefined) throw new StateError("corrupt", `the undo record of block ${block} is missing`);
    this.#records.set(block, record);
    this.#cachedBytes += record.length;
    for (const [oldest, { length }] of this.#records) {
      if (this.#cachedBytes <= CACHED_BYTES || oldest === block) break;
      this.#records.delete(oldest);
      this.#cachedBytes -= length;
    }
    return record;
  }
}
