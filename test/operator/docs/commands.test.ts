/**
 * The commands in the pages of the operator name what exists: annotations, operations, values of the chart, fields of a
 * status and files. They are read, not run.
 */
import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { parse } from "yaml";
import { annotations, labels, operations, RESTART, volumeOperations } from "../../../operator/api/names.ts";
import { networkStatus } from "../../../operator/api/network-status.ts";
import { nodeStatus } from "../../../operator/api/node-status.ts";
import { pageBlocks } from "../../support/page.ts";

const pages = globSync(["docs/operator.md", "docs/operator/*.md", "docs/alerts.md", "charts/*/README.md"]);
const commands = pages.flatMap((page) =>
  pageBlocks(readFileSync(page, "utf8")).map(({ text }) => [page, text] as const),
);
const texts = pages.map((page) => readFileSync(page, "utf8")).join("\n");

/** The groups of all matches in a text, each once. */
const foundIn = (text: string, pattern: RegExp): readonly string[] => [
  ...new Set([...text.matchAll(pattern)].map(([, group = ""]) => group)),
];
const commandText = commands.map(([, text]) => text).join("\n");

test.each(commands)("%s: bash reads the commands %s", (_page, text) => {
  expect(spawnSync("bash", ["-n"], { input: text, encoding: "utf8" })).toMatchObject({
    status: 0,
    stderr: "",
  });
});

test("labels, annotations and operations are those of the operator", () => {
  const own = [annotations, labels].flatMap((each) => Object.values<string>(each));
  const known = [...own, "knit.dev/orderly-deletion", "knit.dev/v1alpha1"];
  const named = foundIn(texts, /(?<![.\w])(knit\.dev\/[a-z](?:[-a-z0-9]*[a-z0-9])?)/g);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !known.includes(name))).toEqual([]);
  const runs = foundIn(texts, /knit\.dev\/run=([-a-z]+)/g);
  expect(runs.length).toBeGreaterThan(4);
  const requests = [RESTART, ...Object.keys(operations), ...Object.keys(volumeOperations)];
  expect(runs.filter((run) => !requests.includes(run))).toEqual([]);
});

test("values of helm are those of the chart", () => {
  const values = parse(readFileSync("charts/knit-operator/values.yaml", "utf8")) as Record<string, unknown>;
  const names = foundIn(commandText, /--set '?([\w.]+)/g);
  expect(names.length).toBeGreaterThan(5);
  const valueAt = (path: string): unknown =>
    path
      .split(".")
      .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], values);
  expect(names.filter((name) => valueAt(name) === undefined)).toEqual([]);
});

test("fields of a status and files exist", () => {
  const members = { ...nodeStatus.schema.properties, ...networkStatus.schema.properties };
  const fields = foundIn(texts, /\bstatus\.(\w+)/g);
  expect(fields.length).toBeGreaterThan(8);
  expect(fields.filter((name) => !(name in members))).toEqual([]);
  const files = foundIn(commandText, /(?:^|\s)((?:charts|examples|crds)\/[\w./-]*)/gm);
  expect(files.length).toBeGreaterThan(1);
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});
