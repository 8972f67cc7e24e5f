/**
 * Follows the chain with data that is derived from it: a few blocks at a time, well behind everything else. Derived
 * data has a cursor of its own, may lag, and can be rebuilt.
 */

import { setTimeout } from "node:timers/promises";
import type { Block } from "../model/block.ts";
import type { Log } from "../observe/log.ts";
import { Slice } from "../runtime/scheduler.ts";
import type { Chain, RemovedBlock } from "./chain.ts";

/** The chain with its clock of durable heads. */
export interface FollowedChain {
  readonly chain: Pick<Chain, "head" | "onHead" | "onRewind">;
  readonly log: Log;
}

/** Data derived from the chain. */
export interface Derived {
  /** For the log. */
  readonly name: string;
  /** The first block that has not been taken in. */
  readonly next: number;
  /** Takes in the block `next`, which is durable. */
  take(): void | Promise<void>;
  /** The chain was taken back to `head`: nothing after it may be left once the next block is written. */
  cut(head: number, removed: readonly RemovedBlock[]): void;
}

/** A follower that is disposed of ends after its current block. */
export interface BlockFollower extends AsyncDisposable {
  /** Resolves when all blocks up to the head are taken in. */
  caughtUp(): Promise<void>;
  /** Looks again whether there is something to take in, though no block has come. */
  wake(): void;
  /** The first block that has not been taken in. */
  readonly next: number;
}

const REST_MS = 6;

/** Returns a block that is the newest one, which need not be read from the database; undefined for any other. */
export function newestBlock({ chain }: FollowedChain, number: number): Block | undefined {
  const newest = chain.head();
  return newest.header.number === number ? newest : undefined;
}

/** Begins to follow. */
export function openBlockFollower(followed: FollowedChain, derived: Derived): BlockFollower {
  return new Follower(followed, derived);
}

class Follower implements BlockFollower {
  readonly #followed: FollowedChain;
  readonly #derived: Derived;
  readonly #closing = new AbortController();
  readonly #ends: readonly (() => void)[];
  #running: Promise<void> | undefined;

  constructor(followed: FollowedChain, derived: Derived) {
    const { chain } = followed;
    this.#followed = followed;
    this.#derived = derived;
    this.#ends = [
      chain.onHead(() => this.#start()),
      chain.onRewind((removed, head) => derived.cut(head.header.number, removed)),
    ];
    this.#start();
  }

  get next(): number {
    return this.#derived.next;
  }

  wake(): void {
    if (!this.#closing.signal.aborted) this.#start();
  }

  async caughtUp(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const end of this.#ends) end();
    this.#closing.abort();
    await this.#running;
  }

  #start(): void {
    this.#running ??= this.#follow().then(
      () => {
        this.#running = undefined;
        const isOpen = !this.#closing.signal.aborted;
        if (isOpen && this.#isBehind) this.#start(); // heads that came while it was ending
      },
      (error: unknown) => {
        this.#running = undefined;
        if (this.#closing.signal.aborted) return;
        const { name, next: number } = this.#derived;
        this.#followed.log.warn({ name, number, error }, "cannot update data derived from blocks");
      },
    );
  }

  get #isBehind(): boolean {
    return this.#derived.next <= this.#followed.chain.head().header.number;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#closing;
    const slice = new Slice("follower");
    while (this.#isBehind) {
      const waiting = this.#derived.take();
      if (waiting !== undefined) await waiting;
      signal.throwIfAborted();
      if (!slice.isOver) continue;
      await setTimeout(REST_MS, undefined, { signal, ref: false });
      slice.restart();
    }
  }
}
