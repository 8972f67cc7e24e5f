/**
 * Puts blocks into the chain, one after another: rules, execution, roots, one batch. Blocks that are imported,
 * pushed by a peer, proposed or made here share one path: execute, seal, commit. While batches of blocks are on their way
 * to disk the next blocks may execute; nobody outside sees a block before it is synced.
 */
import type { Hash } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { type Rules, rulesAt } from "../config/rules.ts";
import { type BlockOutcome, executeTransactions, finalizeBlock } from "../execution/block.ts";
import { blockContext } from "../execution/block-context.ts";
import { applySystemChanges } from "../execution/system-changes.ts";
import { noStaking } from "../governance/staking.ts";
import type { Block, BlockItems } from "../model/block.ts";
import type { Header } from "../model/header.ts";
import { runInSlices } from "../runtime/scheduler.ts";
import type { World } from "../state/world/world.ts";
import { StoreError } from "../store/error.ts";
import type { Batch } from "../store/store.ts";
import { noteAmended } from "./amended.ts";
import { type BodyRules, checkBody, checkOutcome, isBadBlock, refusal } from "./block-checks.ts";
import { blockRowSteps, holdsBlock, holdsBody } from "./block-rows.ts";
import type { BlockHead } from "./chain.ts";
import { ChainError } from "./error.ts";
import type { Written } from "./publisher.ts";
import { retryAfterRepair } from "./retry-after-repair.ts";
import { rewindChain } from "./rewind.ts";
import { writeSenders } from "./senders.ts";
import { type InsertTimes, Stopwatch } from "./stopwatch.ts";
import type { Executed, SealedBlock, SealedDraft, WriterDeps } from "./writer-deps.ts";

/** A block being made: the world its transactions ran on and what they did. */
export interface Draft {
  readonly world: World;
  readonly outcome: BlockOutcome;
}

/** Blocks that are synced together. A crash during import loses at most two groups, never a part of a block. */
const GROUP_BLOCKS = 64;
const GROUP_BYTES = 4 * 1024 * 1024;
/** Bytes of batches that may be on their way to disk while further blocks execute: those of a sync, and some more. */
const MAX_UNWRITTEN_BYTES = 2 * 1024 * 1024;

/** A group on its way to disk: the blocks that nobody has seen, the last one's number. */
interface SyncingGroup {
  readonly blocks: readonly Written[];
  readonly last: number;
  readonly synced: Promise<void>;
  readonly isSynced: () => boolean;
}

/** The one place that writes blocks. Its callers take turns through `exclusively`. */
export class Writer {
  readonly #deps: WriterDeps;
  #turn: Promise<unknown> = Promise.resolve();
  #write: Promise<void> = Promise.resolve();
  readonly #failure = Promise.withResolvers<never>();
  #error: unknown;
  #tip: Block;
  /** Batches on their way to disk, in order. */
  readonly #unwritten: { readonly bytes: number; readonly written: Promise<void> }[] = [];
  #groupBlocks = 0;
  #groupBytes = 0;
  #syncing: SyncingGroup | undefined;
  #onInserted: (times: InsertTimes, block: Block) => void = () => undefined;
  /** Blocks from elsewhere that broke a rule, since the start. */
  refused = 0;
  /** The sealed block that the tries hold as long as it is open; whatever needs the tries discards it. */
  #candidate: (SealedBlock & Executed) | undefined;

  constructor(deps: WriterDeps) {
    this.#deps = deps;
    this.#tip = deps.publisher.head;
    this.#failure.promise.catch(() => undefined); // the promise is handed out; its readers see the failure
  }

  /**
   * Rejects when the database refused a write of a block or of its state, or gave a damaged row to a block. Memory is
   * ahead of the disk, or the state is unknown, so every later block is refused and the process has to end.
   */
  get failed(): Promise<never> {
    return this.#failure.promise;
  }

  /** The newest block that was executed and handed to the store, durable or not. */
  get tip(): Block {
    return this.#tip;
  }

  /** Calls `listener` with each block from elsewhere, instead of the former listener. */
  onInserted(listener: (times: InsertTimes, block: Block) => void): void {
    this.#onInserted = listener;
  }

  /** A block by number, durable or not. */
  blockHead(number: number): BlockHead | undefined {
    return this.#deps.rows.header(number);
  }

  /** True when the block of this number, durable or not, has these transactions and they are kept. */
  holdsBody(number: number, body: Uint8Array): boolean {
    return holdsBody(this.#deps.store, number, body);
  }

  /** True when the chain has this very block, byte for byte. */
  holds(number: number, parts: BlockItems): boolean {
    return number <= this.#tip.header.number && holdsBlock(this.#deps.store, number, parts);
  }

  /** Hash of a block up to the tip. */
  hashOf(number: number): Hash | undefined {
    return number > this.#tip.header.number ? undefined : this.blockHead(number)?.hash;
  }

  /** Runs `work` when everyone before has finished: only one caller changes the chain at a time. */
  exclusively<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  /**
   * Verifies, executes and writes a block that extends the tip; one that is sealed already is not executed again.
   * Synced at once with `sync`, else with its group or by `settle`. Throws `ChainError` with nothing changed.
   */
  async insert(block: Block, sync = false): Promise<void> {
    this.#assertUsable();
    if (!this.#deps.hasRoom()) {
      throw new ChainError("no-room", "disk is nearly full: no blocks are written until there is room");
    }
    const steps = new Stopwatch();
    const executed = await this.#sealedOrExecuted(block);
    await this.#deps.pause();
    steps.next();
    await this.#commit(block, executed, sync);
    const write = steps.next();
    if (executed.times !== undefined) this.#onInserted({ ...executed.times, write, all: steps.all }, block);
  }

  async #sealedOrExecuted(block: Block): Promise<Executed> {
    try {
      return (
        (await this.#sealedAs(block)) ??
        (await retryAfterRepair(this.#deps.state, () => this.#execute(block, false)))
      );
    } catch (cause) {
      this.#failIfDamaged(cause);
      const refused = refusal(block.header.number, cause);
      if (isBadBlock(refused)) {
        this.refused++;
        this.#deps.badBlocks.add(block, refused.message);
      }
      throw refused;
    }
  }

  /**
   * Verifies and executes a proposal that would extend the tip, whose committed seals are still to come. `insert` of
   * the block with its seals takes what this gave, as long as it is open. Throws `ChainError` with nothing changed.
   */
  async execute(proposal: Block): Promise<SealedBlock> {
    this.#assertUsable();
    try {
      const executed = await retryAfterRepair(this.#deps.state, () => this.#execute(proposal, true));
      return this.#open(proposal, executed);
    } catch (cause) {
      this.#failIfDamaged(cause);
      throw refusal(proposal.header.number, cause);
    }
  }

  /** Pays the reward and hashes the state of a block made here: its state root. */
  async seal(draft: Draft, header: Header, rules: Rules): Promise<SealedDraft> {
    this.#candidate?.discard();
    this.#finalize(draft, header, rules);
    const state = await this.#deps.state.sealInSlices(draft.world);
    let isComplete = false;
    return {
      stateRoot: state.root,
      complete: (block) => {
        isComplete = true;
        return this.#open(block, { state, receipts: draft.outcome.receipts });
      },
      [Symbol.dispose]: () => {
        if (!isComplete) state.discard();
      },
    };
  }

  #open(block: Block, executed: Executed): SealedBlock {
    const { state } = executed;
    const discard = (): void => state.discard();
    const sealed = {
      ...executed,
      block,
      get isOpen() {
        return state.isOpen;
      },
      commit: (sync: boolean) => this.#commit(block, executed, sync),
      discard,
      [Symbol.dispose]: discard,
    };
    this.#candidate = sealed;
    return sealed;
  }

  /** The open sealed block, when it is this one and the header is good with its seals. */
  async #sealedAs(block: Block): Promise<Executed | undefined> {
    const candidate = this.#candidate;
    if (candidate?.isOpen !== true || !equalBytes(candidate.block.hash, block.hash)) return undefined;
    this.#deps.verifyHeader(block.header, this.#tip);
    if (candidate.block.transactions === block.transactions) return candidate;
    await runInSlices(checkBody(block, this.#termsOf(block.header)));
    return candidate.isOpen ? candidate : undefined;
  }

  #termsOf({ number }: Header): BodyRules {
    const { config, governance } = this.#deps;
    return { rules: rulesAt(config, number), parameters: governance.parameters(number) };
  }

  /** Checks header and body of a block below the tip that is here by its hash, with other seals or round. */
  async recheck(block: Block): Promise<void> {
    const { rows, verifyHeader } = this.#deps;
    const { number } = block.header;
    const parent = number === 0 ? undefined : rows.header(number - 1);
    try {
      if (parent === undefined)
        throw new ChainError("bad-block", "its seals differ from those in the database");
      verifyHeader(block.header, parent);
      await runInSlices(checkBody(block, this.#termsOf(block.header)));
    } catch (cause) {
      throw refusal(block.header.number, cause);
    }
  }

  /** Checks a header made elsewhere by all rules, as the next one after the tip. Throws `ChainError`. */
  checkHeader(header: Header): void {
    try {
      this.#deps.verifyHeader(header, this.#tip);
    } catch (cause) {
      throw refusal(header.number, cause);
    }
  }

  async #execute(block: Block, isProposal: boolean): Promise<Executed> {
    const steps = new Stopwatch();
    const { config, state, verifyHeader, pause } = this.#deps;
    const { header } = block;
    this.#candidate?.discard();
    const { author } = verifyHeader(header, this.#tip, isProposal);
    const { rules, parameters } = this.#termsOf(header);
    await runInSlices(checkBody(block, { rules, parameters }));
    const checked = steps.next();
    await pause();
    const world = state.begin();
    const context = blockContext(config, header, { author, blockHash: (number) => this.hashOf(number) });
    const outcome = await executeTransactions(world, block.transactions, context, pause);
    const execute = steps.next();
    this.#finalize({ world, outcome }, header, rules);
    const finalize = steps.next();
    const sealed = await state.sealInSlices(world);
    const hash = steps.next();
    try {
      await runInSlices(checkOutcome(header, outcome, sealed.root, parameters));
    } catch (error) {
      sealed.discard();
      throw error;
    }
    return {
      state: sealed,
      receipts: outcome.receipts,
      times: { validate: checked + steps.next(), execute, finalize, hash },
    };
  }

  #finalize({ world, outcome }: Draft, header: Header, rules: Rules): void {
    const { config, governance, contracts } = this.#deps;
    const { number } = header;
    const parameters = governance.parameters(number);
    const staking = parameters.policy === "weighted" ? governance.staking(number) : noStaking(number - 1);
    finalizeBlock(world, header, { outcome, rules, parameters, staking });
    applySystemChanges(world, {
      config,
      header,
      blockHash: (wanted) => this.blockHead(wanted)?.hash,
      parentContracts: () => contracts(number - 1),
    });
  }

  /** Writes an executed block as the next one; `sync` makes it durable before the promise resolves. */
  async #commit(block: Block, { receipts, state: sealed }: Executed, sync: boolean): Promise<void> {
    if (!sealed.isOpen) throw new ChainError("busy", "the sealed block is not open any more");
    const { config, store, rows, publisher, governance, state } = this.#deps;
    const batch = store.createBatch();
    await runInSlices(blockRowSteps(batch, block, receipts));
    await runInSlices(writeSenders(batch, block, config.chainId));
    try {
      governance.accept(block.header, batch);
    } catch (error) {
      sealed.discard();
      throw error;
    }
    sealed.commit(block.header.number, batch);
    this.#candidate = undefined; // its rows and trie changes are garbage from here on
    this.#tip = block;
    rows.remember(block);
    publisher.hold({ block, receipts });
    this.#groupBlocks++;
    this.#groupBytes += batch.bytes;
    const isGroupFull = this.#groupBlocks >= GROUP_BLOCKS || this.#groupBytes >= GROUP_BYTES;
    this.#startWrite(batch, sync || isGroupFull); // at once: the state counts on its rows being readable
    if (sync) await this.#sync();
    else if (isGroupFull) await this.#syncBehind();
    else if (this.#syncing?.isSynced() === true) await this.#showGroup();
    await this.#waitForRoom();
    await state.prepareFlush();
  }

  #startWrite(batch: Batch, sync: boolean): void {
    const written = this.#deps.store.write(batch, { sync });
    this.#write = written;
    const waiting = { bytes: batch.bytes, written };
    this.#unwritten.push(waiting);
    written.then(
      () => this.#unwritten.shift(), // they end in their order
      (error: unknown) => this.#fail(error), // whoever awaits it next sees the failure too
    );
  }

  async #waitForRoom(): Promise<void> {
    const bytes = (): number => this.#unwritten.reduce((sum, waiting) => sum + waiting.bytes, 0);
    while (this.#unwritten.length > 1 && bytes() > MAX_UNWRITTEN_BYTES) await this.#unwritten[0]?.written;
  }

  /** Makes everything written so far durable and visible. */
  async settle(): Promise<void> {
    await this.#write;
    if (this.#groupBlocks === 0) return this.#showGroup();
    this.#startWrite(this.#deps.store.createBatch(), true);
    await this.#sync();
  }

  /**
   * Takes the chain back to an earlier block, durably and at once or not at all; removed blocks are reported to
   * the listeners of rewinds. For callers of `exclusively`. Throws `ChainError` `no-block` for a block after the
   * newest one or of which the state is not kept.
   */
  async setHead(number: number): Promise<void> {
    const { rows, publisher } = this.#deps;
    this.#candidate?.discard();
    await this.settle();
    if (number === this.#tip.header.number) return;
    const removed = await rewindChain(this.#deps, number, (target) => {
      this.#tip = target;
      rows.forgetAfter(number);
      publisher.rewind(target);
    });
    publisher.notifyRewound(removed);
  }

  /**
   * Edits the state after the newest block, durably, and marks the chain as edited; for development chains and callers
   * of `exclusively`. `addRows` adds rows to the same batch. Listeners to rewinds are called without a removed block.
   */
  async amend(edit: (world: World) => void, addRows?: (batch: Batch) => void): Promise<void> {
    const { store, state, publisher } = this.#deps;
    this.#candidate?.discard();
    await this.settle();
    const world = state.begin();
    edit(world);
    using sealed = state.seal(world);
    const batch = store.createBatch();
    sealed.amend(batch);
    addRows?.(batch);
    noteAmended(store, batch, { number: this.#tip.header.number, root: sealed.root });
    await store.write(batch, { sync: true });
    state.markPersisted(this.#tip.header.number);
    publisher.notifyRewound([]);
  }

  /** Waits for the sync of all blocks and shows them. */
  async #sync(): Promise<void> {
    await this.#write;
    await this.#showGroup();
    this.#beginGroup();
    await this.#showGroup();
    await this.#flushTries();
  }

  /** Begins a group while the one before is on its way to disk; its last block's synced write has been started. */
  async #syncBehind(): Promise<void> {
    await this.#showGroup();
    this.#beginGroup();
    await this.#flushTries(this.#write);
  }

  #beginGroup(): void {
    const synced = this.#write;
    const isSynced = (): boolean => !this.#unwritten.some(({ written }) => written === synced);
    const blocks = this.#deps.publisher.take();
    this.#groupBlocks = 0;
    this.#groupBytes = 0;
    this.#syncing = { blocks, last: this.#tip.header.number, synced, isSynced };
  }

  /** Shows the blocks of the group that is being synced when they are on disk. */
  async #showGroup(): Promise<void> {
    const group = this.#syncing;
    if (group === undefined) return;
    await group.synced;
    this.#syncing = undefined;
    this.#deps.state.markPersisted(group.last);
    this.#deps.publisher.show(group.blocks);
  }

  /** Writes the tries if that is due; `synced` resolves when the newest block is on disk. */
  async #flushTries(synced?: Promise<void>): Promise<void> {
    try {
      await this.#deps.state.flushIfDue(synced);
    } catch (error) {
      this.#failIfDamaged(error);
      throw error;
    }
  }

  #failIfDamaged(error: unknown): void {
    if (error instanceof StoreError) this.#fail(error);
  }

  #fail(error: unknown): void {
    this.#error ??= error;
    this.#failure.reject(error);
  }

  #assertUsable(): void {
    if (this.#error === undefined) return;
    throw new ChainError("failed", "the database has failed", { cause: this.#error });
  }
}
