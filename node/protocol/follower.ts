/**
 * Keeps the chain at the head of the network: takes pushed blocks that extend it, and catches up with the peer
 * that is farthest ahead, one at a time. A peer that gives what no honest node gives is dropped; what is
 * our own fault is tried again later.
 */
import { equalBytes } from "../bytes/compare.ts";
import type { Block } from "../model/block.ts";
import type { Log } from "../observe/log.ts";
import type { Clock } from "../runtime/clock.ts";
import { untilAborted } from "../runtime/until-aborted.ts";
import { assembleBlock, findSenders, takeBlock } from "./blocks-in.ts";
import { type CatchUpParts, catchUp, hasItsBody } from "./catch-up.ts";
import type { ChainPeer } from "./chain-peer.ts";
import { bestAhead, type When } from "./claims.ts";
import type { PushedBlock } from "./codecs.ts";
import { EarlyBlocks } from "./early-blocks.ts";
import { ProtocolError } from "./error.ts";
import { faultOf } from "./fault.ts";
import type { ProtocolTimings } from "./limits.ts";
import { type CatchUpProgress, createProgress, type SyncFacts } from "./progress.ts";
import { type Pushed, PushedBlocks } from "./pushed-blocks.ts";
import type { GossipMetrics } from "./sync-metrics.ts";

/** What following needs. */
export interface FollowerParts extends Omit<CatchUpParts, "onBlock" | "onFailure" | "helperMs"> {
  readonly peers: () => Iterable<ChainPeer>;
  /** Resolves when the state can execute blocks. */
  readonly ready: Promise<void>;
  /** Called when a pushed block is known to be good but for its execution, with the body as it came. */
  readonly onSound: (block: Block, body: Uint8Array) => void;
  /** Called when a pushed block was taken. */
  readonly onPushed: () => void;
  /** Called when blocks were taken from one peer in a row: the chain's head is worth telling now. */
  readonly onCaughtUp: (blocks: number) => void;
  readonly metrics: GossipMetrics;
  readonly clock: Clock;
  readonly log: Log;
  readonly timings: ProtocolTimings;
}

/** How long a block waits that is ahead of our clock. */
const EARLY_MS = 1000;

/** Timers and the clock may disagree by so much. */
const TIMER_MS = 2;

/** Follows the network until it is closed. */
export class Follower implements AsyncDisposable {
  readonly #parts: FollowerParts;
  readonly #early: EarlyBlocks;
  readonly #pushed = new PushedBlocks();
  readonly #stop = new AbortController();
  readonly #heard = Promise.withResolvers<void>();
  readonly #stopped = untilAborted(this.#stop.signal);
  readonly #running: Promise<void>;
  #timer: NodeJS.Timeout | undefined;
  #draining: Promise<void> | undefined;
  #wake = Promise.withResolvers<void>();
  #progress: CatchUpProgress | undefined;
  /** The pushed block that is being executed. */
  #taking: Uint8Array | undefined;
  #hasHeard = false;
  #notBefore = 0;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
    this.#early = new EarlyBlocks(parts.clock, parts.log);
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

  /** Whether `onPushed` or `onCaughtUp` tells of the new head with this hash. */
  tells(hash: Uint8Array): boolean {
    return this.#progress !== undefined || (this.#taking !== undefined && equalBytes(hash, this.#taking));
  }

  /** A block that a peer pushed. */
  offer(peer: ChainPeer, hash: Uint8Array, block: PushedBlock): void {
    const bytes = block.body.length + block.header.extra.length;
    const { metrics } = this.#parts;
    metrics.pushed.add(1);
    const fate = this.#pushed.offer({ ...block, peer, hash, bytes, since: performance.now() }, this.#tip);
    if (fate === "kept") this.#draining ??= this.#takePushed();
    else if (fate === "too-far") metrics.tooFar.add(1);
    else if (fate === "no-room") metrics.noRoom.add(1);
  }

  /** Something changed: look again. */
  wake(): void {
    this.#wake.resolve();
  }

  /** A peer is gone. */
  leave(peer: ChainPeer): void {
    this.#pushed.leave(peer);
    this.wake();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#timer);
    this.wake();
    await this.#running;
    await this.#draining;
  }

  /** Looks again when an announced block had its time to come. */
  #wakeLater(): void {
    if (this.#stop.signal.aborted) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.wake();
    }, this.#parts.timings.announcedMs + TIMER_MS);
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
      await Promise.race([ready, this.#stopped]);
      while (!signal.aborted) {
        this.#wake = Promise.withResolvers();
        if (!(await this.#catchUpWithBest())) this.#lookAround();
        if (!signal.aborted) await this.#wake.promise;
      }
    } catch (error) {
      if (!signal.aborted) log.error({ error }, "stopped following the network");
    } finally {
      clearInterval(look);
    }
  }

  /** Goes on while a pushed block extends the tip, also during a catch-up: nobody holds up new blocks. */
  async #takePushed(): Promise<void> {
    const { signal } = this.#stop;
    await Promise.race([this.#parts.ready.catch(() => this.#stop.abort()), this.#stopped]);
    for (;;) {
      const next = signal.aborted ? undefined : this.#pushed.take(this.#tip);
      if (next === undefined) break;
      try {
        await this.#takeOne(next);
        this.#nowHeard();
      } catch (error) {
        this.#blame(next.peer, error);
      }
    }
    this.#draining = undefined;
  }

  /** The header first: it takes no time to find out that no validator made it. */
  async #takeOne({ header, body, peer, since }: Pushed): Promise<void> {
    const { writer, log, onPushed, onSound, metrics } = this.#parts;
    writer.checkHeader(header);
    const block = await assembleBlock(header, body, this.#parts);
    if (!hasItsBody(block, this.#parts)) throw new ProtocolError("bad-block", "the body is not the header's");
    onSound(block, body);
    metrics.sentOn.observe(performance.now() - since);
    await findSenders([block], this.#parts);
    this.#taking = block.hash;
    try {
      await takeBlock(this.#parts, block);
      await writer.exclusively(() => writer.settle());
    } finally {
      this.#taking = undefined;
    }
    log.info(
      { number: header.number, hash: block.hash, txs: block.transactions.length, peer: peer.name },
      "imported block",
    );
    onPushed();
    metrics.told.observe(performance.now() - since);
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
    let failed = false;
    const onFailure = (whose: ChainPeer, error: unknown): void => {
      failed = true;
      this.#blame(whose, error);
    };
    const onBlock = (number: number): void => progress.onBlock(number);
    try {
      await catchUp(peer, { ...this.#parts, helperMs: timings.helperMs, onBlock, onFailure }, signal);
      if (!failed) progress.done(this.#tip);
    } catch (error) {
      this.#blame(peer, error);
    } finally {
      this.#progress = undefined;
    }
    if (this.#tip > start) onCaughtUp(this.#tip - start);
    this.#draining ??= this.#takePushed();
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
    this.#notBefore = clock.now() + (fault === "early" ? EARLY_MS : timings.lookMs);
    if (fault === "early") this.#early.tell(peer.name, error);
    else log.error({ error, peer: peer.name }, "cannot take a block");
  }

  /** Nobody is to be asked now: because nobody is ahead, or because it is too early. */
  #lookAround(): void {
    const { peers } = this.#parts;
    const [anyone] = peers();
    if (anyone === undefined) return;
    if (bestAhead(peers(), this.#when, 0) === undefined) this.#nowHeard();
    else this.#wakeLater();
  }

  #nowHeard(): void {
    this.#hasHeard = true;
    this.#heard.resolve();
  }
}
