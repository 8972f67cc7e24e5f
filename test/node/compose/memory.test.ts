/** Tests of the division of memory, and docs/memory.md. */
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import {
  type MemoryShares,
  MIN_MEMORY_BYTES,
  memoryParts,
  openTablesOf,
  planMemory,
} from "../../../node/compose/memory-plan.ts";
import { byteSize } from "../../../node/options/kinds.ts";
import { MEMORY_DOCS, memoryDocs } from "../../../scripts/memory-docs.ts";
import { LINUX, options } from "../../support/options.ts";

const MIB = 2 ** 20;

/** Sum of the parts outside the heap, and the part of the heap's rows. */
function sums(shares: MemoryShares): { whole: number; onHeap: number } {
  const sum = { whole: 0, onHeap: 0 };
  for (const [name, row] of Object.entries(memoryParts)) {
    sum["onHeap" in row ? "onHeap" : "whole"] += shares[name as keyof MemoryShares] ?? 0; // names of the table
  }
  return sum;
}

test("a size is a number of bytes, with a decimal or a binary unit", () => {
  const sizes = ["2000000000", "512MiB", "512Mi", "1.5GB", "2g", "64 kb", "0"].map((text) =>
    byteSize.parse(text),
  );
  expect(sizes).toEqual([2e9, 512 * MIB, 512 * MIB, 1.5e9, 2e9, 64_000, 0]);
  for (const text of ["", "-1", "MiB", "1.MiB", "1e9", "12 parsecs", "0x10", "9".repeat(30)]) {
    expect(() => byteSize.parse(text)).toThrow("a size such as 512MiB or 2GB");
  }
});

test("all parts full at once fit into the limit, and none exceeds its upper bound", () => {
  for (let limit = MIN_MEMORY_BYTES; limit < 256 * 2 ** 30; limit = Math.floor(limit * 1.37)) {
    const plan = planMemory(limit, {});
    if (!("limit" in plan)) throw new Error(`no plan for ${limit}`);
    const { whole, onHeap } = sums(plan.shares);
    expect(whole).toBeLessThanOrEqual(limit);
    // Blocks, transactions and the program's own objects have a third of the heap that no caller can take.
    expect(onHeap).toBeLessThan(0.67 * (plan.shares.heap ?? 0));
    for (const [name, { maxBytes }] of Object.entries(memoryParts)) {
      expect(plan.shares[name as keyof MemoryShares]).toBeLessThanOrEqual(maxBytes); // names of the table
    }
  }
});

test("the open table files of both databases that the engine does not map fit into their part", () => {
  for (const limit of [MIN_MEMORY_BYTES, 2 ** 30, 2 ** 34]) {
    const plan = planMemory(limit, {});
    if (!("limit" in plan)) throw new Error(`no plan for ${limit}`);
    const unmapped = 2 * openTablesOf(plan.shares) - 1000;
    expect(unmapped).toBeGreaterThan(300);
    expect(unmapped * 32 * 1024).toBeLessThanOrEqual(plan.shares.openTables ?? 0);
  }
});

test("without a limit parts have default sizes, and the engine sizes its heaps", () => {
  const { memory, rpc } = options().options;
  expect(memory.limit).toBeUndefined();
  expect(memory.shares).toMatchObject({ heap: undefined, readers: undefined, trieCache: 32 * MIB });
  expect(rpc.maxAnswerBytes).toBe(25_000_000);
});

test("what a flag says of a part comes first, and the others share what it leaves", () => {
  const line = {
    "max-memory": "1GiB",
    "state.trie-cache-limit": "400",
    "db.leveldb.cache-size": "8",
    "rpc.max-answer-bytes": "7",
  };
  const { memory, rpc } = options({ line }).options;
  expect(memory.shares).toMatchObject({ trieCache: 400 * MIB, databaseCache: 8 * MIB });
  expect(rpc.maxAnswerBytes).toBe(7);
  expect(sums(memory.shares).whole).toBeLessThanOrEqual(2 ** 30);
  const { shares } = options({ line: { "max-memory": "1GiB" } }).options.memory;
  expect(memory.shares.heap).toBeLessThan(shares.heap ?? 0);
});

test("a limit that is too low is refused with what would do", () => {
  expect(() => options({ line: { "max-memory": "100MiB" } })).toThrow(
    "--max-memory 100MiB is too little: a node needs 367MiB",
  );
  expect(() => options({ line: { "max-memory": "1GiB", "state.trie-cache-limit": "1000" } })).toThrow(
    "--max-memory 1024MiB is too little: with the configured caches a node needs 1345MiB",
  );
  expect(options({ line: { "max-memory": "1345MiB", "state.trie-cache-limit": "1000" } }).warnings).toEqual(
    [],
  );
});

test("a container's limit holds where no other is given; one that is too small is told", () => {
  const inside = { ...LINUX, containerBytes: 2 ** 30 };
  expect(options({}, inside).options.memory.limit).toBe(Math.floor(0.9 * 2 ** 30));
  expect(options({ line: { "max-memory": "400MiB" } }, inside).options.memory.limit).toBe(400 * MIB);
  expect(options({ line: { "max-memory": "0" } }, inside).options.memory.limit).toBeUndefined();
  const { options: small, warnings } = options({}, { ...LINUX, containerBytes: 200 * MIB });
  expect(small.memory.limit).toBe(MIN_MEMORY_BYTES);
  expect(warnings).toEqual(["the container's memory limit is 200MiB: a node with these flags needs 367MiB"]);
});

test("the page about memory says what the table says; node scripts/memory-docs.ts writes it anew", () => {
  expect(readFileSync(MEMORY_DOCS, "utf8")).toBe(memoryDocs());
});
