/**
 * Keeps the chain at the head of the network: takes pushed blocks that extend it, and catches up with the peer
 * that is farthest ahead, one thing at a time. A peer that gives what no honest node gives is dropped; what is
 * our own fault is tried again later.
 */
import type { Clock } from "../observe/clock.ts";
import type { Log } from "../observe/log.ts";
import { prepareBlock, takeBlock } from "./blocks-in.ts";
import { type CatchUpParts, catchUp } from "./catch-up.ts";
import type { ChainPeer } from "./chain-peer.ts";
import { bestAhead, type When } from "./claims.ts";
import type { PushedBlock } from "./codecs.ts";
import { ProtocolError } from "./error.ts";
import { faultOf } from "./fault.ts";
import type { ProtocolTimings } from "./limits.ts";
import { type CatchUpProgress, createProgress, type SyncFacts } from "./progress.ts";
import { type Pushed, PushedBlocks } from "./pushed-blocks.ts";

/** What following needs. */
export interface FollowerParts extends Omit<CatchUpParts, "onBlock"> {
  readonly peers: () => Iterable<ChainPeer>;
  /** Resolves when the state can execute blocks. */
  readonly ready: Promise<void>;
  /** Called when blocks were taken from one peer in a row: the chain's head is worth telling now. */
  readonly onCaughtUp: (blocks: number) => void;
  readonly clock: Clock;
  readonly log: Log;
  readonly timings: ProtocolTimings;
}

/** How long a block waits that is ahead of our clock. */
const EARLY_MS = 1000;

/** Follows the network until it is closed. */
export class Follower implements AsyncDisposable {
  readonly #parts: FollowerParts;
  readonly #pushed = new PushedBlocks();
  readonly #stop = new AbortController();
  readonly #heard = Promise.withResolvers<void>();
  readonly #running: Promise<void>;
  readonly #timers = new Set<NodeJS.Timeout>();
  #wake = Promise.withResolvers<void>();
  #progress: CatchUpProgress | undefined;
  #hasHeard = false;
  #notBefore = 0;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
    this.#running = this.#run();
  }

  /** Resolves when a peer's head was heard of and ours is not behind it. */
  get heard(): Promise<void> {
    return this.#heard.promise;
  }

  /** True once `heard` has resolved. */
  get hasHeard(): boolean {
    return this.#hasHeard;
  }

  /** How far a catch-up is; undefined when none is under way that is worth telling. */
  facts(): SyncFacts | undefined {
    return this.#progress?.facts(this.#parts.writer.tip.header.number);
  }

  /** True while blocks are taken from one peer in a row. */
  get isCatchingUp(): boolean {
    return this.#progress !== undefined;
  }

  /** A block that a peer pushed. */
  offer(peer: ChainPeer, hash: Uint8Array, block: PushedBlock): void {
    const bytes = block.body.length + block.header.extra.length;
    const kept = this.#pushed.offer({ ...block, peer, hash, bytes }, this.#tip);
    if (kept) this.wake();
  }

  /** Something changed: look again. */
  wake(): void {
    this.#wake.resolve();
  }

  /** Looks again when an announced block had its time to come. */
  wakeLater(): void {
    this.#wakeIn(this.#parts.timings.announcedMs);
  }

  /** A peer is gone. */
  leave(peer: ChainPeer): void {
    this.#pushed.leave(peer);
    this.wake();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    for (const timer of this.#timers) clearTimeout(timer);
    this.wake();
    await this.#running;
  }

  #wakeIn(ms: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.wake();
    }, ms);
    this.#timers.add(timer);
  }

  get #tip(): number {
    return this.#parts.writer.tip.header.number;
  }

  get #when(): When {
    return { tip: this.#tip, now: this.#parts.clock.now() };
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    const { ready, timings, log } = this.#parts;
    const look = setInterval(() => this.wake(), timings.lookMs);
    try {
      await Promise.race([ready, aborted(signal)]);
      while (!signal.aborted) {
        this.#wake = Promise.withResolvers();
        await this.#takePushed();
        if (!(await this.#catchUpWithBest())) this.#noteHeard();
        if (!signal.aborted) await this.#wake.promise;
      }
    } catch (error) {
      if (!signal.aborted) log.error({ error }, "stopped following the network");
    } finally {
      clearInterval(look);
    }
  }

  async #takePushed(): Promise<void> {
    for (;;) {
      const next = this.#stop.signal.aborted ? undefined : this.#pushed.take(this.#tip);
      if (next === undefined) return;
      try {
        await this.#takeOne(next);
      } catch (error) {
        this.#blame(next.peer, error);
      }
    }
  }

  /** The header first: it takes no time to find out that no validator made it. */
  async #takeOne({ header, body, peer }: Pushed): Promise<void> {
    const { writer, log } = this.#parts;
    writer.checkHeader(header);
    const { block, ready } = await prepareBlock(header, body, this.#parts);
    await ready;
    await takeBlock(this.#parts, block);
    await writer.exclusively(() => writer.settle());
    log.info(
      { number: header.number, hash: block.hash, txs: block.transactions.length, peer: peer.name },
      "imported block",
    );
  }

  /** True when it did something, so that it is worth looking again. */
  async #catchUpWithBest(): Promise<boolean> {
    const { peers, timings, log, clock, onCaughtUp } = this.#parts;
    const { signal } = this.#stop;
    if (signal.aborted || clock.now() < this.#notBefore) return false;
    const peer = bestAhead(peers(), this.#when, timings.announcedMs);
    if (peer === undefined) return false;
    const start = this.#tip;
    const progress = createProgress({ start, peer, clock, log, intervalMs: timings.progressMs });
    this.#progress = progress;
    try {
      await catchUp(peer, { ...this.#parts, onBlock: (number) => progress.onBlock(number) }, signal);
      progress.done(this.#tip);
    } catch (error) {
      this.#blame(peer, error);
    } finally {
      this.#progress = undefined;
    }
    if (this.#tip > start) onCaughtUp(this.#tip - start);
    this.wake();
    return true;
  }

  /** Drops the peer when it is to blame; otherwise waits a while before blocks are asked for again. */
  #blame(peer: ChainPeer, error: unknown): void {
    const { log, clock, timings } = this.#parts;
    const fault = faultOf(error);
    if (fault === "peer") {
      const known = error instanceof ProtocolError;
      peer.claim = { ...peer.claim, number: 0 }; // not asked again while it is leaving
      peer.drop(known ? error : new ProtocolError("bad-block", (error as Error).message, { cause: error }));
      return;
    }
    const waitMs = fault === "early" ? EARLY_MS : timings.lookMs;
    this.#notBefore = clock.now() + waitMs;
    this.#wakeIn(waitMs);
    if (fault === "early") log.debug({ error, peer: peer.name }, "a block is ahead of our clock");
    else log.error({ error, peer: peer.name }, "cannot take a block");
  }

  #noteHeard(): void {
    if (this.#hasHeard) return;
    const { peers } = this.#parts;
    const [anyone] = peers();
    if (anyone === undefined || bestAhead(peers(), this.#when, 0) !== undefined) return;
    this.#hasHeard = true;
    this.#heard.resolve();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
