/** Data directories that Go nodes have written become those of nodes that have executed the same blocks. */
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { importGoDatadir } from "../../../node/compose/go-jobs.ts";
import type { GoImported } from "../../../node/go-data/import.ts";
import { tables } from "../../../node/store/tables.ts";
import { importedRows } from "../../support/go-directory.ts";
import { importAll, initFrom, verifyDirectory } from "../../support/offline-jobs.ts";
import { optionsOf } from "../../support/whole-directory.ts";

const VECTORS = "test/vectors";
/** Its sum comes from a state that live pruning has deleted. */
const SUPPLY_OF_BLOCK_0 = Buffer.from(tables.supply.key(0)).toString("hex");

let scratch = "";
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "knit-go-recorded-"));
});
afterAll(() => rm(scratch, { recursive: true }));

async function unpack(name: string): Promise<string> {
  const path = join(scratch, name);
  await mkdir(path);
  const { status } = spawnSync("tar", ["-xzf", join(VECTORS, "go-data", `${name}.tar.gz`), "-C", path]);
  expect(status).toBe(0);
  return path;
}

async function replay(chain: string, name: string): Promise<string> {
  const datadir = join(scratch, `${name}-replayed`);
  const folder = join(VECTORS, "chains", chain);
  await initFrom(datadir, join(folder, "genesis.json"));
  await importAll(datadir, join(folder, "chain.rlp.gz"));
  return datadir;
}

function importFrom(source: string, datadir: string, head?: number): Promise<GoImported> {
  return importGoDatadir(optionsOf(datadir), {
    source,
    head,
    from: undefined,
    signal: new AbortController().signal,
    onBlocks: () => undefined,
    onState: () => undefined,
    threads: 0, // loading the sources in a thread takes longer than these imports
  });
}

test.each([
  ["kaia22-full", "randao-ladder", 85, true],
  ["klaytn112-archive", "shanghai-klaytn112", 52, true],
  ["klaytn112-live-pruning", "randao-klaytn112", 55, false],
  ...(process.env["KNIT_ALL_CASES"] === "1"
    ? ([
        ["kaia22-live-pruning", "randao-ladder", 85, true],
        ["klaytn112-single", "shanghai-klaytn112", 52, true],
      ] as const)
    : []),
])(
  "%s holds what executing its blocks makes",
  async (name, chain, newest, hasFirstState) => {
    const datadir = join(scratch, `${name}-imported`);
    const { head } = await importFrom(await unpack(name), datadir);
    const replayed = await replay(chain, name);
    expect(head.header.number).toBe(newest);
    expect(await verifyDirectory(datadir)).toEqual(await verifyDirectory(replayed));
    const rows = await importedRows(replayed);
    if (!hasFirstState) rows.delete(SUPPLY_OF_BLOCK_0);
    expect(await importedRows(datadir)).toEqual(rows);
  },
  60_000,
);

test.each([
  ["klaytn112-archive", "shanghai-klaytn112", 20, 52],
  ["kaia22-full", "randao-ladder", 84, 85],
])(
  "%s gives an earlier state too, from which the next blocks are executed",
  async (name, chain, early, last) => {
    const datadir = join(scratch, `${name}-early`);
    const { head, newest } = await importFrom(join(scratch, name), datadir, early);
    expect([head.header.number, newest]).toEqual([early, last]);
    expect(await importAll(datadir, join(VECTORS, "chains", chain, "chain.rlp.gz"))).toBe(last);
    expect(await importedRows(datadir)).toEqual(await importedRows(join(scratch, `${name}-replayed`)));
  },
  60_000,
);
