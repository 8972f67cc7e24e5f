/** Tests of the selection of discovered nodes. */
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import type { DialKind } from "../../../node/p2p/dialer.ts";
import type { FoundNode } from "../../../node/p2p/discovery/packets.ts";
import type { NodeType } from "../../../node/p2p/node-type.ts";
import { search } from "../../../node/p2p/search.ts";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const nodes = (type: NodeType, count: number, first = 1): FoundNode[] =>
  Array.from({ length: count }, (_, n) => ({
    id: new Uint8Array(64).fill(first + n),
    ip: "10.0.0.1",
    udpPort: 1,
    tcpPort: first + n,
    type,
  }));

/** A search of a node of this type among some nodes; `dialled` are those of each kind. */
function aSearch(
  type: NodeType,
  fields: {
    found: FoundNode[];
    known?: FoundNode[];
    peers?: number[];
    maxPeers?: number;
    unplaced?: number[];
  },
) {
  const { found, known = [], peers = [], maxPeers = 12, unplaced = [] } = fields;
  const placed: number[] = [];
  const dialled = new Map<number, DialKind>();
  const asked: NodeType[] = [];
  const closing = new AbortController();
  const done = search({
    type,
    maxPeers,
    discovery: {
      async find(wanted) {
        asked.push(wanted);
        return found.filter((each) => each.type === wanted);
      },
      nodes: (wanted) => known.filter((each) => each.type === wanted),
    },
    dialer: {
      add: ({ tcpPort }, kind) => void (dialled.has(tcpPort) || dialled.set(tcpPort, kind ?? "static")),
      unresolvedIds: () => unplaced.map((n) => new Uint8Array(64).fill(n)),
      setAddress: ({ tcpPort }) => void placed.push(tcpPort),
      count: (kind) => [...dialled.values()].filter((each) => each === kind).length,
    },
    isPeer: (id) => peers.includes(id[0] ?? 0),
    searchMs: 4000,
    randomFraction: () => 0.5,
    signal: closing.signal,
  });
  return { dialled, asked, placed, end: () => (closing.abort(), done) };
}

const settle = () => jest.advanceTimersByTimeAsync(3000);

test("each node type dials the types and numbers of peers that it wants", async () => {
  const found = [...nodes("cn", 120), ...nodes("pn", 5, 130), ...nodes("en", 10, 140)];
  const rows: [type: NodeType, typed: number, dynamic: number][] = [
    ["cn", 100, 0],
    ["pn", 1, 0],
    ["en", 2, 4],
    ["bn", 0, 0],
  ];
  for (const [type, typed, dynamic] of rows) {
    const { dialled, end } = aSearch(type, { found });
    await settle();
    const kinds = [...dialled.values()];
    const count = (kind: DialKind) => kinds.filter((each) => each === kind).length;
    expect([type, count("typed"), count("dynamic")]).toEqual([type, typed, dynamic]);
    await end();
  }
});

test("discovery is not queried while enough nodes are dialled, and again four seconds after one is missing", async () => {
  const { dialled, asked, end } = aSearch("pn", { found: nodes("pn", 5) });
  await settle();
  expect([asked.length, dialled.size]).toEqual([1, 1]);
  await jest.advanceTimersByTimeAsync(20_000);
  expect(asked.length).toBe(1);
  dialled.clear();
  await jest.advanceTimersByTimeAsync(4000);
  expect([asked.length, dialled.size]).toEqual([2, 1]);
  await end();
});

test("half of the free slots go to nodes of the tables, the rest to those of a lookup; peers take none", async () => {
  const { dialled, end } = aSearch("en", {
    found: nodes("en", 5, 50),
    known: nodes("en", 5),
    peers: [1, 50],
  });
  await settle();
  expect([...dialled.keys()].sort((a, b) => a - b)).toEqual([2, 3, 51, 52]);
  await end();
});

test("a static node without an address gets one once it is discovered", async () => {
  const known = nodes("en", 3, 20);
  const { placed, end } = aSearch("en", { found: [], known, unplaced: [21, 90] });
  await settle();
  expect(placed).toEqual([21]);
  await end();
});
