/**
 * The consensus engine: feeds messages of peers, new heads and timeouts into the round machine and carries
 * out its actions. Signed messages are recorded on disk before any of them is sent. A single validator runs
 * the same machine without peers.
 */
import { mapKey } from "../../bytes/hex.ts";
import type { Chain } from "../../chain/chain.ts";
import type { Governance } from "../../governance/governance.ts";
import type { Log } from "../../observe/log.ts";
import { untilDoneOrAborted } from "../../runtime/until-aborted.ts";
import type { Store } from "../../store/store.ts";
import type { ConsensusPeers } from "../consensus-peers.ts";
import { ConsensusError } from "../error.ts";
import { BlockWork, type BlockWorkDeps, isInvalidBlock, ROUND_OVER } from "./block-work.ts";
import { Broadcaster } from "./broadcaster.ts";
import { Doppelganger, type DoppelgangerOptions } from "./doppelganger.ts";
import { recipientsOf } from "./gossip.ts";
import { ConsensusInbox, HeldMessages, type Incoming, type UnreadMessage } from "./inbox.ts";
import type { VoteMessage } from "./message.ts";
import type { EngineMetrics } from "./metrics.ts";
import { keyBytes, type ProposedBlock } from "./payload.ts";
import { beginRounds, isRelevant, step } from "./round-machine.ts";
import type { DurableState, Head, RoundAction, RoundEvent, RoundState, RoundStep } from "./round-state.ts";
import {
  type BlockMessage,
  createMessageSigner,
  parseMessage,
  type UnverifiedMessage,
  verifyMessage,
} from "./signed-message.ts";
import { readRecord, SigningRecord } from "./signing-record.ts";
import { validatorSetAt } from "./validator-set.ts";
import { compareViews, type View } from "./view.ts";

/** Dependencies of the engine. */
export interface EngineDeps extends BlockWorkDeps {
  readonly chain: Pick<Chain, "head" | "header" | "onHead" | "onRewind">;
  readonly governance: Governance;
  readonly store: Store;
  readonly peers: ConsensusPeers;
  readonly metrics: EngineMetrics;
  /** The engine sends and builds nothing before this promise is settled. */
  readonly ready: Promise<unknown>;
  readonly signing: SigningConditions;
  readonly log: Log;
}

/** Conditions under which a validator signs. */
export interface SigningConditions {
  /** Undefined without doppelganger protection. */
  readonly doppelganger: DoppelgangerOptions | undefined;
  /** Number of the block that the chain must have before this node signs. */
  readonly minHeight: number;
}

/**
 * State of signing: under way, waiting for the end of `listenMs`, waiting for `minHeight`, or stopped for good because
 * another node signs with this node's key.
 */
export type SigningState = "signing" | "listening" | "below-min-height" | "doppelganger";

/** A running engine. Disposing it waits for the block that is being written. */
export interface Engine extends AsyncDisposable {
  /** Rejects when a block cannot be built or written; the node cannot continue then. */
  readonly failed: Promise<never>;
  /** View of the current agreement; undefined before the engine has started. */
  view(): View | undefined;
  signingState(): SigningState;
}

/** Events of the engine: those of the round machine, a longer chain and a rewound chain. */
type Event = RoundEvent<ProposedBlock> | { readonly type: "grown" } | { readonly type: "rewound" };
/** Interval in milliseconds at which new peers get the own messages. */
const GREET_MS = 500;

/** Fraction of the block interval after which the next view is reserved on disk. */
const RESERVED_AFTER = 0.25;

type Action<T> = RoundAction<ProposedBlock> & { readonly type: T };

/** Starts the consensus engine. */
export function openEngine(deps: EngineDeps): Engine {
  return new RunningEngine(deps);
}

class RunningEngine implements Engine {
  readonly #deps: EngineDeps;
  readonly #stop = new AbortController();
  readonly #inbox = new ConsensusInbox<Event>();
  readonly #broadcaster: Broadcaster;
  readonly #work: BlockWork;
  readonly #doppelganger: Doppelganger | undefined;
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
  #isListening = false;
  #isHalted = false;

  constructor(deps: EngineDeps) {
    this.#deps = deps;
    const { doppelganger } = deps.signing;
    this.#doppelganger = doppelganger && new Doppelganger(deps, doppelganger);
    if (this.#doppelganger?.isFound === true) deps.metrics.observeDoppelganger();
    this.#broadcaster = new Broadcaster(deps.peers, () => this.#state);
    this.#work = new BlockWork(deps);
    this.#timer = new RoundTimer(deps.log, (view) => this.#inbox.add({ type: "timeout", view }));
    const write = createMessageSigner(deps.address, deps.sign);
    this.#write = (payload) => {
      this.#doppelganger?.noteSigned(payload);
      return write(payload);
    };
    this.#record = new SigningRecord(deps.store);
    this.#stop.signal.addEventListener("abort", () => this.#inbox.close());
    this.#failure.promise.catch(() => undefined); // the promise is handed out; its readers see the failure
    this.#running = this.#run().catch((error: unknown) => this.#fail(error));
  }

  get failed(): Promise<never> {
    return this.#failure.promise;
  }

  view(): View | undefined {
    return this.#state?.view;
  }

  signingState(): SigningState {
    const { chain, signing } = this.#deps;
    if (this.#doppelganger?.isFound === true) return "doppelganger";
    if (chain.head().header.number < signing.minHeight) return "below-min-height";
    return this.#isListening ? "listening" : "signing";
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    this.#timer.stop();
    clearTimeout(this.#reserving);
    this.#broadcaster.forget();
    this.#making?.stop.abort();
    this.#verifying?.abort();
    await Promise.all(this.#doing);
    await this.#work.close();
  }

  async #run(): Promise<void> {
    const { chain, peers, ready } = this.#deps;
    const { signal } = this.#stop;
    await untilDoneOrAborted(ready, signal);
    if (signal.aborted) return;
    using ends = new DisposableStack();
    ends.defer(chain.onHead(() => this.#inbox.add({ type: "grown" })));
    ends.defer(chain.onRewind(() => this.#inbox.add({ type: "rewound" })));
    ends.defer(
      peers.onMessage((from, { message }) => {
        if (this.#broadcaster.isNew(from, message)) this.#inbox.addMessage(from, message);
      }),
    );
    const held = await this.#waitToSign();
    if (signal.aborted) return;
    await this.#doppelganger?.claim();
    await this.#perform(this.#begin(readRecord(this.#deps.store)));
    await this.#perform(this.#steps(held));
    const greeting = setInterval(() => this.#broadcaster.greet(), GREET_MS);
    ends.defer(() => clearInterval(greeting));
    while (!signal.aborted) await this.#perform(this.#steps(await this.#inbox.take()));
    if (this.#state !== undefined) await this.#record.finish(this.#state);
  }

  /** Follows chain and peers until this node may sign. Returns the messages for the first height. */
  async #waitToSign(): Promise<readonly UnreadMessage[]> {
    const { log, signing } = this.#deps;
    const held = new HeldMessages();
    const listening = this.#listen();
    if (this.signingState() === "below-min-height")
      log.error({ minHeight: signing.minHeight }, "not signing: the chain is below --consensus.min-height");
    while (this.signingState() !== "signing") {
      const incoming = await this.#inbox.take();
      if (this.#stop.signal.aborted) break;
      for (const each of incoming) {
        if (each.type === "event") this.#observeChain(each.event);
        else if (this.#parse(each) !== undefined) held.add(each);
      }
    }
    clearTimeout(listening);
    return held.take();
  }

  /** Begins to listen for another node with this key; a single validator has nobody to hear it from. */
  #listen(): NodeJS.Timeout | undefined {
    const { chain, governance, address } = this.#deps;
    const ms = this.#doppelganger?.beginListening() ?? 0;
    this.#haltIfFound();
    const { qualified } = validatorSetAt(governance, chain.head().header.number + 1);
    if (ms === 0 || qualified.size < 2 || !qualified.has(mapKey(address))) return undefined;
    this.#isListening = true;
    return setTimeout(() => {
      this.#isListening = false;
      this.#inbox.add({ type: "grown" }); // ends the wait
    }, ms);
  }

  /** Lets the doppelganger protection see a change of the chain. */
  #observeChain({ type }: Event): void {
    if (type === "rewound") this.#doppelganger?.noteRewind();
    if (type !== "grown") return;
    this.#doppelganger?.judgeBlocks();
    this.#haltIfFound();
  }

  /** Stops signing for good when another node signs with this node's key. Blocks are still followed. */
  #haltIfFound(): void {
    if (this.#isHalted || this.#doppelganger?.isFound !== true) return;
    this.#isHalted = true;
    this.#deps.metrics.observeDoppelganger();
    this.#do(this.#doppelganger.save());
    this.#state = undefined;
    this.#timer.stop();
    clearTimeout(this.#reserving);
    this.#broadcaster.forget();
    this.#making?.stop.abort(ROUND_OVER);
    this.#verifying?.abort(ROUND_OVER);
  }

  #begin(restored: DurableState<ProposedBlock> | undefined): readonly RoundAction<ProposedBlock>[] {
    const { head, validators } = this.#headEvent();
    this.#record = new SigningRecord(this.#deps.store);
    const self = mapKey(this.#deps.address);
    return this.#enterState(beginRounds({ self, write: this.#write, head, validators, restored }));
  }

  #headEvent(): RoundEvent<ProposedBlock> & { readonly type: "head" } {
    const { chain, governance } = this.#deps;
    const { header, hash } = chain.head();
    const head = { number: header.number, hash: mapKey(hash) };
    this.#work.forget();
    this.#broadcaster.forget();
    return { type: "head", head, validators: validatorSetAt(governance, head.number + 1) };
  }

  /** Applies all received events; the messages that they sign need one sync of the disk. */
  #steps(incoming: readonly Incoming<Event>[]): readonly RoundAction<ProposedBlock>[] {
    const actions: RoundAction<ProposedBlock>[] = [];
    for (const each of incoming) {
      const event = each.type === "event" ? each.event : this.#read(each);
      if (each.type === "event") this.#observeChain(each.event);
      if (this.#isHalted) return [];
      if (event?.type === "rewound") actions.push(...this.#begin(undefined));
      else if (event?.type === "grown") actions.push(...this.#grow());
      else if (event !== undefined && this.#state !== undefined) {
        actions.push(...this.#enterState(step(this.#state, event)));
      }
    }
    return actions;
  }

  /** Starts the height after the chain's head, which may be several blocks ahead. */
  #grow(): readonly RoundAction<ProposedBlock>[] {
    const state = this.#state;
    if (state === undefined || this.#deps.chain.head().header.number < state.view.sequence) return [];
    return this.#enterState(step(state, this.#headEvent()));
  }

  #enterState({ state, actions }: RoundStep<ProposedBlock>): readonly RoundAction<ProposedBlock>[] {
    this.#deps.metrics.observe(this.#state, state);
    this.#state = state;
    return actions;
  }

  /** Decodes and verifies a received message. Returns undefined when it is irrelevant or invalid. */
  #read({ from, bytes }: UnreadMessage): RoundEvent<ProposedBlock> | undefined {
    const claimed = this.#parse({ from, bytes });
    if (claimed === undefined || this.#state === undefined || !isRelevant(this.#state, claimed))
      return undefined;
    return this.#unlessInvalid(() => ({ type: "message", message: verifyMessage(claimed) }));
  }

  /** Decodes a received message. Returns undefined for an invalid one and for one that stops the signing. */
  #parse({ from, bytes }: Omit<UnreadMessage, "type">): UnverifiedMessage | undefined {
    return this.#unlessInvalid(() => {
      const claimed = parseMessage(bytes);
      this.#noteVote(from, claimed);
      const isForeign = this.#doppelganger?.judge(claimed) === true;
      this.#haltIfFound();
      return isForeign ? undefined : claimed;
    });
  }

  #unlessInvalid<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      this.#deps.log.debug({ error }, "invalid consensus message");
      return undefined;
    }
  }

  /**
   * Notes a peer's own vote for a block. The connection authenticates the peer, so the signature is not
   * needed.
   */
  #noteVote(from: string, { sender, payload }: UnverifiedMessage): void {
    if (from !== sender || (payload.kind !== "prepare" && payload.kind !== "commit")) return;
    this.#deps.peers.noteVote(keyBytes(from), keyBytes(payload.digest));
  }

  async #perform(actions: readonly RoundAction<ProposedBlock>[]): Promise<void> {
    const state = this.#state;
    if (state === undefined) return;
    const recipients = recipientsOf(state);
    if (recipients.size > 0) await this.#record.sync(state);
    for (const action of actions) this.#act(action, state.self);
    if (recipients.size > 0) this.#noteAhead(state);
  }

  /**
   * Writes the signing record ahead. The next view is reserved between two blocks, when no block waits for
   * the disk.
   */
  #noteAhead(state: RoundState<ProposedBlock>): void {
    this.#record.writeAhead(state);
    this.#reserving ??= setTimeout(() => {
      this.#reserving = undefined;
      if (this.#state !== undefined && !this.#stop.signal.aborted) this.#record.reserve(this.#state);
    }, this.#deps.intervalMs * RESERVED_AFTER);
  }

  #act(action: RoundAction<ProposedBlock>, self: string): void {
    switch (action.type) {
      case "gossip":
        return this.#broadcaster.send(action.message, self);
      case "resend":
        return this.#broadcaster.resend(action.messages);
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
      const proposal = await this.#work.build(head, signal);
      if (proposal !== undefined) this.#inbox.add({ type: "candidate", proposal });
    } catch (error) {
      const isAlone = (this.#state?.validators.qualified.size ?? 1) <= 1;
      if (isAlone || !(error instanceof ConsensusError)) throw error;
      this.#deps.log.warn({ error, number: head.number + 1 }, "this node cannot build a block");
    } finally {
      if (this.#making?.on === head) this.#making = undefined;
    }
  }

  #verify({ view, proposal }: Action<"verify">): void {
    const { signal } = (this.#verifying = new AbortController());
    const { hash, number } = proposal;
    const verifying = this.#work.verify(proposal, signal).then((error) => {
      if (error === ROUND_OVER) return;
      if (error !== undefined) this.#deps.log.warn({ error, number }, "rejected a proposed block");
      this.#inbox.add({ type: "verified", view, hash, isValid: error === undefined });
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
      if (!isInvalidBlock(error)) throw error;
      this.#deps.log.error({ error, number }, "the chain rejected an agreed block");
      this.#inbox.add({ type: "refused", hash });
    }
  }

  /** Tracks work outside the steps. The engine waits for it at the end, and fails with it. */
  #do(work: Promise<void>): void {
    const done = work.catch((error: unknown) => this.#fail(error)).finally(() => this.#doing.delete(done));
    this.#doing.add(done);
  }

  #fail(error: unknown): void {
    this.#failure.reject(error);
    this.#stop.abort();
  }
}

/** The timer of the current view. Logs each round after the first once. */
class RoundTimer {
  readonly #log: Log;
  readonly #onTimeout: (view: View) => void;
  #timer: NodeJS.Timeout | undefined;
  #logged: View = { sequence: 0, round: 0 };

  constructor(log: Log, onTimeout: (view: View) => void) {
    this.#log = log;
    this.#onTimeout = onTimeout;
  }

  /**
   * Restarts the timer for a view. `isOurs` is true when this node is a validator; other nodes do not log
   * round changes.
   */
  restart(view: View, ms: number, isOurs: boolean): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#onTimeout(view), ms);
    if (!isOurs || view.round === 0 || compareViews(view, this.#logged) === 0) return;
    this.#logged = view;
    this.#log.warn({ number: view.sequence, round: view.round }, "round change");
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
