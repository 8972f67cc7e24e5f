/**
 * A migration of the state: the tries are copied into the next generation's directory beside the running chain,
 * every node checked; then the state moves there, and earlier states are deleted with the old directory.
 * A request is on disk before it is answered, and begins behind the next block. A restart begins the copy again.
 */

import { concatBytes } from "../../bytes/compare.ts";
import { bytesToNumber, fixedBytes } from "../../bytes/integer.ts";
import { messageOf } from "../../bytes/message-of.ts";
import type { Log } from "../../observe/log.ts";
import type { Batch, Rows, Store } from "../../store/store.ts";
import { tables } from "../../store/tables.ts";
import type { History } from "../history/history.ts";
import { deleteUndo } from "../history/undo-record.ts";
import { encodeHead, HEAD_KEY, type StateHead } from "../rows.ts";
import type { TrieStores } from "../trie/generations.ts";
import type { TrieStore } from "../trie/trie-store.ts";
import type { CopyCounts } from "./copy-tries.ts";
import type { MigrationRun, StartRun } from "./migration-run.ts";

/** Status of a migration, or of the last one since the start. */
export interface MigrationStatus {
  /** From being asked for to the removal of the old directory. */
  readonly isMigration: boolean;
  /** The block whose state is copied; 0 before that begins. */
  readonly block: number;
  /** Rows read and nodes written so far; nodes known to come. */
  readonly counts: Omit<CopyCounts, "part">;
  /** Percent. */
  readonly progress: number;
  readonly error: string | undefined;
}

/** Room on disk, in bytes. */
export interface MigrationRoom {
  readonly free: number;
  /** Without so much none begins. */
  readonly needed: number;
}

/** Answer to a request for a migration; `pruning`: refused because live pruning is on. */
export type MigrationStart = "asked" | "running" | "pruning";

/** Databases and tries of a migration. */
export interface MigrationDeps {
  readonly chain: Store;
  readonly trie: TrieStores;
  readonly log: Log;
  readonly startRun: StartRun;
  readonly trieStore: TrieStore;
  readonly history: History;
  /** No migration is begun, nor one that was broken off by a restart. */
  readonly livePruning: boolean;
}

/** The block that is copied, 0 before that is known: a migration was asked for and has not ended. */
const MIGRATION_KEY = tables.meta.key("migration");
const NO_COUNTS = { read: 0, committed: 0, pending: 0 };
/** The new generation is no larger than the old one; this much is kept for everything else. */
const SPARE_BYTES = 128 * 1024 * 1024;
const LOG_EVERY_MS = 10_000;

interface ReadyPhase {
  readonly kind: "ready";
  readonly store: Store;
}

type Phase =
  | { readonly kind: "idle" | "asked" }
  | { readonly kind: "copying"; readonly run: MigrationRun }
  | ReadyPhase
  /** `done` resolves when the state has moved, or cannot. */
  | { readonly kind: "moving"; readonly done: Promise<void> };

/**
 * The migration of one state. Its owner calls `step` between blocks while `isDue`, and keeps undo records
 * from `floor` on.
 */
export class Migration {
  readonly #deps: MigrationDeps;
  #phase: Phase = { kind: "idle" };
  #status: MigrationStatus = {
    isMigration: false,
    block: 0,
    counts: NO_COUNTS,
    progress: 0,
    error: undefined,
  };
  /** Set while the end of one is being tidied up. */
  #ending: Promise<void> | undefined;
  #isClosing = false;
  #loggedAt = 0;

  constructor(parts: MigrationDeps) {
    this.#deps = parts;
    if (!parts.livePruning && parts.chain.get(MIGRATION_KEY) !== undefined) this.#ask();
  }

  get status(): MigrationStatus {
    return this.#status;
  }

  /** Result of the last migration, also of an earlier start; undefined when there was none. */
  get last(): MigrationRecord | undefined {
    return readMigrationRecord(this.#deps.chain);
  }

  /** Estimates the disk space that the next migration needs. */
  async room(): Promise<MigrationRoom> {
    const { trie, trieStore } = this.#deps;
    const { used, free } = await trie.space(trieStore.generation);
    return { free, needed: SPARE_BYTES + used };
  }

  /** Undo records of later blocks are needed. */
  get floor(): number {
    return this.#status.isMigration ? this.#status.block : Number.MAX_SAFE_INTEGER;
  }

  /** True when the tries are wanted for a moment. */
  get isDue(): boolean {
    return this.#phase.kind === "asked" || this.#phase.kind === "ready";
  }

  /** Tells a copying that a block is being sealed and written, or that it is on disk. */
  setYielding(isBlock: boolean): void {
    if (this.#phase.kind === "copying") this.#phase.run.setYielding(isBlock);
  }

  /** Runs steps of a block while a copying yields. */
  *runYielding<Result>(steps: Generator<undefined, Result>): Generator<undefined, Result> {
    this.setYielding(true);
    try {
      return yield* steps;
    } finally {
      this.setYielding(false);
    }
  }

  /** Asks for a migration behind the next block. Rejects, and none was asked for, when that cannot be written down. */
  async start(): Promise<MigrationStart> {
    if (this.#deps.livePruning) return "pruning";
    if (this.#status.isMigration) return "running";
    this.#ask();
    try {
      await this.#note(0);
    } catch (error) {
      await this.#fail(error);
      throw error;
    }
    return "asked";
  }

  #ask(): void {
    this.#phase = { kind: "asked" };
    this.#status = { isMigration: true, block: 0, counts: NO_COUNTS, progress: 0, error: undefined };
  }

  /** Puts the row that a restart finds, behind all earlier writes; resolves when it is on disk. */
  #note(block: number): Promise<void> {
    const { chain } = this.#deps;
    const batch = chain.createBatch();
    batch.put(MIGRATION_KEY, fixedBytes(block, 6));
    return chain.write(batch, { sync: true });
  }

  /**
   * Ends a migration, which leaves the state as it was; false when none runs, and when the state is already moving,
   * which it waits for.
   */
  async stop(why = "stop state migration"): Promise<boolean> {
    if (!this.#status.isMigration) return false;
    await this.#fail(new Error(why));
    return this.#status.error !== undefined;
  }

  /**
   * Begins what was asked for, or moves the state to the copy. Both databases are on disk up to `head`, and nothing
   * may change the tries meanwhile. Returns the head as it is on disk then.
   */
  async step(head: StateHead): Promise<StateHead> {
    const phase = this.#phase;
    try {
      if (phase.kind === "asked") await this.#begin(phase, head);
      return phase.kind === "ready" ? await this.#move(phase, head) : head;
    } catch (error) {
      await this.#fail(error, phase);
      return head;
    }
  }

  async #begin(asked: Phase, { number }: StateHead): Promise<void> {
    const { trie, trieStore, log, startRun } = this.#deps;
    this.#status = { ...this.#status, block: number };
    checkRoom(await this.room());
    if (this.#phase !== asked) return; // stopped meanwhile
    await this.#note(number);
    await trie.remove(trieStore.generation + 1); // left over by an earlier process
    if (this.#phase !== asked) return;
    const run = startRun(trieStore.generation + 1, {
      from: trieStore.store,
      report: (counts) => this.#report(counts),
    });
    const copying = { kind: "copying", run } as const;
    this.#phase = copying;
    log.info({ number, generation: trieStore.generation + 1 }, "state migration began");
    run.done.then(() => this.#open(copying)).catch((error: unknown) => this.#fail(error, copying));
  }

  async #open(copying: Phase): Promise<void> {
    const { trie, trieStore } = this.#deps;
    const store = await trie.open(trieStore.generation + 1);
    if (this.#phase === copying) this.#phase = { kind: "ready", store };
    else await store[Symbol.asyncDispose]();
  }

  /** Moves the state while nobody can end the migration: the copy must stay open once a batch names it. */
  async #move(ready: ReadyPhase, head: StateHead): Promise<StateHead> {
    const { promise: done, resolve } = Promise.withResolvers<void>();
    this.#phase = { kind: "moving", done };
    try {
      return await this.#adopt(ready.store, head);
    } catch (error) {
      this.#phase = ready;
      await this.#fail(error, ready);
      return head;
    } finally {
      resolve();
    }
  }

  /** The batch that names the new generation deletes the states before the block that was copied. */
  async #adopt(store: Store, head: StateHead): Promise<StateHead> {
    const { trieStore, history } = this.#deps;
    const { block } = this.#status;
    const next = { ...head, firstUndo: Math.max(head.firstUndo, block + 1) };
    const { removed } = await trieStore.adopt(store, head, (batch) => {
      batch.delete(MIGRATION_KEY);
      putMigrationRecord(batch, { block, error: undefined });
      deleteUndo(batch, head.firstUndo, block);
      batch.put(HEAD_KEY, encodeHead(next));
      history.forgetBefore(block, batch);
    });
    history.forgetRecent(block);
    this.#phase = { kind: "idle" };
    this.#ending = this.#finish(removed);
    return next;
  }

  async #finish(removed: Promise<void>): Promise<void> {
    const { log } = this.#deps;
    // a directory that stays is removed at the next start
    await removed.catch((error: unknown) => log.warn({ error }, "cannot remove the old trie"));
    const { block, counts } = this.#status;
    this.#status = { ...this.#status, isMigration: false, progress: 100 };
    log.info({ block, ...counts }, "state migration finished");
  }

  #report({ part, ...counts }: CopyCounts): void {
    const { log } = this.#deps;
    this.#status = { ...this.#status, counts, progress: Math.floor(part * 100) };
    const now = performance.now();
    if (now - this.#loggedAt < LOG_EVERY_MS) return;
    this.#loggedAt = now;
    log.info({ ...counts, percent: this.#status.progress }, "migrating state");
    const phase = this.#phase;
    this.room()
      .then(({ free }) => checkRoom({ free, needed: SPARE_BYTES }))
      .catch((error: unknown) => this.#fail(error, phase));
  }

  /** Ends a migration; the state stays where it is. `of`: only when it is still in that phase. */
  async #fail(error: unknown, of = this.#phase): Promise<void> {
    const phase = this.#phase;
    if (of !== phase) return;
    if (phase.kind === "moving") await phase.done;
    if (phase.kind === "moving" || phase.kind === "idle") return this.#ending; // it has ended already
    this.#phase = { kind: "idle" };
    this.#ending = this.#endEarly(phase, error);
    await this.#ending;
  }

  async #endEarly(phase: Phase, reason: unknown): Promise<void> {
    const error = messageOf(reason);
    const { log } = this.#deps;
    await this.#tidy(phase, error).catch((why: unknown) =>
      log.warn({ error: why }, "cannot remove a copy of the state"),
    );
    if (!this.#isClosing) log.warn({ error }, "state migration ended early");
    this.#status = { ...this.#status, isMigration: false, error };
  }

  /** Removes the copy. A node that is closing leaves the request on disk, and the next start begins again. */
  async #tidy(phase: Phase, error: string): Promise<void> {
    const { chain, trie, trieStore } = this.#deps;
    if (phase.kind === "copying") await phase.run.stop();
    if (phase.kind === "ready") await phase.store[Symbol.asyncDispose]();
    if (this.#isClosing) return;
    await trie.remove(trieStore.generation + 1);
    const batch = chain.createBatch();
    batch.delete(MIGRATION_KEY);
    const { block } = this.#status;
    if (block > 0) putMigrationRecord(batch, { block, error });
    await chain.write(batch, { sync: true });
  }

  /** Ends a running migration; the next start begins it again. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#ending;
    if (this.#status.isMigration) await this.#fail(new Error("quit by signal"));
  }
}

function checkRoom({ free, needed }: MigrationRoom): void {
  if (free < needed) throw new Error(`${free} bytes of disk are free, ${needed} are needed`);
}

/** A migration that ended. */
export interface MigrationRecord {
  /** The block whose state was copied. */
  readonly block: number;
  /** Undefined when the state moved. */
  readonly error: string | undefined;
}

const KEY = tables.meta.key("migrated");
const MAX_CHARACTERS = 1_000;

/** The record; undefined where no migration has ended. */
export function readMigrationRecord(rows: Rows): MigrationRecord | undefined {
  const row = rows.get(KEY);
  if (row === undefined) return undefined;
  const error = Buffer.from(row.subarray(6)).toString("utf8");
  return { block: bytesToNumber(row.subarray(0, 6)), error: error === "" ? undefined : error };
}

/** Puts the record in the place of the one before. */
export function putMigrationRecord(batch: Batch, { block, error = "" }: MigrationRecord): void {
  batch.put(KEY, concatBytes(fixedBytes(block, 6), Buffer.from(error.slice(0, MAX_CHARACTERS))));
}
