/**
 * Holds blocks back until they are synced to disk, then shows them: durable order in, head events out.
 */

import type { Block } from "../model/block.ts";
import type { Receipt } from "../model/receipt.ts";
import type { Log } from "../observe/log.ts";
import type { HeadListener, RemovedBlock, RewindListener } from "./chain.ts";

/** A block whose batch is on its way to disk. */
export interface Written {
  readonly block: Block;
  readonly receipts: readonly Receipt[];
}

/** Shows blocks in order once they are durable. */
export class Publisher {
  readonly #listeners = new Set<HeadListener>();
  readonly #rewindListeners = new Set<RewindListener>();
  readonly #log: Log;
  #waiting: Written[] = [];
  #head: Block;

  constructor(head: Block, log: Log) {
    this.#head = head;
    this.#log = log;
  }

  /** The newest block that is durable. */
  get head(): Block {
    return this.#head;
  }

  /** Registers a listener for blocks that are held from now on; the result takes it out. */
  listen(listener: HeadListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The same for when the chain is taken back. */
  listenToRewinds(listener: RewindListener): () => void {
    this.#rewindListeners.add(listener);
    return () => this.#rewindListeners.delete(listener);
  }

  /** From now on nothing after `head` is shown. Nothing may be held back. */
  rewind(head: Block): void {
    this.#head = head;
  }

  /** The chain was taken back, durably: tells what was removed, the newest block first. */
  notifyRewound(removed: readonly RemovedBlock[]): void {
    for (const listener of this.#rewindListeners) {
      try {
        listener(removed, this.#head);
      } catch (error) {
        this.#log.error({ error, number: this.#head.header.number }, "rewind listener failed");
      }
    }
  }

  /** A block was handed to the store and is not yet synced. Where nobody listens, only the newest one is kept. */
  hold(written: Written): void {
    if (this.#listeners.size === 0) this.#waiting.length = 0;
    this.#waiting.push(written);
  }

  /** Takes out everything held so far, for `show`. */
  take(): readonly Written[] {
    const taken = this.#waiting;
    this.#waiting = [];
    return taken;
  }

  /** Shows blocks that are synced, one by one. They follow those shown before. */
  show(durable: readonly Written[]): void {
    for (const { block, receipts } of durable) {
      this.#head = block;
      for (const listener of this.#listeners) this.#tell(listener, block, receipts);
    }
  }

  #tell(listener: HeadListener, block: Block, receipts: readonly Receipt[]): void {
    try {
      listener(block, receipts);
    } catch (error) {
      this.#log.error({ error, number: block.header.number }, "head listener failed");
    }
  }
}
