/** Account of what an import has written: which tasks are left, and what is saved of it. */
import { putIndex } from "../governance/header-index.ts";
import type { Batch } from "../store/store.ts";
import type { ImportTask, WrittenRows } from "./import-work.ts";
import { type BlockRange, type GoImportProgress, putProgress, type StatePart } from "./progress-row.ts";

/** Blocks of a task. */
const RANGE_BLOCKS = 64;
/** Tasks of the state, by the first byte of the keys. */
const PARTS = 256;
/** Bytes of an account's key behind the first that tell how far a part is. */
const FRACTION_BYTES = 5;

/** The progress of an import under way. */
export class ImportLedger {
  readonly #started: GoImportProgress;
  #nextBlock: number;
  /** The rest of each range that is begun, by its end. */
  readonly #ranges: Map<number, BlockRange>;
  #nextPart: number;
  /** The parts that are begun, by their first byte. */
  readonly #parts: Map<number, StatePart>;
  #accounts: number;
  #slots: number;
  readonly #deciding: Set<number>;

  /** `deciding` are the numbers of the written headers that vote or decide. */
  constructor(progress: GoImportProgress, deciding: Iterable<number>) {
    this.#started = progress;
    this.#nextBlock = progress.nextBlock;
    this.#ranges = new Map(progress.ranges.map((range) => [range.to, range]));
    this.#nextPart = progress.nextPart;
    this.#parts = new Map(progress.parts.map((part) => [part.firstByte, part]));
    this.#accounts = progress.accounts;
    this.#slots = progress.slots;
    this.#deciding = new Set(deciding);
  }

  get progress(): GoImportProgress {
    return {
      ...this.#started,
      nextBlock: this.#nextBlock,
      ranges: [...this.#ranges.values()],
      nextPart: this.#nextPart,
      parts: [...this.#parts.values()],
      accounts: this.#accounts,
      slots: this.#slots,
    };
  }

  /** Blocks written. */
  get blocks(): number {
    let left = 0;
    for (const { from, to } of this.#ranges.values()) left += to - from;
    return this.#nextBlock - left;
  }

  /** Part of the accounts behind the import, from 0 to 1. */
  get part(): number {
    let parts = this.#nextPart - this.#parts.size;
    for (const { account } of this.#parts.values()) parts += fractionOf(account);
    return parts / PARTS;
  }

  /** Accounts and slots written. */
  get rows(): number {
    let rows = this.#accounts + this.#slots;
    for (const { accounts, slots } of this.#parts.values()) rows += accounts + slots;
    return rows;
  }

  /** The tasks of the blocks that are not written. A task that is asked for is begun until all of it is noted. */
  *blockTasks(): Generator<ImportTask, void> {
    for (const range of this.#ranges.values()) yield { kind: "blocks", range };
    const end = this.#started.head + 1;
    while (this.#nextBlock < end) {
      const range = { from: this.#nextBlock, to: Math.min(end, this.#nextBlock + RANGE_BLOCKS) };
      this.#ranges.set(range.to, range);
      this.#nextBlock = range.to;
      yield { kind: "blocks", range };
    }
  }

  /** The tasks of the state. */
  *stateTasks(): Generator<ImportTask, void> {
    for (const part of this.#parts.values()) yield { kind: "state", part };
    while (this.#nextPart < PARTS) {
      const firstByte = this.#nextPart++;
      const part = { firstByte, account: undefined, storage: undefined, accounts: 0, slots: 0 };
      this.#parts.set(firstByte, part);
      yield { kind: "state", part };
    }
  }

  /** Notes what a thread has written. */
  note(written: WrittenRows): void {
    if (written.kind === "state") this.#notePart(written.part, written.isDone);
    else this.#noteRange(written.left, written.deciding);
  }

  #noteRange(left: BlockRange, deciding: readonly number[]): void {
    for (const number of deciding) this.#deciding.add(number);
    if (left.from < left.to) this.#ranges.set(left.to, left);
    else this.#ranges.delete(left.to);
  }

  #notePart(part: StatePart, isDone: boolean): void {
    if (!isDone) {
      this.#parts.set(part.firstByte, part);
      return;
    }
    this.#parts.delete(part.firstByte);
    this.#accounts += part.accounts;
    this.#slots += part.slots;
  }

  /** Adds the rows that say how far the import has come. */
  put(batch: Batch): void {
    putIndex(
      batch,
      [...this.#deciding].toSorted((a, b) => a - b),
    );
    putProgress(batch, this.progress);
  }
}

/** The part of the keys of one first byte up to one. */
function fractionOf(key: Uint8Array | undefined): number {
  let part = 0;
  for (let i = 1; i <= FRACTION_BYTES; i++) part += (key?.[i] ?? 0) / 256 ** i;
  return part;
}
