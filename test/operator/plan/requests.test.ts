/** Wishes for maintenance: where they come from, and how they wait. */
import { describe, expect, test } from "@jest/globals";
import { operationNames } from "../../../operator/api/names.ts";
import {
  type MaintenanceRun,
  maintenanceHistory,
  maintenanceQueue,
} from "../../../operator/api/node-runs.ts";
import { MAX_REPLICAS } from "../../../operator/api/node-spec.ts";
import {
  addRequests,
  DISK_REST_MS,
  diskRequests,
  followSchedule,
  type MaintenanceRequest,
  parseRequest,
  type RunBook,
  requestedMembers,
  startNext,
} from "../../../operator/plan/requests.ts";
import { NOW } from "../../support/maintained.ts";

const MEMBERS = Array.from({ length: MAX_REPLICAS }, (_, place) => `a-m${place}`);
const EMPTY: RunBook = { current: undefined, queue: [], history: [] };
const request = (
  member: string,
  operation: MaintenanceRequest["operation"] = "migrate",
): MaintenanceRequest => ({
  operation,
  member,
  cause: "Annotation",
});

test("the annotation is one of the operations or nothing", () => {
  expect(parseRequest("migrate")).toEqual({ operation: "migrate" });
  expect(parseRequest("save-cache")).toEqual({ operation: "save-cache" });
  for (const text of ["", "Migrate", "toString", "__proto__"])
    expect(parseRequest(text)).toEqual({ unknown: text });
  expect(parseRequest("x".repeat(1_000))).toEqual({ unknown: "x".repeat(64) });
  expect(parseRequest("replace:a-m1")).toEqual({ operation: "replace", member: "a-m1" });
  for (const text of ["replace:a:b", ":a", "restart:a"])
    expect(parseRequest(text)).toEqual({ unknown: text });
});

const of = (operation: "migrate" | "replace" | "resync", member?: string) => ({ operation, member });

test("a request is for the named replica or for all; a volume is given up for one alone", () => {
  const names = ["a", "a-m1"];
  expect(requestedMembers(of("migrate"), names)).toEqual(names);
  expect(requestedMembers(of("migrate", "a-m1"), names)).toEqual(["a-m1"]);
  expect(requestedMembers(of("migrate", "b"), names)).toBeUndefined();
  for (const operation of ["replace", "resync"] as const) {
    expect(requestedMembers(of(operation), names)).toBeUndefined();
    expect(requestedMembers(of(operation), ["a"])).toEqual(["a"]);
    expect(requestedMembers(of(operation, "a-m1"), names)).toEqual(["a-m1"]);
  }
});

/** The book with its current run ended. */
function afterEnd({ current, ...book }: RunBook, state: MaintenanceRun["state"] = "Succeeded"): RunBook {
  return { ...book, current: current && { ...current, state, finishedAt: "2026-01-01T00:00:00Z" } };
}

describe("requests", () => {
  test("wait in order and come one after another; those that ended are kept, newest first", () => {
    let book = startNext(
      addRequests(EMPTY, [request("a"), request("b"), request("a", "save-cache")], NOW),
      NOW,
    );
    expect([book.current?.member, book.queue.length, book.history.length]).toEqual(["a", 2, 0]);
    expect(startNext(book, NOW)).toBe(book);
    book = startNext(afterEnd(book), NOW);
    book = startNext(afterEnd(book), NOW);
    expect([book.current?.operation, book.history.map(({ member }) => member)]).toEqual([
      "save-cache",
      ["b", "a"],
    ]);
  });

  test("have their day to start from the end of the run before them", () => {
    const book = startNext(addRequests(EMPTY, [request("a"), request("b")], NOW), NOW);
    const later = NOW + 2 * 86_400_000;
    expect(startNext(afterEnd(book), later).current).toMatchObject({
      member: "b",
      requestedAt: "2026-01-01T00:00:00Z",
      stateAt: "2026-01-03T00:00:00Z",
    });
  });

  test("are recorded once while they wait or are on their way, and again afterwards", () => {
    const book = startNext(addRequests(EMPTY, [request("a"), request("b")], NOW), NOW);
    expect(
      addRequests(book, [request("a"), request("b"), request("c"), request("c")], NOW).queue,
    ).toHaveLength(2);
    expect(addRequests(afterEnd(book), [request("a")], NOW).queue.map(({ member }) => member)).toEqual([
      "b",
      "a",
    ]);
  });

  test("are all kept: every operation of every replica fits, in the status too", () => {
    const asked = MEMBERS.flatMap((member) => operationNames.map((operation) => request(member, operation)));
    const { queue } = addRequests(EMPTY, asked, NOW);
    expect(queue).toHaveLength(MAX_REPLICAS * operationNames.length);
    expect(addRequests({ ...EMPTY, queue }, asked, NOW).queue).toEqual(queue);
    expect(maintenanceQueue.schema.maxItems).toBe(queue.length);
  });

  test("that ended fill no more than the status takes, and leave each replica its last migration", () => {
    let book = EMPTY;
    for (let round = 0; round < 200; round++) {
      const [operation, name] = round < 40 ? ["migrate" as const, round % 32] : ["save-cache" as const, 0];
      book = startNext(addRequests(afterEnd(book), [request(`a-m${name}`, operation)], NOW), NOW);
    }
    const migrations = book.history.filter(({ operation }) => operation === "migrate");
    expect([book.history.length, migrations.length]).toEqual([maintenanceHistory.schema.maxItems, 32]);
    expect(new Set(migrations.map(({ member }) => member)).size).toBe(32);
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
    expect(diskRequests(disks, terms(EMPTY), NOW)).toEqual([{ ...request("a"), cause: "DiskUse" }]);
  });

  test.each(["Succeeded", "Failed"] as const)("rests after one that %s", (state) => {
    const book = afterEnd(startNext(addRequests(EMPTY, [request("a")], NOW), NOW), state);
    expect(diskRequests(disks, terms(book), NOW + DISK_REST_MS[state] - 1)).toEqual([]);
    expect(diskRequests(disks, terms(book), NOW + DISK_REST_MS[state])).toHaveLength(1);
    const older = { ...EMPTY, history: book.current === undefined ? [] : [book.current] };
    expect(diskRequests(disks, terms(older), NOW + DISK_REST_MS[state] - 1)).toEqual([]);
    const cache = startNext(addRequests(EMPTY, [request("a", "save-cache")], NOW), NOW);
    expect(diskRequests(disks, terms(afterEnd(cache, state)), NOW)).toHaveLength(1);
  });
});
