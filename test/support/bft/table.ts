/** One validator at a table with others whose messages the test writes. */
import type { ConsensusMessage, MessagePayload, Proposal } from "../../../node/consensus/bft/message.ts";
import { beginRounds, step } from "../../../node/consensus/bft/round-machine.ts";
import type {
  BlockValidatorSet,
  DurableState,
  RoundAction,
  RoundEvent,
  RoundState,
} from "../../../node/consensus/bft/round-state.ts";
import { quorum } from "../../../node/governance/validators.ts";

type Kind<T extends RoundAction<Proposal>["type"]> = RoundAction<Proposal> & { readonly type: T };

/** The block before the first one that is agreed on. */
export const GENESIS = { number: 0, hash: "genesis" };

/** Block `number` by a name. */
export function aBlock(hash: string, fields: Partial<Proposal> = {}): Proposal {
  return { number: 1, hash, parent: GENESIS.hash, body: Uint8Array.of(0xc0), ...fields };
}

/** A message of `sender`. */
export function aMessage(sender: string, payload: MessagePayload<Proposal>): ConsensusMessage<Proposal> {
  return { sender, payload, seal: new Uint8Array(0), bytes: new Uint8Array(100) };
}

/** A vote for a block of height 1. */
export function aVote(
  sender: string,
  kind: "prepare" | "commit" | "round-change",
  { round = 0, digest = "b", sequence = 1 }: { round?: number; digest?: string; sequence?: number } = {},
): ConsensusMessage<Proposal> {
  return aMessage(sender, { kind, view: { sequence, round }, digest, parent: GENESIS.hash });
}

/** A proposal for height 1. */
export function aProposal(sender: string, proposal: Proposal, round = 0): ConsensusMessage<Proposal> {
  return aMessage(sender, { kind: "preprepare", view: { sequence: proposal.number, round }, proposal });
}

/** Validators v0 to v`size - 1`; v`round` proposes. */
export function validatorSetOf(size: number): BlockValidatorSet {
  const names = Array.from({ length: size }, (_, i) => `v${i}`);
  return {
    qualified: new Set(names),
    ...quorum(size),
    proposer: (round) => names[round % size] ?? "",
    committee: () => new Set(names),
  };
}

/** A validator of `size`, with what it did in the last step. */
export class Table {
  state: RoundState<Proposal>;
  actions: readonly RoundAction<Proposal>[];
  readonly self: string;

  constructor(self: string, size: number, restored?: DurableState<Proposal>) {
    this.self = self;
    const write = (payload: MessagePayload<Proposal>): ConsensusMessage<Proposal> => aMessage(self, payload);
    const begun = beginRounds({ self, write, head: GENESIS, validators: validatorSetOf(size), restored });
    this.state = begun.state;
    this.actions = begun.actions;
  }

  /** Takes events in, one step each; the actions are those of all of them. */
  take(...events: readonly RoundEvent<Proposal>[]): void {
    const actions: RoundAction<Proposal>[] = [];
    for (const event of events) {
      const made = step(this.state, event);
      this.state = made.state;
      actions.push(...made.actions);
    }
    this.actions = actions;
  }

  hear(...messages: readonly ConsensusMessage<Proposal>[]): void {
    this.take(...messages.map((message) => ({ type: "message", message }) as const));
  }

  /** Finds the block good that is being judged. */
  approve(hash: string): void {
    this.take({ type: "verified", view: this.state.view, hash, isValid: true });
  }

  done<T extends RoundAction<Proposal>["type"]>(type: T): readonly Kind<T>[] {
    return this.actions.filter((action): action is Kind<T> => action.type === type);
  }

  /** Own messages of the last step, such as `prepare 0 b`. */
  get said(): readonly string[] {
    return this.done("gossip").flatMap(({ message: { sender, payload } }) => {
      if (sender !== this.self) return [];
      const digest = payload.kind === "preprepare" ? payload.proposal.hash : payload.digest;
      const about = payload.kind === "round-change" ? "" : ` ${digest}`;
      return [`${payload.kind} ${payload.view.round}${about}`];
    });
  }
}
