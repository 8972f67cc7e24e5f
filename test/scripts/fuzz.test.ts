/** Tests of the fuzzer: the kept inputs of each decoder, and a defect that only coverage leads to. */
import { expect, test } from "@jest/globals";
import { readCorpus } from "../support/fuzz/corpus.ts";
import { fuzzTarget, problemWith } from "../support/fuzz/fuzzer.ts";
import { fuzzTargets } from "../support/fuzz/targets.ts";

test.each(fuzzTargets)("$name: no seed and no kept input has a finding", (target) => {
  const inputs = [...target.seeds(), ...readCorpus(target.name)];
  expect(inputs.length).toBeGreaterThan(0);
  for (const input of inputs) expect(problemWith(target, input)).toBeUndefined();
});

test("coverage leads to a defect behind three bytes that no blind mutation meets", () => {
  const magic = Buffer.from("Kni");
  let depth = 0;
  const run = (input: Uint8Array): void => {
    depth = 0;
    if (input[0] !== magic[0]) return;
    depth = 1;
    if (input[1] !== magic[1]) return;
    depth = 2;
    if (input[2] !== magic[2]) return;
    throw new TypeError(`defect behind ${depth} bytes`);
  };
  const target = { name: "magic", seeds: () => [Buffer.from("-----")], run, covers: "fuzz.test.ts" };
  const { finding } = fuzzTarget(target, { seed: 5, milliseconds: 60_000, corpus: [] });
  expect(finding?.problem).toContain("TypeError: defect behind 2 bytes");
  expect(
    Buffer.from(finding?.input ?? [])
      .toString("latin1")
      .startsWith("Kni"),
  ).toBe(true);
});
