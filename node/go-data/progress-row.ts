/** The row in which an import says how far it has come. It goes with the last batch of the import. */
import { fromHex, toHex } from "../bytes/hex.ts";
import type { Batch, Rows } from "../store/store.ts";
import { tables } from "../store/tables.ts";

/** Target and progress of an import. */
export interface GoImportProgress {
  /** Hash of block 0, and of the block whose state is imported: `0x` texts. */
  readonly genesis: string;
  readonly head: number;
  readonly headHash: string;
  /** First block after block 0 whose body is imported. */
  readonly from: number;
  /** First block that is not written yet. */
  readonly nextBlock: number;
  /** Storages that have been numbered. */
  readonly incarnations: number;
  /** Key of the newest account that is written with all that belongs to it. */
  readonly account: Uint8Array | undefined;
  /** Storage that is written in part. */
  readonly storage: PartialStorage | undefined;
  /** Accounts and slots written. */
  readonly accounts: number;
  readonly slots: number;
}

/** Storage of an account up to and with a slot. */
export interface PartialStorage {
  readonly account: Uint8Array;
  readonly incarnation: number;
  readonly slot: Uint8Array;
}

const KEY = tables.meta.key("goImport");

/** Reads the progress; undefined before the first batch and after the last. */
export function readProgress(rows: Rows): GoImportProgress | undefined {
  const row = rows.get(KEY);
  if (row === undefined) return undefined;
  const value = JSON.parse(Buffer.from(row).toString("utf8")) as TextProgress; // written by `putProgress`
  const { account, storage, ...rest } = value;
  return {
    ...rest,
    account: account === undefined ? undefined : fromHex(account),
    storage: storage && {
      ...storage,
      account: fromHex(storage.account),
      slot: fromHex(storage.slot),
    },
  };
}

interface TextProgress extends Omit<GoImportProgress, "account" | "storage"> {
  readonly account?: string;
  readonly storage?: { readonly account: string; readonly incarnation: number; readonly slot: string };
}

/** Adds the progress to the batch whose rows it counts. */
export function putProgress(batch: Batch, progress: GoImportProgress): void {
  const { account, storage } = progress;
  const value = {
    ...progress,
    account: account && toHex(account),
    storage: storage && { ...storage, account: toHex(storage.account), slot: toHex(storage.slot) },
  };
  batch.put(KEY, Buffer.from(JSON.stringify(value)));
}

/** Deletes the progress with the batch that completes the import. */
export function deleteProgress(batch: Batch): void {
  batch.delete(KEY);
}
