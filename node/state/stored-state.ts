/** The state over a chain database and a trie database: reading, sealing, committing, flushing, rewinding and migrating. */
import { join } from "node:path";
import type { Address, Hash, StorageKey } from "../bytes/brands.ts";
import { mapKey } from "../bytes/hex.ts";
import type { Log } from "../observe/log.ts";
import { runAtOnce, runInSlices } from "../runtime/scheduler.ts";
import type { Batch, Store } from "../store/store.ts";
import { noState, StateError } from "./error.ts";
import { stateFigures } from "./figures.ts";
import { type FlatState, NewestState } from "./flat/flat-state.ts";
import { ReadSlots } from "./flat/slot-cache.ts";
import type { History } from "./history/history.ts";
import { prepareRewind } from "./history/rewind.ts";
import { Sweeper } from "./history/sweeper.ts";
import { deleteUndo } from "./history/undo-record.ts";
import { Migration } from "./migration/migration.ts";
import type { StartRun } from "./migration/migration-run.ts";
import { encodeHead, HEAD_KEY, type Point, type StateHead } from "./rows.ts";
import type {
  AccountProof,
  SealedState,
  SealOptions,
  State,
  StateView,
  VerifiedCounts,
  VerifyOptions,
} from "./state.ts";
import { pastState, stateNow, viewOf } from "./state-view.ts";
import type { TrieStores } from "./trie/generations.ts";
import { proveNow } from "./trie/proof.ts";
import { isDamage, type TrieStore } from "./trie/trie-store.ts";
import { verifyState } from "./verify/verify-state.ts";
import { JournaledWorld, NOT_TO_SEAL } from "./world/journaled-world.ts";
import { putRows, type Sealed, sealSteps, unseal } from "./world/sealing.ts";
import type { World } from "./world/world.ts";

/** Stores and settings of the state. */
interface StateSettings {
  readonly chain: Store;
  readonly log: Log;
  readonly history: History;
  readonly trie: TrieStores;
  readonly startRun: StartRun;
  readonly flushInterval: number;
  readonly flushBytes: number;
  readonly gatherBytes: number;
  readonly cachedAccounts: number;
  readonly preimages: boolean;
  readonly livePruning: boolean;
}

/** The state over a chain database and a trie database. */
export class StoredState implements State {
  readonly #settings: StateSettings;
  readonly #trieStore: TrieStore;
  readonly #flat: NewestState;
  readonly #history: History;
  readonly #sweeper: Sweeper;
  #read = { version: -1, slots: new ReadSlots() };
  readonly migration: Migration;
  readonly figures: State["figures"];
  readonly #closing = new AbortController();
  #head: StateHead;
  #durable: number;
  #ready: Promise<void> = Promise.resolve();
  /** Holder of the tries: nothing else may change them meanwhile. */
  #held: "catching up" | "sealed" | "flushing" | "verifying" | "rewinding" | "migrating" | undefined;
  /** The changes that the tries hold beyond the head. */
  #sealed: Sealed | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(settings: StateSettings, trieStore: TrieStore) {
    this.#settings = settings;
    this.#trieStore = trieStore;
    this.#history = settings.history;
    this.#sweeper = new Sweeper(settings.chain, settings.history, settings.log, this.#closing.signal);
    this.#head = trieStore.head;
    this.#durable = trieStore.head.number;
    this.#flat = new NewestState(settings.chain, settings.cachedAccounts, (hash) =>
      this.#confirmAbsent(hash),
    );
    this.migration = new Migration({ ...settings, trieStore });
    this.figures = () => stateFigures(trieStore, settings.history);
    const { damage } = settings.chain;
    if (damage !== undefined) {
      settings.log.error({ damage, number: this.number }, "chain database has lost rows, perhaps blocks");
      this.#repair();
    } else if (trieStore.isAt(this.#head)) this.#sweep();
    else this.#prepare(trieStore.catchUp(this.#head, this.#closing.signal));
  }

  get number(): number {
    return this.#head.number;
  }

  get root(): Hash {
    return this.#head.root;
  }

  get ready(): Promise<void> {
    return this.#ready;
  }

  begin(): World {
    if (this.#held === "catching up") throw new StateError("not-ready", "the trie is still catching up");
    return new JournaledWorld(this.#flat, this.#head.number);
  }

  seal(world: World, options: SealOptions = {}): SealedState {
    return runAtOnce(this.#sealSteps(world, options));
  }

  sealInSlices(world: World): Promise<SealedState> {
    return runInSlices(this.#sealSteps(world, {}));
  }

  *#sealSteps(world: World, options: SealOptions): Generator<undefined, SealedState> {
    this.#assertFree();
    if (!(world instanceof JournaledWorld) || world.base !== this.#head.number) {
      throw new StateError("busy", `the world does not stand on block ${this.#head.number}`);
    }
    world.base = undefined;
    if (options.keepEmpty !== true) world.endTransaction();
    this.#held = "sealed";
    try {
      this.#sealed = yield* this.migration.runYielding(sealSteps(world, this.#trieStore.tries, this.#head));
    } catch (error) {
      this.#held = undefined;
      throw this.#damageOf(error);
    }
    return this.#sealedState(this.#sealed);
  }

  #sealedState(sealed: Sealed): SealedState {
    const isOpen = (): boolean => this.#sealed === sealed;
    const discard = (): void => {
      if (isOpen()) this.#discard(sealed);
    };
    return {
      root: sealed.after.root,
      get isOpen() {
        return isOpen();
      },
      commit: (number, batch) => {
        if (!isOpen()) throw new StateError("busy", "the sealed state is not open");
        this.#commit(sealed, number, batch);
      },
      amend: (batch) => {
        if (!isOpen()) throw new StateError("busy", "the sealed state is not open");
        this.#amend(sealed, batch);
      },
      discard,
      [Symbol.dispose]: discard,
    };
  }

  #commit(sealed: Sealed, number: number, batch: Batch): void {
    if (number !== this.#head.number + 1) {
      throw new StateError("busy", `the next block is ${this.#head.number + 1}, not ${number}`);
    }
    this.#put(sealed, { ...sealed.after, firstUndo: this.#prune(number, batch) }, batch);
    if (number > 0) this.#history.add(number, sealed.rows, batch);
  }

  #amend(sealed: Sealed, batch: Batch): void {
    const { number, firstUndo } = this.#head;
    this.#put(sealed, { ...sealed.after, number, firstUndo }, batch);
    if (number > 0) this.#history.amend(number, sealed.rows, batch);
  }

  /** Puts the rows of a sealed state into the batch and makes `head` the newest state. */
  #put(sealed: Sealed, head: StateHead, batch: Batch): void {
    this.#release();
    this.migration.setYielding(true); // until it is on disk
    putRows(sealed, batch, this.#settings.preimages);
    for (const storage of sealed.destroyed) this.#trieStore.tries.forget(...storage);
    batch.put(HEAD_KEY, encodeHead(head));
    this.#flat.apply(sealed.flat);
    this.#head = head;
  }

  #discard(sealed: Sealed): void {
    this.#release();
    try {
      unseal(sealed, this.#trieStore.tries);
    } catch (error) {
      throw this.#damageOf(error);
    }
  }

  #release(): void {
    this.#sealed = undefined;
    this.#held = undefined;
  }

  markPersisted(number: number): void {
    this.#durable = Math.max(this.#durable, number);
    this.migration.setYielding(false);
  }

  async prepareFlush(): Promise<void> {
    if (this.#held !== undefined) return;
    const { tries } = this.#trieStore;
    if (tries.ungatheredBytes < this.#settings.gatherBytes) return;
    this.#held = "flushing";
    await this.#trieStore.gather().finally(() => (this.#held = undefined));
  }

  async flushIfDue(synced?: Promise<void>): Promise<void> {
    const { flushInterval, flushBytes } = this.#settings;
    if (this.#held !== undefined || (synced === undefined && this.#durable < this.#head.number)) return;
    if (this.migration.isDue) {
      await synced;
      this.markPersisted(this.#head.number);
      return this.#migrate();
    }
    const behind = this.#head.number - (this.#trieStore.marker ?? -1);
    const isLarge = behind > 0 && this.#trieStore.tries.dirtyBytes >= flushBytes;
    if (behind >= flushInterval || isLarge) await this.#gather(synced);
  }

  async flush(): Promise<void> {
    this.#assertFree();
    if (this.#durable < this.#head.number) {
      throw new StateError("busy", `block ${this.#head.number} is not durable yet`);
    }
    await this.#writing;
    if (!this.#trieStore.isAt(this.#head)) await this.#gather();
    await this.#writing;
  }

  view(number: number): StateView {
    return viewOf(number, this.#at(number));
  }

  worldAt(number: number): World {
    const read = number === this.#head.number ? this.#readSlots() : undefined;
    return new JournaledWorld(this.#at(number), NOT_TO_SEAL, read);
  }

  proveNewest(number: number, address: Address, keys: readonly StorageKey[]): AccountProof | undefined {
    if (number !== this.#head.number || this.#held !== undefined) return undefined;
    return proveNow(this.#at(number).record(address, mapKey(address)), this.#trieStore.tries, keys);
  }

  assertTrieOpen(): void {
    void this.#trieStore.store;
  }

  beforeTrieCloses(end: () => Promise<void>): void {
    this.#trieStore.beforeClose(end);
  }

  /** Slots of the newest state that worlds have read. */
  #readSlots(): ReadSlots {
    const { version } = this.#flat;
    if (version !== this.#read.version) this.#read = { version, slots: new ReadSlots() };
    return this.#read.slots;
  }

  /** Returns the flat state after a block. Throws `StateError` when it is not stored. */
  #at(number: number): FlatState {
    const newest = this.#head.number;
    const { oldest } = this.#history;
    if (number < oldest || number > newest) throw noState(number, oldest, newest);
    return (number === newest ? stateNow : pastState)(number, this.#flat, this.#history);
  }

  async verify({
    progress = () => undefined,
    directories,
    rootAt,
  }: VerifyOptions = {}): Promise<VerifiedCounts> {
    await this.#ready;
    await this.flush();
    await this.#sweeper.idle;
    this.#sweep();
    await this.#sweeper.idle;
    const { store: trie, generation } = this.#trieStore;
    const opened = directories && {
      chain: directories.chain,
      trie: join(directories.tries, String(generation)),
    };
    this.#held = "verifying";
    const { oldestRecent: oldest } = this.#history;
    const deps = { ...this.#settings, trie, root: this.root, progress, directories: opened, oldest, rootAt };
    return verifyState(deps).finally(() => (this.#held = undefined));
  }

  async rewind(target: Point, batch: Batch, write: () => Promise<void>): Promise<void> {
    await this.migration.stop("the chain goes back");
    await this.#writing;
    this.#assertFree();
    this.#held = "rewinding";
    const parts = { ...this.#settings, trieStore: this.#trieStore, head: this.#head };
    const rewinding = prepareRewind(parts, target, batch);
    const { head, hasTries } = await rewinding.finally(() => (this.#held = undefined));
    const written = write(); // from here on the rows are the older ones
    this.#flat.forget();
    this.#history.rewind(head.number);
    this.#head = head;
    this.#durable = head.number;
    if (!hasTries) this.#repair();
    await written;
    await this.#ready;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.migration.close();
    await this.#ready.catch(() => undefined);
    await this.#sweeper.idle;
    try {
      if (this.#held === undefined && this.#durable >= this.#head.number) await this.flush();
      await this.#writing;
    } catch (error) {
      // the next start catches up from the undo records
      this.#settings.log.warn({ number: this.#head.number, error }, "trie not written at close");
    }
    await this.#trieStore.close();
  }

  async #migrate(): Promise<void> {
    await this.flush();
    this.#held = "migrating";
    this.#head = await this.migration.step(this.#head).finally(() => (this.#held = undefined));
    this.#sweep();
  }

  /** One synced batch with all changes since the last, written when the chain database is durable up to the head. */
  async #gather(synced?: Promise<void>): Promise<void> {
    this.#held = "flushing";
    try {
      await this.#writing;
      const head = this.#head;
      const { written } = await this.#trieStore.flush(head, synced);
      this.#writing = written.then(() => this.#sweep(head));
      this.#writing.catch(() => undefined); // whoever flushes next sees the failure
    } finally {
      this.#held = undefined;
    }
  }

  /** Starts removing what is not needed any more; the head must be durable. */
  #sweep({ firstUndo } = this.#head): void {
    if (!this.migration.status.isMigration) this.#sweeper.start(this.#trieStore.store, firstUndo - 1);
  }

  /** Undo records go when no view needs them and the trie on disk has passed them; the oldest that stays. */
  #prune(head: number, batch: Batch): number {
    const { floor } = this.migration;
    const last = Math.min(head - this.#history.recentBlocks, this.#trieStore.marker ?? -1, floor);
    return deleteUndo(batch, this.#head.firstUndo, last);
  }

  #assertFree(): void {
    if (this.#held === undefined) return;
    const code = this.#held === "catching up" ? "not-ready" : "busy";
    throw new StateError(code, `the trie is held: ${this.#held}`);
  }

  /** An account without a flat row must not be in the trie either; asked where the trie can tell. */
  #confirmAbsent(hash: Hash): void {
    if (this.#held !== undefined) return;
    try {
      if (this.#trieStore.tries.accounts.get(hash) === undefined) return;
    } catch (error) {
      throw this.#damageOf(error);
    }
    throw this.#damageOf(new StateError("trie-damaged", "the flat state lacks an account"));
  }

  /** Starts the repair of what cannot be trusted any more, and passes the error on. */
  #damageOf(error: unknown): unknown {
    if (!isDamage(error)) return error;
    this.#settings.log.error({ number: this.#head.number, error }, "trie does not match the flat state");
    this.#repair();
    if (error instanceof StateError) return error;
    return new StateError("trie-damaged", "the trie database is damaged", { cause: error });
  }

  #repair(): void {
    const stopped = this.migration.stop("the trie is damaged");
    this.#prepare(stopped.then(() => this.#trieStore.rebuild(this.#head, this.#closing.signal)));
  }

  /** Holds the tries until `work` has brought them to the head; for good when it fails. */
  #prepare(work: Promise<void>): void {
    this.#held = "catching up";
    this.#sealed = undefined;
    this.#ready = work.then(() => {
      this.#held = undefined;
      this.#sweep();
    });
    this.#ready.catch((error: unknown) => {
      if (!this.#closing.signal.aborted) this.#settings.log.error({ error }, "state cannot be used");
    });
  }
}
