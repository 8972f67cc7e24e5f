/** Tests of one validator's reactions to messages, step by step. */
import { describe, expect, test } from "@jest/globals";
import { BACKLOG_LIMITS } from "../../../../node/consensus/bft/backlog.ts";
import type { ConsensusMessage, Proposal } from "../../../../node/consensus/bft/message.ts";
import type { DurableState, LastSigned } from "../../../../node/consensus/bft/round-state.ts";
import { timeoutMs } from "../../../../node/consensus/bft/rounds.ts";
import { aBlock, aProposal, aVote, Table, validatorSetOf } from "../../../support/bft/table.ts";

const B = aBlock("b");
const C = aBlock("c");

/** v1 of four, who has accepted and locked block b in round 0. */
function lockedTable(): Table {
  const table = new Table("v1", 4);
  table.hear(aProposal("v0", B));
  table.approve("b");
  table.hear(aVote("v0", "prepare"), aVote("v2", "prepare"));
  expect(table.state.lock?.proposal).toBe(B);
  return table;
}

describe("a round without faults", () => {
  test("a validator alone commits its own block in one step", () => {
    const table = new Table("v0", 1);
    expect(table.done("build")).toEqual([{ type: "build", view: { sequence: 1, round: 0 } }]);
    table.take({ type: "candidate", proposal: B });
    expect(table.said).toEqual(["preprepare 0 b", "prepare 0 b", "commit 0 b"]);
    expect(table.done("commit")).toMatchObject([{ proposal: B, round: 0, commits: [{ sender: "v0" }] }]);
  });

  test("a proposal is verified, prepared and committed with a quorum of votes", () => {
    const table = new Table("v1", 4);
    table.hear(aProposal("v0", B));
    expect(table.done("verify")).toMatchObject([{ proposal: B }]);
    expect(table.said).toEqual([]);
    table.approve("b");
    expect(table.said).toEqual(["prepare 0 b"]);
    table.hear(aVote("v0", "prepare"));
    expect(table.said).toEqual([]);
    table.hear(aVote("v2", "prepare"));
    expect(table.said).toEqual(["commit 0 b"]);
    table.hear(aVote("v2", "commit"), aVote("v3", "commit"));
    expect(table.done("commit")).toHaveLength(1);
    table.hear(aVote("v0", "commit"));
    expect(table.done("commit")).toEqual([]);
  });

  test("commits count as prepares do", () => {
    const table = new Table("v1", 4);
    table.hear(aProposal("v0", B));
    table.approve("b");
    table.hear(aVote("v2", "commit"), aVote("v3", "commit"));
    expect(table.said).toEqual(["commit 0 b"]);
    expect(table.done("commit")).toHaveLength(1);
  });

  test("a new head starts the next height", () => {
    const table = lockedTable();
    table.take({ type: "head", head: { number: 1, hash: "b" }, validators: validatorSetOf(4) });
    expect(table.state).toMatchObject({ view: { sequence: 2, round: 0 }, lock: undefined });
    expect(table.done("timer")).toEqual([{ type: "timer", view: { sequence: 2, round: 0 }, ms: 10_000 }]);
  });
});

describe("ignored messages", () => {
  test("a proposal of another validator than the proposer", () => {
    const table = new Table("v1", 4);
    table.hear(aProposal("v2", B));
    expect(table.actions).toEqual([]);
  });

  test("any message of an address that is no validator", () => {
    const table = new Table("v1", 4);
    table.hear(aVote("v9", "round-change", { round: 3 }), aVote("v9", "prepare", { sequence: 2 }));
    expect(table.actions).toEqual([]);
    expect(table.state.backlog.size).toBe(0);
  });

  test("votes for another block or of an address outside the committee", () => {
    const committee = new Set(["v0", "v1", "v2"]);
    const table = new Table("v1", 4);
    table.state = { ...table.state, validators: { ...validatorSetOf(4), committee: () => committee } };
    table.hear(aProposal("v0", B));
    table.approve("b");
    table.hear(aVote("v0", "prepare", { digest: "c" }), aVote("v3", "prepare"));
    expect(table.state.prepares.size).toBe(1);
  });

  test("an invalid block, or one on another parent, leads to a round change", () => {
    const table = new Table("v1", 4);
    table.hear(aProposal("v0", B));
    table.take({ type: "verified", view: { sequence: 1, round: 0 }, hash: "b", isValid: false });
    expect(table.said).toEqual(["round-change 1"]);
    const other = new Table("v1", 4);
    other.hear(aProposal("v0", aBlock("x", { parent: "elsewhere" })));
    expect(other.said).toEqual(["round-change 1"]);
  });

  test("a result of a verification after its round", () => {
    const table = new Table("v1", 4);
    table.hear(aProposal("v0", B));
    const { view } = table.state;
    table.take({ type: "timeout", view });
    table.take({ type: "verified", view, hash: "b", isValid: true });
    expect(table.actions).toEqual([]);
  });
});

describe("rounds", () => {
  test("the timeout of rounds doubles up to a bound", () => {
    expect([0, 1, 2, 3, 4].map(timeoutMs)).toEqual([10_000, 12_000, 14_000, 18_000, 26_000]);
    expect(timeoutMs(Number.MAX_SAFE_INTEGER)).toBe(timeoutMs(20));
  });

  test("after a silent proposer three of four start the next round, and its proposer proposes", () => {
    const table = new Table("v1", 4);
    table.take({ type: "timeout", view: table.state.view });
    expect(table.said).toEqual(["round-change 1"]);
    table.hear(aVote("v2", "round-change", { round: 1 }));
    expect(table.state.waiting).toBe(true);
    table.hear(aVote("v3", "round-change", { round: 1 }));
    expect(table.state).toMatchObject({ waiting: false, started: 1 });
    expect(table.done("build")).toEqual([{ type: "build", view: { sequence: 1, round: 1 } }]);
    table.take({ type: "candidate", proposal: C });
    expect(table.said).toEqual(["preprepare 1 c", "prepare 1 c"]);
  });

  test("a waiting validator joins a later round with two roundChanges; another one joins at its timeout", () => {
    const roundChanges = [
      aVote("v2", "round-change", { round: 5 }),
      aVote("v3", "round-change", { round: 5 }),
    ];
    const waiting = new Table("v1", 4);
    waiting.take({ type: "timeout", view: waiting.state.view });
    waiting.hear(...roundChanges);
    expect(waiting.said).toEqual(["round-change 5"]);
    const busy = new Table("v1", 4);
    busy.hear(...roundChanges);
    expect(busy.actions).toEqual([]);
    busy.take({ type: "timeout", view: busy.state.view });
    expect(busy.said).toEqual(["round-change 5"]);
  });

  test("a quorum for a later round starts it at once", () => {
    const table = new Table("v1", 4);
    table.hear(...["v0", "v2", "v3"].map((sender) => aVote(sender, "round-change", { round: 2 })));
    expect(table.state).toMatchObject({ view: { sequence: 1, round: 2 }, waiting: false });
  });

  test("round-change votes for ever later rounds do not accumulate", () => {
    const table = new Table("v1", 4);
    for (let round = 1; round < 1000; round++) table.hear(aVote("v2", "round-change", { round }));
    expect(table.state.roundChanges.get("v2")?.length).toBeLessThanOrEqual(16);
  });

  test("a block that the chain rejects leaves no lock", () => {
    const table = lockedTable();
    table.take({ type: "refused", hash: "b" });
    expect(table.state.lock).toBeUndefined();
    expect(table.said).toEqual(["round-change 1"]);
  });
});

describe("messages of later views", () => {
  test("are stored and handled when they are due, the proposal first", () => {
    const table = new Table("v1", 4);
    table.hear(aVote("v2", "commit"), aVote("v2", "prepare"), aVote("v3", "prepare"));
    expect(table.actions).toEqual([]);
    table.hear(aProposal("v0", B));
    table.approve("b");
    expect(table.said).toEqual(["prepare 0 b", "commit 0 b"]);
  });

  test("of far heights, or beyond the bound of a sender, are dropped", () => {
    const table = new Table("v1", 4);
    table.hear(aVote("v2", "prepare", { sequence: 2 + BACKLOG_LIMITS.heights }));
    expect(table.state.backlog.size).toBe(0);
    for (let round = 1; round < 2 * BACKLOG_LIMITS.messages; round++)
      table.hear(aVote("v2", "prepare", { round }));
    for (let round = 1; round < 9; round++) table.hear(aProposal("v3", B, round));
    expect(table.state.backlog.get("v2")).toHaveLength(BACKLOG_LIMITS.messages);
    expect(table.state.backlog.get("v3")).toHaveLength(BACKLOG_LIMITS.blocks);
  });
});

/** Enough votes for block c in a round. */
function votes(round: number): readonly ConsensusMessage<Proposal>[] {
  return ["v0", "v2", "v3"].map((sender) => aVote(sender, "prepare", { round, digest: "c" }));
}

describe("a lock", () => {
  test("prevents votes for another block, and is proposed again", () => {
    const table = lockedTable();
    table.hear(...["v0", "v2", "v3"].map((sender) => aVote(sender, "round-change", { round: 1 })));
    expect(table.said).toEqual(["preprepare 1 b", "prepare 1 b"]);
    table.hear(...["v0", "v2", "v3"].map((sender) => aVote(sender, "round-change", { round: 2 })));
    table.hear(aProposal("v2", C, 2));
    expect(table.said).toEqual(["round-change 3"]);
    expect(table.done("verify")).toEqual([]);
  });

  test("is kept with its own body where its block is proposed with another one, which is not relayed", () => {
    const table = lockedTable();
    table.hear(...["v0", "v2", "v3"].map((sender) => aVote(sender, "round-change", { round: 2 })));
    table.hear(aProposal("v2", aBlock("b", { body: Uint8Array.of(0xc1, 0x80) }), 2));
    expect(table.said).toEqual(["prepare 2 b"]);
    expect(table.done("gossip").map(({ message }) => message.payload.kind)).toEqual(["prepare"]);
    table.hear(aVote("v0", "prepare", { round: 2 }), aVote("v2", "prepare", { round: 2 }));
    expect(table.state.lock).toMatchObject({ round: 2, proposal: B });
    table.hear(aVote("v0", "commit", { round: 2 }), aVote("v2", "commit", { round: 2 }));
    expect(table.done("commit").map(({ proposal }) => proposal)).toEqual([B]);
    const other = lockedTable();
    other.hear(...["v0", "v2", "v3"].map((sender) => aVote(sender, "round-change", { round: 2 })));
    other.hear(aProposal("v2", aBlock("b"), 2));
    expect(other.done("gossip").map(({ message }) => message.payload.kind)).toEqual([
      "preprepare",
      "prepare",
    ]);
  });

  test("is sent with each round change, with its votes", () => {
    const table = lockedTable();
    table.take({ type: "timeout", view: table.state.view });
    expect(
      table
        .done("resend")[0]
        ?.messages.map(({ sender }) => sender)
        .sort(),
    ).toEqual(["v0", "v1", "v2"]);
  });

  test("is released by a quorum of a later round, not by fewer or earlier votes", () => {
    const table = lockedTable();
    table.hear(...["v0", "v2", "v3"].map((sender) => aVote(sender, "round-change", { round: 2 })));
    table.hear(...votes(0), ...votes(1).slice(0, 2));
    expect(table.state.lock).toBeDefined();
    table.hear(...votes(1));
    expect(table.state.lock).toBeUndefined();
    table.hear(aProposal("v2", C, 2));
    expect(table.done("verify")).toHaveLength(1);
  });
});

/** Durable state of a validator that signed these digests in a round. */
function signedIn(round: number, digests: LastSigned["digests"]): DurableState<Proposal> {
  return { signed: { view: { sequence: 1, round }, digests }, lock: undefined };
}

test("a quorum for another block releases the lock in a round that proposes the locked block", () => {
  const table = lockedTable();
  table.hear(...["v0", "v2", "v3"].map((sender) => aVote(sender, "round-change", { round: 2 })));
  table.hear(aProposal("v2", B, 2));
  expect(table.state.phase).toBe("preprepared");
  table.hear(...votes(2));
  expect(table.state.lock).toBeUndefined();
});

describe("after a restart", () => {
  test("nothing is signed that contradicts an earlier signature", () => {
    const table = new Table("v1", 4, signedIn(0, { prepare: "b" }));
    table.hear(aProposal("v0", C));
    table.approve("c");
    expect(table.said).toEqual([]);
    const proposer = new Table("v0", 4, signedIn(0, { preprepare: "b" }));
    proposer.take({ type: "candidate", proposal: C });
    expect(proposer.said).toEqual([]);
  });

  test("the same message may be signed again, and the round change is resumed", () => {
    const same = new Table("v1", 4, signedIn(0, { prepare: "b" }));
    same.hear(aProposal("v0", B));
    same.approve("b");
    expect(same.said).toEqual(["prepare 0 b"]);
    const later = new Table("v1", 4, signedIn(3, {}));
    expect(later.state).toMatchObject({ view: { sequence: 1, round: 3 }, waiting: true });
    expect(later.said).toEqual(["round-change 3"]);
  });

  test("a lock still binds", () => {
    const { lock, signed } = lockedTable().state;
    const table = new Table("v1", 4, { signed, lock });
    table.hear(...["v0", "v2", "v3"].map((sender) => aVote(sender, "round-change", { round: 2 })));
    table.hear(aProposal("v2", C, 2));
    expect(table.said).toEqual(["round-change 3"]);
  });

  test("a lock that was written ahead is released by a quorum of its own round as well", () => {
    const { lock, signed } = lockedTable().state;
    const table = new Table("v1", 4, { signed, lock: lock && { ...lock, proof: [] } });
    table.hear(...["v0", "v2", "v3"].map((sender) => aVote(sender, "round-change", { round: 2 })));
    table.hear(...votes(0).slice(0, 2));
    expect(table.state.lock).toBeDefined();
    table.hear(...votes(0));
    expect(table.state.lock).toBeUndefined();
  });

  test("a node whose chain lost blocks signs nothing until it is at its former height", () => {
    const table = new Table("v0", 4, {
      signed: { view: { sequence: 2, round: 0 }, digests: {} },
      lock: undefined,
    });
    table.take({ type: "candidate", proposal: B });
    expect(table.said).toEqual([]);
  });
});
