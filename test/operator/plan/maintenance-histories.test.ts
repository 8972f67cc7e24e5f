/** Maintenance of whole groups through random histories: nodes fall over, answers are lost, the operator ends at any step. */
import { expect, test } from "@jest/globals";
import type { MaintenanceRun } from "../../../operator/api/node-runs.ts";
import { mayMiss } from "../../../operator/plan/council.ts";
import { isOpen, isUnderWay, newRun, planMaintenance } from "../../../operator/plan/maintenance.ts";
import type { MaintainedMember } from "../../../operator/plan/preflight.ts";
import { councilOfCores } from "../../support/a-council.ts";
import { aMaintained, MigratingNode, NOW } from "../../support/maintained.ts";
import { seededRandom } from "../../support/random.ts";

/** Core nodes that are all to be maintained. */
class Group {
  now = NOW;
  readonly offences: string[] = [];
  readonly runs = new Map<string, MaintenanceRun>();
  readonly nodes = new Map<string, MigratingNode>();
  readonly #members = new Map<string, MaintainedMember>();
  readonly #random: () => number;
  #height = 100;

  constructor(random: () => number) {
    this.#random = random;
    const cores = 1 + Math.floor(random() * 7);
    for (let index = 0; index < cores; index++) {
      const name = `core${index}`;
      const operation = random() < 0.5 ? "migrate" : "save-cache";
      this.runs.set(name, newRun({ operation, member: name, cause: "Annotation" }, NOW));
      this.nodes.set(name, new MigratingNode());
      this.#members.set(name, aMaintained(name));
    }
  }

  get isDone(): boolean {
    return [...this.runs.values()].every((run) => !isOpen(run));
  }

  /** The operator looks at a member; `crash`: it ends once the step is in the status, or once the node was asked. */
  reconcile(crash: "before" | "after" | undefined): void {
    const names = [...this.runs.keys()];
    const name = names[Math.floor(this.#random() * names.length)] ?? "";
    const run = this.runs.get(name);
    const node = this.nodes.get(name);
    if (run === undefined || node === undefined || !isOpen(run)) return;
    const members = [...this.#members.values()];
    const other = [...this.runs.values()].find((each) => each.member !== name && isUnderWay(each));
    const view = {
      member: this.#members.get(name),
      members,
      councils: [councilOfCores(members)],
      maintained: other?.member,
      rolling: undefined,
      turns: [...this.runs].flatMap(([of, each]) =>
        each.state === "Requested" ? [{ ...each, node: of }] : [],
      ),
      isWindowOpen: true,
      space: undefined,
    };
    const step = planMaintenance(run, view, this.now);
    if (run.state === "Requested" && step.do === "begin") this.#judge(name);
    this.runs.set(name, step.run);
    if (crash === "before") return;
    const after = node.carryOut(step, this.now);
    if (crash === undefined) this.runs.set(name, after);
  }

  #judge(name: string): void {
    const members = [...this.#members.values()];
    const missing = members.filter((member) => member.name !== name && !member.ready).length + 1;
    if (missing > mayMiss(members.length)) this.offences.push(`${name} begins without a quorum`);
    const under = [...this.runs.values()].filter(isUnderWay);
    if (under.length > 0) this.offences.push(`${name} begins beside ${under[0]?.member}`);
  }

  /** Time goes on, by a poll or by hours. */
  pass(): void {
    this.now += this.#random() < 0.05 ? 3_600_000 * this.#random() : 10_000;
    this.#height += 10;
    for (const [name, member] of this.#members) {
      const ready = member.ready ? this.#random() > 0.01 : this.#random() < 0.3;
      const node = this.nodes.get(name);
      if (node === undefined) continue;
      if (this.#random() < 0.005) node.restart();
      node.away = !ready || this.#random() < 0.05;
      node.work(20 * this.#random(), this.#height);
      const reported = node.away ? {} : { height: this.#height, reportedAt: this.now };
      this.#members.set(name, { ...member, ready, ...reported });
    }
  }
}

const HISTORIES = Number(process.env["KNIT_MUTATIONS"] ?? 300);

/** Plays a history: number of starts, and ends of runs. */
function play(seed: number, crashes: number): Group {
  const random = seededRandom(seed);
  const group = new Group(random);
  for (let round = 0; !group.isDone; round++) {
    if (round > 20_000) throw new Error(`${seed}: does not end`);
    const ends = random() < crashes;
    group.reconcile(ends ? (random() < 0.5 ? "before" : "after") : undefined);
    if (random() < 0.8) group.pass();
  }
  return group;
}

test("whatever happens: one member at a time, never below the quorum, no migration lost, and every run ends", () => {
  const offences: string[] = [];
  let succeeded = 0;
  for (let seed = 1; seed <= HISTORIES; seed++) {
    const group = play(seed, 0.3);
    offences.push(...group.offences.map((offence) => `${seed}: ${offence}`));
    const lost = [...group.runs.values()].filter(({ message }) => message.includes("reports no migration"));
    offences.push(...lost.map(({ member }) => `${seed}: the migration of ${member} is lost`));
    succeeded += [...group.runs.values()].filter(({ state }) => state === "Succeeded").length;
  }
  expect(offences).toEqual([]);
  expect(succeeded).toBeGreaterThan(HISTORIES); // most of some three for each history
});

/** One member alone, where nothing goes wrong but the operator: it ends at each step for which `ends` says so. */
function alone(
  operation: MaintenanceRun["operation"],
  ends: (step: number) => "before" | "after" | undefined,
) {
  const node = new MigratingNode();
  let run = newRun({ operation, member: "a", cause: "Annotation" }, NOW);
  let now = NOW;
  for (let round = 0; isOpen(run) && round < 200; round++, now += 10_000) {
    const member = aMaintained("a", { height: 100 + round, reportedAt: now });
    const others = { maintained: undefined, rolling: undefined, turns: [] };
    const view = { member, members: [member], councils: [], ...others, isWindowOpen: true, space: undefined };
    const step = planMaintenance(run, view, now);
    run = step.run;
    const end = ends(round);
    if (end === "before") continue;
    const after = node.carryOut(step, now);
    if (end === undefined) run = after;
    node.work(15, 100 + round);
  }
  return { state: run.state, message: run.message.replace(/\d+/g, "N"), begun: node.begun };
}

test.each(["migrate", "save-cache"] as const)(
  "an operator that ends at any step of %s, or at every second one, comes to the same end",
  (operation) => {
    const straight = alone(operation, () => undefined);
    expect(straight).toMatchObject({ state: "Succeeded", begun: 1 });
    for (const how of ["before", "after"] as const) {
      // To save the cache twice does no harm; a migration is never begun twice.
      const most = operation === "save-cache" && how === "after" ? 2 : 1;
      for (let step = 0; step < 12; step++) {
        const { begun: times, ...rest } = alone(operation, (round) => (round === step ? how : undefined));
        expect(rest).toEqual({ state: straight.state, message: straight.message });
        expect(times).toBeLessThanOrEqual(most);
      }
      const every = alone(operation, (round) => (round % 2 === 0 ? how : undefined));
      expect(every).toMatchObject({ state: straight.state, message: straight.message });
    }
  },
);
