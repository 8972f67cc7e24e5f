/** The council: which validators may be missing, and what stops the chain. */
import { describe, expect, test } from "@jest/globals";
import {
  type Council,
  minHealthy,
  namespacesOf,
  openNamespace,
  quorumTrouble,
  reportedCouncils,
  type Seat,
  stopTrouble,
} from "../../../operator/plan/council.ts";
import { seededRandom } from "../../support/random.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");

function aSeat(name: string, more: Partial<Seat> = {}): Seat {
  return { address: `0x${name}`, member: `demo/${name}`, isMissing: false, isWanted: true, ...more };
}

const FOUR: Council = ["a", "b", "c", "d"].map((name) => aSeat(name));
const missingSeat = (name: string): Seat =>
  aSeat(name, { member: undefined, isMissing: true, isWanted: false });
const member = (name: string) => ({ key: `demo/${name}`, address: `0x${name}` });

describe("a restart waits", () => {
  test("while another validator of four is missing, whoever has its address", () => {
    expect(quorumTrouble(member("a"), [FOUR])).toBeUndefined();
    expect(quorumTrouble(member("a"), [[...FOUR.slice(0, 3), aSeat("d", { isMissing: true })]])).toBe(
      "at most 1 of 4 validators may be unavailable, and demo/d already is",
    );
    expect(quorumTrouble(member("a"), [[...FOUR.slice(0, 3), missingSeat("d")]])).toBe(
      "at most 1 of 4 validators may be unavailable, and 0xd already is",
    );
  });

  test("not for a core node beside the council, even when that has no room", () => {
    expect(quorumTrouble(member("e"), [[...FOUR.slice(0, 3), missingSeat("d")]])).toBeUndefined();
  });

  test("when one of the councils that are reported has no room", () => {
    const after = [...FOUR, missingSeat("e"), missingSeat("f")];
    expect(quorumTrouble(member("a"), [FOUR, after])).toContain("of 6 validators");
  });

  test("not for fewer than four, of which one may be restarted at a time", () => {
    expect(quorumTrouble(member("a"), [FOUR.slice(0, 2)])).toBeUndefined();
    expect(quorumTrouble(member("a"), [[aSeat("a"), aSeat("b", { isMissing: true })]])).toContain("demo/b");
  });
});

describe("a validator is stopped for good", () => {
  test.each([
    ["one of four", FOUR, undefined],
    ["a second of four", [...FOUR.slice(0, 3), missingSeat("d")], true],
    ["one of three", FOUR.slice(0, 3), true],
    ["the only one", FOUR.slice(0, 1), false],
    ["the last of four that stop", [aSeat("a"), ...["b", "c", "d"].map(missingSeat)], false],
  ] as const)("%s", (_name, council, isRefused) => {
    expect(stopTrouble(member("a"), [council])?.isRefused).toBe(isRefused);
  });
});

describe("a drain leaves", () => {
  test("as many healthy validators of a namespace as blocks need, less those that run elsewhere", () => {
    expect(minHealthy([FOUR], "demo")).toBe(3);
    expect(minHealthy([[...FOUR.slice(0, 3), aSeat("d", { isMissing: true })]], "demo")).toBe(3);
    expect(minHealthy([[...FOUR.slice(0, 3), missingSeat("d")]], "demo")).toBe(3);
    expect(minHealthy([[...FOUR.slice(0, 3), missingSeat("d"), missingSeat("e")]], "demo")).toBe(4); // more than there are
    const elsewhere = ["c", "d"].map((name) => aSeat(name, { member: `other/${name}` }));
    expect(minHealthy([[...FOUR.slice(0, 2), ...elsewhere]], "demo")).toBe(1);
  });

  test("anything of a namespace without validators, and where no validator may ever be missing", () => {
    expect(minHealthy([FOUR], "other")).toBeUndefined();
    expect(minHealthy([FOUR.slice(0, 3)], "demo")).toBeUndefined();
    expect(minHealthy([], "demo")).toBeUndefined();
  });
});

const report = (height: number, ...council: string[]) => ({ height, reportedAt: NOW, council });

const openAt = (seconds: number) => openNamespace(["x", "y"], seconds * 1_000);

test("of several namespaces one at a time has an open budget, each in its turn, with pauses between", () => {
  const council = ["x", "y", "x"].map((namespace, index) => aSeat("a", { member: `${namespace}/${index}` }));
  expect(namespacesOf([council, [missingSeat("d")]])).toEqual(["x", "y"]);
  expect([0, 9, 10, 59, 60, 69, 70, 119, 130].map(openAt)).toEqual([
    undefined,
    undefined,
    "x",
    "x",
    undefined,
    undefined,
    "y",
    "y",
    "x",
  ]);
  expect([openNamespace(["x"], 0), openNamespace([], 0)]).toEqual(["x", undefined]);
});

test("a council is what synced nodes report, each once, the newest first", () => {
  expect(
    reportedCouncils([report(99, "a", "b"), report(1, "x"), report(98, "b", "a"), report(100, "a")]),
  ).toEqual([["a"], ["a", "b"]]);
  expect(reportedCouncils([])).toEqual([]);
});

test("a height that one node alone claims excludes no other report, and its council is the last", () => {
  const honest = [report(1_000, "a", "b"), report(999, "a", "b")];
  const liar = report(2 ** 52 - 1, "z");
  expect(reportedCouncils([liar, ...honest])).toEqual([["a", "b"], ["z"]]);
  expect(reportedCouncils([liar, report(1_000, "a")])).toEqual([["z"], ["a"]]);
  expect(reportedCouncils([liar])).toEqual([["z"]]);
});

test("a budget counts the validators of the namespace, whatever other council comes first", () => {
  expect(minHealthy([[missingSeat("z")], FOUR], "demo")).toBe(3);
});

const HISTORIES = Number(process.env["KNIT_MUTATIONS"] ?? 2_000);

test("whatever is stopped in whatever order: a quorum runs, unless all are to stop", () => {
  for (let seed = 1; seed <= HISTORIES; seed++) {
    const random = seededRandom(seed);
    const size = 1 + Math.floor(random() * 10);
    const seats = new Map(Array.from({ length: size }, (_, index) => [`${index}`, aSeat(`${index}`)]));
    const running = new Set(seats.keys());
    for (let step = 0; step < 20; step++) {
      const name = `${Math.floor(random() * size)}`;
      if (!running.has(name)) continue;
      const seat = aSeat(name, { isMissing: true, isWanted: false });
      const trouble = stopTrouble(member(name), [[...seats.values()]]);
      seats.set(name, { ...seat, isMissing: trouble?.isRefused !== true });
      if (trouble?.isRefused === true) continue;
      running.delete(name);
      const isWanted = [...seats.values()].some((each) => each.isWanted);
      const quorum = size - Math.floor((size - 1) / 3);
      expect({ seed, isSafe: running.size >= quorum || !isWanted }).toEqual({ seed, isSafe: true });
    }
  }
});
