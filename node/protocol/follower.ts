/**
 * Keeps the chain at the head of the network: imports pushed blocks that extend it, and catches up with peers
 * that are ahead, one at a time, first with those that have delivered blocks before. A peer whose data no honest
 * node would send is dropped. After a failure of this node it tries again later.
 */
import type { Hash } from "../bytes/brands.ts";
import type { Log } from "../observe/log.ts";
import type { Clock } from "../runtime/clock.ts";
import { untilAborted } from "../runtime/until-aborted.ts";
import type { BlockBroadcaster } from "./block-broadcaster.ts";
import { assembleBlock, checkBodyRoot, importBlock, recoverSenders } from "./blocks-in.ts";
import { type CatchUpDeps, catchUpWithPeer } from "./catch-up.ts";
import type { ChainPeer } from "./chain-peer.ts";
import { isAhead, type TipAndTime } from "./claims.ts";
import type { PushedBlock } from "./codecs.ts";
import { ProtocolError } from "./error.ts";
import { faultOf } from "./fault.ts";
import { FutureBlockLog } from "./future-block-log.ts";
import { type Leader, type LeaderDeps, Leaders } from "./leaders.ts";
import type { ProtocolTimings } from "./limits.ts";
import { type CatchUpProgress, createProgress, type SyncProgress } from "./progress.ts";
import { PushedBlocks, type QueuedBlock } from "./pushed-blocks.ts";
import type { GossipMetrics } from "./sync-metrics.ts";

/** Dependencies of the follower. */
export interface NetworkFollowerDeps
  extends Omit<CatchUpDeps, "onBlock" | "onFailure" | "helperMs" | "leaderMs" | "standingOf">,
    LeaderDeps {
  readonly peers: () => Iterable<ChainPeer>;
  /** Number of the newest block on disk: execution may be ahead of it. */
  readonly head: () => number;
  /** Resolves when the state can execute blocks. */
  readonly ready: Promise<void>;
  /** Announces the blocks of imports and catch-ups to peers. */
  readonly broadcaster: Pick<BlockBroadcaster, "forward" | "beginImport" | "beginCatchUp">;
  readonly metrics: GossipMetrics;
  readonly clock: Clock;
  readonly log: Log;
  readonly timings: ProtocolTimings;
}

/** Milliseconds before a block ahead of the local clock is requested again. */
const FUTURE_BLOCK_MS = 1000;

/** Maximum difference between timers and the clock, in milliseconds. */
const MAX_TIMER_SKEW_MS = 2;

/** Follows the network until it is disposed. */
export class Follower implements AsyncDisposable {
  readonly #deps: NetworkFollowerDeps;
  readonly #leaders: Leaders;
  readonly #futureBlocks: FutureBlockLog;
  readonly #pushed = new PushedBlocks();
  readonly #stop = new AbortController();
  readonly #synced = Promise.withResolvers<void>();
  readonly #stopped = untilAborted(this.#stop.signal);
  readonly #running: Promise<void>;
  #timer: NodeJS.Timeout | undefined;
  #draining: Promise<void> | undefined;
  #wake = Promise.withResolvers<void>();
  #progress: CatchUpProgress | undefined;
  #isSynced = false;
  #notBefore = 0;

  constructor(deps: NetworkFollowerDeps) {
    this.#deps = deps;
    this.#leaders = new Leaders(deps);
    this.#futureBlocks = new FutureBlockLog(deps.clock, deps.log);
    this.#running = this.#run();
  }

  /** Resolves when the head of a peer is known and ours is not behind it; `Leaders.isLevel` tells which peers count. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  /** True once `synced` has resolved. */
  get isSynced(): boolean {
    return this.#isSynced;
  }

  /** Returns the progress of a catch-up, or undefined when none worth reporting is running. */
  progress(): SyncProgress | undefined {
    return this.#progress?.current(this.#deps.writer.tip.header.number);
  }

  /** Offers a block that a peer pushed. */
  offer(peer: ChainPeer, hash: Hash, block: PushedBlock): void {
    const bytes = block.body.length + block.header.extra.length;
    const { metrics } = this.#deps;
    metrics.pushed.add(1);
    const outcome = this.#pushed.offer({ ...block, peer, hash, bytes, since: performance.now() }, this.#tip);
    if (outcome === "queued") this.#draining ??= this.#importPushed();
    else if (outcome === "too-far") metrics.tooFar.add(1);
    else if (outcome === "no-room") metrics.noRoom.add(1);
  }

  /** Makes the follower look for a peer ahead of us now. */
  wake(): void {
    this.#wake.resolve();
  }

  /** Removes a peer and the blocks that it pushed. */
  leave(peer: ChainPeer): void {
    this.#pushed.removePeer(peer);
    this.wake();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#timer);
    this.wake();
    await this.#running;
    await this.#draining;
  }

  /** Wakes the follower after the time in which an announced block should arrive by itself. */
  #wakeLater(): void {
    if (this.#stop.signal.aborted) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.wake();
    }, this.#deps.timings.announcedMs + MAX_TIMER_SKEW_MS);
  }

  get #tip(): number {
    return this.#deps.writer.tip.header.number;
  }

  get #tipAndTime(): TipAndTime {
    return { tip: this.#tip, now: this.#deps.clock.now() };
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    const { ready, timings, log } = this.#deps;
    const look = setInterval(() => this.wake(), timings.lookMs);
    try {
      await Promise.race([ready, this.#stopped]);
      while (!signal.aborted) {
        this.#wake = Promise.withResolvers();
        this.#compareHeads();
        if (!(await this.#catchUpWithBest())) this.#handleNoPeer();
        if (!signal.aborted) await this.#wake.promise;
      }
    } catch (error) {
      if (!signal.aborted) log.error({ error }, "stopped following the network");
    } finally {
      clearInterval(look);
    }
  }

  /** Imports pushed blocks while one extends the tip, also during a catch-up. */
  async #importPushed(): Promise<void> {
    const { signal } = this.#stop;
    await Promise.race([this.#deps.ready.catch(() => this.#stop.abort()), this.#stopped]);
    for (;;) {
      const next = signal.aborted ? undefined : this.#pushed.take(this.#tip);
      if (next === undefined) break;
      try {
        await this.#importOne(next);
        this.#markSynced();
      } catch (error) {
        this.#blame(next.peer, error);
      }
    }
    this.#draining = undefined;
  }

  /** Imports one block. Its header is checked first, because that is cheap and rejects forged blocks. */
  async #importOne({ header, body, peer, since }: QueuedBlock): Promise<void> {
    const { writer, log, broadcaster, metrics } = this.#deps;
    writer.checkHeader(header);
    await checkBodyRoot(header, body, this.#deps);
    const block = await assembleBlock(header, body, this.#deps);
    broadcaster.forward(block, body);
    metrics.forwarded.observe(performance.now() - since);
    await recoverSenders([block], this.#deps);
    const endImport = broadcaster.beginImport(block.hash);
    let isImported = false;
    try {
      await importBlock(this.#deps, block, true);
      isImported = true;
      this.#leaders.deliver(peer);
    } finally {
      endImport(isImported);
    }
    log.info(
      { number: header.number, hash: block.hash, txs: block.transactions.length, peer: peer.name },
      "imported block",
    );
    metrics.announcedAfter.observe(performance.now() - since);
  }

  /** Catches up with the best peer. Resolves with false when there was none to ask. */
  async #catchUpWithBest(): Promise<boolean> {
    const { clock, broadcaster } = this.#deps;
    if (this.#stop.signal.aborted || clock.now() < this.#notBefore) return false;
    const leader = this.#leaders.take(this.#tipAndTime);
    if (leader === undefined) return false;
    const start = this.#tip;
    const endCatchUp = broadcaster.beginCatchUp();
    try {
      await this.#follow(leader);
    } catch (error) {
      this.#blame(leader.peer, error);
    } finally {
      this.#progress = undefined;
      endCatchUp(this.#tip - start);
    }
    this.#draining ??= this.#importPushed();
    this.wake();
    return true;
  }

  /** Catches up with a leader, which is left when it delivers nothing and a peer that has earned more is ahead. */
  async #follow(leader: Leader): Promise<void> {
    const { timings, log, clock } = this.#deps;
    const { peer } = leader;
    const progress = createProgress({ start: this.#tip, peer, clock, log, intervalMs: timings.progressMs });
    this.#progress = progress;
    const left = new AbortController();
    let failed = false;
    let blocks = 0;
    const watch = setInterval(() => {
      this.#compareHeads();
      if (blocks === 0 && this.#leaders.isOvertaken(leader, this.#tipAndTime)) left.abort();
    }, timings.announcedMs);
    const deps: CatchUpDeps = {
      ...this.#deps,
      helperMs: timings.helperMs,
      leaderMs: () => this.#leaders.answerMs(peer, this.#tipAndTime),
      standingOf: (each) => this.#leaders.standingOf(each),
      onBlock: (number, from) => {
        blocks++;
        for (const each of from) this.#leaders.deliver(each);
        progress.onBlock(number);
      },
      onFailure: (whose, error) => {
        failed = true;
        this.#blame(whose, error, blocks > 0);
      },
    };
    try {
      await catchUpWithPeer(peer, deps, AbortSignal.any([this.#stop.signal, left.signal]));
      if (!failed) progress.finish(this.#tip);
    } finally {
      clearInterval(watch);
    }
  }

  /**
   * Marks the node as level with the network when it is, also while it catches up with somebody. Only blocks on disk count:
   * a validator that is level looks for another signer in the blocks that the chain shows, and then signs.
   */
  #compareHeads(): void {
    if (this.#leaders.isLevel(this.#deps.head())) this.#markSynced();
  }

  /**
   * Drops a peer at fault, which loses its credit. To leave is no fault of one that `hasDelivered`. Otherwise delays the
   * next request for blocks.
   */
  #blame(peer: ChainPeer, error: unknown, hasDelivered = false): void {
    const { log, clock, timings } = this.#deps;
    const fault = faultOf(error);
    if (fault === "peer") {
      const known = error instanceof ProtocolError;
      if (!hasDelivered || !known || error.code !== "gone") this.#leaders.breakClaim(peer);
      peer.drop(known ? error : new ProtocolError("bad-block", (error as Error).message, { cause: error }));
      return;
    }
    this.#notBefore = clock.now() + (fault === "early" ? FUTURE_BLOCK_MS : timings.lookMs);
    if (fault === "early") this.#futureBlocks.report(peer.name, error);
    else log.error({ error, peer: peer.name }, "cannot import a block");
  }

  /** Looks again when an announced block has had the time to arrive by itself. */
  #handleNoPeer(): void {
    const when = this.#tipAndTime;
    if ([...this.#deps.peers()].some((peer) => isAhead(peer, when, 0))) this.#wakeLater();
  }

  #markSynced(): void {
    this.#isSynced = true;
    this.#synced.resolve();
  }
}
