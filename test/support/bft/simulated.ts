/** The people and the messages of a simulation. */
import type { ConsensusMessage, MessagePayload, Proposal } from "../../../node/consensus/bft/message.ts";
import type { DurableState, RoundState } from "../../../node/consensus/bft/round-state.ts";

/** A block of the simulation: its hash says who made it, its body whether it is good. */
export type SimulatedBlock = Proposal;

/** The body of every good block. */
export const GOOD_BODY = Uint8Array.of(0xc0);
/** A body that no honest validator finds valid. */
export const BAD_BODY = Uint8Array.of(0xc1, 0x80);

/** A message about such blocks. */
export type Said = ConsensusMessage<SimulatedBlock>;

/** A validator of the simulation, honest or not. */
export interface Validator {
  readonly index: number;
  readonly name: string;
  /** Hashes of its blocks by number. */
  readonly chain: string[];
  /** Undefined while it is down. */
  state: RoundState<SimulatedBlock> | undefined;
  disk: DurableState<SimulatedBlock> | undefined;
  /** Number of starts: events for an earlier life are ignored. */
  life: number;
  timer: number;
  readonly met: Set<string>;
  readonly sent: Set<string>;
}

/** Result of a run. */
export interface Outcome {
  readonly blocks: number;
  readonly steps: number;
  /** Rounds after the first that were started. */
  readonly rounds: number;
  readonly crashes: number;
}

/** A run that broke a rule; the message says which, how to repeat it, and what happened last. */
export class SimulationFailure extends Error {
  override readonly name = "SimulationFailure";
}

/** The seal of a commit that is none would never get past the signature check. */
export const GOOD_SEAL = Uint8Array.of(1);
const NO_SEAL = new Uint8Array(0);

/** A message of the simulation: good seals are 1. */
export function writeMessage(sender: string, payload: MessagePayload<SimulatedBlock>): Said {
  const seal = payload.kind === "commit" ? GOOD_SEAL : NO_SEAL;
  return { sender, payload, seal, bytes: NO_SEAL };
}

/** The block that a payload is about. */
export function digestOf(payload: MessagePayload<Proposal>): string {
  return payload.kind === "preprepare" ? payload.proposal.hash : payload.digest;
}

/** Names a message: the same one always has the same name. */
export function keyOf({ sender, payload, seal }: Said): string {
  const { kind, view } = payload;
  const isBad = payload.kind === "preprepare" && payload.proposal.body === BAD_BODY;
  const digest = kind === "round-change" ? "" : `${digestOf(payload)}${isBad ? " bad" : ""}`;
  return `${sender} ${kind} ${view.sequence}/${view.round} ${digest} ${seal.join()}`;
}

/** Describes the state of a validator for the end of a trace. */
export function describe({ name, state }: Validator): string {
  if (state === undefined) return `${name} is down`;
  const { view, waiting, phase, lock, started } = state;
  const locked = lock === undefined ? "" : ` locked on ${lock.proposal.hash} of round ${lock.round}`;
  return `${name} ${view.sequence}/${view.round} (${started}) ${waiting ? "waiting" : phase}${locked}`;
}
