/** One validator at a table with others whose letters the test writes. */
import type { Letter, Proposal, Statement } from "../../../node/consensus/bft/letter.ts";
import { beginRounds, step } from "../../../node/consensus/bft/round-machine.ts";
import type {
  Electorate,
  Remembered,
  RoundAction,
  RoundEvent,
  RoundState,
} from "../../../node/consensus/bft/round-state.ts";
import { quorum } from "../../../node/governance/validators.ts";

type Kind<T extends RoundAction<Proposal>["type"]> = RoundAction<Proposal> & { readonly type: T };

/** The block before the first one that is agreed on. */
export const GENESIS = { number: 0, hash: "genesis" };

/** Block `number` by a name. */
export function aBlock(hash: string, { number, parent }: Partial<Proposal> = {}): Proposal {
  return { number: number ?? 1, hash, parent: parent ?? GENESIS.hash };
}

/** A letter of `sender`. */
export function aLetter(sender: string, statement: Statement<Proposal>): Letter<Proposal> {
  return { sender, statement, seal: new Uint8Array(0), payload: new Uint8Array(100) };
}

/** A vote for a block of height 1. */
export function aVote(
  sender: string,
  kind: "prepare" | "commit" | "round-change",
  { round = 0, digest = "b", sequence = 1 }: { round?: number; digest?: string; sequence?: number } = {},
): Letter<Proposal> {
  return aLetter(sender, { kind, view: { sequence, round }, digest, parent: GENESIS.hash });
}

/** A proposal for height 1. */
export function aProposal(sender: string, proposal: Proposal, round = 0): Letter<Proposal> {
  return aLetter(sender, { kind: "preprepare", view: { sequence: proposal.number, round }, proposal });
}

/** Validators v0 to v`size - 1`; v`round` proposes. */
export function electorateOf(size: number): Electorate {
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

  constructor(self: string, size: number, remembered?: Remembered<Proposal>) {
    this.self = self;
    const write = (statement: Statement<Proposal>): Letter<Proposal> => aLetter(self, statement);
    const begun = beginRounds({ self, write, head: GENESIS, electorate: electorateOf(size), remembered });
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

  hear(...letters: readonly Letter<Proposal>[]): void {
    this.take(...letters.map((letter) => ({ type: "letter", letter }) as const));
  }

  /** Finds the block good that is being judged. */
  approve(hash: string): void {
    this.take({ type: "judged", view: this.state.view, hash, good: true });
  }

  done<T extends RoundAction<Proposal>["type"]>(type: T): readonly Kind<T>[] {
    return this.actions.filter((action): action is Kind<T> => action.type === type);
  }

  /** What it said itself in the last step, such as `prepare 0 b`. */
  get said(): readonly string[] {
    return this.done("gossip").flatMap(({ letter: { sender, statement } }) => {
      if (sender !== this.self) return [];
      const digest = statement.kind === "preprepare" ? statement.proposal.hash : statement.digest;
      const about = statement.kind === "round-change" ? "" : ` ${digest}`;
      return [`${statement.kind} ${statement.view.round}${about}`];
    });
  }
}
