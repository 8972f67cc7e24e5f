/** The row in which an import says how far it has come. It goes with the last batch of the import. */
import { fromHex, toHex } from "../bytes/hex.ts";
import type { Batch, Rows } from "../store/store.ts";
import { tables } from "../store/tables.ts";

/** Blocks from `from` up to but not including `to`. */
export interface BlockRange {
  readonly from: number;
  readonly to: number;
}

/** A part of the state that is written in part: the accounts whose key begins with one byte. */
export interface StatePart {
  readonly firstByte: number;
  /** Key of the newest account that is written with all that belongs to it. */
  readonly account: Uint8Array | undefined;
  /** Storage that is written up to and with a slot. */
  readonly storage: PartialStorage | undefined;
  /** Accounts and slots written. */
  readonly accounts: number;
  readonly slots: number;
}

/** Storage of an account up to and with a slot. */
export interface PartialStorage {
  readonly account: Uint8Array;
  readonly slot: Uint8Array;
}

/** Target of an import. */
export interface GoImportGoal {
  /** Hash of block 0, and of the block whose state is imported: `0x` texts. */
  readonly genesis: string;
  readonly head: number;
  readonly headHash: string;
  /** First block after block 0 whose body is imported. */
  readonly from: number;
}

/** Progress of an import. What neither is begun nor comes after what is begun is written. */
export interface GoImportProgress extends GoImportGoal {
  /** First block that is in no range yet, and what is left of the ranges that are begun. */
  readonly nextBlock: number;
  readonly ranges: readonly BlockRange[];
  /** First byte of the keys that are in no part yet, and the parts that are begun. */
  readonly nextPart: number;
  readonly parts: readonly StatePart[];
  /** Accounts and slots of the parts that are written. */
  readonly accounts: number;
  readonly slots: number;
}

/** The progress of an import of which nothing is written. */
export function noProgress(target: GoImportGoal): GoImportProgress {
  return { ...target, nextBlock: 0, ranges: [], nextPart: 0, parts: [], accounts: 0, slots: 0 };
}

const KEY = tables.meta.key("goImport");

/** True when an import has begun. */
export function hasProgress(rows: Rows): boolean {
  return rows.get(KEY) !== undefined;
}

/** Reads the progress; undefined before the first batch and after the last, and for a row of an earlier form. */
export function readProgress(rows: Rows): GoImportProgress | undefined {
  const row = rows.get(KEY);
  if (row === undefined) return undefined;
  const value = JSON.parse(Buffer.from(row).toString("utf8")) as TextProgress; // written by `putProgress`
  return Array.isArray(value.parts) ? { ...value, parts: value.parts.map(partOf) } : undefined;
}

interface TextProgress extends Omit<GoImportProgress, "parts"> {
  readonly parts: readonly TextPart[];
}

interface TextPart extends Omit<StatePart, "account" | "storage"> {
  readonly account?: string;
  readonly storage?: { readonly account: string; readonly slot: string };
}

function partOf({ account, storage, ...rest }: TextPart): StatePart {
  return {
    ...rest,
    account: account === undefined ? undefined : fromHex(account),
    storage: storage && { account: fromHex(storage.account), slot: fromHex(storage.slot) },
  };
}

/** Adds the progress to a batch behind the rows that it counts. */
export function putProgress(batch: Batch, progress: GoImportProgress): void {
  const parts = progress.parts.map(({ account, storage, ...rest }) => ({
    ...rest,
    account: account && toHex(account),
    storage: storage && { account: toHex(storage.account), slot: toHex(storage.slot) },
  }));
  batch.put(KEY, Buffer.from(JSON.stringify({ ...progress, parts })));
}

/** Deletes the progress with the batch that completes the import. */
export function deleteProgress(batch: Batch): void {
  batch.delete(KEY);
}
