/** The progress that an import shows. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { importChain } from "../../../node/compose/offline-jobs.ts";
import { initFrom } from "../../support/offline-jobs.ts";
import { makeTransferChain } from "../../support/transfer-chain.ts";
import { optionsOf } from "../../support/whole-directory.ts";

let scratch = "";

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "knit-progress-"));
  await makeTransferChain(scratch, { accounts: 10, blocks: 20, transfers: 2, tokenEvery: 3 });
});

afterAll(() => rm(scratch, { recursive: true }));

test("a packed file that is read ahead as a whole shows no total of blocks", async () => {
  const datadir = join(scratch, "data");
  await initFrom(datadir, join(scratch, "genesis.json"));
  const updates: [done: number, total: number | undefined][] = [];
  const { blocks } = await importChain(optionsOf(datadir), {
    files: [join(scratch, "chain.rlp.gz")],
    progress: {
      update: (done, total) => void updates.push([done, total]),
      [Symbol.dispose]: () => undefined,
    },
    signal: new AbortController().signal,
  });
  expect(blocks).toBe(20);
  expect(updates).toEqual(Array.from({ length: updates.length }, (_, i) => [i + 1, undefined]));
  expect(updates.length).toBeGreaterThanOrEqual(blocks);
});
