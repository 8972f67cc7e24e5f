/** Rollouts: whose turn it is, and what never happens on the way. */
import { describe, expect, test } from "@jest/globals";
import type { Rollout } from "../../../operator/api/node-runs.ts";
import { mayMiss } from "../../../operator/plan/council.ts";
import {
  planRollout,
  ROLLOUT_MS,
  type RolloutMember,
  type RolloutView,
} from "../../../operator/plan/rollout.ts";
import { councilOfCores } from "../../support/a-council.ts";
import { seededRandom } from "../../support/random.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");

function aMember(name: string, more: Partial<RolloutMember> = {}): RolloutMember {
  return {
    key: `demo/${name}`,
    address: undefined,
    name,
    node: name.replace(/-\d+$/, ""),
    type: "core",
    suspended: false,
    ready: true,
    height: 100,
    reportedAt: NOW,
    applied: "old",
    wanted: "new",
    former: undefined,
    isCurrent: true,
    isDown: false,
    isServing: more.ready ?? true,
    podAddress: undefined,
    ...more,
  };
}

const rolling = (member: string, more: Partial<Rollout> = {}): Rollout => ({
  member,
  revision: "new",
  state: "Rolling",
  startedAt: "2026-01-01T00:00:00Z",
  message: `${member} is being recreated`,
  ...more,
});

function plan(node: string, members: readonly RolloutMember[], more: Partial<RolloutView> = {}, now = NOW) {
  const own = members.filter((member) => member.node === node);
  const councils = [councilOfCores(members)];
  const view = {
    node,
    own,
    members,
    rollouts: new Map(),
    councils,
    earlier: undefined,
    maintained: undefined,
    ...more,
  };
  const { rollout, take, keep, waits } = planRollout(view, now);
  return { rollout, take: [...take], keep, waits };
}

const CORES = ["a", "b", "c", "d"].map((name) => aMember(name));
const PROXIES = ["p-0", "p-1", "p-2"].map((name) => aMember(name, { type: "proxy" }));

describe("a member takes what is new", () => {
  test("at once where no pod runs, none is meant to, or nothing changes", () => {
    const members = [
      aMember("p-0", { applied: undefined }),
      aMember("p-1", { suspended: true }),
      aMember("p-2", { applied: "new" }),
      aMember("p-3", { isDown: true, ready: false }),
    ];
    expect(plan("p", members)).toMatchObject({
      rollout: undefined,
      take: ["p-0", "p-1", "p-2", "p-3"],
      keep: [],
    });
  });

  test("not even where no pod runs, while another member is on the way", () => {
    const rollouts = new Map([["q", rolling("q-0")]]);
    const down = aMember("p-0", { isDown: true, ready: false });
    expect(plan("p", [down], { rollouts })).toMatchObject({ take: [], keep: ["p-0"] });
  });

  test("one at a time, in order, while the others keep what they have", () => {
    expect(plan("p", PROXIES)).toEqual({
      rollout: rolling("p-0"),
      take: ["p-0"],
      keep: ["p-1", "p-2"],
      waits: "p-0 is being recreated",
    });
  });

  test("not as a validator that only does not respond, while the council has no room", () => {
    const [a, b, c, d] = CORES.map((core) => ({ ...core, ready: false })) as [
      RolloutMember,
      RolloutMember,
      RolloutMember,
      RolloutMember,
    ];
    const { take, waits } = plan("a", [a, b, c, d]);
    expect(take).toEqual([]);
    expect(waits).toContain("at most 1 of 4 validators may be unavailable");
    expect(plan("a", [{ ...a, isServing: false }, b, c, d]).take).toEqual(["a"]);
  });

  test("before its siblings when it is not ready anyway", () => {
    const members = [...PROXIES.slice(0, 2), aMember("p-2", { type: "proxy", ready: false })];
    expect(plan("p", members).take).toEqual(["p-2"]);
  });

  test("only when the last one runs what it was given, and is ready and level", () => {
    const rest = PROXIES.slice(1);
    const rollouts = new Map([["p", rolling("p-0")]]);
    for (const more of [
      { applied: "old" },
      { isCurrent: false },
      { ready: false },
      { height: 60 },
      { height: undefined },
      { height: 30, reportedAt: NOW - 30_000 },
    ]) {
      const last = aMember("p-0", { type: "proxy", applied: "new", ...more });
      expect(plan("p", [last, ...rest], { rollouts })).toMatchObject({
        take: ["p-0"],
        keep: ["p-1", "p-2"],
      });
    }
    const arrived = aMember("p-0", { type: "proxy", applied: "new", height: 30, reportedAt: NOW - 60_000 });
    expect(plan("p", [arrived, ...rest], { rollouts })).toMatchObject({
      rollout: { member: "p-1" },
      keep: ["p-2"],
    });
  });
});

describe("nobody is being recreated", () => {
  test("while a member of another Node of the group does, or is maintained", () => {
    const rollouts = new Map([["q", rolling("q-0")]]);
    expect(plan("p", PROXIES, { rollouts })).toMatchObject({ take: [], waits: "q-0 is being recreated" });
    expect(plan("p", PROXIES, { maintained: "q-0" })).toMatchObject({
      take: [],
      waits: "q-0 is being maintained",
    });
  });

  test("while a sibling is not ready and synced", () => {
    const sibling = aMember("p-1", { type: "proxy", applied: "new", ready: false });
    expect(plan("p", [...PROXIES.slice(0, 1), sibling])).toMatchObject({
      take: ["p-1"],
      keep: ["p-0"],
      waits: "p-1 is not ready and synced",
    });
  });

  test("while a member of a type that goes first has not the spec, unless it is not ready anyway", () => {
    expect(plan("a", CORES, { earlier: "p-0" })).toMatchObject({
      take: [],
      waits: "p-0 is recreated first",
    });
    expect(plan("a", [aMember("a", { ready: false })], { earlier: "p-0" }).take).toEqual(["a"]);
  });

  test("and one that was selected while it was not ready is not any more once it has to wait for others", () => {
    const rollouts = new Map([["a", rolling("a")]]);
    const selected = plan("a", [aMember("a", { ready: false })], { rollouts, earlier: "p-0" });
    expect(selected).toMatchObject({ rollout: { member: "a", state: "Rolling" }, take: ["a"] });
    const waiting = plan("a", CORES, { rollouts, earlier: "p-0" });
    expect(waiting).toEqual({ rollout: undefined, take: [], keep: ["a"], waits: "p-0 is recreated first" });
  });

  test("when blocks could not go on without it", () => {
    const [, ...others] = CORES;
    const lagging = others.map((member) => (member.name === "d" ? { ...member, height: 9 } : member));
    expect(plan("a", [aMember("a"), ...lagging])).toMatchObject({
      take: [],
      waits: "at most 1 of 4 validators may be unavailable, and demo/d already is",
    });
    const suspended = others.map((member) => (member.name === "b" ? { ...member, suspended: true } : member));
    expect(plan("a", [aMember("a"), ...suspended]).waits).toContain("demo/b already is");
    expect(plan("a", CORES).take).toEqual(["a"]);
    expect(plan("a", [aMember("a")]).take).toEqual(["a"]);
  });
});

test.each([
  [1, 1],
  [3, 1],
  [4, 1],
  [6, 1],
  [7, 2],
  [22, 7],
])("of %i validators %i may be missing", (cores, most) => expect(mayMiss(cores)).toBe(most));

describe("a rollout that does not get there", () => {
  const last = aMember("p-0", { type: "proxy", applied: "new", ready: false });
  const members = [last, ...PROXIES.slice(1)];
  const rollouts = new Map([["p", rolling("p-0")]]);
  const stopped = plan("p", members, { rollouts }, NOW + ROLLOUT_MS).rollout ?? rolling("none");

  test("stops, for the other Nodes of the group too", () => {
    expect(stopped).toEqual(
      rolling("p-0", { state: "Paused", message: "p-0 was not ready and synced within 20 minutes" }),
    );
    const after = new Map([["p", stopped]]);
    expect(plan("p", members, { rollouts: after }, NOW + 2 * ROLLOUT_MS)).toMatchObject({
      rollout: stopped,
      keep: ["p-1", "p-2"],
      waits: "the rollout is paused: p-0 was not ready and synced within 20 minutes",
    });
    expect(plan("a", CORES, { rollouts: after })).toMatchObject({
      take: [],
      waits: expect.stringContaining("the rollout is paused"),
    });
  });

  test("does not stop those that are not ready either", () => {
    const second = aMember("p-1", { type: "proxy", ready: false });
    const after = new Map([["p", stopped]]);
    const all = [last, second, ...PROXIES.slice(2)];
    expect(plan("p", all, { rollouts: after })).toMatchObject({ rollout: { member: "p-1" }, keep: ["p-2"] });
  });

  test("goes on with the same member after another change, and by itself when the member recovers", () => {
    const after = new Map([["p", stopped]]);
    const changed = members.map((member) => ({ ...member, wanted: "newer" }));
    const again = plan("p", changed, { rollouts: after }, NOW + 2 * ROLLOUT_MS);
    expect(again.rollout).toEqual(rolling("p-0", { revision: "newer", startedAt: "2026-01-01T00:40:00Z" }));
    expect(again.keep).toEqual(["p-1", "p-2"]);
    const recovered = [{ ...last, ready: true }, ...PROXIES.slice(1)];
    expect(plan("p", recovered, { rollouts: after }).rollout).toEqual(rolling("p-1"));
  });

  test("is over when its member is gone or suspended", () => {
    const after = new Map([["p", stopped]]);
    expect(plan("p", PROXIES.slice(1), { rollouts: after }).rollout).toEqual(rolling("p-1"));
    const suspended = members.map((member) => ({ ...member, suspended: true }));
    expect(plan("p", suspended, { rollouts: after }).rollout).toBeUndefined();
  });
});

/** A group in memory, in which members that start anew are ready after a while, and others fall over at random. */
class Group {
  readonly members = new Map<string, RolloutMember>();
  readonly rollouts = new Map<string, Rollout>();
  /** Members that ran, were given something new, and are not back. */
  readonly starting = new Set<string>();
  readonly #random: () => number;
  #now = NOW;
  #height = 100;

  constructor(random: () => number) {
    this.#random = random;
    const cores = 1 + Math.floor(random() * 7);
    for (let index = 0; index < cores; index++) this.#put(aMember(`core${index}`));
    for (let index = 0; index < 3; index++) this.#put(aMember(`p-${index}`, { type: "proxy" }));
  }

  get isDone(): boolean {
    return [...this.members.values()].every(({ applied }) => applied === "new");
  }

  get missingCores(): number {
    return this.#cores.filter(({ ready }) => !ready).length;
  }

  get mayMiss(): number {
    return mayMiss(this.#cores.length);
  }

  get #cores(): readonly RolloutMember[] {
    return [...this.members.values()].filter(({ type }) => type === "core");
  }

  /** The operator looks at a Node; `crash`: it ends once the status is written. Gives who ran and starts anew. */
  reconcile(crash: boolean): readonly string[] {
    const members = [...this.members.values()];
    const { node = "" } = members[Math.floor(this.#random() * members.length)] ?? {};
    const own = members.filter((member) => member.node === node);
    const councils = [councilOfCores(members)];
    const view = {
      node,
      own,
      members,
      rollouts: new Map(this.rollouts),
      councils,
      earlier: undefined,
      maintained: undefined,
    };
    const { rollout, take } = planRollout(view, this.#now);
    if (rollout === undefined) this.rollouts.delete(node);
    else this.rollouts.set(node, rollout);
    const given = members.filter(({ name, applied }) => !crash && take.has(name) && applied === "old");
    for (const member of given) this.#put({ ...member, applied: "new", isCurrent: false, ready: false });
    const names = given.filter(({ ready }) => ready).map(({ name }) => name);
    for (const name of names) this.starting.add(name);
    return names;
  }

  /** Time goes on. */
  pass(): void {
    this.#now += 60_000;
    this.#height += 60;
    for (const member of this.members.values()) {
      const ready = member.ready ? this.#random() > 0.02 : this.#random() < 0.4;
      if (ready && this.starting.delete(member.name)) this.#put({ ...member, isCurrent: true });
      const height = ready ? this.#height : member.height;
      const isDown = !ready && (member.isDown || this.#random() < 0.5);
      this.#put({ ...member, ready, isServing: ready, isDown, height, isCurrent: ready || member.isCurrent });
    }
  }

  #put(member: RolloutMember): void {
    this.members.set(member.name, member);
  }
}

const HISTORIES = Number(process.env["KNIT_MUTATIONS"] ?? 300);

test("whatever happens: one at a time, never below the quorum, and it ends, through any number of restarts", () => {
  const offences: string[] = [];
  for (let seed = 1; seed <= HISTORIES; seed++) {
    const random = seededRandom(seed);
    const group = new Group(random);
    for (let round = 0; !group.isDone; round++) {
      const given = group.reconcile(random() < 0.3);
      if (group.starting.size > 1) offences.push(`${seed}: ${[...group.starting].join(" and ")} at once`);
      const isCore = given.some((name) => name.startsWith("core"));
      if (isCore && group.missingCores > group.mayMiss) offences.push(`${seed}: no quorum`);
      if (random() < 0.7) group.pass();
      if (round > 2_000) throw new Error(`${seed}: does not end`);
    }
  }
  expect(offences).toEqual([]);
});

const seat = (address: string, isMissing: boolean) => ({
  address,
  member: undefined,
  isMissing,
  isWanted: !isMissing,
});

const councilWith = (isMissing: boolean) => [
  [seat("0xold", false), seat("0xb", isMissing), seat("0xc", false), seat("0xd", false)],
];

test("a validator whose key is replaced waits while the council cannot miss its former address", () => {
  const next = aMember("a", { address: "0xnew", podAddress: "0xold" });
  expect(plan("a", [next], { councils: councilWith(false) }).take).toEqual(["a"]);
  expect(plan("a", [next], { councils: councilWith(true) })).toMatchObject({
    take: [],
    waits: "at most 1 of 4 validators may be unavailable, and 0xb already is",
  });
});

const late = (more: Partial<RolloutMember> = {}) =>
  aMember("p-0", { type: "proxy", applied: "new", ready: false, ...more });
const afterTime = (member: RolloutMember, ...others: readonly RolloutMember[]) =>
  plan("p", [member, ...others], { rollouts: new Map([["p", rolling("p-0")]]) }, NOW + ROLLOUT_MS);

describe("a member that does not come up in time", () => {
  test("has its former template again when it is the first with the new one", () => {
    expect(afterTime(late({ former: "old" }), ...PROXIES.slice(1))).toMatchObject({
      rollout: {
        state: "RolledBack",
        message: "p-0 was not ready and synced within 20 minutes; its former pod template is restored",
      },
      keep: ["p-1", "p-2"],
    });
  });

  test("keeps the new one when another member is ready with it, or when there is no other template", () => {
    const has = { applied: "new-1", wanted: "new-1" }; // digests have the node id in them
    const other = (ready: boolean) => aMember("p-1", { type: "proxy", ...has, ready });
    expect(afterTime(late({ former: "old" }), other(true)).rollout?.state).toBe("Paused");
    expect(afterTime(late({ former: "old" }), other(false)).rollout?.state).toBe("RolledBack");
    expect(afterTime(late(), ...PROXIES.slice(1)).rollout?.state).toBe("Paused");
    expect(afterTime(late({ former: "new" }), ...PROXIES.slice(1)).rollout?.state).toBe("Paused");
  });

  test("keeps the new one while its pod serves and the council cannot miss it", () => {
    const rollouts = new Map([["a", rolling("a")]]);
    const behind = aMember("a", { applied: "new", former: "old", height: 1 });
    const missing = aMember("b", { ready: false });
    const planned = (other: RolloutMember) =>
      plan("a", [behind, other, ...CORES.slice(2)], { rollouts }, NOW + ROLLOUT_MS).rollout;
    expect(planned(missing)).toMatchObject({
      state: "Rolling",
      message:
        "a was not ready and synced within 20 minutes; its rollback waits: at most 1 of 4 validators may be unavailable, and demo/b already is",
    });
    expect(planned(aMember("b"))?.state).toBe("RolledBack");
    const silent = { ...behind, isServing: false, ready: false };
    expect(
      plan("a", [silent, missing, ...CORES.slice(2)], { rollouts }, NOW + ROLLOUT_MS).rollout?.state,
    ).toBe("RolledBack");
  });

  test("has a message that the status takes, however many validators are missing", () => {
    const names = Array.from({ length: 40 }, (_, index) => `a-validator-with-a-long-name-${index}`);
    const others = names.map((name) => aMember(name, { ready: false }));
    const behind = aMember("a", { applied: "new", former: "old", height: 1 });
    const { rollout } = plan(
      "a",
      [behind, ...others],
      { rollouts: new Map([["a", rolling("a")]]) },
      NOW + ROLLOUT_MS,
    );
    expect(rollout?.message).toContain("its rollback waits: at most 13 of 41 validators may be unavailable");
    expect(rollout?.message.length).toBeLessThanOrEqual(1_024);
  });

  test("is judged anew when its rollback was recorded and not written", () => {
    const rollouts = new Map([["p", rolling("p-0", { state: "RolledBack" })]]);
    const planned = (more: Partial<RolloutMember>) =>
      plan("p", [late({ former: "old", ...more }), ...PROXIES.slice(1)], { rollouts }, NOW + ROLLOUT_MS);
    expect(planned({ ready: true }).rollout?.state).not.toBe("RolledBack");
    expect(planned({ ready: false }).rollout?.state).toBe("RolledBack");
  });

  test("is not recreated again before the spec changes, nor is any other", () => {
    const rollouts = new Map([["p", rolling("p-0", { state: "RolledBack" })]]);
    const back = late({ applied: "old", former: "old", ready: true });
    const down = aMember("p-1", { type: "proxy", ready: false, isDown: true });
    expect(plan("p", [back, down], { rollouts })).toMatchObject({ take: [], keep: ["p-0", "p-1"] });
    expect(plan("p", [{ ...back, wanted: "newer" }], { rollouts })).toMatchObject({
      rollout: { state: "Rolling", revision: "newer" },
      take: ["p-0"],
    });
  });
});
