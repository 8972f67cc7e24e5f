/**
 * The disk fills up, in fact: a small file system is filled to the brim while blocks are made, imported, saved and
 * copied. The node stops before it is full, says so, and goes on by itself; one that met the end of the disk is whole.
 */
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type KnitProcess, runKnitBehind, startKnitBehind } from "../support/knit-process.ts";
import { importAll, initFrom, verifyDirectory } from "../support/offline-jobs.ts";
import { call, until } from "../support/rpc-client.ts";
import { hasSmallDisks, openSmallDisk, type SmallDisk } from "../support/small-disk.ts";
import { makeTransferChain } from "../support/transfer-chain.ts";

/** Skipped where the system gives nobody a file system of his own. */
const testOnDisk = hasSmallDisks() ? test : test.skip;
const LONG = 120_000;

let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "knit-full-"));
});
afterAll(() => rm(scratch, { recursive: true }));

async function aDisk(name: string, sizeMb: number): Promise<SmallDisk> {
  const directory = join(scratch, name);
  await mkdir(directory);
  return openSmallDisk(directory, sizeMb);
}

interface DevNode {
  readonly knit: KnitProcess;
  readonly url: string;
  readonly metrics: string;
}

const ENDPOINTS = /HTTP +(http:\S+)[^]*Metrics +(http:\S+)\n/;

async function startDev({ prefix, directory }: SmallDisk, leastMb: number): Promise<DevNode> {
  const ports = ["--rpcport", "0", "--wsport", "0", "--prometheusport", "0", "--ipcdisable"];
  const flags = ["--datadir", join(directory, "data"), "--db.min-free", String(leastMb)];
  const knit = startKnitBehind(prefix, ["dev", ...flags, ...ports, "--rpcapi", "admin,chain,eth"]);
  const [, url = "", metrics = ""] = await knit.waitFor(ENDPOINTS);
  return { knit, url, metrics };
}

const height = async ({ url }: DevNode): Promise<number> => Number(await call(url, "eth_blockNumber"));

async function untilHigher(node: DevNode, than: number): Promise<void> {
  await until(async () => ((await height(node)) > than ? true : undefined));
}

/** Resolves when readiness gives `disk-low` as a reason, or no longer; a migration beside it may be one, too. */
function untilDiskLow({ metrics }: DevNode, low: boolean): Promise<true> {
  return until(async () => {
    const answer = await fetch(new URL("/readyz", metrics));
    const { reasons } = (await answer.json()) as { reasons: string[] };
    return reasons.includes("disk-low") === low ? true : undefined;
  });
}

/** Resolves when the last migration has ended like this. */
async function untilMigrated({ url }: DevNode, end: RegExp): Promise<void> {
  await until(async () => {
    const status = (await call(url, "admin_stateMigrationStatus")) as { isMigration: boolean; err: string };
    return !status.isMigration && end.test(status.err) ? true : undefined;
  });
}

async function transfer({ url }: DevNode): Promise<void> {
  const [from, to] = (await call(url, "eth_accounts")) as [string, string];
  await call(url, "eth_sendTransaction", { from, to, value: "0x1", gas: "0x5208" });
}

testOnDisk(
  "before the disk is full no more blocks are made; a migration and a saving wait or fail, and all goes on",
  async () => {
    await using disk = await aDisk("low", 220);
    const node = await startDev(disk, 16);
    await untilHigher(node, 0);
    const file = join(disk.directory, "chain.rlp");
    await disk.fill(18); // blocks need 16, and exports leave them a quarter more
    expect(await call(node.url, "admin_exportChain", file)).toBe(false);
    await node.knit.waitFor(/reason=".*: \d+ bytes of disk are free, 20971520 are needed"/);
    await disk.release();
    expect(await call(node.url, "admin_exportChain", file)).toBe(true);
    await disk.fill(100);
    expect(await call(node.url, "admin_startStateMigration")).toBeNull();
    await untilMigrated(node, /^\d+ bytes of disk are free, \d+ are needed$/);
    await disk.fill(8);
    await untilDiskLow(node, true);
    await node.knit.waitFor(/disk is nearly full: no blocks are written/);
    await until(async () => {
      const scraped = await (await fetch(node.metrics)).text();
      return Number(/^knit_head_age_seconds (\S+)$/m.exec(scraped)?.[1]) > 3 ? true : undefined;
    });
    expect(await call(node.url, "admin_startStateMigration")).toBeNull();
    await until(async () => {
      await disk.fill(0); // a compaction may give some of it back
      expect(await call(node.url, "admin_saveTrieNodeToDisk")).toBeNull();
      return /trie nodes not saved/.test(node.knit.output()) ? true : undefined;
    });
    const stopped = await height(node);
    await transfer(node);
    expect(await height(node)).toBe(stopped);
    await disk.release();
    await untilDiskLow(node, false);
    await untilHigher(node, stopped);
    await untilMigrated(node, /^null$/);
    expect(await call(node.url, "admin_saveTrieNodeToDisk")).toBeNull();
    await node.knit.waitFor(/saved trie nodes/);
    expect(await node.knit.stop()).toBe(0);
    const verify = await runKnitBehind(disk.prefix, [
      "db",
      "verify",
      "--datadir",
      join(disk.directory, "data"),
    ]);
    expect(verify).toEqual({ code: 0, output: expect.stringContaining("agree at block") });
  },
  LONG,
);

testOnDisk(
  "a node that is told to use the disk to its end stops there, and goes on at its last block",
  async () => {
    await using disk = await aDisk("end", 48);
    const node = await startDev(disk, 0);
    await untilHigher(node, 0);
    const reported = await height(node);
    await disk.fill(0);
    const ended = exit(node.knit);
    const over = new AbortController();
    void ended.then(() => over.abort());
    while (!over.signal.aborted) await transfer(node).catch(() => ended); // what cannot be sent is not answered by anybody
    expect(await ended).toBe(1);
    expect(node.knit.output()).toMatch(/Fatal: write failed: .*No space left on device/);
    await disk.release();
    const again = await startDev(disk, 0);
    expect(await height(again)).toBeGreaterThanOrEqual(reported);
    await untilHigher(again, reported + 1);
    expect(await again.knit.stop()).toBe(0);
    const verify = await runKnitBehind(disk.prefix, [
      "db",
      "verify",
      "--datadir",
      join(disk.directory, "data"),
    ]);
    expect(verify.code).toBe(0);
  },
  LONG,
);

async function exit({ child }: KnitProcess): Promise<number | null> {
  const [code] = (await once(child, "exit")) as [number | null];
  return code;
}

testOnDisk(
  "an import stops before the disk is full with what it has, and goes on there later",
  async () => {
    await using disk = await aDisk("import", 200); // a command wants 128 of them free
    const made = join(scratch, "made");
    await makeTransferChain(made, { accounts: 10, blocks: 20, transfers: 2 });
    const at = ["--datadir", join(disk.directory, "data")];
    const run = (...args: string[]) => runKnitBehind(disk.prefix, args);
    expect((await run("init", ...at, join(made, "genesis.json"))).code).toBe(0);
    await disk.fill(100);
    expect(await run("import", ...at, join(made, "chain.rlp.gz"))).toEqual({
      code: 1,
      output: expect.stringMatching(/disk is nearly full: no blocks are written until there is room/),
    });
    await disk.release();
    expect(await run("import", ...at, join(made, "chain.rlp.gz"))).toEqual({
      code: 0,
      output: expect.stringContaining("the newest block is 20"),
    });
    await disk.fill(100);
    expect(await run("export", ...at, join(disk.directory, "chain.rlp"))).toEqual({
      code: 1,
      output: expect.stringMatching(
        /^Fatal: cannot write .*: \d+ bytes of disk are free, \d+ are needed\n$/m,
      ),
    });
    await disk.fill(0);
    expect(await run("export", ...at, join(scratch, "elsewhere.rlp"))).toEqual({
      code: 1,
      output: expect.stringMatching(/^Fatal: .*No space left on device.*\n$/m),
    });
    expect(await disk.names()).toEqual(["data"]);
    await disk.release();
    expect((await run("db", "verify", ...at)).code).toBe(0);
  },
  LONG,
);

testOnDisk(
  "an export that does not fit leaves nothing behind, and the database as it was",
  async () => {
    await using disk = await aDisk("export", 8);
    const [made, datadir] = [join(scratch, "exported"), join(scratch, "exporting")];
    await makeTransferChain(made, { accounts: 10, blocks: 5, transfers: 2 });
    await initFrom(datadir, join(made, "genesis.json"));
    expect(await importAll(datadir, join(made, "chain.rlp.gz"))).toBe(5);
    await disk.fill(0);
    const file = join(disk.directory, "chain.rlp");
    const run = () => runKnitBehind(disk.prefix, ["export", "--datadir", datadir, file]);
    expect(await run()).toEqual({
      code: 1,
      output: expect.stringMatching(
        /^Fatal: cannot write .*chain\.rlp: ENOSPC: no space left on device.*\n$/m,
      ),
    });
    expect(await disk.names()).toEqual([]);
    await disk.release();
    expect(await run()).toEqual({ code: 0, output: expect.stringContaining("exported 6 blocks") });
    expect(await disk.names()).toEqual(["chain.rlp"]);
    await verifyDirectory(datadir);
  },
  LONG,
);
