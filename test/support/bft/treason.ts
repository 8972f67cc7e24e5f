/** Messages of traitors instead of the correct ones: each kind of lie, for one message and one reader of it. */
import type { Treason } from "./plan.ts";
import { BAD_BODY, type Said } from "./simulated.ts";

type Lie = (message: Said, reader: number, random: () => number) => readonly Said[];

const LIES: Readonly<Record<Treason, Lie>> = {
  silent: () => [],
  "bad-blocks": (message) => [message],
  "bad-seals": (message) => [{ ...message, seal: Uint8Array.of(0) }],
  "two-proposals": (message, reader) => [reader % 2 === 0 ? message : onOther(message)],
  "two-bodies": (message, reader) => [reader % 2 === 0 ? message : withBadBody(message)],
  "votes-for-all": (message, _reader, random) => {
    const versions = [message, onOther(message)];
    return versions.flatMap((each) => [each, ...votesOf(each)]).filter(() => random() < 0.7);
  },
  "wrong-rounds": (message, _reader, random) => {
    const round = Math.max(0, message.payload.view.round + Math.floor(random() * 5) - 2);
    return [message, inRound(message, round)];
  },
};

/** Returns the messages that the reader gets instead. */
export function betray(
  treason: Treason,
  message: Said,
  reader: number,
  random: () => number,
): readonly Said[] {
  return LIES[treason](message, reader, random);
}

/** The same of another block, which only traitors know of. */
function onOther(message: Said): Said {
  const { payload } = message;
  if (payload.kind === "round-change") return message;
  if (payload.kind !== "preprepare") {
    return { ...message, payload: { ...payload, digest: `${payload.digest}'` } };
  }
  const { proposal } = payload;
  return { ...message, payload: { ...payload, proposal: { ...proposal, hash: `${proposal.hash}'` } } };
}

/** The same with a body that the hash of its block does not fit. */
function withBadBody(message: Said): Said {
  const { payload } = message;
  if (payload.kind !== "preprepare") return message;
  return { ...message, payload: { ...payload, proposal: { ...payload.proposal, body: BAD_BODY } } };
}

/** Votes of both kinds for what the message is about. */
function votesOf({ sender, payload, bytes }: Said): readonly Said[] {
  if (payload.kind === "round-change") return [];
  const { view } = payload;
  const isProposal = payload.kind === "preprepare";
  const digest = isProposal ? payload.proposal.hash : payload.digest;
  const parent = isProposal ? payload.proposal.parent : payload.parent;
  return (["prepare", "commit"] as const).map((kind) => ({
    sender,
    payload: { kind, view, digest, parent },
    seal: kind === "commit" ? Uint8Array.of(1) : bytes,
    bytes,
  }));
}

function inRound(message: Said, round: number): Said {
  const payload = { ...message.payload, view: { ...message.payload.view, round } };
  return { ...message, payload };
}
