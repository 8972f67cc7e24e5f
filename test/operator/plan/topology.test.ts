/** Tests of the connections between the Nodes of a network. */
import { describe, expect, test } from "@jest/globals";
import { type PeerCandidate, peersToKeep, type Seeker } from "../../../operator/plan/topology.ts";

const member = (
  name: string,
  type: PeerCandidate["type"],
  more: Partial<PeerCandidate> = {},
): PeerCandidate => ({
  name,
  namespace: "demo",
  network: "n",
  type,
  namespaces: [],
  isStandby: false,
  url: `kni://${name}`,
  ...more,
});
const seeker = (name: string, type: PeerCandidate["type"], more: Partial<Seeker> = {}): Seeker => ({
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
  member("other", "core", { network: "elsewhere" }),
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

  test("of core nodes only those of the council, and as a core node outside of it the proxies", () => {
    const standby = member("c2", "core", { isStandby: true });
    const network = [...NETWORK.filter(({ name }) => name !== "c2"), standby, member("c3", "core")];
    expect(peersToKeep(seeker("c1", "core"), network)).toEqual(["kni://c3"]);
    expect(peersToKeep(seeker("c2", "core", { isStandby: true }), network)).toEqual(["kni://p1", "kni://p2"]);
    expect(peersToKeep(seeker("p1", "proxy"), network)).toEqual(["kni://c1", "kni://c2", "kni://c3"]);
    const named = seeker("c2", "core", { isStandby: true, types: ["core", "endpoint"] });
    expect(peersToKeep(named, network)).toEqual(["kni://e1"]);
  });

  test("nobody whose URL is not known yet", () => {
    expect(peersToKeep(seeker("p1", "proxy"), [{ ...member("c1", "core"), url: undefined }])).toEqual([]);
  });

  test("nodes of other namespaces when both say so, also one of its own name", () => {
    const far = (namespaces: readonly string[], name = "c3") =>
      peersToKeep(seeker("c1", "core", { namespaces: ["far"] }), [
        member(name, "core", { namespace: "far", namespaces }),
      ]);
    expect(far(["demo"])).toEqual(["kni://c3"]);
    expect(far(["demo"], "c1")).toEqual(["kni://c1"]);
    expect(far([])).toEqual([]);
    const shy = [member("c3", "core", { namespace: "far", namespaces: ["demo"] })];
    expect(peersToKeep(seeker("c1", "core"), shy)).toEqual([]);
  });

  test("no more than it has room for, others than its neighbour does, and the same ones when one more comes", () => {
    const many = Array.from({ length: 60 }, (_, index) => member(`p${index}`, "proxy"));
    const kept = (name: string, all: readonly PeerCandidate[]) =>
      peersToKeep(seeker(name, "endpoint", { maxPeers: 10 }), all);
    expect(kept("e1", many)).toHaveLength(10);
    expect(peersToKeep(seeker("e1", "endpoint"), many)).toHaveLength(24);
    expect(kept("e1", many)).not.toEqual(kept("e2", many));
    const changed = kept("e1", [...many, member("new", "proxy")]).filter(
      (url) => !kept("e1", many).includes(url),
    );
    expect(changed.length).toBeLessThanOrEqual(1);
  });

  test("such that all are kept by somebody, and nobody by far more than the others", () => {
    const proxies = Array.from({ length: 50 }, (_, index) => member(`p${index}`, "proxy"));
    const kept = new Map<string, number>();
    for (let index = 0; index < 200; index++)
      for (const url of peersToKeep(seeker(`e${index}`, "endpoint", { maxPeers: 10 }), proxies))
        kept.set(url, (kept.get(url) ?? 0) + 1);
    expect([kept.size, [...kept.values()].every((times) => times >= 10 && times <= 100)]).toEqual([50, true]);
  });
});
