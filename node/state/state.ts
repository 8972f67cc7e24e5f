/**
 * The accounts of the chain at its newest block, and at recent ones. Blocks go in one after the other: `begin` a
 * world, run transactions on it, `seal` it, then `commit` the sealed state (its rows go into the block's batch) or
 * `discard` it (nothing has happened). A read of the newest state is one look-up in the flat state; the trie gives
 * the root, lags behind on disk and catches up at start. Open with `openState`.
 */
import type { Address, Hash, StorageKey } from "../bytes/brands.ts";
import type { Account } from "../model/account.ts";
import type { Batch } from "../store/store.ts";
import type { StateFigures } from "./figures.ts";
import type { Migration } from "./migration/migration.ts";
import type { Point } from "./rows.ts";
import type { World } from "./world/world.ts";

/** The state as it was after one block. Throws `StateError` `state-missing` when the block has left the window. */
export interface StateView {
  readonly number: number;
  account(address: Address): Account | undefined;
  /** 32 bytes; zero where there is no account or no value. */
  slot(address: Address, key: StorageKey): Uint8Array;
  /** No bytes where there is no account or no code. */
  code(address: Address): Uint8Array;
}

/** Nodes that prove an account and some of its slots, from the state root and from the account's storage root. */
export interface AccountProof {
  readonly account: Account | undefined;
  /** Encoded nodes from the root on; of an account that is not there, those that show it. */
  readonly accountProof: readonly Uint8Array[];
  /** By asked key; no nodes where the account has no storage. */
  readonly storage: readonly {
    readonly key: StorageKey;
    /** 32 bytes. */
    readonly value: Uint8Array;
    readonly proof: readonly Uint8Array[];
  }[];
}

/** Counts of a verification. */
export interface VerifiedCounts {
  readonly accounts: number;
  readonly slots: number;
  /** Contracts' code, each counted once. */
  readonly codes: number;
  /** Changes that the index of an archive node or a long retention holds. */
  readonly changes: number;
  /** Trie nodes, those written inside their parents not counted. */
  readonly nodes: number;
  /** Rows of the trie database that no trie reaches: wasted space, no wrong answer. */
  readonly strayNodes: number;
  /** Slots that no account has, likewise; storage that waits to be swept is not counted. */
  readonly straySlots: number;
}

/** Options of a verification. */
export interface VerifyOptions {
  /** Called with the accounts so far; may throw to end the work. */
  readonly progress?: (accounts: number) => void;
  /** That of the chain database, and the one with the generations: other threads share the work. Left out: this one does it. */
  readonly directories?: { readonly chain: string; readonly tries: string };
  /** Returns the state root in the header of a block. Left out: the states before the newest are not compared. */
  readonly rootAt?: ((number: number) => Hash) | undefined;
}

/** `keepEmpty`: without removing empty accounts, for block 0. */
export interface SealOptions {
  readonly keepEmpty?: boolean;
}

/**
 * The changes of one world, hashed into the tries and written nowhere. Ends once, by `commit` or `discard`; leaving
 * its scope discards it. One at a time is open: the tries hold its changes.
 */
export interface SealedState extends Disposable {
  /** State root with the changes. */
  readonly root: Hash;
  /** False once it was committed or discarded, or a damaged trie had to be rebuilt without it. */
  readonly isOpen: boolean;
  /**
   * Makes it the state after block `number`: its rows, its undo record and the state's head row go into the block's
   * batch, which must be handed to the store before the next world is sealed. Throws `StateError` `busy` when it is
   * not open or the number is not the next one.
   */
  commit(number: number, batch: Batch): void;
  /**
   * Makes it the state after the newest block, in place of the one that the block left; for development chains. Rows,
   * undo record and head row go into the batch as with `commit`. Throws `StateError` `busy` when it is not open.
   */
  amend(batch: Batch): void;
  /** Takes the changes back out of the tries; does nothing when it is not open. Throws `StateError` `trie-damaged`. */
  discard(): void;
}

/** The state of the chain; see above. */
export interface State extends AsyncDisposable {
  /** Newest committed block; -1 before block 0. It may not be on disk yet. */
  readonly number: number;
  /** State root of that block. */
  readonly root: Hash;
  /**
   * Resolves when the trie has caught up with the flat state and blocks can be made; views work before that.
   * Rejects with `StateError` `corrupt` when flat state and recorded root contradict each other. It is another
   * promise after a `trie-damaged`: await it and execute the block again.
   */
  readonly ready: Promise<void>;
  /** A world on the newest committed block. Throws `StateError` `not-ready`. */
  begin(): World;
  /**
   * Ends the world's last transaction (`keepEmpty`: without removing empty accounts, for block 0) and hashes its
   * changes. Nothing is written. Throws `StateError` `busy` or `trie-damaged`.
   */
  seal(world: World, options?: SealOptions): SealedState;
  /** The same, yielding to other work on the way: views answer meanwhile, and nothing else may be sealed. */
  sealInSlices(world: World): Promise<SealedState>;
  /** The batches of all blocks up to `number` have been synced. */
  markPersisted(number: number): void;
  /**
   * Gathers changed nodes of the trie for the next flush when there are many, so that no block has to wait for all of
   * them. Nothing may be sealed meanwhile.
   */
  prepareFlush(): Promise<void>;
  /**
   * Writes the trie's changed nodes when enough blocks have gathered and the newest block is durable, or when it is on
   * its way to disk and `synced` resolves once it is there. Resolves when the trie may change again, which is before the
   * write has ended. Nothing may be sealed meanwhile. Rejects when an earlier flush could not be written.
   */
  flushIfDue(synced?: Promise<void>): Promise<void>;
  /** The same at once, resolving when it is on disk. The newest block must be durable. */
  flush(): Promise<void>;
  /** The state after block `number`. Throws `StateError` `state-missing`. */
  view(number: number): StateView;
  /**
   * A world on the state after block `number`, for calls: it stays there while blocks come and `seal` refuses
   * it. Works before `ready`. Throws `StateError` `state-missing`, also from the world itself once the block has
   * left the history.
   */
  worldAt(number: number): World;
  /**
   * Proves an account and slots of it after block `number` out of the tries in memory; undefined when the block is not
   * the newest or the tries are in use. Other proofs take long: `proveAt` makes them from snapshots, for the blocks with
   * undo records (128 as a rule, also in an archive node). Throws `StateError` `trie-damaged`.
   */
  proveNewest(number: number, address: Address, keys: readonly StorageKey[]): AccountProof | undefined;
  /** Throws `StateError` `not-ready` until the trie database is open: no reader thread may open it before. */
  assertTrieOpen(): void;
  /**
   * Calls `end` before a former trie database is closed. Readers of other threads must have closed theirs when it
   * resolves.
   */
  beforeTrieCloses(end: () => Promise<void>): void;
  /** Copies the tries into a directory of their own and moves there, when asked to. */
  readonly migration: Pick<Migration, "start" | "stop" | "status" | "isDue" | "last" | "room">;
  /**
   * Takes the state back to an earlier block of those whose undo records are kept. Everything must be durable and
   * nothing sealed. Its rows go into the batch, which `write` hands to the store, synced, when all is ready; from
   * that call on the state is that of `target`. Resolves when that is on disk and blocks can be made again. A crash
   * leaves the one or the other. Throws `StateError` `state-missing` or `busy` with nothing changed.
   */
  rewind(target: Point, batch: Batch, write: () => Promise<void>): Promise<void>;
  /** Returns its figures. */
  readonly figures: () => StateFigures;
  /**
   * Reads everything: each trie node fits its hash, and the leaves are the flat rows. No block may be made
   * meanwhile. Throws `StateError` `corrupt` at the first contradiction.
   */
  verify(options?: VerifyOptions): Promise<VerifiedCounts>;
}
