/** Tests of the time of sending: own messages at once, those of others after a delay. */
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { mapKey } from "../../../../node/bytes/hex.ts";
import { Broadcaster, RELAY_MS } from "../../../../node/consensus/bft/broadcaster.ts";
import { initialState } from "../../../../node/consensus/bft/round-state.ts";
import type { BlockMessage } from "../../../../node/consensus/bft/signed-message.ts";
import { keccak256 } from "../../../../node/crypto/keccak.ts";
import { seats } from "../../../support/bft/council.ts";

const [SELF, A, B] = seats(3).map(({ address }) => address) as [Uint8Array, Uint8Array, Uint8Array];
const self = mapKey(SELF);
const parent = mapKey(keccak256(new Uint8Array(0)));

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

function aMessage(sender: Uint8Array, text: string, round = 0): BlockMessage {
  const payload = { kind: "prepare", view: { sequence: 1, round }, digest: parent, parent } as const;
  return { sender: mapKey(sender), payload, seal: new Uint8Array(0), bytes: Buffer.from(text) };
}

function nothing(): void {}

/** A broadcaster of a council of three whose others are connected, and what was sent to the second of them. */
function aBroadcaster(connected = [A, B]) {
  const sent: string[] = [];
  const members = new Set([SELF, A, B].map(mapKey));
  const validators = {
    qualified: members,
    required: 3,
    faulty: 0,
    proposer: () => self,
    committee: () => members,
  };
  const write = (): BlockMessage => aMessage(SELF, "own");
  const state = initialState({ self, write }, { number: 0, hash: parent }, validators);
  const send = (to: Uint8Array, { message }: { readonly message: Uint8Array }): boolean => {
    if (to === B) sent.push(Buffer.from(message).toString());
    return true;
  };
  const peers = { connectedAddresses: () => connected, send, noteVote: nothing, onMessage: () => nothing };
  const broadcaster = new Broadcaster(peers, () => state);
  broadcaster.greet();
  return { broadcaster, sent };
}

test("own messages go out at once, and those of the newest view again to a peer that reconnects", () => {
  const connected = [A, B];
  const { broadcaster, sent } = aBroadcaster(connected);
  broadcaster.send(aMessage(SELF, "first"), self);
  broadcaster.send(aMessage(SELF, "second", 1), self);
  expect(sent).toEqual(["first", "second"]);
  connected.pop();
  broadcaster.greet();
  connected.push(B);
  broadcaster.greet();
  expect(sent).toEqual(["first", "second", "second"]);
});

test("messages of others are delayed, then relayed to recipients that lack them", () => {
  const { broadcaster, sent } = aBroadcaster();
  const [lacking, had] = [aMessage(A, "lacking"), aMessage(A, "had")];
  broadcaster.send(lacking, self);
  broadcaster.send(had, self);
  broadcaster.isNew(B, had.bytes);
  jest.advanceTimersByTime(RELAY_MS - 1);
  expect(sent).toEqual([]);
  jest.advanceTimersByTime(RELAY_MS + 1);
  expect(sent).toEqual(["lacking"]);
});

test("messages are relayed at once when more recipients are disconnected than may be faulty", () => {
  const { broadcaster, sent } = aBroadcaster([B]);
  broadcaster.send(aMessage(A, "one"), self);
  expect(sent).toEqual(["one"]);
});

test("messages of a past height are not relayed", () => {
  const { broadcaster, sent } = aBroadcaster();
  broadcaster.send(aMessage(A, "one"), self);
  jest.advanceTimersByTime(RELAY_MS + 1);
  broadcaster.send(aMessage(A, "two"), self);
  broadcaster.forget();
  jest.advanceTimersByTime(3 * RELAY_MS);
  expect(sent).toEqual([]);
  expect(jest.getTimerCount()).toBe(0);
});
