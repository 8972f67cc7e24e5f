/**
 * Istanbul BFT as a pure function: takes a state and an event, returns the next state and actions. It reads
 * no clock, disk or network. The caller records signed messages durably before sending them, and answers
 * `build`, `verify`, `timer` and `commit` with events.
 */
import { storeBacklog, takeDueMessages } from "./backlog.ts";
import { countConflictingVote } from "./lock-release.ts";
import { type ConsensusMessage, isVote, type MessagePayload, type Proposal } from "./message.ts";
import { handleCandidate, handlePreprepare, handleVerification } from "./proposals.ts";
import { handleRoundChange, handleTimeout } from "./round-changes.ts";
import {
  type BlockValidatorSet,
  type DurableState,
  type Head,
  initialState,
  type RoundEvent,
  type RoundState,
  type RoundStep,
} from "./round-state.ts";
import { resumeRound, startHeight } from "./rounds.ts";
import { RoundTransition } from "./transition.ts";
import { compareViews } from "./view.ts";
import { handleRejectedBlock, handleVote } from "./votes.ts";

/** Initial values of a validator's round machine. */
export interface RoundsOptions<P extends Proposal> extends Pick<RoundState<P>, "self" | "write"> {
  readonly head: Head;
  readonly validators: BlockValidatorSet;
  /** State from before a restart. */
  readonly restored?: DurableState<P> | undefined;
}

/** Starts the agreement on the block after the head, or resumes it from the restored state. */
export function beginRounds<P extends Proposal>(beginning: RoundsOptions<P>): RoundStep<P> {
  const { head, validators, restored } = beginning;
  const transition = new RoundTransition(initialState(beginning, head, validators));
  if (restored !== undefined) transition.change({ signed: restored.signed });
  const { view } = transition.state.signed;
  if (view.sequence === transition.state.view.sequence) resumeRound(transition, view.round, restored?.lock);
  else startHeight(transition, head, validators);
  return handleQueue(transition);
}

/** Applies one event. */
export function step<P extends Proposal>(state: RoundState<P>, event: RoundEvent<P>): RoundStep<P> {
  const transition = new RoundTransition(state);
  applyEvent(transition, event);
  return handleQueue(transition);
}

function applyEvent<P extends Proposal>(transition: RoundTransition<P>, event: RoundEvent<P>): void {
  switch (event.type) {
    case "head":
      if (event.head.number >= transition.state.view.sequence)
        startHeight(transition, event.head, event.validators);
      return;
    case "candidate":
      return handleCandidate(transition, event.proposal);
    case "message":
      transition.queue.push(event.message);
      return;
    case "verified":
      return handleVerification(transition, event);
    case "timeout":
      return handleTimeout(transition, event.view);
    case "refused":
      return handleRejectedBlock(transition, event.hash);
  }
}

/** Handles the queued messages and those of the backlog that became due, until none is left. */
function handleQueue<P extends Proposal>(transition: RoundTransition<P>): RoundStep<P> {
  do {
    for (let message = transition.queue.shift(); message !== undefined; message = transition.queue.shift()) {
      if (handleMessage(transition, message)) transition.act({ type: "gossip", message });
    }
    const { due, rest } = takeDueMessages(
      transition.state.backlog,
      ({ payload }) => timingOf(transition.state, payload) === "future",
    );
    transition.change({ backlog: rest });
    transition.queue.push(...due);
  } while (transition.queue.length > 0);
  return { state: transition.state, actions: transition.actions };
}

/** Handles one message. Returns true when it changed the state and is to be relayed. */
function handleMessage<P extends Proposal>(
  transition: RoundTransition<P>,
  message: ConsensusMessage<P>,
): boolean {
  const { payload } = message;
  const { state } = transition;
  if (!state.validators.qualified.has(message.sender)) return false;
  const when = timingOf(state, payload);
  if (when === "future") {
    if (message.sender !== state.self)
      transition.change({ backlog: storeBacklog(state.backlog, message, state.view) });
    return false;
  }
  if (!isVote(message))
    return (
      when === "now" &&
      handlePreprepare(transition, message, payload as MessagePayload<P> & { kind: "preprepare" })
    );
  if (when === "old") {
    countConflictingVote(transition, message);
    return false;
  }
  return message.payload.kind === "round-change"
    ? handleRoundChange(transition, message)
    : handleVote(transition, message);
}

/** Tells if a payload belongs to the past, the present or the future. */
function timingOf<P extends Proposal>(
  state: RoundState<P>,
  { kind, view }: MessagePayload<P>,
): "old" | "now" | "future" {
  if (kind === "round-change" && view.sequence === state.view.sequence) {
    return view.round < state.view.round ? "old" : "now";
  }
  const order = compareViews(view, state.view);
  if (order !== 0) return order < 0 ? "old" : "future";
  if (state.waiting) return "future";
  return state.phase === "accepting" && kind !== "preprepare" ? "future" : "now";
}

/**
 * Returns true when a message can still change the state; asked before its signatures are verified, which is
 * the expensive part. False for other senders than validators, for past heights, and for votes after a
 * quorum.
 */
export function isRelevant<P extends Proposal>(
  { validators, view, phase, proposal, waiting }: RoundState<P>,
  { sender, payload }: Pick<ConsensusMessage<P>, "sender" | "payload">,
): boolean {
  if (!validators.qualified.has(sender) || payload.view.sequence < view.sequence) return false;
  if (payload.kind === "preprepare" || waiting || compareViews(payload.view, view) !== 0) return true;
  if (payload.digest !== proposal?.hash) return true;
  return payload.kind === "prepare" ? phase === "preprepared" : phase !== "committed";
}
