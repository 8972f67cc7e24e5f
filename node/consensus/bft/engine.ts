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
import { BlockWork, type BlockWorkDeps, isBadBlock, ROUND_OVER } from "./block-work.ts";
import { Broadcaster } from "./broadcaster.ts";
import { recipientsOf } from "./gossip.ts";
import { ConsensusInbox, type Incoming, type UnreadMessage } from "./inbox.ts";
import type { VoteMessage } from "./message.ts";
import type { EngineMetrics } from "./metrics.ts";
import { keyBytes, type ProposedBlock } from "./payload.ts";
import { beginRounds, step } from "./round-machine.ts";
import type { DurableState, Head, RoundAction, RoundEvent, RoundState, RoundStep } from "./round-state.ts";
import { RoundTimer } from "./round-timer.ts";
import {
  type BlockMessage,
  createMessageSigner,
  parseMessage,
  type UnverifiedMessage,
  verifyMessage,
} from "./signed-message.ts";
import { readRecord, SigningRecord } from "./signing-record.ts";
import { isRelevant } from "./use.ts";
import { validatorSetAt } from "./validator-set.ts";
import type { View } from "./view.ts";

/** What the engine runs on. */
export interface EngineDeps extends BlockWorkDeps {
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
export function openEngine(parts: EngineDeps): Engine {
  return new RunningEngine(parts);
}

class RunningEngine implements Engine {
  readonly #parts: EngineDeps;
  readonly #stop = new AbortController();
  readonly #intake = new ConsensusInbox<Event>();
  readonly #post: Broadcaster;
  readonly #work: BlockWork;
  readonly #write: (payload: Parameters<RoundState<ProposedBlock>["write"]>[0]) => BlockMessage;
  #record: SigningRecord;
  readonly #doing = new Set<Promise<void>>();
  readonly #timer: RoundTimer;
  #reserving: NodeJS.Timeout | undefined;
  readonly #running: Promise<void>;
  readonly #failure = Promise.withResolvers<never>();
  #state: RoundState<ProposedBlock> | undefined;
  #making: { readonly on: Head; readonly stop: AbortController } | undefined;
  #verifying: AbortController | undefined;

  constructor(parts: EngineDeps) {
    this.#parts = parts;
    this.#post = new Broadcaster(parts.peers, () => this.#state);
    this.#work = new BlockWork(parts);
    this.#timer = new RoundTimer(parts.log, (view) => this.#intake.add({ type: "timeout", view }));
    this.#write = createMessageSigner(parts.address, parts.sign);
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
    this.#verifying?.abort();
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
      peers.onMessage((from, { message }) => {
        if (this.#post.isNew(from, message)) this.#intake.addMessage(from, message);
      }),
    );
    const greeting = setInterval(() => this.#post.greet(), GREET_MS);
    ends.defer(() => clearInterval(greeting));
    while (!signal.aborted) await this.#perform(this.#steps(await this.#intake.take()));
    if (this.#state !== undefined) await this.#record.finish(this.#state);
  }

  #begin(restored: DurableState<ProposedBlock> | undefined): readonly RoundAction<ProposedBlock>[] {
    const { head, validators } = this.#headEvent();
    this.#record = new SigningRecord(this.#parts.store);
    const self = mapKey(this.#parts.address);
    return this.#taken(beginRounds({ self, write: this.#write, head, validators, restored }));
  }

  #headEvent(): RoundEvent<ProposedBlock> & { readonly type: "head" } {
    const { chain, governance } = this.#parts;
    const { header, hash } = chain.head();
    const head = { number: header.number, hash: mapKey(hash) };
    this.#work.forget();
    this.#post.forget();
    return { type: "head", head, validators: validatorSetAt(governance, head.number + 1) };
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

  #taken({ state, actions }: RoundStep<ProposedBlock>): readonly RoundAction<ProposedBlock>[] {
    this.#parts.metrics.observe(this.#state, state);
    this.#state = state;
    return actions;
  }

  /** A message that is of use; undefined of what is none, or not what it claims. */
  #read({ from, bytes }: UnreadMessage): RoundEvent<ProposedBlock> | undefined {
    try {
      const claimed = parseMessage(bytes);
      this.#noteVote(from, claimed);
      if (this.#state === undefined || !isRelevant(this.#state, claimed)) return undefined;
      return { type: "message", message: verifyMessage(claimed) };
    } catch (error) {
      this.#parts.log.debug({ error }, "a consensus message cannot be read");
      return undefined;
    }
  }

  /** What a peer says of itself needs no signature. */
  #noteVote(from: string, { sender, payload }: UnverifiedMessage): void {
    if (from !== sender || (payload.kind !== "prepare" && payload.kind !== "commit")) return;
    this.#parts.peers.noteVote(keyBytes(from), keyBytes(payload.digest));
  }

  async #perform(actions: readonly RoundAction<ProposedBlock>[]): Promise<void> {
    const state = this.#state;
    if (state === undefined) return;
    const recipients = recipientsOf(state);
    if (recipients.size > 0) await this.#record.sync(state);
    for (const action of actions) this.#act(action, state.self);
    if (recipients.size > 0) this.#noteAhead(state);
  }

  /** The next round is reserved between two blocks: now others may be waiting for the disk, to finish this one. */
  #noteAhead(state: RoundState<ProposedBlock>): void {
    this.#record.writeAhead(state);
    this.#reserving ??= setTimeout(() => {
      this.#reserving = undefined;
      if (this.#state !== undefined && !this.#stop.signal.aborted) this.#record.reserve(this.#state);
    }, this.#parts.intervalMs * RESERVED_AFTER);
  }

  #act(action: RoundAction<ProposedBlock>, self: string): void {
    switch (action.type) {
      case "gossip":
        return this.#post.send(action.message, self);
      case "resend":
        return this.#post.resend(action.messages);
      case "build":
        return this.#make();
      case "verify":
        return this.#verify(action);
      case "timer":
        return this.#restartTimer(action);
      case "commit":
        return this.#do(this.#commit(action.proposal, action.round, action.commits));
    }
  }

  #restartTimer({ view, ms }: Action<"timer">): void {
    this.#verifying?.abort(ROUND_OVER);
    this.#timer.restart(view, ms, this.#isValidator);
  }

  get #isValidator(): boolean {
    const { self, validators } = this.#state ?? {};
    return self !== undefined && validators?.qualified.has(self) === true;
  }

  #make(): void {
    const { head } = this.#state ?? {};
    if (head === undefined || this.#making?.on.hash === head.hash) return;
    this.#making?.stop.abort(ROUND_OVER);
    const making = { on: head, stop: new AbortController() };
    this.#making = making;
    this.#do(this.#makeOn(head, making.stop.signal));
  }

  async #makeOn(head: Head, signal: AbortSignal): Promise<void> {
    try {
      const proposal = await this.#work.make(head, signal);
      if (proposal !== undefined) this.#intake.add({ type: "candidate", proposal });
    } catch (error) {
      const isAlone = (this.#state?.validators.qualified.size ?? 1) <= 1;
      if (isAlone || !(error instanceof ConsensusError)) throw error;
      this.#parts.log.warn({ error, number: head.number + 1 }, "no block can be made here: others have to");
    } finally {
      if (this.#making?.on === head) this.#making = undefined;
    }
  }

  #verify({ view, proposal }: Action<"verify">): void {
    const { signal } = (this.#verifying = new AbortController());
    const { hash, number } = proposal;
    const verifying = this.#work.verify(proposal, signal).then((error) => {
      if (error === ROUND_OVER) return;
      if (error !== undefined) this.#parts.log.warn({ error, number }, "refused a proposed block");
      this.#intake.add({ type: "verified", view, hash, isValid: error === undefined });
    });
    this.#do(verifying);
  }

  async #commit(
    proposal: ProposedBlock,
    round: number,
    commits: readonly VoteMessage<ProposedBlock>[],
  ): Promise<void> {
    const { hash, number } = proposal;
    try {
      await this.#work.commit(proposal, { round, commits }, this.#stop.signal);
    } catch (error) {
      if (!isBadBlock(error)) throw error;
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
