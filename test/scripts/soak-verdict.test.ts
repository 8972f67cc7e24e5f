/** Tests of the bounds that a soak is judged by. */
import { expect, test } from "@jest/globals";
import type { Sample } from "../../bench/soak/samples.ts";
import { bounds, type Findings } from "../../bench/soak/verdict.ts";

const MIB = 2 ** 20;

function aSample(more: Partial<Sample> = {}): Sample {
  return { at: 0, own: 100 * MIB, resident: 200 * MIB, files: 40, threads: 15, ...more };
}

/** A soak of a minute in which all was well. */
function findings(more: Partial<Findings> = {}): Findings {
  const sample = aSample();
  return {
    limitBytes: 512 * MIB,
    samples: [sample],
    early: [sample],
    late: [sample],
    first: sample,
    last: sample,
    databaseBytes: MIB,
    blocks: 60,
    transactions: 100,
    times: Array.from({ length: 60 }, (_, i) => 1000 + i),
    pauses: [],
    failures: 0,
    lostBlocks: 0,
    migrations: 1,
    verified: true,
    ...more,
  };
}

const brokenBounds = (more: Partial<Findings>): string[] =>
  bounds(findings(more))
    .filter(({ holds }) => !holds)
    .map(({ name }) => name);

test("a soak in which all was well is within all bounds", () => {
  expect(brokenBounds({})).toEqual([]);
});

test.each<[string, Partial<Findings>]>([
  ["highest memory of its own, MiB", { samples: [aSample(), aSample({ own: 513 * MIB })] }],
  ["growth of it under the same load, MiB", { late: [aSample({ own: 165 * MIB })] }],
  ["open files when all clients have gone", { last: aSample({ files: 73 }) }],
  ["threads then", { last: aSample({ threads: 24 }) }],
  ["bytes of the data directory, MiB", { databaseBytes: 129 * MIB }],
  ["seconds without a block, of 60", { times: [0, 10, 60].map((each) => 1000 + each) }],
  ["reported blocks that were lost", { lostBlocks: 1 }],
  ["errors that must not happen", { failures: 1 }],
  ["migrations finished", { migrations: 0 }],
  ["flat state, trie and roots agree", { verified: false }],
])("it is not: %s", (name, more) => {
  expect(brokenBounds(more)).toEqual([name]);
});

test("seconds in which the node was down are not held against it", () => {
  expect(brokenBounds({ times: [1000, 1001, 1031], pauses: [{ from: 1_001_500, to: 1_030_500 }] })).toEqual(
    [],
  );
});
