/** Wishes for maintenance: where they come from, and how they wait. */
import { describe, expect, test } from "@jest/globals";
import type { MaintenanceRun } from "../../../operator/api/node-runs.ts";
import {
  addWishes,
  DISK_REST_MS,
  diskWishes,
  followSchedule,
  type RunBook,
  readWish,
  takeNext,
  type Wish,
} from "../../../operator/plan/wishes.ts";
import { NOW } from "../../support/maintained.ts";

const EMPTY: RunBook = { current: undefined, queue: [], history: [] };
const wish = (member: string, operation: Wish["operation"] = "migrate"): Wish => ({
  operation,
  member,
  cause: "Annotation",
});

test("the annotation is one of the operations or nothing", () => {
  expect(readWish("migrate")).toEqual({ operation: "migrate" });
  expect(readWish("save-cache")).toEqual({ operation: "save-cache" });
  for (const text of ["", "Migrate", "toString", "__proto__"])
    expect(readWish(text)).toEqual({ unknown: text });
  expect(readWish("x".repeat(1_000))).toEqual({ unknown: "x".repeat(64) });
});

/** The book with its current run ended. */
function afterEnd({ current, ...book }: RunBook, state: MaintenanceRun["state"] = "Succeeded"): RunBook {
  return { ...book, current: current && { ...current, state, finishedAt: "2026-01-01T00:00:00Z" } };
}

describe("wishes", () => {
  test("wait in order and come one after another; those that ended are kept, newest first", () => {
    let book = takeNext(addWishes(EMPTY, [wish("a"), wish("b"), wish("a", "save-cache")], NOW));
    expect([book.current?.member, book.queue.length, book.history.length]).toEqual(["a", 2, 0]);
    expect(takeNext(book)).toBe(book);
    book = takeNext(afterEnd(book));
    book = takeNext(afterEnd(book));
    expect([book.current?.operation, book.history.map(({ member }) => member)]).toEqual([
      "save-cache",
      ["b", "a"],
    ]);
  });

  test("are noted once while they wait or are on their way, and again afterwards", () => {
    const book = takeNext(addWishes(EMPTY, [wish("a"), wish("b")], NOW));
    expect(addWishes(book, [wish("a"), wish("b"), wish("c"), wish("c")], NOW).queue).toHaveLength(2);
    expect(addWishes(afterEnd(book), [wish("a")], NOW).queue.map(({ member }) => member)).toEqual(["b", "a"]);
  });

  test("never fill more than the status takes", () => {
    let book = EMPTY;
    for (let round = 0; round < 200; round++)
      book = takeNext(addWishes(afterEnd(book), [wish(`m${round}`), wish(`n${round}`)], NOW));
    expect([book.queue.length, book.history.length]).toEqual([63, 64]);
  });
});

const at = (text: string, isWindowOpen = true) => ({ now: Date.parse(text), isWindowOpen });

describe("a schedule", () => {
  const daily = { operation: "migrate", schedule: "0 3 * * *" } as const;
  const first = followSchedule(daily, undefined, at("2026-01-01T04:00:00Z"))?.mark;

  test("begins when it is first seen, or changed", () => {
    expect(first).toEqual({ ...daily, since: "2026-01-01T04:00:00Z" });
    const changed = { ...daily, schedule: "30 3 * * *" };
    expect(followSchedule(changed, first, at("2026-01-05T00:00:00Z"))).toEqual({
      mark: { ...changed, since: "2026-01-05T00:00:00Z" },
      due: undefined,
    });
  });

  test("comes up when its time has come, once however often that was", () => {
    expect(followSchedule(daily, first, at("2026-01-02T02:59:59Z"))).toEqual({ mark: first, due: undefined });
    const due = followSchedule(daily, first, at("2026-01-09T12:00:00Z"));
    expect(due).toEqual({
      mark: { ...daily, since: "2026-01-09T12:00:00Z" },
      due: Date.parse("2026-01-02T03:00:00Z"),
    });
    expect(followSchedule(daily, due?.mark, at("2026-01-09T12:00:01Z"))?.due).toBeUndefined();
  });

  test("waits for a window", () => {
    expect(followSchedule(daily, first, at("2026-01-02T03:00:00Z", false))).toEqual({
      mark: first,
      due: undefined,
    });
    expect(followSchedule(daily, first, at("2026-01-02T08:00:00Z", true))?.due).toBe(
      Date.parse("2026-01-02T03:00:00Z"),
    );
  });

  test("that is none is told so", () => {
    expect(followSchedule({ ...daily, schedule: "99 * * * *" }, first, at("2026-01-02T03:00:00Z"))).toBe(
      undefined,
    );
  });
});

const terms = (book: RunBook) => ({ atPercent: 80, book });

describe("a full volume", () => {
  const disks = [
    { member: "a", percent: 80 },
    { member: "b", percent: 79.9 },
    { member: "c", percent: undefined },
  ];

  test("asks for a migration of its member", () => {
    expect(diskWishes(disks, terms(EMPTY), NOW)).toEqual([{ ...wish("a"), cause: "DiskUse" }]);
  });

  test.each(["Succeeded", "Failed"] as const)("rests after one that %s", (state) => {
    const book = afterEnd(takeNext(addWishes(EMPTY, [wish("a")], NOW)), state);
    expect(diskWishes(disks, terms(book), NOW + DISK_REST_MS[state] - 1)).toEqual([]);
    expect(diskWishes(disks, terms(book), NOW + DISK_REST_MS[state])).toHaveLength(1);
    const older = { ...EMPTY, history: book.current === undefined ? [] : [book.current] };
    expect(diskWishes(disks, terms(older), NOW + DISK_REST_MS[state] - 1)).toEqual([]);
    const cache = takeNext(addWishes(EMPTY, [wish("a", "save-cache")], NOW));
    expect(diskWishes(disks, terms(afterEnd(cache, state)), NOW)).toHaveLength(1);
  });
});
