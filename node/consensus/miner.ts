/**
 * Makes the blocks of a development chain whose only validator is this node: one for each transaction, one an
 * interval, or on request. Each block is drafted, sealed and committed as a proposal that a council of one agreed on,
 * so that the chain is one that every node accepts.
 */
import type { Address } from "../bytes/brands.ts";
import { ChainError } from "../chain/error.ts";
import { retryAfterRepair } from "../chain/retry-after-repair.ts";
import { type Block, createBlock } from "../model/block.ts";
import { committedSealDigest } from "../model/istanbul-extra.ts";
import type { AdjustableClock } from "../runtime/adjustable-clock.ts";
import { untilDoneOrAborted } from "../runtime/until-aborted.ts";
import { type DraftDeps, draftBlock } from "./draft.ts";
import { withCommitters } from "./sealers.ts";

/** Dependencies of a miner. */
export interface MinerDeps extends DraftDeps {
  readonly clock: AdjustableClock;
  /** Resolves when the state can make blocks and the disk has space for one. */
  readonly ready: () => Promise<unknown>;
  /** True while the pool has executable transactions. */
  readonly hasPending: () => boolean;
  /** Registers a listener for transactions that became executable; the result removes it. */
  readonly onPending: (listener: () => void) => () => void;
}

/** Conditions under which blocks are made. */
export interface MiningMode {
  /** A block as soon as a transaction is executable. */
  readonly isAuto: boolean;
  /** Milliseconds between two blocks; undefined for none by time. */
  readonly intervalMs: number | undefined;
}

/** A running miner. Disposing it waits for the block that is being made. */
export interface Miner extends AsyncDisposable {
  /** Rejects when a block cannot be made or written; the node cannot continue then. */
  readonly failed: Promise<never>;
  readonly mode: MiningMode;
  /** Changes the mode; the interval begins now. */
  setMode(mode: Partial<MiningMode>): void;
  /** Makes a block now, of the transactions in the pool. Rejects as `draftBlock` and `Writer.insert`. */
  mine(): Promise<Block>;
  /** Resolves when no block for a transaction is under way; at once outside the auto mode. */
  idle(): Promise<void>;
  /** Sets the time of the next block, in seconds since the epoch; later blocks go on from there. */
  setNextTime(seconds: number): void;
  /** Sets the seconds from one block to the next; undefined for the clock's time. */
  setTimeStep(seconds: number | undefined): void;
  readonly timeStep: number | undefined;
  /** The account that receives the rewards of later blocks. */
  readonly rewardbase: Address;
  setRewardbase(account: Address): void;
  /** Goes back to the mode, the account and the times that it was opened with. */
  reset(): void;
  /** Begins to make blocks by the mode. */
  start(): void;
}

/** Opens a miner that is not started. */
export function openMiner(deps: MinerDeps, mode: MiningMode): Miner {
  return new DevelopmentMiner(deps, mode);
}

class DevelopmentMiner implements Miner {
  #deps: MinerDeps;
  readonly #start: { readonly mode: MiningMode; readonly rewardbase: Address };
  readonly #failure = Promise.withResolvers<never>();
  #mode: MiningMode;
  #timer: NodeJS.Timeout | undefined;
  #stopListening: (() => void) | undefined;
  /** The blocks under way, one after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  #auto: Promise<void> | undefined;
  #nextTime: number | undefined;
  #timeStep: number | undefined;
  #isStarted = false;
  readonly #closing = new AbortController();

  constructor(deps: MinerDeps, mode: MiningMode) {
    this.#deps = deps;
    this.#mode = mode;
    this.#start = { mode, rewardbase: deps.rewardbase };
    this.#failure.promise.catch(() => undefined); // its readers see the failure
  }

  get failed(): Promise<never> {
    return this.#failure.promise;
  }

  get mode(): MiningMode {
    return this.#mode;
  }

  get timeStep(): number | undefined {
    return this.#timeStep;
  }

  start(): void {
    this.#isStarted = true;
    this.#stopListening = this.#deps.onPending(() => this.#mineWaiting());
    this.#mineWaiting();
    this.#schedule();
  }

  setMode(mode: Partial<MiningMode>): void {
    this.#mode = { ...this.#mode, ...mode };
    this.#mineWaiting();
    this.#schedule();
  }

  setNextTime(seconds: number): void {
    this.#nextTime = seconds;
  }

  setTimeStep(seconds: number | undefined): void {
    this.#timeStep = seconds;
  }

  get rewardbase(): Address {
    return this.#deps.rewardbase;
  }

  setRewardbase(rewardbase: Address): void {
    this.#deps = { ...this.#deps, rewardbase };
  }

  reset(): void {
    this.#nextTime = undefined;
    this.#timeStep = undefined;
    this.setRewardbase(this.#start.rewardbase);
    this.setMode(this.#start.mode);
  }

  mine(): Promise<Block> {
    const made = this.#turn.then(() => this.#make());
    this.#turn = made.catch(() => undefined);
    return made;
  }

  async idle(): Promise<void> {
    await this.#auto;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    this.#stopListening?.();
    clearTimeout(this.#timer);
    await this.#auto;
    await this.#turn;
  }

  /** Makes blocks until no transaction is executable; a block that took none ends it. */
  #mineWaiting(): void {
    const { isAuto } = this.#mode;
    if (!isAuto || !this.#isStarted || this.#auto !== undefined || !this.#deps.hasPending()) return;
    this.#auto = this.#mineAll()
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        this.#auto = undefined;
      });
  }

  async #mineAll(): Promise<void> {
    while (this.#mode.isAuto && !this.#closing.signal.aborted && this.#deps.hasPending()) {
      const { transactions } = await this.mine();
      if (transactions.length === 0) return;
    }
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    const { intervalMs } = this.#mode;
    if (intervalMs === undefined || !this.#isStarted || this.#closing.signal.aborted) return;
    const { writer, clock } = this.#deps;
    const due = Math.min(writer.tip.header.time * 1000 + intervalMs - clock.now(), intervalMs);
    this.#timer = setTimeout(() => this.#mineByTime(), Math.max(0, due));
  }

  #mineByTime(): void {
    void this.mine().then(
      () => this.#schedule(),
      (error: unknown) => this.#fail(error),
    );
  }

  #fail(error: unknown): void {
    if (!this.#closing.signal.aborted) this.#failure.reject(error);
  }

  /** Makes a block once there is room for it. Rejects with the signal's reason when the miner is closed before. */
  async #make(): Promise<Block> {
    const { signal } = this.#closing;
    for (;;) {
      await untilDoneOrAborted(this.#deps.ready(), signal);
      signal.throwIfAborted();
      try {
        return await this.#makeNow();
      } catch (error) {
        if (!(error instanceof ChainError) || error.code !== "no-room") throw error;
      }
    }
  }

  #makeNow(): Promise<Block> {
    const { writer, state, sign, address } = this.#deps;
    return writer.exclusively(async () => {
      this.#setTime();
      using sealed = await retryAfterRepair(state, () => draftBlock(this.#deps));
      const { header, hash, transactions } = sealed.block;
      const seals = [sign(committedSealDigest(hash))];
      const agreed = withCommitters(header, { round: 0, seals, committers: [address] });
      const block = createBlock(agreed, transactions);
      this.#deps.clock.advanceTo(block.header.time * 1000);
      await writer.insert(block, true);
      return block;
    });
  }

  #setTime(): void {
    const { clock, writer } = this.#deps;
    const step = this.#timeStep;
    const time = this.#nextTime ?? (step === undefined ? undefined : writer.tip.header.time + step);
    this.#nextTime = undefined;
    if (time !== undefined) clock.set(time * 1000);
  }
}
