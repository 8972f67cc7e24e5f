/**
 * Blocks that broke a rule, kept for whoever asks why: with the reason, the highest numbers first, bounded in
 * number and bytes. They are in the chain's database and outlive a restart.
 */
import type { Hash } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { bytesToNumber, fixedBytes } from "../bytes/integer.ts";
import { decodeRlp, encodeRlp, encodeRlpList, itemAt } from "../bytes/rlp.ts";
import { type Block, decodeBlock, encodeBlock } from "../model/block.ts";
import type { Log } from "../observe/log.ts";
import type { Rows, Store } from "../store/store.ts";
import { tables } from "../store/tables.ts";

/** A block that was refused, and why. */
export interface BadBlock {
  readonly block: Block;
  readonly reason: string;
}

/** Bounds of the list. A block that does not fit evicts those with lower numbers, or is not added. */
export interface BadBlockLimits {
  readonly blocks: number;
  readonly bytes: number;
}

const LIMITS: BadBlockLimits = { blocks: 100, bytes: 32 * 1024 * 1024 };
const LIST_KEY = tables.meta.key("badBlocks");
/** Number 6, size 4, hash 32. */
const ENTRY_BYTES = 42;
const SIZE_AT = 6;
const HASH_AT = 10;
/** A reason may hold what somebody sent. */
const REASON_LENGTH = 1000;

interface Entry {
  readonly number: number;
  readonly size: number;
  readonly hash: Hash;
}

/** The list. */
export class BadBlocks {
  readonly #store: Store;
  readonly #log: Log;
  readonly #limits: BadBlockLimits;
  #entries: readonly Entry[];

  constructor(store: Store, log: Log, limits: BadBlockLimits = LIMITS) {
    this.#store = store;
    this.#log = log;
    this.#limits = limits;
    this.#entries = readEntries(store.get(LIST_KEY));
  }

  /** Adds a block that is not in the list yet. A failed write is logged: the list is no part of the chain. */
  add(block: Block, reason: string): void {
    const { hash } = block;
    if (this.#entries.some((entry) => equalBytes(entry.hash, hash))) return;
    const row = encodeRlpList([encodeRlp(Buffer.from(reason.slice(0, REASON_LENGTH))), encodeBlock(block)]);
    const entry = { number: block.header.number, size: row.length, hash };
    const all = [...this.#entries, entry].toSorted((a, b) => b.number - a.number);
    const kept = this.#fitting(all);
    if (!kept.includes(entry)) return;
    const batch = this.#store.createBatch();
    batch.put(tables.badBlock.key(hash), row);
    for (const each of all) if (!kept.includes(each)) batch.delete(tables.badBlock.key(each.hash));
    batch.put(LIST_KEY, Buffer.concat(kept.map(encodeEntry)));
    this.#entries = kept;
    this.#store.write(batch, { sync: false }).catch((error: unknown) => {
      this.#log.warn({ number: entry.number, error }, "cannot record a bad block");
    });
  }

  /** All of them, the highest numbers first. */
  all(): readonly BadBlock[] {
    return blocksOf(this.#store, this.#entries);
  }

  #fitting(entries: readonly Entry[]): readonly Entry[] {
    let bytes = 0;
    return entries.slice(0, this.#limits.blocks).filter(({ size }) => {
      bytes += size;
      return bytes <= this.#limits.bytes;
    });
  }
}

/** The list of a snapshot, the highest numbers first. */
export function storedBadBlocks(rows: Rows): readonly BadBlock[] {
  return blocksOf(rows, readEntries(rows.get(LIST_KEY)));
}

function blocksOf(rows: Rows, entries: readonly Entry[]): BadBlock[] {
  return entries.flatMap(({ hash }) => {
    const row = rows.get(tables.badBlock.key(hash));
    return row === undefined ? [] : [decodeBadBlock(row)];
  });
}

function decodeBadBlock(row: Uint8Array): BadBlock {
  const { payload } = decodeRlp(row);
  const reason = itemAt(payload, 0);
  const block = decodeBlock(itemAt(payload, reason.raw.length));
  return { block, reason: Buffer.from(reason.payload).toString() };
}

function encodeEntry({ number, size, hash }: Entry): Uint8Array {
  return Buffer.concat([fixedBytes(number, 6), fixedBytes(size, 4), hash]);
}

function readEntries(row: Uint8Array = new Uint8Array(0)): Entry[] {
  return Array.from({ length: Math.floor(row.length / ENTRY_BYTES) }, (_, i) => {
    const entry = row.subarray(i * ENTRY_BYTES, (i + 1) * ENTRY_BYTES);
    return {
      number: bytesToNumber(entry.subarray(0, SIZE_AT)),
      size: bytesToNumber(entry.subarray(SIZE_AT, HASH_AT)),
      hash: Uint8Array.from(entry.subarray(HASH_AT)),
    };
  });
}
