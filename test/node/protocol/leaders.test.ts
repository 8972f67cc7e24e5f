/** Selection of the peer to follow among peers whose claims may be lies. */
import { beforeEach, expect, test } from "@jest/globals";
import type { NodeType } from "../../../node/p2p/node-type.ts";
import type { ChainPeer } from "../../../node/protocol/chain-peer.ts";
import { Leaders } from "../../../node/protocol/leaders.ts";

const TIMINGS = { announcedMs: 200, helperMs: 3000, requestMs: 15_000 };
const MINUTES = 60_000;
let now: number;
let peers: ChainPeer[];

beforeEach(() => {
  now = 1e12;
  peers = [];
});

function join(idText: string, number: number, rest: Partial<ChainPeer> = {}): ChainPeer {
  const known = { type: "en", isChosen: false, isDropped: false, aheadSince: 0, turn: now, ...rest };
  // Only these fields are read by the selection.
  const peer = { ...known, link: { idText }, claim: { number } } as unknown as ChainPeer;
  peers.push(peer);
  return peer;
}

function leadersOf(nodeType: NodeType): Leaders {
  return new Leaders({ peers: () => peers, nodeType, clock: { now: () => now }, timings: TIMINGS });
}

function deliver(leaders: Leaders, peer: ChainPeer, blocks: number): void {
  for (let block = 0; block < blocks; block++) leaders.deliver(peer);
}

/** Takes a leader of a node at block 10; each takes a millisecond. */
function take(leaders: Leaders): ChainPeer | undefined {
  now++;
  return leaders.take({ tip: 10, now })?.peer;
}

test("a peer that has delivered blocks leads before higher claims, and one that the operator named too", () => {
  const leaders = leadersOf("en");
  join("stranger", 1e6);
  const named = join("named", 12, { isChosen: true });
  expect(take(leaders)).toBe(named);
  const honest = join("honest", 11);
  deliver(leaders, honest, 1);
  expect(take(leaders)).toBe(honest);
});

test("newcomers with ever new keys wait behind peers that were there before", () => {
  const leaders = leadersOf("en");
  for (let liar = 0; liar < 10; liar++) join(`liar ${liar}`, 1e6);
  const honest = join("honest", 11);
  let turns = 1;
  for (let leader = take(leaders); leader !== honest; leader = take(leaders), turns++) {
    peers = peers.filter((peer) => peer !== leader);
    join(`liar after ${turns}`, 1e6);
  }
  expect(turns).toBe(11);
});

test("a leader that has delivered nothing is left for one that has earned more, and for no other", () => {
  const leaders = leadersOf("en");
  join("liar", 1e6);
  now++;
  const honest = join("honest", 11);
  const leader = leaders.take({ tip: 10, now });
  if (leader === undefined) throw new Error("nobody leads");
  expect(leader.peer.link.idText).toBe("liar");
  expect(leaders.isOvertaken(leader, { tip: 10, now })).toBe(false);
  deliver(leaders, honest, 1);
  expect(leaders.isOvertaken(leader, { tip: 10, now })).toBe(true);
  expect(leaders.isOvertaken(leader, { tip: 11, now })).toBe(false);
});

test("broken claims of one key cost less and less time, whichever connection it uses", () => {
  const leaders = leadersOf("en");
  join("other", 1e6);
  const times = [0, 1, 2].map(() => {
    const liar = join("liar", 1e7, { turn: 0 });
    const leader = leaders.take({ tip: 10, now });
    expect(leader?.peer).toBe(liar);
    const answerMs = leader && leaders.answerMs(leader.peer, { tip: 10, now });
    peers.pop();
    leaders.breakClaim(liar);
    return answerMs;
  });
  expect(times).toEqual([3000, 1500, 750]);
});

test("the timeout of requests alone decides on a peer when nobody else is ahead, or when it has earned it", () => {
  const leaders = leadersOf("en");
  const stranger = join("stranger", 100);
  const answerMs = (): number | undefined => {
    const leader = leaders.take({ tip: 10, now });
    return leader && leaders.answerMs(leader.peer, { tip: 10, now });
  };
  expect(answerMs()).toBe(Number.POSITIVE_INFINITY);
  join("other", 100);
  expect(answerMs()).toBe(TIMINGS.helperMs);
  const earned = [192, 576, 1].map((blocks) => {
    deliver(leaders, stranger, blocks);
    return answerMs();
  });
  expect(earned).toEqual([6000, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]);
  join("named", 12, { isChosen: true });
  peers = peers.filter((peer) => peer !== stranger);
  expect(answerMs()).toBe(Number.POSITIVE_INFINITY);
});

test("a broken claim is made up for by an answer's worth of blocks, or forgotten after ten minutes", () => {
  const leaders = leadersOf("en");
  const peer = join("peer", 11);
  deliver(leaders, peer, 1000);
  leaders.breakClaim(peer);
  expect(leaders.standingOf(peer)).toBe("unreliable");
  deliver(leaders, peer, 191);
  expect(leaders.standingOf(peer)).toBe("unreliable");
  deliver(leaders, peer, 1);
  expect(leaders.standingOf(peer)).toBe("known");
  leaders.breakClaim(peer);
  now += 10 * MINUTES;
  expect(leaders.standingOf(peer)).toBe("unproven");
});

test("the records of strangers are bounded", () => {
  const leaders = leadersOf("en");
  const first = join("first", 11);
  leaders.breakClaim(first);
  for (let stranger = 0; stranger < 1024; stranger++) leaders.breakClaim(join(`stranger ${stranger}`, 11));
  expect(leaders.standingOf(first)).toBe("unproven");
});

test("a validator is level with validators that kept their word, whatever others claim", () => {
  const leaders = leadersOf("cn");
  join("validator", 10, { type: "cn" });
  join("stranger", 1e6);
  expect(leaders.isLevel(10)).toBe(true);
  const traitor = join("traitor", 1e6, { type: "cn" });
  expect(leaders.isLevel(10)).toBe(false);
  leaders.breakClaim(traitor);
  expect(leaders.isLevel(10)).toBe(true);
});

test("no node is level because the only peer that is ahead leaves", () => {
  const leaders = leadersOf("cn");
  expect(leaders.isLevel(10)).toBe(false);
  join("liar", 1e6, { isDropped: true });
  expect(leaders.isLevel(10)).toBe(false);
});
