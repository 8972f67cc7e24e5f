/** Tests of the fuzzer: the kept inputs of each decoder, and a defect that only coverage leads to. */
import { execFileSync } from "node:child_process";
import { expect, test } from "@jest/globals";
import { concatBytes } from "../../node/bytes/compare.ts";
import { BytesError } from "../../node/bytes/error.ts";
import { decodeRlp, decodeRlpTree, encodeRlp } from "../../node/bytes/rlp.ts";
import { P2pError } from "../../node/p2p/error.ts";
import { messages } from "../../node/protocol/messages.ts";
import { readCorpus } from "../support/fuzz/corpus.ts";
import { problemWith } from "../support/fuzz/fuzzer.ts";
import { mutateRlp } from "../support/fuzz/mutate-rlp.ts";
import { fuzzTargets } from "../support/fuzz/targets.ts";
import { seededRandom } from "../support/random.ts";

test.each(fuzzTargets)("$name: no seed and no kept input has a finding", async (target) => {
  const inputs = [...target.seeds(), ...readCorpus(target.name)];
  expect(inputs.length).toBeGreaterThan(0);
  for (const input of inputs) expect(await problemWith(target, input)).toBeUndefined();
});

/** A search of its own process: the counters of one that has loaded all sources take 20 ms to read. */
const SEARCH = `
  import { fuzzTarget } from ${JSON.stringify(new URL("../support/fuzz/fuzzer.ts", import.meta.url).href)};
  const magic = Buffer.from("Kni");
  let depth = 0;
  function run(input) {
    depth = 0;
    if (input[0] !== magic[0]) return;
    depth = 1;
    if (input[1] !== magic[1]) return;
    depth = 2;
    if (input[2] !== magic[2]) return;
    throw new TypeError("defect behind " + depth + " bytes");
  }
  const target = { name: "magic", seeds: () => [Buffer.from("-----")], run, refuses: [], covers: "[eval" };
  const { finding } = await fuzzTarget(target, { seed: 5, milliseconds: 60_000, corpus: [] });
  console.log(Buffer.from(finding?.input ?? []).toString("latin1").slice(0, 3), finding?.problem);`;

test("coverage leads to a defect behind three bytes that no blind mutation meets", () => {
  const found = execFileSync(process.execPath, ["--input-type=module", "-e", SEARCH], { encoding: "utf8" });
  expect(found).toMatch(/^Kni TypeError: defect behind 2 bytes\n/);
}, 120_000);

/** Throws another error for an input with bytes than for one without. */
function refuse(input: Uint8Array): void {
  throw input.length === 0 ? new BytesError("bad-rlp", "no item") : new P2pError("bad-message", "no item");
}

test("an error that the decoder does not document is a finding, one of its own is not", async () => {
  const target = { name: "refusing", seeds: () => [], run: refuse, refuses: [BytesError] };
  expect(await problemWith(target, new Uint8Array(0))).toBeUndefined();
  expect(await problemWith(target, new Uint8Array(1))).toContain("P2pError: no item");
});

/** Takes 600 ms of processor time. */
function compute(): void {
  let used = 0;
  for (const begun = process.threadCpuUsage(); used < 600_000; ) {
    const { user, system } = process.threadCpuUsage(begun);
    used = user + system;
  }
}

test("an input that takes processor time for long is a finding", async () => {
  const target = { name: "slow", seeds: () => [], run: compute, refuses: [] };
  expect(await problemWith(target, new Uint8Array(0))).toMatch(/^it took [0-9]+ ms$/);
});

test("RLP is mutated by its structure: most results are whole, other items, others lie about their length", () => {
  const random = seededRandom(3);
  const list = encodeRlp([Uint8Array.of(1), [new Uint8Array(40).fill(7), []], Uint8Array.of(2, 0)]);
  const pick = (count: number): number => Math.floor(random() * count);
  const typed = concatBytes(Uint8Array.of(0x78, 0x02), list);
  const kinds = { whole: 0, nested: 0, huge: 0, damaged: 0 };
  for (let i = 0; i < 2_000; i++) {
    const mutated = mutateRlp(typed, pick) ?? new Uint8Array(0);
    expect([...mutated.subarray(0, 2)]).toEqual([0x78, 0x02]);
    try {
      const { raw, payload } = decodeRlp(mutated.subarray(2));
      kinds[payload.length > 20_000 ? "huge" : "whole"]++;
      decodeRlpTree(decodeRlp(raw));
    } catch (error) {
      kinds[String(error).includes("nested deeper") ? "nested" : "damaged"]++;
    }
  }
  expect(kinds.whole).toBeGreaterThan(1_000);
  expect(kinds.nested).toBeGreaterThan(20);
  expect(kinds.huge).toBeGreaterThan(10);
  expect(kinds.damaged).toBeGreaterThan(100);
});

test("a message of every kind is among the seeds of peer messages", () => {
  const seeds = fuzzTargets.find(({ name }) => name === "peer-message")?.seeds() ?? [];
  const codes = new Set(seeds.map(([code]) => code));
  expect(Object.values(messages).filter(({ code }) => !codes.has(code))).toEqual([]);
});
