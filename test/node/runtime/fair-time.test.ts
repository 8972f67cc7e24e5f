/** Tests of the main-thread time that peers share. */
import { expect, test } from "@jest/globals";
import { quantile } from "../../../bench/support/figures.ts";
import { FairTime, type TimeShare } from "../../../node/runtime/fair-time.ts";
import { seededRandom } from "../../support/random.ts";

/** A clock that stands still but for work, and an event loop whose turns the test makes. */
function aLoop() {
  let nowMs = 0;
  let callbacks: (() => void)[] = [];
  return {
    options: {
      sliceMs: 3,
      now: () => nowMs,
      onNextTurn: (callback: () => void) => void callbacks.push(callback),
    },
    now: () => nowMs,
    work: (ms: number) => void (nowMs += ms),
    turn: () => {
      const due = callbacks;
      callbacks = [];
      for (const callback of due) callback();
    },
    idle: () => callbacks.length === 0,
  };
}

test("work of peers beyond the slice waits for the next turn of the event loop", () => {
  const loop = aLoop();
  const time = new FairTime("peers", loop.options);
  const shares = [time.open(), time.open(), time.open()];
  const done: number[] = [];
  for (let i = 0; i < 9; i++) void shares[i % 3]?.run(() => (loop.work(1), done.push(i)));
  const turns = [done.length];
  while (!loop.idle()) {
    loop.turn();
    turns.push(done.length);
  }
  expect(turns).toEqual([3, 6, 9, 9]);
  expect(done.sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
});

test("a flooding peer does not delay one that sends little", () => {
  const loop = aLoop();
  const time = new FairTime("peers", loop.options);
  const [flood, good] = [time.open(), time.open()];
  const done: string[] = [];
  for (let i = 0; i < 100; i++) void flood.run(() => (loop.work(1), done.push("flood")));
  void good.run(() => (loop.work(1), done.push("good")));
  loop.turn();
  expect(done.slice(3)).toEqual(["good", "flood", "flood"]);
});

test("many connections of one owner have the share of one, and share it among themselves", () => {
  const loop = aLoop();
  const time = new FairTime("peers", loop.options);
  const crowd = Array.from({ length: 50 }, () => time.open("crowd"));
  const good = time.open("good");
  const done: string[] = [];
  const work = (name: string) => () => (loop.work(1), done.push(name));
  for (let i = 0; i < 3; i++) for (const [at, each] of crowd.entries()) void each.run(work(`crowd ${at}`));
  for (let i = 0; i < 20; i++) void good.run(work("good"));
  for (let i = 0; i < 12; i++) loop.turn();
  const later = done.slice(3);
  expect(later.filter((name) => name === "good").length).toBeGreaterThanOrEqual(17);
  expect(new Set(later.filter((name) => name !== "good")).size).toBeGreaterThanOrEqual(15);
});

test("an account that is opened anew for each request does not forget what its owner has had", () => {
  const loop = aLoop();
  const time = new FairTime("peers", loop.options);
  const steady = time.open("greedy");
  const good = time.open("good");
  const done: string[] = [];
  for (let i = 0; i < 4; i++) void steady.run(() => (loop.work(1), done.push("greedy")));
  for (let i = 0; i < 20; i++) {
    const anew = time.open("greedy");
    void anew.run(() => (loop.work(1), done.push("greedy")));
  }
  for (let i = 0; i < 4; i++) void good.run(() => (loop.work(1), done.push("good")));
  for (let i = 0; i < 3; i++) loop.turn();
  expect(done.filter((name) => name === "good")).toHaveLength(4);
});

test("an idle peer accumulates no claim to time but a little", () => {
  const loop = aLoop();
  const time = new FairTime("peers", loop.options);
  const [busy, idle] = [time.open(), time.open()];
  const done: string[] = [];
  const run = (name: string, count: number): void => {
    const share = name === "busy" ? busy : idle;
    for (let i = 0; i < count; i++) void share.run(() => (loop.work(1), done.push(name)));
  };
  run("idle", 1);
  run("busy", 1_000);
  for (let i = 0; i < 200; i++) loop.turn();
  done.length = 0;
  run("idle", 200);
  for (let i = 0; i < 30; i++) loop.turn();
  const lead = done.filter((name) => name === "idle").length - done.filter((name) => name === "busy").length;
  expect(lead).toBeGreaterThan(25); // the 30 ms that it keeps
  expect(lead).toBeLessThan(35);
});

test("results and errors of work reach its caller, at once or later", async () => {
  const loop = aLoop();
  const share = new FairTime("peers", loop.options).open();
  const failing = (): never => {
    loop.work(5);
    throw new RangeError("bad");
  };
  expect(share.run(() => 1)).toBe(1);
  expect(() => share.run(failing)).toThrow("bad");
  const later = [share.run(() => 2), share.run(failing)];
  const failed = expect(later[1]).rejects.toThrow("bad");
  loop.turn();
  expect(await later[0]).toBe(2);
  await failed;
});

test("work that begins at once is charged until it ends, and waits when the slice is used up", () => {
  const loop = aLoop();
  const share = new FairTime("peers", loop.options).open();
  {
    using turn = share.begin();
    expect(turn).toBeDefined();
    loop.work(10);
  }
  expect(share.isOver).toBe(true);
  expect(share.begin()).toBeUndefined();
  loop.turn();
  expect(share.begin()).toBeDefined();
});

test("short work goes before long requests of connections that are new", () => {
  const loop = aLoop();
  const time = new FairTime("messages", loop.options);
  const good = time.open("address");
  const done: string[] = [];
  void good.run(() => loop.work(3)); // the slice of this turn
  for (let i = 0; i < 8; i++) time.open("address").wait(() => (loop.work(20), done.push("long")), 500_000);
  good.wait(() => (loop.work(1), done.push("good")), 200);
  loop.turn();
  expect(done).toEqual(["good", "long"]);
});

test("a long request is answered beside ever new connections with short ones", () => {
  const loop = aLoop();
  const time = new FairTime("messages", loop.options);
  const done: string[] = [];
  void time.open("address").run(() => loop.work(3));
  time.open("address").wait(() => (loop.work(20), done.push("long")), 500_000);
  for (let i = 0; i < 30; i++) {
    time.open("address").wait(() => (loop.work(3), done.push("short")), 200);
    loop.turn();
  }
  expect(done.indexOf("long")).toBeGreaterThan(0);
});

test("one interruption of short work does not make its account wait until all others have had as much", () => {
  const loop = aLoop();
  const time = new FairTime("peers", loop.options);
  const crowd = Array.from({ length: 20 }, () => time.open());
  const good = time.open();
  const ask = (ms: number) => {
    const done: number[] = [];
    void good.run(() => (loop.work(ms), done.push(ms)));
    let turns = 0;
    for (; done.length === 0; turns++) loop.turn();
    return turns;
  };
  for (const each of crowd) for (let i = 0; i < 50; i++) void each.run(() => loop.work(1));
  for (let i = 0; i < 10; i++) ask(0.01);
  ask(30); // a collection of garbage
  expect(Array.from({ length: 10 }, () => ask(0.01)).every((turns) => turns < 15)).toBe(true); // not 200
});

test.each([2, 11])("an account of whose work one in %d takes much pays for all of it", (every) => {
  const loop = aLoop();
  const time = new FairTime("peers", loop.options);
  const [steady, alternating] = [time.open(), time.open()];
  const had = { steady: 0, alternating: 0 };
  const work = (name: keyof typeof had, ms: number) => () => (loop.work(ms), (had[name] += ms));
  for (let i = 0; i < 2_000; i++) void steady.run(work("steady", 1));
  for (let i = 0; i < 2_000; i++) void alternating.run(work("alternating", i % every === 0 ? 20 : 0.1));
  while (had.steady < 1_000) loop.turn();
  expect(had.alternating).toBeLessThan(1_000 + 200);
});

/** Closed-loop floods, each in milliseconds of a request and number of connections, and who sends them. */
const FLOODS = [
  { ms: 20, connections: 24, from: "one address" },
  { ms: 3, connections: 24, from: "many addresses" },
  { ms: 20, connections: 24, from: "ever new addresses" },
] as const;

test.each(FLOODS)(
  "a client that asks little hardly waits beside requests of $ms ms from $from",
  ({ ms, connections, from }) => {
    const loop = aLoop();
    const time = new FairTime("messages", { ...loop.options, sliceMs: 8 });
    const random = seededRandom(23);
    let addresses = 0;
    const open = (): TimeShare => time.open(from === "one address" ? "all" : `hostile ${addresses++}`);
    const answered: TimeShare[] = Array.from({ length: connections }, open);
    const good = Array.from({ length: 3 }, () => time.open(from === "one address" ? "all" : "good"));
    const interruption = (): number => (random() < 0.03 ? 16 * random() : 0);
    const waits: number[] = [];
    for (let next = 0, sent = 0; loop.now() < 60_000; loop.work(15), loop.turn()) {
      for (const share of answered.splice(0)) {
        const done = () => {
          loop.work(ms * (0.5 + random()) + interruption());
          answered.push(from === "ever new addresses" ? open() : share);
        };
        share.wait(done, ms > 5 ? 350_000 : 1_000);
      }
      for (; next <= loop.now(); next += 50) {
        const sentAt = next;
        void good[sent++ % good.length]?.run(() => {
          waits.push(loop.now() - sentAt);
          loop.work(0.1 + interruption());
        });
      }
    }
    expect(waits.length).toBeGreaterThan(1_150);
    expect(quantile(waits, 0.99)).toBeLessThan(100); // before, 272 ms to minutes
  },
);
