/** Backups: from the node's report to the run, the replica that makes the next one, and their age. */
import { describe, expect, test } from "@jest/globals";
import {
  afterBackup,
  afterBackupStart,
  type BackupProgress,
  backupMember,
  judgeBackup,
  type MadeBackup,
  recordedBackup,
  resumedBackup,
} from "../../../operator/plan/backup.ts";
import { newRun, planMaintenance, STALL_MS } from "../../../operator/plan/maintenance.ts";
import { councilOfCores } from "../../support/a-council.ts";
import { aMaintained, NOW } from "../../support/maintained.ts";

const made: MadeBackup = {
  checkpoint: "checkpoints/1.json",
  archive: "s3://a/b",
  height: 120,
  bytes: 900,
  sentBytes: 40,
  verified: true,
};
const idle: BackupProgress = {
  running: false,
  step: undefined,
  percent: 0,
  error: undefined,
  last: undefined,
};
const requested = newRun({ operation: "checkpoint", member: "a", cause: "Schedule" }, NOW);
const starting = { ...requested, state: "Starting", height: 100 } as const;
const running = afterBackupStart(starting, NOW);

describe("a run", () => {
  test("says what is done and how far", () => {
    const report = { ...idle, running: true, step: "sending", percent: 41.7 };
    const later = afterBackup(running, report, NOW + 5_000);
    expect(later).toMatchObject({
      state: "Running",
      percent: 41,
      message: "the node is sending a checkpoint",
    });
    expect(later.progressAt).toBe("2026-01-01T00:00:05Z");
    expect(afterBackup(later, report, NOW + 9_000)).toEqual(later);
  });

  test("is verified by blocks once the archive has the backup", () => {
    expect(afterBackup(running, { ...idle, last: made }, NOW)).toMatchObject({
      state: "Verifying",
      percent: 100,
      message: "checkpoints/1.json: 40 of 900 bytes were sent, and read back",
    });
  });

  test.each([
    ["the store answers 403", { error: "the store answers 403", last: made }],
    ["the node has restarted and reports no backup", {}],
    ["the node has restarted and reports no backup", { last: { ...made, height: 99 } }],
  ])("fails: %s", (message, more) => {
    expect(afterBackup(running, { ...idle, ...more }, NOW)).toMatchObject({ state: "Failed", message });
  });

  test("of an earlier operator goes on, or is not begun a second time when it has ended", () => {
    expect(resumedBackup(starting, { ...idle, running: true }, NOW)?.state).toBe("Running");
    expect(resumedBackup(starting, { ...idle, last: made }, NOW)?.state).toBe("Verifying");
    expect(resumedBackup(starting, { ...idle, last: { ...made, height: 99 } }, NOW)).toBeUndefined();
    expect(resumedBackup(starting, { ...idle, error: "of another", last: made }, NOW)).toBeUndefined();
  });

  test("is stopped without progress", () => {
    const member = aMaintained("a");
    const view = {
      member,
      members: [member],
      councils: [councilOfCores([member])],
      maintained: undefined,
      rolling: undefined,
      turns: [],
      isWindowOpen: true,
      space: undefined,
    };
    expect(planMaintenance(running, view, NOW + STALL_MS - 1).do).toBe("look");
    expect(planMaintenance(running, view, NOW + STALL_MS).do).toBe("stop");
  });
});

test("a backup is as old as its run, and the last one that was read back is remembered", () => {
  const first = recordedBackup(undefined, { ...running, startedAt: "2026-01-01T00:00:00Z" }, made);
  expect(first).toMatchObject({ member: "a", height: 120, at: "2026-01-01T00:00:00Z", verifiedAt: first.at });
  const second = recordedBackup(
    first,
    { ...running, startedAt: "2026-01-02T00:00:00Z" },
    { ...made, verified: false },
  );
  expect(second).toMatchObject({ since: first.since, at: "2026-01-02T00:00:00Z", verifiedAt: first.at });
  expect(second).not.toHaveProperty("verified");
});

test("the replica that made the last backup makes the next one, while it is ready", () => {
  const members = [
    { name: "e", ready: false },
    { name: "e-m1", ready: true },
    { name: "e-m2", ready: true },
  ];
  const names = members.map(({ name }) => name);
  expect(backupMember(names, members, undefined)).toBe("e-m1");
  expect(backupMember(names, members, "e-m2")).toBe("e-m2");
  expect(backupMember(names, members, "e")).toBe("e-m1");
  expect(backupMember(names, members, "e-m9")).toBe("e-m1");
  expect(backupMember(names, [], "e-m1")).toBe("e-m1");
  expect(backupMember([], [], "e-m1")).toBeUndefined();
});

describe("the newest backup", () => {
  const since = { ...recordedBackup(undefined, running, made), since: "2026-01-01T00:00:00Z" };
  const none = { ...since, at: undefined, height: undefined };
  test.each([
    [
      "NotDue",
      none,
      "2026-01-01T02:00:00Z",
      "no backup is made yet; the next one is due at 2026-01-01T03:00:00Z",
    ],
    ["NotDue", undefined, "2026-01-01T02:00:00Z", "due at 2026-01-01T03:00:00Z"],
    ["NotDue", none, "2026-01-02T02:59:59Z", "no backup is made yet"],
    ["Overdue", none, "2026-01-02T03:00:00Z", "one was due at 2026-01-01T03:00:00Z"],
    ["Recent", { ...since, at: "2026-01-01T03:00:10Z" }, "2026-01-03T02:59:59Z", "block 120"],
    [
      "Recent",
      { ...since, at: "2026-01-01T03:00:10Z", since: "2026-01-09T00:00:00Z" },
      "2026-01-10T02:59:59Z",
      "due at 2026-01-09T03:00:00Z",
    ],
    [
      "Overdue",
      { ...since, at: "2026-01-01T03:00:10Z" },
      "2026-01-03T03:00:00Z",
      "due at 2026-01-02T03:00:00Z",
    ],
  ] as const)("is %s", (reason, backup, now, words) => {
    expect(judgeBackup("0 3 * * *", backup, Date.parse(now))).toMatchObject({
      type: "BackedUp",
      reason,
      message: expect.stringContaining(words) as unknown,
    });
  });

  test("is overdue by a schedule that is never due", () => {
    expect(judgeBackup("0 3 30 2 *", since, NOW)).toMatchObject({
      status: "False",
      message: expect.stringContaining("is never due") as unknown,
    });
  });
});
