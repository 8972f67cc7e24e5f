/** Who is to be connected with whom. */
import { describe, expect, test } from "@jest/globals";
import { planMesh } from "../../../operator/plan/mesh.ts";
import { type Member, peersToKeep, type Seeker } from "../../../operator/plan/topology.ts";

const member = (name: string, type: Member["type"], network = "n"): Member => ({
  name,
  network,
  type,
  url: `kni://${name}`,
});
const seeker = (name: string, type: Member["type"], more: Partial<Seeker> = {}): Seeker => ({
  ...member(name, type),
  types: undefined,
  urls: [],
  maxPeers: 50,
  ...more,
});

const NETWORK = [
  member("c1", "core"),
  member("c2", "core"),
  member("p1", "proxy"),
  member("p2", "proxy"),
  member("e1", "endpoint"),
  member("other", "core", "elsewhere"),
];

describe("a node keeps", () => {
  test.each([
    ["core", ["kni://c2"]],
    ["proxy", ["kni://c1", "kni://c2"]],
    ["endpoint", ["kni://p1", "kni://p2"]],
  ] as const)("as %s what its type keeps, of its own network, never itself", (type, urls) => {
    expect(peersToKeep(seeker(type === "core" ? "c1" : "x", type), NETWORK)).toEqual(urls);
  });

  test("the types that it names, and nodes elsewhere", () => {
    const asked = seeker("e1", "endpoint", { types: ["core"], urls: ["kni://far"] });
    expect(peersToKeep(asked, NETWORK)).toEqual(["kni://c1", "kni://c2", "kni://far"]);
  });

  test("nobody whose URL is not known yet", () => {
    expect(peersToKeep(seeker("p1", "proxy"), [{ ...member("c1", "core"), url: undefined }])).toEqual([]);
  });

  test("no more than it has room for, others than its neighbour does, and the same ones when one more comes", () => {
    const many = Array.from({ length: 60 }, (_, index) => member(`p${index}`, "proxy"));
    const kept = (name: string, all: readonly Member[]) =>
      peersToKeep(seeker(name, "endpoint", { maxPeers: 10 }), all);
    expect(kept("e1", many)).toHaveLength(10);
    expect(peersToKeep(seeker("e1", "endpoint"), many)).toHaveLength(24);
    expect(kept("e1", many)).not.toEqual(kept("e2", many));
    const changed = kept("e1", [...many, member("new", "proxy")]).filter(
      (url) => !kept("e1", many).includes(url),
    );
    expect(changed.length).toBeLessThanOrEqual(1);
  });
});

const url = (digit: string, host = "a"): string => `kni://${digit.repeat(128)}@${host}:1?discport=0`;

describe("a node is told", () => {
  test("to add whom it should have and has not, however often it was told", () => {
    const view = {
      wanted: [url("1"), url("2")],
      told: [url("1"), url("2")],
      connected: new Set(["2".repeat(128)]),
    };
    expect(planMesh(view)).toEqual({ remove: [], add: [url("1")], missing: 1 });
  });

  test("nothing when all are connected, whoever dialled", () => {
    const view = { wanted: [url("1")], told: [], connected: new Set(["1".repeat(128), "9".repeat(128)]) };
    expect(planMesh(view)).toEqual({ remove: [], add: [], missing: 0 });
  });

  test("to remove whom it was told and should not have, and not whom somebody else told it", () => {
    const view = { wanted: [], told: [url("1")], connected: new Set(["1".repeat(128), "2".repeat(128)]) };
    expect(planMesh(view)).toEqual({ remove: [url("1")], add: [], missing: 0 });
  });

  test("to remove and add a peer that moved, connected or not", () => {
    const view = {
      wanted: [url("a", "new")],
      told: [url("a", "old")],
      connected: new Set(["a".repeat(128)]),
    };
    expect(planMesh(view)).toEqual({ remove: [url("a", "old")], add: [url("a", "new")], missing: 0 });
  });
});
