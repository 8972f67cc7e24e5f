/**
 * Runs the round machine: what comes from peers, the chain and timers goes in as events; what it wants is done here.
 * What was signed is synced to disk before any of it is sent. A validator alone runs the same machine with nobody to
 * send to.
 */
import { mapKey } from "../../bytes/hex.ts";
import type { Chain } from "../../chain/chain.ts";
import type { Governance } from "../../governance/governance.ts";
import type { Log } from "../../observe/log.ts";
import { untilAborted } from "../../runtime/until-aborted.ts";
import type { Store } from "../../store/store.ts";
import type { ConsensusPeers } from "../consensus-peers.ts";
import { ConsensusError } from "../error.ts";
import { BlockWork, type BlockWorkParts, isRefused, OVER } from "./block-work.ts";
import { electorateAt } from "./electorate.ts";
import { readersOf } from "./gossip.ts";
import { type Incoming, type IncomingLetter, Intake } from "./intake.ts";
import type { VoteLetter } from "./letter.ts";
import { type BlockLetter, type Claimed, checkLetter, createWriter, readClaim } from "./letters.ts";
import type { EngineMetrics } from "./metrics.ts";
import { Post } from "./post.ts";
import { beginRounds, step } from "./round-machine.ts";
import type { Head, Remembered, RoundAction, RoundEvent, RoundState, Step } from "./round-state.ts";
import { RoundTimer } from "./round-timer.ts";
import { readRecord, SigningRecord } from "./signing-record.ts";
import { keyBytes, type ProposedBlock } from "./statements.ts";
import { isOfUse } from "./use.ts";
import type { View } from "./view.ts";

/** What the engine runs on. */
export interface EngineParts extends BlockWorkParts {
  readonly chain: Pick<Chain, "head" | "onHead" | "onRewind">;
  readonly governance: Governance;
  readonly store: Store;
  readonly peers: ConsensusPeers;
  readonly metrics: EngineMetrics;
  /** Nothing is said or made before. */
  readonly ready: Promise<unknown>;
  readonly log: Log;
}

/** A running engine; disposing it lets a block that is being written finish. */
export interface Engine extends AsyncDisposable {
  /** Rejects when a block could not be made or written: the node cannot go on. */
  readonly failed: Promise<never>;
  /** Where the agreement stands; undefined before it begins. */
  view(): View | undefined;
}

/** Besides those of the machine: the chain grew, or was taken back; where it is then is looked up. */
type Event = RoundEvent<ProposedBlock> | { readonly type: "grown" } | { readonly type: "rewound" };
/** How often those who have just come are greeted. */
const GREET_MS = 500;

/** Share of the time between two blocks after which the next round is reserved. */
const RESERVED_AFTER = 0.25;

type Action<T> = RoundAction<ProposedBlock> & { readonly type: T };

/** Begins to agree on blocks. */
export function openEngine(parts: EngineParts): Engine {
  return new RunningEngine(parts);
}

class RunningEngine implements Engine {
  readonly #parts: EngineParts;
  readonly #stop = new AbortController();
  readonly #intake = new Intake<Event>();
  readonly #post: Post;
  readonly #work: BlockWork;
  readonly #write: (statement: Parameters<RoundState<ProposedBlock>["write"]>[0]) => BlockLetter;
  #record: SigningRecord;
  readonly #doing = new Set<Promise<void>>();
  readonly #timer: RoundTimer;
  #reserving: NodeJS.Timeout | undefined;
  readonly #running: Promise<void>;
  readonly #failure = Promise.withResolvers<never>();
  #state: RoundState<ProposedBlock> | undefined;
  #making: { readonly on: Head; readonly stop: AbortController } | undefined;
  #judging: AbortController | undefined;

  constructor(parts: EngineParts) {
    this.#parts = parts;
    this.#post = new Post(parts.peers, () => this.#state);
    this.#work = new BlockWork(parts);
    this.#timer = new RoundTimer(parts.log, (view) => this.#intake.add({ type: "timeout", view }));
    this.#write = createWriter(parts.address, parts.sign);
    this.#record = new SigningRecord(parts.store);
    this.#stop.signal.addEventListener("abort", () => this.#intake.close());
    this.#failure.promise.catch(() => undefined); // whoever races against it sees the failure
    this.#running = this.#run().catch((error: unknown) => this.#fail(error));
  }

  get failed(): Promise<never> {
    return this.#failure.promise;
  }

  view(): View | undefined {
    return this.#state?.view;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    this.#timer.stop();
    clearTimeout(this.#reserving);
    this.#post.forget();
    this.#making?.stop.abort();
    this.#judging?.abort();
    await Promise.all(this.#doing);
    await this.#work.close();
  }

  async #run(): Promise<void> {
    const { chain, peers, ready } = this.#parts;
    const { signal } = this.#stop;
    await Promise.race([ready, untilAborted(signal)]);
    if (signal.aborted) return;
    using ends = new DisposableStack();
    ends.defer(chain.onHead(() => this.#intake.add({ type: "grown" })));
    ends.defer(chain.onRewind(() => this.#intake.add({ type: "rewound" })));
    await this.#perform(this.#begin(readRecord(this.#parts.store)));
    ends.defer(
      peers.onMessage((from, { payload }) => {
        if (this.#post.isNew(from, payload)) this.#intake.addLetter(from, payload);
      }),
    );
    const greeting = setInterval(() => this.#post.greet(), GREET_MS);
    ends.defer(() => clearInterval(greeting));
    while (!signal.aborted) await this.#perform(this.#steps(await this.#intake.take()));
    if (this.#state !== undefined) await this.#record.settle(this.#state);
  }

  #begin(remembered: Remembered<ProposedBlock> | undefined): readonly RoundAction<ProposedBlock>[] {
    const { head, electorate } = this.#headEvent();
    this.#record = new SigningRecord(this.#parts.store);
    const self = mapKey(this.#parts.address);
    return this.#taken(beginRounds({ self, write: this.#write, head, electorate, remembered }));
  }

  #headEvent(): RoundEvent<ProposedBlock> & { readonly type: "head" } {
    const { chain, governance } = this.#parts;
    const { header, hash } = chain.head();
    const head = { number: header.number, hash: mapKey(hash) };
    this.#work.forget();
    this.#post.forget();
    return { type: "head", head, electorate: electorateAt(governance, head.number + 1) };
  }

  /** All steps of what has come: what they sign is synced once. */
  #steps(incoming: readonly Incoming<Event>[]): readonly RoundAction<ProposedBlock>[] {
    const actions: RoundAction<ProposedBlock>[] = [];
    for (const each of incoming) {
      const event = each.type === "event" ? each.event : this.#read(each);
      if (event?.type === "rewound") actions.push(...this.#begin(undefined));
      else if (event?.type === "grown") actions.push(...this.#grow());
      else if (event !== undefined && this.#state !== undefined) {
        actions.push(...this.#taken(step(this.#state, event)));
      }
    }
    return actions;
  }

  /** Goes on to the height after the chain's newest block, which may be several blocks further. */
  #grow(): readonly RoundAction<ProposedBlock>[] {
    const state = this.#state;
    if (state === undefined || this.#parts.chain.head().header.number < state.view.sequence) return [];
    return this.#taken(step(state, this.#headEvent()));
  }

  #taken({ state, actions }: Step<ProposedBlock>): readonly RoundAction<ProposedBlock>[] {
    this.#parts.metrics.observe(this.#state, state);
    this.#state = state;
    return actions;
  }

  /** A letter that is of use; undefined of what is none, or not what it claims. */
  #read({ from, payload }: IncomingLetter): RoundEvent<ProposedBlock> | undefined {
    try {
      const claimed = readClaim(payload);
      this.#noteVote(from, claimed);
      if (this.#state === undefined || !isOfUse(this.#state, claimed)) return undefined;
      return { type: "letter", letter: checkLetter(claimed) };
    } catch (error) {
      this.#parts.log.debug({ error }, "a consensus message cannot be read");
      return undefined;
    }
  }

  /** What a peer says of itself needs no signature. */
  #noteVote(from: string, { sender, statement }: Claimed): void {
    if (from !== sender || (statement.kind !== "prepare" && statement.kind !== "commit")) return;
    this.#parts.peers.voted(keyBytes(from), keyBytes(statement.digest));
  }

  async #perform(actions: readonly RoundAction<ProposedBlock>[]): Promise<void> {
    const state = this.#state;
    if (state === undefined) return;
    const readers = readersOf(state);
    if (readers.size > 0) await this.#record.keep(state);
    for (const action of actions) this.#act(action, state.self);
    if (readers.size > 0) this.#noteAhead(state);
  }

  /** The next round is reserved between two blocks: now others may be waiting for the disk, to finish this one. */
  #noteAhead(state: RoundState<ProposedBlock>): void {
    this.#record.foresee(state);
    this.#reserving ??= setTimeout(() => {
      this.#reserving = undefined;
      if (this.#state !== undefined && !this.#stop.signal.aborted) this.#record.reserve(this.#state);
    }, this.#parts.intervalMs * RESERVED_AFTER);
  }

  #act(action: RoundAction<ProposedBlock>, self: string): void {
    switch (action.type) {
      case "gossip":
        return this.#post.send(action.letter, self);
      case "remind":
        return this.#post.remind(action.letters);
      case "build":
        return this.#make();
      case "judge":
        return this.#judge(action);
      case "timer":
        return this.#restartTimer(action);
      case "commit":
        return this.#do(this.#commit(action.proposal, action.round, action.commits));
    }
  }

  #restartTimer({ view, ms }: Action<"timer">): void {
    this.#judging?.abort(OVER);
    this.#timer.restart(view, ms, this.#isValidator);
  }

  get #isValidator(): boolean {
    const { self, electorate } = this.#state ?? {};
    return self !== undefined && electorate?.qualified.has(self) === true;
  }

  #make(): void {
    const { head } = this.#state ?? {};
    if (head === undefined || this.#making?.on.hash === head.hash) return;
    this.#making?.stop.abort(OVER);
    const making = { on: head, stop: new AbortController() };
    this.#making = making;
    this.#do(this.#makeOn(head, making.stop.signal));
  }

  async #makeOn(head: Head, signal: AbortSignal): Promise<void> {
    try {
      const proposal = await this.#work.make(head, signal);
      if (proposal !== undefined) this.#intake.add({ type: "candidate", proposal });
    } catch (error) {
      const isAlone = (this.#state?.electorate.qualified.size ?? 1) <= 1;
      if (isAlone || !(error instanceof ConsensusError)) throw error;
      this.#parts.log.warn({ error, number: head.number + 1 }, "no block can be made here: others have to");
    } finally {
      if (this.#making?.on === head) this.#making = undefined;
    }
  }

  #judge({ view, proposal }: Action<"judge">): void {
    const { signal } = (this.#judging = new AbortController());
    const { hash, number } = proposal;
    const judging = this.#work.judge(proposal, signal).then((error) => {
      if (error === OVER) return;
      if (error !== undefined) this.#parts.log.warn({ error, number }, "refused a proposed block");
      this.#intake.add({ type: "judged", view, hash, good: error === undefined });
    });
    this.#do(judging);
  }

  async #commit(
    proposal: ProposedBlock,
    round: number,
    commits: readonly VoteLetter<ProposedBlock>[],
  ): Promise<void> {
    const { hash, number } = proposal;
    try {
      await this.#work.commit(proposal, { round, commits }, this.#stop.signal);
    } catch (error) {
      if (!isRefused(error)) throw error;
      this.#parts.log.error({ error, number }, "a block that was agreed on is bad");
      this.#intake.add({ type: "refused", hash });
    }
  }

  /** Work beside the steps: the engine ends after it, and with it when it fails. */
  #do(work: Promise<void>): void {
    const done = work.catch((error: unknown) => this.#fail(error)).finally(() => this.#doing.delete(done));
    this.#doing.add(done);
  }

  #fail(error: unknown): void {
    this.#failure.reject(error);
    this.#stop.abort();
  }
}
