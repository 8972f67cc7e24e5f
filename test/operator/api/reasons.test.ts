/** Reasons: each that reconciling gives is a row of the table, and each row is given somewhere. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { hops } from "../../../operator/api/hops.ts";
import { conditionTypes, eventReasons, networkConditionTypes } from "../../../operator/api/names.ts";
import { networkReasons, stepReasons, stopReasons, verdictReasons } from "../../../operator/api/reasons.ts";

const sourcesOf = (room: string): string => {
  const directory = new URL(`../../../operator/${room}/`, import.meta.url);
  return readdirSync(directory)
    .map((name) => readFileSync(new URL(name, directory), "utf8"))
    .join("");
};
const sources = sourcesOf("reconcile");
/** Stops and readiness are decided in both rooms. */
const decided = `${sources}${sourcesOf("plan")}`;

test("what steps wait for and fail with is in the table, and nothing else is", () => {
  const given = [
    ...decided.matchAll(
      /(?:waitFor|failWith|notReady)\((?:view, )?"(\w+)"|reason: "(Error|Deleting|Image\w+|Container\w+|MachineLost|Unreadable|Behind)",/g,
    ),
  ];
  const words = new Set(given.map(([, step, other]) => step ?? other));
  expect(words).toEqual(new Set(Object.keys(stepReasons)));
});

test("every reason of an event is given somewhere", () => {
  expect(Object.keys(eventReasons).filter((reason) => !decided.includes(`"${reason}"`))).toEqual([]);
});

test("every reason to stop is given somewhere, and tells an event", () => {
  const reasons = Object.keys(stopReasons);
  expect(reasons.filter((reason) => !decided.includes(`reason: "${reason}"`))).toEqual([]);
  expect(reasons.filter((reason) => !(reason in eventReasons))).toEqual([]);
});

test("every condition but Ready has its reasons", () => {
  expect(["Ready", ...Object.keys(verdictReasons)]).toEqual(Object.keys(conditionTypes));
});

test("every reason of a Network's conditions is given somewhere, and no other", () => {
  expect(Object.keys(networkReasons)).toEqual(Object.keys(networkConditionTypes));
  const given = [
    ...sources.matchAll(/verdict\(\s*"(Ready|GenesisReady|FaultTolerant|ForksReady)",\s*"(\w+)"/g),
  ];
  const production = readFileSync(new URL("../../../operator/plan/production.ts", import.meta.url), "utf8");
  const judged = [...production.matchAll(/reason: "(\w+)"/g)].map(([, reason]) => `Producing ${reason}`);
  const rows = Object.entries(networkReasons).flatMap(([type, reasons]) =>
    Object.keys(reasons).map((reason) => `${type} ${reason}`),
  );
  const words = [...given.map(([, type, reason]) => `${type} ${reason}`), ...judged];
  expect([...new Set(words)].sort()).toEqual(rows.sort());
});

test("the pages say for each danger what the operator does and what people do", () => {
  const docs = ["troubleshooting", "validators", "objects"]
    .map((page) => readFileSync(new URL(`../../../docs/operator/${page}.md`, import.meta.url), "utf8"))
    .join("\n");
  const rows = docs.split("\n").filter((line) => line.startsWith("| `"));
  const passing = ["PodMissing", "PodPending", "PodNotReady", "NotAsked", "Error"];
  const intended = ["Suspended", "Suspending", "Deleting", "ObjectRefused", "Unreadable"]; // in their sections
  const dangers = [
    ...Object.keys(stepReasons).filter((name) => ![...passing, ...intended].includes(name)),
    ...Object.keys(stopReasons),
    ...Object.values(hops).map(({ reason }) => reason),
  ];
  expect(dangers.filter((name) => !rows.some((row) => row.includes(`\`${name}\``)))).toEqual([]);
  for (const name of intended.slice(3)) expect(docs).toContain(`\`${name}\``);
});
