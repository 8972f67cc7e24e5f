/** Tests of the selection of peers for a consensus message, and of the reading of incoming ones. */
import { describe, expect, test } from "@jest/globals";
import { mapKey } from "../../../../node/bytes/hex.ts";
import { Gossip, recipientsOf } from "../../../../node/consensus/bft/gossip.ts";
import { ConsensusInbox } from "../../../../node/consensus/bft/inbox.ts";
import type { BlockMessage } from "../../../../node/consensus/bft/signed-message.ts";
import { keccak256 } from "../../../../node/crypto/keccak.ts";
import { seats } from "../../../support/bft/council.ts";
import { Table, validatorSetOf } from "../../../support/bft/table.ts";

const [A, B, C] = seats(3).map(({ address }) => address) as [Uint8Array, Uint8Array, Uint8Array];
const everybody = new Set([A, B, C].map(mapKey));

/** A message with this bytes. */
function aMessage(text: string): BlockMessage {
  const parent = mapKey(keccak256(new Uint8Array(0)));
  const payload = { kind: "prepare", view: { sequence: 1, round: 0 }, digest: parent, parent } as const;
  return { sender: "x", payload, seal: new Uint8Array(0), bytes: Buffer.from(text) };
}

function nameOf(peer: Uint8Array): string {
  return "ABC".charAt([A, B, C].indexOf(peer));
}

/** Gossip among connected peers, and who was sent what. */
function aGossip(connected: Uint8Array[]) {
  const sent: string[] = [];
  const gossip = new Gossip({
    connectedAddresses: () => connected,
    send: (to, { message }) => sent.push(`${nameOf(to)} ${Buffer.from(message).toString()}`) > 0,
    noteVote: () => undefined,
    onMessage: () => () => undefined,
  });
  return { gossip, sent };
}

test("a message goes once to each connected recipient that did not send it", () => {
  const { gossip, sent } = aGossip([A, B, C]);
  const message = aMessage("one");
  expect(gossip.isNew(A, message.bytes)).toBe(true);
  expect(gossip.isNew(B, message.bytes)).toBe(false);
  gossip.send(message, everybody);
  gossip.send(message, everybody);
  gossip.send(aMessage("two"), new Set([mapKey(A)]));
  expect(sent).toEqual(["C one", "A two"]);
});

test("a resent message goes to all recipients again; an own message is not new when it returns", () => {
  const { gossip, sent } = aGossip([A]);
  gossip.send(aMessage("one"), everybody);
  gossip.send(aMessage("one"), everybody, true);
  expect(sent).toEqual(["A one", "A one"]);
  expect(gossip.isNew(B, aMessage("one").bytes)).toBe(false);
});

test("a peer that reconnects gets all messages again", () => {
  const connected = [A, B];
  const { gossip, sent } = aGossip(connected);
  gossip.meet();
  gossip.send(aMessage("one"), everybody);
  connected.pop();
  gossip.meet();
  connected.push(B);
  gossip.meet();
  gossip.send(aMessage("one"), everybody);
  expect(sent).toEqual(["A one", "B one", "B one"]);
});

test("recipients are the committees of the current and the next round; a node in neither sends nothing", () => {
  const { state } = new Table("v1", 6);
  const committees = [new Set(["v0", "v1"]), new Set(["v1", "v2"]), new Set(["v3", "v4"])];
  const validators = {
    ...validatorSetOf(6),
    committee: (round: number) => committees[round] ?? new Set<string>(),
  };
  expect(recipientsOf({ ...state, validators })).toEqual(new Set(["v0", "v2"]));
  expect(recipientsOf({ ...state, validators, started: 2 })).toEqual(new Set());
});

describe("messages in the inbox", () => {
  test("come out in order, with local events between them", async () => {
    const inbox = new ConsensusInbox<string>();
    inbox.addMessage(A, Uint8Array.of(1));
    inbox.add("event");
    inbox.addMessage(B, Uint8Array.of(2));
    const kinds = (await inbox.take()).map((each) => each.type);
    expect(kinds).toEqual(["message", "event", "message"]);
    const later = inbox.take();
    inbox.add("more");
    expect(await later).toEqual([{ type: "event", event: "more" }]);
  });

  test("are not delivered after the inbox is closed, which ends a waiting `take`", async () => {
    const inbox = new ConsensusInbox<string>();
    const waiting = inbox.take();
    inbox.close();
    expect(await waiting).toEqual([]);
    inbox.add("late");
    expect(await inbox.take()).toEqual([]);
  });

  test("are bounded per peer and in total; events are not", async () => {
    const inbox = new ConsensusInbox<string>();
    let taken = 0;
    for (let i = 0; i < 5000; i++) if (inbox.addMessage(A, new Uint8Array(10))) taken++;
    expect(taken).toBe(1024);
    expect(inbox.addMessage(B, new Uint8Array(10))).toBe(true);
    expect(inbox.addMessage(C, { length: 65 * 2 ** 20 } as Uint8Array)).toBe(false);
    inbox.add("event");
    expect(await inbox.take()).toHaveLength(1026);
    expect(inbox.addMessage(A, new Uint8Array(10))).toBe(true);
  });
});
