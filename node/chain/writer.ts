/**
 * Puts blocks into the chain, one after another: rules, execution, roots, one batch. A block made elsewhere
 * comes in through `insert`; one made here through `append`, executed already. While a block's batch is on its
 * way to disk the next may execute; nobody outside sees a block before it is synced.
 */
import type { ChainConfig } from "../config/chain-config.ts";
import { type Rules, rulesAt } from "../config/rules.ts";
import { type BlockOutcome, executeTransactions, finalizeBlock, type Pause } from "../execution/block.ts";
import { blockContext } from "../execution/block-context.ts";
import { changeSystem } from "../execution/system-changes.ts";
import type { ContractReader } from "../governance/contract-reader.ts";
import type { Governance } from "../governance/governance.ts";
import { noStaking } from "../governance/staking.ts";
import type { Block, BlockParts } from "../model/block.ts";
import type { Header } from "../model/header.ts";
import type { Receipt } from "../model/receipt.ts";
import { runInSlices } from "../state/slices.ts";
import type { State } from "../state/state.ts";
import type { World } from "../state/world.ts";
import type { Store } from "../store/store.ts";
import type { BadBlocks } from "./bad-blocks.ts";
import { checkBody, checkOutcome, isBadBlock, refusal } from "./block-checks.ts";
import { type BlockRows, blockRowSteps, holdsBlock, holdsBody } from "./block-rows.ts";
import type { BlockHead } from "./chain.ts";
import { ChainError } from "./error.ts";
import { type InsertTimes, Steps } from "./insert-times.ts";
import type { Publisher } from "./publisher.ts";
import { repaired } from "./repaired.ts";
import { rewindChain } from "./rewind.ts";
import { writeSenders } from "./senders.ts";

/** The header rules, given by consensus: throws when a header breaks one, else names its author. */
export type VerifyHeader = (header: Header, parent: BlockHead) => { readonly author: Uint8Array };

/** What the writer works on. */
export interface WriterParts {
  readonly config: ChainConfig;
  readonly store: Store;
  readonly state: State;
  readonly rows: BlockRows;
  readonly publisher: Publisher;
  readonly badBlocks: BadBlocks;
  readonly verifyHeader: VerifyHeader;
  readonly governance: Governance;
  /** Contracts after a block. */
  readonly contracts: (number: number) => ContractReader;
  readonly pause: Pause;
  /** Whether a block made elsewhere may be written: not when the disk is nearly full. */
  readonly hasRoom: () => boolean;
}

/** A block being made: the world its transactions ran on and what they did. */
export interface Draft {
  readonly world: World;
  readonly outcome: BlockOutcome;
}

/** A crash during import loses at most this much, never a part of a block. */
const GROUP_BLOCKS = 64;
const GROUP_BYTES = 8 * 1024 * 1024;

interface Executed {
  readonly receipts: readonly Receipt[];
  readonly times: Omit<InsertTimes, "all">;
}

/** The one place that writes blocks. Its callers take turns through `exclusively`. */
export class Writer {
  readonly #parts: WriterParts;
  #turn: Promise<unknown> = Promise.resolve();
  #write: Promise<void> = Promise.resolve();
  #tip: Block;
  #groupBlocks = 0;
  #groupBytes = 0;
  #onInserted: (times: InsertTimes, block: Block) => void = () => undefined;
  /** Blocks from elsewhere that broke a rule, since the start. */
  refused = 0;

  constructor(parts: WriterParts) {
    this.#parts = parts;
    this.#tip = parts.publisher.head;
  }

  /** The newest block that was executed and handed to the store, durable or not. */
  get tip(): Block {
    return this.#tip;
  }

  /** Has `listener` told of each block from elsewhere; in place of whoever was told before. */
  onInserted(listener: (times: InsertTimes, block: Block) => void): void {
    this.#onInserted = listener;
  }

  /** A block by number, durable or not. */
  written(number: number): BlockHead | undefined {
    return this.#parts.rows.header(number);
  }

  /** True when the block of this number, durable or not, has these transactions and they are kept. */
  holdsBody(number: number, body: Uint8Array): boolean {
    return holdsBody(this.#parts.store, number, body);
  }

  /** True when the chain has this very block, byte for byte. */
  holds(number: number, parts: BlockParts): boolean {
    return number <= this.#tip.header.number && holdsBlock(this.#parts.store, number, parts);
  }

  /** Hash of a block up to the tip. */
  hashOf(number: number): Uint8Array | undefined {
    return number > this.#tip.header.number ? undefined : this.written(number)?.hash;
  }

  /** Runs `work` when everyone before has finished: only one caller changes the chain at a time. */
  exclusively<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  /**
   * Verifies, executes and writes a block that extends the tip. Synced with its group, or by `settle`. Throws
   * `ChainError` with nothing changed.
   */
  async insert(block: Block): Promise<void> {
    if (!this.#parts.hasRoom()) {
      throw new ChainError("no-room", "the disk is nearly full: no blocks are written until there is room");
    }
    let executed: Executed;
    const steps = new Steps();
    try {
      executed = await repaired(this.#parts.state, () => this.#execute(block));
    } catch (cause) {
      const refused = refusal(block.header.number, cause);
      if (isBadBlock(refused)) {
        this.refused++;
        this.#parts.badBlocks.add(block, refused.message);
      }
      throw refused;
    }
    await this.#parts.pause();
    await this.commit(block, executed.receipts, false);
    this.#onInserted({ ...executed.times, all: steps.all }, block);
  }

  /** Checks header and body of a block below the tip that is here by its hash, with other seals or round. */
  recheck(block: Block): void {
    const { config, rows, verifyHeader, governance } = this.#parts;
    const { number } = block.header;
    const parent = number === 0 ? undefined : rows.header(number - 1);
    try {
      if (parent === undefined)
        throw new ChainError("bad-block", "its seals differ from those in the database");
      verifyHeader(block.header, parent);
      checkBody(block, { rules: rulesAt(config, number), parameters: governance.parameters(number) });
    } catch (cause) {
      throw refusal(block.header.number, cause);
    }
  }

  /** Checks a header made elsewhere by all rules, as the next one after the tip. Throws `ChainError`. */
  checkHeader(header: Header): void {
    try {
      this.#parts.verifyHeader(header, this.#tip);
    } catch (cause) {
      throw refusal(header.number, cause);
    }
  }

  async #execute(block: Block): Promise<Executed> {
    const steps = new Steps();
    const { config, state, verifyHeader, governance, pause } = this.#parts;
    const { header } = block;
    const { author } = verifyHeader(header, this.#tip);
    const rules = rulesAt(config, header.number);
    const parameters = governance.parameters(header.number);
    checkBody(block, { rules, parameters });
    const checked = steps.next();
    await pause();
    const world = state.begin();
    const context = blockContext(config, header, { author, blockHash: (number) => this.hashOf(number) });
    const outcome = await executeTransactions(world, block.transactions, context, pause);
    const execute = steps.next();
    this.#finalize({ world, outcome }, header, rules);
    const finalize = steps.next();
    const root = await state.sealInSlices(world);
    const hash = steps.next();
    try {
      checkOutcome(header, outcome, root, parameters);
    } catch (error) {
      state.reject();
      throw error;
    }
    return {
      receipts: outcome.receipts,
      times: { validate: checked + steps.next(), execute, finalize, hash },
    };
  }

  /** Pays the reward and hashes the state: the state root of the block. Follow with `commit` or `state.reject`. */
  async seal(draft: Draft, header: Header, rules: Rules): Promise<Uint8Array> {
    this.#finalize(draft, header, rules);
    return await this.#parts.state.sealInSlices(draft.world);
  }

  #finalize({ world, outcome }: Draft, header: Header, rules: Rules): void {
    const { config, governance, contracts } = this.#parts;
    const { number } = header;
    const parameters = governance.parameters(number);
    const staking = parameters.policy === "weighted" ? governance.staking(number) : noStaking(number - 1);
    finalizeBlock(world, header, { outcome, rules, parameters, staking });
    changeSystem(world, {
      config,
      header,
      blockHash: (wanted) => this.written(wanted)?.hash,
      parentContracts: () => contracts(number - 1),
    });
  }

  /** Writes the sealed block as the next one; `sync` makes it durable before the promise resolves. */
  async commit(block: Block, receipts: readonly Receipt[], sync: boolean): Promise<void> {
    const { config, store, state, rows, publisher, governance } = this.#parts;
    const batch = store.createBatch();
    await runInSlices(blockRowSteps(batch, block, receipts));
    writeSenders(batch, block, config.chainId);
    try {
      governance.accept(block.header, batch);
    } catch (error) {
      state.reject();
      throw error;
    }
    state.accept(block.header.number, batch);
    this.#tip = block;
    rows.remember(block);
    publisher.hold({ block, receipts });
    this.#groupBlocks++;
    this.#groupBytes += batch.bytes;
    const due = sync || this.#groupBlocks >= GROUP_BLOCKS || this.#groupBytes >= GROUP_BYTES;
    const before = this.#write;
    this.#write = store.write(batch, { sync: due }); // at once: the state counts on its rows being readable
    this.#write.catch(() => undefined); // whoever awaits it next sees the failure
    await before;
    if (due) await this.#synced();
  }

  /** Makes everything written so far durable and visible. */
  async settle(): Promise<void> {
    await this.#write;
    if (this.#groupBlocks === 0) return;
    this.#write = this.#parts.store.write(this.#parts.store.createBatch(), { sync: true });
    await this.#synced();
  }

  /**
   * Takes the chain back to an earlier block, durably and at once or not at all; removed blocks are told to those
   * who listen to rewinds. For callers of `exclusively`. Throws `ChainError` `no-block` for a block after the
   * newest one or of which the state is not kept.
   */
  async setHead(number: number): Promise<void> {
    const { rows, publisher } = this.#parts;
    await this.settle();
    if (number === this.#tip.header.number) return;
    const removed = await rewindChain(this.#parts, number, (target) => {
      this.#tip = target;
      rows.forgetAfter(number);
      publisher.rewind(target);
    });
    publisher.tellRewound(removed);
  }

  async #synced(): Promise<void> {
    const { state, publisher } = this.#parts;
    await this.#write;
    this.#groupBlocks = 0;
    this.#groupBytes = 0;
    state.persisted(this.#tip.header.number);
    publisher.release();
    await state.flushIfDue();
  }
}
