/** Tests of the order in which several Nodes of a group get maintenance. */
import { describe, expect, test } from "@jest/globals";
import type { MaintenanceRun } from "../../../operator/api/node-runs.ts";
import { formatInstant } from "../../../operator/observe/clock.ts";
import { newRun, planMaintenance } from "../../../operator/plan/maintenance.ts";
import { askedBefore, mayPass, TURN_MS, type Turn } from "../../../operator/plan/order.ts";
import { aMaintained, NOW } from "../../support/maintained.ts";

const aTurn = (node: string, ageMs: number, held?: true): Turn => ({
  node,
  member: node,
  requestedAt: formatInstant(NOW - ageMs),
  held,
});

test("the oldest wish goes first, then the first name, and whoever is held up lets others pass", () => {
  const all = [
    aTurn("d", 0),
    aTurn("b", 5_000),
    aTurn("e", 9_000, true),
    aTurn("a", 5_000),
    aTurn("c", 7_000),
  ];
  const before = (own: Turn) => askedBefore(own, all).map(({ node }) => node);
  expect(all.map(before)).toEqual([["c", "a", "b"], ["c", "a"], [], ["c"], []]);
});

test("one is waited for a minute, and two for two", () => {
  const [a, b] = [aTurn("a", 0), aTurn("b", 0)];
  const since = formatInstant(NOW);
  expect(mayPass(since, [a], NOW + TURN_MS - 1)).toBe(false);
  expect(mayPass(since, [a], NOW + TURN_MS)).toBe(true);
  expect(mayPass(since, [a, b], NOW + 2 * TURN_MS - 1)).toBe(false);
  expect(mayPass(since, [], NOW)).toBe(true);
});

function permutations(names: readonly string[]): readonly (readonly string[])[] {
  if (names.length < 2) return [names];
  return names.flatMap((first) =>
    permutations(names.filter((name) => name !== first)).map((rest) => [first, ...rest]),
  );
}

/** Names of the Nodes that begin, in order, when the Nodes are reconciled in the order of `looks` every ten seconds. */
function begins(looks: readonly string[], runs: Map<string, MaintenanceRun>, suspended: string): string {
  const begun: string[] = [];
  for (let now = NOW; now < NOW + 20 * TURN_MS; now += 10_000) {
    for (const name of looks) {
      const run = runs.get(name);
      if (run?.state !== "Requested") continue;
      const working = [...runs.values()].find(({ state }) => state === "Starting");
      const member = aMaintained(name, { type: "endpoint", suspended: name === suspended });
      const turns = [...runs].flatMap(([node, each]) =>
        each.state === "Requested" ? [{ ...each, node }] : [],
      );
      const others = {
        maintained: working?.member,
        rolling: undefined,
        councils: [],
        isWindowOpen: true,
        space: undefined,
      };
      const step = planMaintenance(run, { member, members: [member], turns, ...others }, now);
      runs.set(name, step.run); // all that the next look knows
      if (step.do === "begin") begun.push(name);
    }
    for (const [name, run] of runs) // work of half a minute
      if (run.state === "Starting" && now - Date.parse(run.stateAt) >= 30_000)
        runs.set(name, { ...run, state: "Succeeded" });
  }
  return begun.join(" ");
}

describe("in whatever order Nodes are looked at,", () => {
  const ages = { b: 5_000, a: 5_000, c: 7_000, d: 0 };
  const asked = (more: object = {}): Map<string, MaintenanceRun> =>
    new Map(
      Object.entries({ ...ages, ...more }).map(([member, age]) => [
        member,
        newRun({ operation: "migrate", member, cause: "Annotation", since: NOW - age }, NOW),
      ]),
    );
  const orders = permutations(Object.keys(ages));

  test("they come in the order of their wishes, and a suspended one blocks nobody", () => {
    expect(new Set(orders.map((looks) => begins(looks, asked(), "")))).toEqual(new Set(["c a b d"]));
    expect(new Set(orders.map((looks) => begins(looks, asked(), "a")))).toEqual(new Set(["c b d"]));
  });

  test("and so they do behind one whose Node is never looked at", () => {
    const ends = orders.map((looks) => begins(looks, asked({ z: 60_000 }), "none"));
    expect(new Set(ends)).toEqual(new Set(["c a b d"]));
  });
});
