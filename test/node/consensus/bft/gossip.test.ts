/** Who is sent which consensus message, and what is read of those that come. */
import { describe, expect, test } from "@jest/globals";
import { mapKey } from "../../../../node/bytes/hex.ts";
import { Gossip, readersOf } from "../../../../node/consensus/bft/gossip.ts";
import { Intake } from "../../../../node/consensus/bft/intake.ts";
import type { BlockLetter } from "../../../../node/consensus/bft/letters.ts";
import { keccak256 } from "../../../../node/crypto/keccak.ts";
import { seats } from "../../../support/bft/council.ts";
import { electorateOf, Table } from "../../../support/bft/table.ts";

const [A, B, C] = seats(3).map(({ address }) => address) as [Uint8Array, Uint8Array, Uint8Array];
const everybody = new Set([A, B, C].map(mapKey));

/** A letter with this payload. */
function aLetter(text: string): BlockLetter {
  const parent = mapKey(keccak256(new Uint8Array(0)));
  const statement = { kind: "prepare", view: { sequence: 1, round: 0 }, digest: parent, parent } as const;
  return { sender: "x", statement, seal: new Uint8Array(0), payload: Buffer.from(text) };
}

function nameOf(peer: Uint8Array): string {
  return "ABC".charAt([A, B, C].indexOf(peer));
}

/** Gossip among connected peers, and who was sent what. */
function aGossip(connected: Uint8Array[]) {
  const sent: string[] = [];
  const gossip = new Gossip({
    connected: () => connected,
    send: (to, { payload }) => sent.push(`${nameOf(to)} ${Buffer.from(payload).toString()}`) > 0,
    voted: () => undefined,
    onMessage: () => () => undefined,
  });
  return { gossip, sent };
}

test("a letter goes once to each reader who is connected and did not send it", () => {
  const { gossip, sent } = aGossip([A, B, C]);
  const letter = aLetter("one");
  expect(gossip.isNew(A, letter.payload)).toBe(true);
  expect(gossip.isNew(B, letter.payload)).toBe(false);
  gossip.send(letter, everybody);
  gossip.send(letter, everybody);
  gossip.send(aLetter("two"), new Set([mapKey(A)]));
  expect(sent).toEqual(["C one", "A two"]);
});

test("a letter that is repeated goes to all readers again; our own does not come back", () => {
  const { gossip, sent } = aGossip([A]);
  gossip.send(aLetter("one"), everybody);
  gossip.send(aLetter("one"), everybody, true);
  expect(sent).toEqual(["A one", "A one"]);
  expect(gossip.isNew(B, aLetter("one").payload)).toBe(false);
});

test("who comes back lacks everything", () => {
  const connected = [A, B];
  const { gossip, sent } = aGossip(connected);
  gossip.meet();
  gossip.send(aLetter("one"), everybody);
  connected.pop();
  gossip.meet();
  connected.push(B);
  gossip.meet();
  gossip.send(aLetter("one"), everybody);
  expect(sent).toEqual(["A one", "B one", "B one"]);
});

test("readers are the committees of the started round and the next; who is in neither says nothing", () => {
  const { state } = new Table("v1", 6);
  const committees = [new Set(["v0", "v1"]), new Set(["v1", "v2"]), new Set(["v3", "v4"])];
  const electorate = {
    ...electorateOf(6),
    committee: (round: number) => committees[round] ?? new Set<string>(),
  };
  expect(readersOf({ ...state, electorate })).toEqual(new Set(["v0", "v2"]));
  expect(readersOf({ ...state, electorate, started: 2 })).toEqual(new Set());
});

describe("letters that wait to be read", () => {
  test("come out in their order, with what happened here between them", async () => {
    const intake = new Intake<string>();
    intake.addLetter(A, Uint8Array.of(1));
    intake.add("event");
    intake.addLetter(B, Uint8Array.of(2));
    const kinds = (await intake.take()).map((each) => each.type);
    expect(kinds).toEqual(["letter", "event", "letter"]);
    const later = intake.take();
    intake.add("more");
    expect(await later).toEqual([{ type: "event", event: "more" }]);
  });

  test("are not handed out any more once the intake is closed, and who waits is told", async () => {
    const intake = new Intake<string>();
    const waiting = intake.take();
    intake.close();
    expect(await waiting).toEqual([]);
    intake.add("late");
    expect(await intake.take()).toEqual([]);
  });

  test("are bounded for each peer and in all; events never are", async () => {
    const intake = new Intake<string>();
    let taken = 0;
    for (let i = 0; i < 5000; i++) if (intake.addLetter(A, new Uint8Array(10))) taken++;
    expect(taken).toBe(1024);
    expect(intake.addLetter(B, new Uint8Array(10))).toBe(true);
    expect(intake.addLetter(C, { length: 65 * 2 ** 20 } as Uint8Array)).toBe(false);
    intake.add("event");
    expect(await intake.take()).toHaveLength(1026);
    expect(intake.addLetter(A, new Uint8Array(10))).toBe(true);
  });
});
