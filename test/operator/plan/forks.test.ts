/** Later forks: which schedule the nodes may get, and which nodes lack a fork. */
import { expect, test } from "@jest/globals";
import { type ForkView, hasFork, missingForks, scheduleTrouble } from "../../../operator/plan/forks.ts";

const KNIT = "Knit/core/v0.1.0/linux-x64/go0-node24";
const NODE = { name: "core", version: KNIT, forks: {} };
const schedule = (osaka: number) => ({ osaka });

const trouble = (more: Partial<ForkView>): string | undefined =>
  scheduleTrouble({ wanted: schedule(5_000), recorded: undefined, height: 100, nodes: [NODE], ...more });

test.each<[string, Partial<ForkView>, string | undefined]>([
  ["far enough ahead", {}, undefined],
  ["that is recorded", { wanted: schedule(50), recorded: schedule(50) }, undefined],
  ["that moves to a later block", { recorded: schedule(4_000) }, undefined],
  [
    "that moves to an earlier block",
    { recorded: schedule(6_000) },
    "osaka cannot be moved to an earlier block",
  ],
  ["of a fork that has begun", { recorded: schedule(90) }, "osaka has begun at block 90"],
  ["without a recorded fork", { wanted: undefined, recorded: schedule(9_000) }, "osaka cannot be removed"],
  ["before a block is known", { height: undefined }, "the newest block is not known"],
  ["that is too close", { wanted: schedule(699) }, "osaka at block 699 is too close to block 100"],
  [
    "that is too close for many pods",
    { nodes: Array.from({ length: 50 }, () => NODE) },
    "the replacement of 50 pods can take 6000 blocks",
  ],
  [
    "that a node does not know",
    { nodes: [NODE, { ...NODE, name: "old", version: "Knit/old/v0.0.9/linux" }] },
    "osaka is unknown to old (Knit/old/v0.0.9/linux)",
  ],
  [
    "while a node is silent",
    { nodes: [{ ...NODE, version: undefined }] },
    "osaka is unknown to core (not reported)",
  ],
])("a schedule %s", (_name, more, wanted) => {
  if (wanted === undefined) expect(trouble(more)).toBeUndefined();
  else expect(trouble(more)).toContain(wanted);
});

test.each([
  [KNIT, true],
  ["Knit/v1.0.0/linux-x64", true],
  ["Knit/core/v0.0.9/linux-x64", false],
  ["Kaia/v2.2.2/linux", false],
  [undefined, false],
])("version %s has Osaka: %p", (version, known) => expect(hasFork(version, "osaka")).toBe(known));

test("a node lacks a fork until it reports the scheduled block, and the text says how long that has time", () => {
  const text = (forks: Record<string, number> | undefined, version?: string) =>
    missingForks({ forks, version }, schedule(864_100), 100);
  expect(text({ osakaCompatibleBlock: 864_100 }, KNIT)).toBeUndefined();
  expect(text({ osakaCompatibleBlock: 5 }, KNIT)).toBe(
    "osaka at block 864100 is not configured yet, 864000 blocks are left (10.0 days)",
  );
  expect(text(undefined, "Knit/old/v0.0.9/linux")).toContain("is unknown to Knit/old/v0.0.9/linux");
  expect(missingForks(NODE, schedule(50), 100)).toContain("and has begun");
});
