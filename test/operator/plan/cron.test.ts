/** Schedules and the windows that they begin. */
import { describe, expect, test } from "@jest/globals";
import { neverDates } from "../../../operator/api/node-maintenance.ts";
import { nextTick, parseCron } from "../../../operator/plan/cron.ts";
import { isOpenWindow } from "../../../operator/plan/windows.ts";

const at = (text: string): number => Date.parse(`${text}Z`);

function next(schedule: string, after: string): string | undefined {
  const cron = parseCron(schedule);
  if (cron === undefined) throw new Error(`${schedule} is no schedule`);
  const tick = nextTick(cron, at(after));
  return tick === undefined ? undefined : new Date(tick).toISOString().slice(0, 16);
}

describe("a schedule comes up", () => {
  test.each([
    ["* * * * *", "2026-01-01T00:00:00", "2026-01-01T00:01"],
    ["* * * * *", "2026-01-01T00:00:59.999", "2026-01-01T00:01"],
    ["0 3 * * *", "2026-01-01T03:00", "2026-01-02T03:00"],
    ["0 3 * * *", "2026-01-01T02:59:59", "2026-01-01T03:00"],
    ["59 23 31 12 *", "2026-01-01T00:00", "2026-12-31T23:59"],
    ["*/20 8-10 * * *", "2026-01-01T08:40", "2026-01-01T09:00"],
    ["5/25 0 * * *", "2026-01-01T00:30", "2026-01-01T00:55"],
    ["0 0 * * 7", "2026-01-01T00:00", "2026-01-04T00:00"],
    ["0 0 * * 0", "2026-01-01T00:00", "2026-01-04T00:00"],
    ["0 0 * * 1-3,5", "2026-01-07T00:00", "2026-01-09T00:00"],
    ["0 0 15 * 1", "2026-01-12T00:00", "2026-01-15T00:00"], // a Monday, or the 15th
    ["0 0 */10 * 1", "2026-01-01T00:00", "2026-05-11T00:00"], // a Monday that is the 1st, 11th, 21st or 31st
    ["0 0 29 2 *", "2026-01-01T00:00", "2028-02-29T00:00"],
    ["0 0 29 2 *", "2096-03-01T00:00", "2104-02-29T00:00"],
    ["0 0 30 2 *", "2026-01-01T00:00", undefined],
  ])("%s after %s: %s", (schedule, after, tick) => expect(next(schedule, after)).toBe(tick));
});

test.each([
  "",
  "* * * *",
  "* * * * * *",
  "60 * * * *",
  "* 24 * * *",
  "* * 0 * *",
  "* * * 13 *",
  "* * * * 8",
  "9-5 * * * *",
  "*/0 * * * *",
  "1,,2 * * * *",
  "-1 * * * *",
  "a * * * *",
  "@daily",
  "1-2-3 * * * *",
])("%j is no schedule", (text) => expect(parseCron(text)).toBeUndefined());

test("the schema refuses the schedules of single days that never come, and no other", () => {
  for (let day = 1; day <= 31; day++)
    for (const months of ["1", "2", "02", "4", "11", "2,4", "4,6,9,11", "2,3", "*"]) {
      const schedule = `0 3 ${day} ${months} *`;
      const cron = parseCron(schedule);
      const comes = cron !== undefined && nextTick(cron, at("2026-01-01T00:00")) !== undefined;
      const isRefused = neverDates.some((dates) => new RegExp(dates).test(schedule));
      expect([schedule, isRefused]).toEqual([schedule, !comes]);
    }
});

describe("a window", () => {
  const night = [{ days: ["Thu", "Sat"], from: "22:30", hours: 4 }] as const; // 1 January 2026 is a Thursday

  test.each([
    ["2026-01-01T22:29:59", false],
    ["2026-01-01T22:30:00", true],
    ["2026-01-02T02:29:59", true],
    ["2026-01-02T02:30:00", false],
    ["2026-01-02T22:30:00", false],
    ["2026-01-04T00:00:00", true],
  ])("at %s is open: %s", (time, isOpen) => expect(isOpenWindow(night, at(time))).toBe(isOpen));

  test("is always open where there is none, and one of a whole day never closes", () => {
    expect(isOpenWindow([], at("2026-01-01T00:00"))).toBe(true);
    const all = [{ days: ["Thu"], from: "00:00", hours: 24 }] as const;
    expect(isOpenWindow(all, at("2026-01-01T23:59:59"))).toBe(true);
    expect(isOpenWindow(all, at("2026-01-02T00:00"))).toBe(false);
  });
});
