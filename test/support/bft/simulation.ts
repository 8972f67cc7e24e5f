/**
 * Validators that agree on blocks over a network that loses, repeats, delays and reorders what they say, with cuts,
 * crashes and traitors: time, network and disk are made up here, the round machine is the real one. The same plan
 * gives the same run. A run ends when all honest validators have two blocks more than anybody had when the network
 * became good; it throws `SimulationFailure` when that takes too long or when anything happened that never may.
 */
import type { MessagePayload, Proposal } from "../../../node/consensus/bft/message.ts";
import { beginRounds, step } from "../../../node/consensus/bft/round-machine.ts";
import type {
  BlockValidatorSet,
  RoundAction,
  RoundEvent,
  RoundStep,
} from "../../../node/consensus/bft/round-state.ts";
import { quorum } from "../../../node/governance/validators.ts";
import { seededRandom } from "../random.ts";
import { Agenda } from "./agenda.ts";
import { drawDisk } from "./disk.ts";
import { drawValidatorSet, isCut, type Plan } from "./plan.ts";
import {
  BAD_BODY,
  describe,
  digestOf,
  GOOD_BODY,
  GOOD_SEAL,
  keyOf,
  type Outcome,
  type Said,
  type SimulatedBlock,
  SimulationFailure,
  type Validator,
  writeMessage,
} from "./simulated.ts";
import { betray } from "./treason.ts";

const GENESIS = "0";
const MAX_STEPS = 3_000_000;
/** Milliseconds in which a good network has to come to two blocks. */
const PATIENCE = 40_000_000;
const SYNC_MS = 3000;
const TRACE_LINES = 200;

/** Sees what the validators of a run do, and changes nothing of it. */
export interface Witness {
  /** A validator starts, with what is on its disk. */
  starts(validator: Validator): void;
  /** It signs, maybe without anybody ever hearing of it. */
  signs(validator: Validator, payload: MessagePayload<SimulatedBlock>): void;
  /** Its own message leaves; what it signed is on disk. */
  sends(validator: Validator, message: Said): void;
  /** A message arrives, of whomever. */
  hears(validator: Validator, message: Said): void;
  /** A block comes into its chain by its own agreement, with the commits of these. */
  commits(validator: Validator, block: Proposal, committers: readonly string[]): void;
}

const NOBODY: Witness = {
  starts: () => undefined,
  signs: () => undefined,
  sends: () => undefined,
  hears: () => undefined,
  commits: () => undefined,
};

/** Runs a plan to its end. */
export function simulate(plan: Plan, witness: Witness = NOBODY): Outcome {
  return new Simulation(plan, witness).run();
}

class Simulation {
  readonly #plan: Plan;
  readonly #witness: Witness;
  readonly #random: () => number;
  readonly #agenda = new Agenda<() => void>();
  readonly #validators: readonly Validator[];
  readonly #decided = new Map<number, string>();
  readonly #validatorSets = new Map<number, BlockValidatorSet>();
  readonly #signed = new Map<string, string>();
  readonly #trace: string[] = [];
  #now = 0;
  #steps = 0;
  #rounds = 0;
  #crashes = 0;
  #made = 0;

  constructor(plan: Plan, witness: Witness) {
    this.#plan = plan;
    this.#witness = witness;
    this.#random = seededRandom(plan.seed ^ 0x5eed);
    this.#validators = Array.from({ length: plan.validators }, (_, index) => ({
      index,
      name: `v${index}`,
      chain: [GENESIS],
      state: undefined,
      disk: undefined,
      life: 0,
      timer: 0,
      met: new Set(),
      sent: new Set(),
    }));
  }

  run(): Outcome {
    for (const validator of this.#validators) {
      this.#start(validator);
      this.#sync(validator);
    }
    const honest = this.#validators.filter(({ index }) => !this.#plan.traitors.has(index));
    let target: number | undefined;
    for (let next = this.#agenda.take(); next !== undefined; next = this.#agenda.take()) {
      this.#now = next.time;
      if (target === undefined && this.#isGood) target = this.#decided.size + 2;
      next.what();
      if (target !== undefined && honest.every(({ chain }) => chain.length > (target ?? 0))) break;
      if (this.#steps > MAX_STEPS || this.#now > this.#plan.badUntil + PATIENCE) this.#fail("no progress");
    }
    return { blocks: this.#decided.size, steps: this.#steps, rounds: this.#rounds, crashes: this.#crashes };
  }

  get #isGood(): boolean {
    return this.#now >= this.#plan.badUntil;
  }

  #upTo(most: number): number {
    return Math.floor(this.#random() * (most + 1));
  }

  #after(ms: number, validator: Validator, what: () => void): void {
    const { life } = validator;
    this.#agenda.add(this.#now + ms, () => {
      if (validator.life === life && validator.state !== undefined) what();
    });
  }

  #start(validator: Validator): void {
    const { name, chain, disk } = validator;
    validator.life++;
    const number = chain.length - 1;
    const head = { number, hash: chain[number] ?? GENESIS };
    this.#witness.starts(validator);
    const write = (payload: MessagePayload<SimulatedBlock>): Said => {
      this.#witness.signs(validator, payload);
      return writeMessage(name, payload);
    };
    const validators = this.#validatorSet(number + 1);
    this.#take(validator, beginRounds({ self: name, write, head, validators, restored: disk }));
  }

  #validatorSet(number: number): BlockValidatorSet {
    const known = this.#validatorSets.get(number) ?? drawValidatorSet(this.#plan, number);
    this.#validatorSets.set(number, known);
    return known;
  }

  #tell(validator: Validator, event: RoundEvent<SimulatedBlock>): void {
    if (validator.state === undefined) return;
    this.#steps++;
    const before = validator.state;
    const made = step(before, event);
    if (made.state.started > before.started) this.#rounds++;
    this.#take(validator, made);
  }

  /** Writes the durable state before any action; a crash may come before that, or between any two actions. */
  #take(validator: Validator, { state, actions }: RoundStep<SimulatedBlock>): void {
    const crashes = !this.#isGood && this.#random() < this.#plan.crashes;
    if (crashes && this.#random() < 0.3) return this.#crash(validator);
    validator.state = state;
    validator.disk = drawDisk(state, this.#random);
    const done = crashes ? actions.slice(0, this.#upTo(actions.length)) : actions;
    for (const action of done) this.#act(validator, action);
    if (crashes) this.#crash(validator);
  }

  #crash(validator: Validator): void {
    this.#crashes++;
    validator.state = undefined;
    validator.life++;
    validator.met.clear();
    validator.sent.clear();
    this.#note(`${validator.name} crashes`);
    const back = Math.min(this.#now + this.#upTo(20_000), Math.max(this.#plan.badUntil, this.#now));
    this.#agenda.add(back, () => {
      this.#note(`${validator.name} is back`);
      this.#start(validator);
    });
  }

  #act(validator: Validator, action: RoundAction<SimulatedBlock>): void {
    switch (action.type) {
      case "gossip":
        return this.#gossip(validator, action.message);
      case "resend":
        for (const message of action.messages) {
          for (const to of this.#recipients(validator)) this.#send(validator, to, message);
        }
        return;
      case "build":
        return this.#after(5 + this.#upTo(300), validator, () => this.#build(validator));
      case "verify": {
        const { view, proposal } = action;
        const event = {
          type: "verified",
          view,
          hash: proposal.hash,
          isValid: proposal.body === GOOD_BODY,
        } as const;
        return this.#after(1 + this.#upTo(100), validator, () => this.#tell(validator, event));
      }
      case "timer": {
        const timer = ++validator.timer;
        return this.#after(action.ms * (0.95 + this.#random() * 0.1), validator, () => {
          if (timer === validator.timer) this.#tell(validator, { type: "timeout", view: action.view });
        });
      }
      case "commit": {
        const { proposal, commits } = action;
        if (commits.length < quorum(this.#plan.committeeSize).required) this.#fail("too few seals");
        if (proposal.body !== GOOD_BODY) this.#fail("a bad body with seals");
        const committers = commits.map(({ sender }) => sender);
        this.#witness.commits(validator, proposal, committers);
        return this.#after(this.#upTo(50), validator, () => this.#append(validator, proposal));
      }
    }
  }

  #build(validator: Validator): void {
    const { name, chain, index } = validator;
    const number = chain.length;
    const hash = `${number}:${name}#${this.#made++}`;
    const body = this.#plan.traitors.get(index) === "bad-blocks" ? BAD_BODY : GOOD_BODY;
    const proposal = { number, hash, parent: chain[number - 1] ?? GENESIS, body };
    this.#tell(validator, { type: "candidate", proposal });
  }

  /** Everybody who agrees now or in the next round; whoever does not, says nothing. */
  #recipients({ index, state }: Validator): readonly Validator[] {
    if (state === undefined) return [];
    const { validators, started, self } = state;
    const committee = validators.committee(started);
    if (!committee.has(self)) return [];
    const next = validators.committee(started + 1);
    return this.#validators.filter(
      (to) => to.index !== index && (committee.has(to.name) || next.has(to.name)),
    );
  }

  #gossip(validator: Validator, message: Said): void {
    const isOwn = message.sender === validator.name;
    const treason = this.#plan.traitors.get(validator.index);
    if (isOwn && treason === undefined) this.#checkSigned(message.payload, validator.name);
    if (isOwn) this.#witness.sends(validator, message);
    if (!isOwn && !this.#plan.relays) return;
    for (const to of this.#recipients(validator)) {
      if (isOwn && treason !== undefined) {
        for (const lie of betray(treason, message, to.index, this.#random)) this.#send(validator, to, lie);
        continue;
      }
      const once = `${to.index} ${keyOf(message)}`;
      if (validator.sent.has(once)) continue;
      validator.sent.add(once);
      this.#send(validator, to, message);
    }
  }

  /** Honest validators never sign two different things of a kind in one view, whatever happened in between. */
  #checkSigned(payload: MessagePayload<SimulatedBlock>, name: string): void {
    const { kind, view } = payload;
    const what = `${name} ${kind} ${view.sequence}/${view.round}`;
    const digest = digestOf(payload);
    const before = this.#signed.get(what) ?? digest;
    this.#signed.set(what, digest);
    if (before !== digest) this.#fail(`${what} signed twice: ${before} and ${digest}`);
  }

  #send(from: Validator, to: Validator, message: Said): void {
    const key = keyOf(message);
    const { loss, commitLoss } = this.#plan;
    const chance = message.payload.kind === "commit" ? commitLoss : loss;
    if (!this.#arrives(from, to, chance)) return this.#note(`${from.name} > ${to.name} lost ${key}`);
    const copies = !this.#isGood && this.#random() < this.#plan.duplicates ? 2 : 1;
    for (let i = 0; i < copies; i++) {
      const delay = 1 + this.#upTo(this.#isGood ? 50 : this.#plan.maxDelay);
      this.#after(delay, to, () => this.#deliver(from, to, message, key));
    }
  }

  #arrives(from: Validator, to: Validator, loss: number): boolean {
    if (this.#isGood) return true;
    return !isCut(this.#plan, this.#now, from.index, to.index) && this.#random() >= loss;
  }

  /** Messages with a seal that is none get no further than the signature check. */
  #deliver(from: Validator, to: Validator, message: Said, key: string): void {
    this.#witness.hears(to, message);
    to.sent.add(`${from.index} ${key}`);
    if (to.met.has(key)) return;
    to.met.add(key);
    if (message.payload.kind === "commit" && message.seal[0] !== GOOD_SEAL[0]) return;
    this.#note(`${from.name} > ${to.name} ${key}`);
    this.#tell(to, { type: "message", message });
  }

  #append(validator: Validator, { number, hash }: Pick<Proposal, "number" | "hash">): void {
    const { chain, name } = validator;
    if (chain.length !== number) return;
    const decided = this.#decided.get(number) ?? hash;
    if (decided !== hash) this.#fail(`two blocks ${number}: ${decided}, and ${hash} at ${name}`);
    this.#decided.set(number, hash);
    chain.push(hash);
    this.#note(`${name} has ${hash}`);
    this.#tell(validator, {
      type: "head",
      head: { number, hash },
      validators: this.#validatorSet(number + 1),
    });
  }

  /** Blocks that somebody else has come by another way than the agreement, every now and then. */
  #sync(validator: Validator): void {
    this.#agenda.add(this.#now + this.#upTo(SYNC_MS), () => {
      const peer = this.#validators[this.#upTo(this.#plan.validators - 1)];
      const loss = 1 - this.#plan.syncs;
      if (peer !== undefined && validator.state !== undefined && this.#arrives(peer, validator, loss)) {
        for (const hash of peer.chain.slice(validator.chain.length)) {
          this.#append(validator, { number: validator.chain.length, hash });
        }
      }
      this.#sync(validator);
    });
  }

  #note(line: string): void {
    this.#trace.push(`${(this.#now / 1000).toFixed(3)} ${line}`);
    if (this.#trace.length > 2 * TRACE_LINES) this.#trace.splice(0, TRACE_LINES);
  }

  #fail(what: string): never {
    const { seed, validators } = this.#plan;
    const again = `repeat it with KNIT_BFT_SEED=${seed} KNIT_BFT_SEEDS=1`;
    const states = this.#validators.map((validator) => describe(validator));
    const last = [...this.#trace.slice(-TRACE_LINES), ...states].join("\n");
    throw new SimulationFailure(`${what}: ${validators} validators, seed ${seed} (${again})\n${last}`);
  }
}
