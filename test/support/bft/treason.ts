/** What traitors say instead of what they should: each way of lying, for one letter and one reader of it. */
import type { Treason } from "./plan.ts";
import type { Said } from "./simulated.ts";

type Lie = (letter: Said, reader: number, random: () => number) => readonly Said[];

const LIES: Readonly<Record<Treason, Lie>> = {
  silent: () => [],
  "bad-blocks": (letter) => [letter],
  "bad-seals": (letter) => [{ ...letter, seal: Uint8Array.of(0) }],
  "two-proposals": (letter, reader) => [reader % 2 === 0 ? letter : onOther(letter)],
  "votes-for-all": (letter, _reader, random) => {
    const versions = [letter, onOther(letter)];
    return versions.flatMap((each) => [each, ...votesOf(each)]).filter(() => random() < 0.7);
  },
  "wrong-rounds": (letter, _reader, random) => {
    const round = Math.max(0, letter.statement.view.round + Math.floor(random() * 5) - 2);
    return [letter, inRound(letter, round)];
  },
};

/** What the reader gets instead of the letter. */
export function betray(
  treason: Treason,
  letter: Said,
  reader: number,
  random: () => number,
): readonly Said[] {
  return LIES[treason](letter, reader, random);
}

/** The same of another block, which only traitors know of. */
function onOther(letter: Said): Said {
  const { statement } = letter;
  if (statement.kind === "round-change") return letter;
  if (statement.kind !== "preprepare") {
    return { ...letter, statement: { ...statement, digest: `${statement.digest}'` } };
  }
  const { proposal } = statement;
  return { ...letter, statement: { ...statement, proposal: { ...proposal, hash: `${proposal.hash}'` } } };
}

/** Votes of both kinds for what the letter is about. */
function votesOf({ sender, statement, payload }: Said): readonly Said[] {
  if (statement.kind === "round-change") return [];
  const { view } = statement;
  const isProposal = statement.kind === "preprepare";
  const digest = isProposal ? statement.proposal.hash : statement.digest;
  const parent = isProposal ? statement.proposal.parent : statement.parent;
  return (["prepare", "commit"] as const).map((kind) => ({
    sender,
    statement: { kind, view, digest, parent },
    seal: kind === "commit" ? Uint8Array.of(1) : payload,
    payload,
  }));
}

function inRound(letter: Said, round: number): Said {
  const statement = { ...letter.statement, view: { ...letter.statement.view, round } };
  return { ...letter, statement };
}
