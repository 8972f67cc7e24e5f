/** The work of an import: opens the databases beside their owner, and does one task after the other. */
import type { Hash } from "../bytes/brands.ts";
import { messageOf } from "../bytes/message-of.ts";
import { TRIE_STORE } from "../state/trie/generations.ts";
import { openChainWriter } from "../store/chain-store.ts";
import { StoreError, type StoreErrorCode } from "../store/error.ts";
import { openLevelWriter } from "../store/level-store.ts";
import { importRange } from "./block-range.ts";
import { GoBlocks } from "./blocks.ts";
import { type GoLayout, openGoDatabases } from "./databases.ts";
import { GoDataError, type GoDataErrorCode } from "./error.ts";
import type { BlockRange, StatePart } from "./progress-row.ts";
import { importPart } from "./state.ts";

/** Databases and choices of an import, as they pass to a thread. */
export interface ImportWorkData {
  readonly layout: GoLayout;
  /** Directories of the databases that are written. */
  readonly chain: string;
  readonly trie: string;
  readonly chainId: bigint;
  /** Block whose state is imported. */
  readonly head: { readonly number: number; readonly stateRoot: Hash };
  /** First block after block 0 whose body is imported. */
  readonly from: number;
  /** True to write the preimages of keys. */
  readonly preimages: boolean;
  readonly batchBytes: number;
  /** One number, 1 when the import is to end. */
  readonly stop: Int32Array<SharedArrayBuffer>;
}

/** A task: what is left of a range of blocks or of a part of the state. */
export type ImportTask =
  | { readonly kind: "blocks"; readonly range: BlockRange }
  | { readonly kind: "state"; readonly part: StatePart };

/** Rows of a task that are written. */
export type WrittenRows =
  | { readonly kind: "blocks"; readonly left: BlockRange; readonly deciding: readonly number[] }
  | { readonly kind: "state"; readonly part: StatePart; readonly isDone: boolean };

/** A failure, as it passes from a thread. */
export type ImportFault =
  | { readonly kind: "go-data"; readonly code: GoDataErrorCode; readonly message: string }
  | { readonly kind: "store"; readonly code: StoreErrorCode; readonly message: string }
  | { readonly kind: "other"; readonly message: string };

/** Open databases of an import. Disposing closes them. */
export interface ImportWork extends AsyncDisposable {
  /**
   * Does a task, and tells each batch of it that is written. Throws `GoDataError` `missing` or `damaged`, `StoreError`, or
   * another error when the import is to end.
   */
  perform(task: ImportTask, tell: (written: WrittenRows) => void): Promise<void>;
}

/** Opens the databases. Throws `StoreError`. */
export async function openImportWork(data: ImportWorkData): Promise<ImportWork> {
  const { batchBytes, head, from, chainId, preimages } = data;
  await using parts = new AsyncDisposableStack();
  const databases = parts.use(await openGoDatabases(data.layout));
  const chain = parts.use(await openChainWriter(data.chain));
  const trie = parts.use(await openLevelWriter(data.trie, TRIE_STORE));
  const open = parts.move();
  const throwIfStopped = (): void => {
    if (Atomics.load(data.stop, 0) !== 0) throw new Error("the import is to end");
  };
  const blockSource = { chain, blocks: new GoBlocks(databases), chainId, from, batchBytes, throwIfStopped };
  const { state } = databases;
  const stateSource = { chain, trie, state, head, preimages, batchBytes, throwIfStopped };
  return {
    perform: (task, tell) =>
      task.kind === "blocks"
        ? importRange(task.range, blockSource, (left, deciding) => tell({ kind: "blocks", left, deciding }))
        : importPart(task.part, stateSource, (part, isDone) => tell({ kind: "state", part, isDone })),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** The fault that stands for an error. */
export function importFault(error: unknown): ImportFault {
  const message = messageOf(error);
  if (error instanceof GoDataError) return { kind: "go-data", code: error.code, message };
  if (error instanceof StoreError) return { kind: "store", code: error.code, message };
  return { kind: "other", message };
}

/** The error that a fault stands for. */
export function importError(fault: ImportFault): Error {
  if (fault.kind === "go-data") return new GoDataError(fault.code, fault.message);
  if (fault.kind === "store") return new StoreError(fault.code, fault.message);
  return new Error(fault.message);
}
