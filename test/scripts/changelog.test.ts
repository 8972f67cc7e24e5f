/** CHANGELOG.md: releases of short lines. */
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";

const MAX_LINE = 160;
const lines = readFileSync("CHANGELOG.md", "utf8").split("\n");
const headings = (level: string): readonly string[] =>
  lines.filter((line) => line.startsWith(`${level} `)).map((line) => line.slice(level.length + 1));

test("an entry is one short line, once", () => {
  const entries = lines.filter((line) => line.startsWith("- "));
  expect(entries.length).toBeGreaterThan(100);
  expect(entries.filter((line) => line.length > MAX_LINE)).toEqual([]);
  expect(lines.filter((line) => /^\s+\S/.test(line))).toEqual([]);
  expect(new Set(entries).size).toBe(entries.length);
});

test("releases are in order, the newest first, with the groups of Keep a Changelog", () => {
  const [first, ...releases] = headings("##");
  expect(first).toBe("Unreleased");
  const dates = releases.map(
    (release) => /^\d+\.\d+\.\d+(?:-[\w.]+)? - (\d{4}-\d\d-\d\d)$/.exec(release)?.[1],
  );
  expect(dates).not.toContain(undefined);
  expect(dates).toEqual(dates.toSorted((a = "", b = "") => (a < b ? 1 : -1)));
  const groups = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"];
  expect(headings("###").filter((group) => !groups.includes(group))).toEqual([]);
});
