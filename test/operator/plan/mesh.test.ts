/** Tests of the peers that nodes of a mesh connect to, and of the time until a whole network is connected. */
import { describe, expect, test } from "@jest/globals";
import { type AddAttempts, type MeshView, peerId, planMesh } from "../../../operator/plan/mesh.ts";
import { type PeerCandidate, peersToKeep } from "../../../operator/plan/topology.ts";
import { seededRandom } from "../../support/random.ts";

const url = (digit: string, host = "a"): string => `kni://${digit.repeat(128)}@${host}:1?discport=0`;
const NOW = Date.parse("2026-01-01T00:00:00Z");

function plan(view: Partial<MeshView>, now = NOW) {
  const { remove, add, missing, attempts } = planMesh(
    { wanted: [], mesh: [], connected: new Set(), attempts: new Map(), ...view },
    now,
  );
  return { remove, add, missing, attempts };
}

describe("a node is told", () => {
  test("to add whom it should have and has not, whatever it was mesh before it started", () => {
    const view = {
      wanted: [url("1"), url("2")],
      mesh: [url("1"), url("2")],
      connected: new Set(["2".repeat(128)]),
    };
    expect(plan(view)).toMatchObject({ remove: [], add: [url("1")], missing: 1 });
  });

  test("nothing when all are connected, whoever dialled", () => {
    const view = { wanted: [url("1")], connected: new Set(["1".repeat(128), "9".repeat(128)]) };
    expect(plan(view)).toEqual({ remove: [], add: [], missing: 0, attempts: new Map() });
  });

  test("to remove whom it was mesh and should not have, and not whom somebody else mesh it", () => {
    const view = { mesh: [url("1")], connected: new Set(["1".repeat(128), "2".repeat(128)]) };
    expect(plan(view)).toMatchObject({ remove: [url("1")], add: [], missing: 0 });
  });

  test("to remove and add a peer that moved, connected or not", () => {
    const view = {
      wanted: [url("a", "new")],
      mesh: [url("a", "old")],
      connected: new Set(["a".repeat(128)]),
    };
    expect(plan(view)).toMatchObject({ remove: [url("a", "old")], add: [url("a", "new")], missing: 0 });
  });

  test("ever more rarely to add one that does not come, and from the beginning once it was there", () => {
    const wanted = [url("1")];
    let attempts: AddAttempts = new Map();
    const times: number[] = [];
    for (let second = 0; second < 1_800; second += 10) {
      const after = plan({ wanted, attempts }, NOW + second * 1_000);
      if (after.add.length > 0) times.push(second);
      ({ attempts } = after);
    }
    expect(times).toEqual([0, 20, 60, 140, 300, 620, 940, 1260, 1580]);
    const there = plan({ wanted, attempts, connected: new Set(["1".repeat(128)]) }, NOW + 1_800_000);
    expect(plan({ wanted, attempts: there.attempts }, NOW + 1_801_000).add).toEqual(wanted);
  });
});

/** A network in memory: nodes that dial whom they are mesh, and connections that hold both ways. */
class Mesh {
  calls = 0;
  readonly #members: readonly PeerCandidate[];
  readonly #nodes = new Map<string, { mesh: readonly string[]; attempts: AddAttempts; peers: Set<string> }>();
  readonly #foreign = "f".repeat(128);
  /** True while the first half and the second do not reach each other. */
  isSplit = false;
  #now = NOW;

  constructor(members: readonly PeerCandidate[]) {
    this.#members = members;
    for (const { name } of members) this.restart(name);
  }

  /** A node that starts has no peers but one that nobody here mesh it. */
  restart(name: string): void {
    const id = this.#id(name);
    for (const { peers } of this.#nodes.values()) peers.delete(id);
    const { mesh = [] } = this.#nodes.get(name) ?? {};
    this.#nodes.set(name, { mesh, attempts: new Map(), peers: new Set([this.#foreign]) });
  }

  /** All connections between the halves end. */
  split(): void {
    this.isSplit = true;
    for (const { name } of this.#members)
      for (const other of this.#members)
        if (this.#isApart(name, other.name)) this.#nodes.get(name)?.peers.delete(this.#id(other.name));
  }

  #isApart(name: string, other: string): boolean {
    return this.#isFirstHalf(name) !== this.#isFirstHalf(other);
  }

  #isFirstHalf(of: string): boolean {
    return this.#members.findIndex(({ name }) => name === of) < this.#members.length / 2;
  }

  /** The operator looks at every node once, some seconds later. Gives how many connections are missing. */
  round(seconds = 2): number {
    this.#now += 1_000 * seconds;
    let missing = 0;
    for (const member of this.#members) {
      const node = this.#nodes.get(member.name);
      if (node === undefined) continue;
      const wanted = peersToKeep({ ...member, types: undefined, urls: [], maxPeers: 50 }, this.#members);
      const after = planMesh({ wanted, ...node, connected: node.peers }, this.#now);
      for (const each of after.add) this.#connect(member.name, each);
      this.calls += after.add.length + after.remove.length;
      missing += after.missing;
      Object.assign(node, { mesh: wanted, attempts: after.attempts });
    }
    return missing;
  }

  get isForeignKept(): boolean {
    return [...this.#nodes.values()].every(({ peers }) => peers.has(this.#foreign));
  }

  /** Names that can be reached from the first. */
  get reached(): number {
    const [first] = this.#members;
    const seen = new Set([first?.name ?? ""]);
    for (const name of seen)
      for (const other of this.#members)
        if (this.#nodes.get(name)?.peers.has(this.#id(other.name))) seen.add(other.name);
    return seen.size;
  }

  #connect(name: string, to: string): void {
    const other = this.#members.find((each) => each.url === to);
    if (other === undefined) throw new Error(`nobody is at ${to}`);
    if (this.isSplit && this.#isApart(name, other.name)) return;
    this.#nodes.get(name)?.peers.add(peerId(to));
    this.#nodes.get(other.name)?.peers.add(this.#id(name));
  }

  #id(name: string): string {
    return peerId(this.#members.find((each) => each.name === name)?.url ?? "");
  }
}

function aNetwork(count: number): readonly PeerCandidate[] {
  return Array.from({ length: count }, (_, index) => {
    const id = index.toString(16).padStart(128, "0");
    return {
      name: `n${index}`,
      namespace: "demo",
      network: "net",
      type: (["core", "proxy", "endpoint"] as const)[index % 3] ?? "core",
      namespaces: [],
      isStandby: false,
      url: `kni://${id}@n${index}-peer:32323?discport=0`,
    };
  });
}

test("a hundred nodes are knitted in two rounds with a call for each connection, and then there are none", () => {
  const mesh = new Mesh(aNetwork(100));
  const wanted = 100 * 24;
  expect(mesh.round()).toBeGreaterThan(0);
  expect(mesh.round()).toBe(0);
  expect([mesh.calls <= wanted, mesh.reached]).toEqual([true, 100]);
  const before = mesh.calls;
  for (let round = 0; round < 10; round++) mesh.round();
  expect(mesh.calls).toBe(before);
});

test("a network that was split for an hour is whole five minutes later, and costs a call for each peer every five", () => {
  const mesh = new Mesh(aNetwork(20));
  for (let round = 0; round < 3; round++) mesh.round();
  const { calls } = mesh;
  mesh.split();
  for (let round = 0; round < 360; round++) expect(mesh.round(10)).toBeGreaterThan(0);
  expect(mesh.reached).toBe(10);
  expect(mesh.calls - calls).toBeLessThanOrEqual(200 * 18);
  mesh.isSplit = false;
  for (let round = 0; round < 32; round++) mesh.round(10);
  expect([mesh.round(10), mesh.reached, mesh.isForeignKept]).toEqual([0, 20, true]);
});

test("nodes that start anew get their peers back within two rounds, and nobody else's are touched", () => {
  const mesh = new Mesh(aNetwork(100));
  const random = seededRandom(1);
  for (let round = 0; round < 3; round++) mesh.round();
  const before = mesh.calls;
  for (let restart = 0; restart < 10; restart++) {
    mesh.restart(`n${Math.floor(random() * 100)}`);
    mesh.round();
    expect(mesh.round()).toBe(0);
  }
  expect(mesh.calls - before).toBeLessThanOrEqual(10 * 2 * 48);
  expect(mesh.isForeignKept).toBe(true);
});
