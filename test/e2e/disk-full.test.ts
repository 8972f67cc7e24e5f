/**
 * The disk fills up, in fact: a small file system is filled to the brim while blocks are made, imported, saved and
 * copied. The node stops before it is full, says so, and goes on by itself; one that met the end of the disk is whole.
 */
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { ArchiveManifest } from "../../node/checkpoint/archive.ts";
import { MANIFEST_FILE } from "../../node/checkpoint/manifest.ts";
import { compactLevel } from "../../node/store/level-store.ts";
import { makeGoDirectory } from "../support/go-directory.ts";
import {
  type KnitProcess,
  type KnitRun,
  runKnit,
  runKnitBehind,
  startKnitBehind,
} from "../support/knit-process.ts";
import { makeTransferDirectory } from "../support/made-directory.ts";
import { importAll, initFrom, verifyDirectory } from "../support/offline-jobs.ts";
import { call, until } from "../support/rpc-client.ts";
import { hasSmallDisks, openSmallDisk, type SmallDisk } from "../support/small-disk.ts";
import { makeTransferChain } from "../support/transfer-chain.ts";

/** Skipped where the system gives nobody a file system of his own. */
const testOnDisk = hasSmallDisks() ? test : test.skip;
const LONG = 120_000;
const ALL = process.env["KNIT_ALL_CASES"] === "1";

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

/** Takes the refusal of a saving while another one runs. */
function unlessSaving(error: Error): void {
  if (error.message !== "saving trie node cache has been triggered already") throw error;
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
      await call(node.url, "admin_saveTrieNodeToDisk").catch(unlessSaving);
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

/** A chain, and what its copies are made of: a checkpoint of it, an archive, and the directory of a Go node. */
interface Copied {
  readonly datadir: string;
  readonly checkpoint: string;
  readonly archive: string;
  readonly genesis: string;
  readonly genesisHash: string;
  readonly go: string;
}

const BLOCKS = ALL ? 100 : 50;
let copied: Promise<Copied> | undefined;

async function makeCopied(): Promise<Copied> {
  const [datadir, checkpoint, archive, genesis, go] = ["own", "checkpoint", "archive", "own.json", "go"].map(
    (name) => join(scratch, name),
  ) as [string, string, string, string, string];
  const made = await makeTransferDirectory(datadir, { accounts: 2_000, blocks: BLOCKS, transfers: 30 });
  await writeFile(genesis, made.genesis);
  expect((await runKnit("checkpoint", "create", "--datadir", datadir, checkpoint)).code).toBe(0);
  expect((await runKnit("checkpoint", "push", "--datadir", datadir, checkpoint, archive)).code).toBe(0);
  const manifest = await readFile(join(checkpoint, MANIFEST_FILE), "utf8");
  const { genesisHash } = JSON.parse(manifest) as { genesisHash: string };
  await makeGoDirectory(datadir, go, { shards: 1, isCounted: false, isSingle: true, stateName: "statetrie" });
  await compactLevel(join(go, "klay", "chaindata")); // table files are linked, logs are copied
  return { datadir, checkpoint, archive, genesis, genesisHash, go };
}

const theCopied = (): Promise<Copied> => (copied ??= makeCopied());

/** The end of a command for which there is no room on the disk: one line with the reason and the file. */
function noRoom(disk: SmallDisk): KnitRun {
  const reason = `ENOSPC: no space left on device, \\w+ '${disk.directory}/.*'|IO error: ${disk.directory}/.*: No space left on device`;
  return {
    code: 1,
    output: expect.stringMatching(new RegExp(`^Fatal: .*(${reason})\n$`, "m")) as unknown as string,
  };
}

/** Megabytes that a disk has left, again and again: from none to less than is wanted in the end; by default one of them. */
const ROOMS_MB = ALL ? [0, 0.25, 0.5] : [0.25];

testOnDisk(
  "an import from a Go node fails wherever the disk is full, and goes on when there is room",
  async () => {
    const { go } = await theCopied();
    await using disk = await aDisk("from-go", 32);
    const at = ["--datadir", join(disk.directory, "data")];
    const run = () => runKnitBehind(disk.prefix, ["import-go", ...at, go]);
    for (const roomMb of ROOMS_MB) {
      await disk.fill(roomMb);
      expect(await run()).toEqual(noRoom(disk));
      expect(await disk.names("data/knit")).toEqual(["chaindata.import-go"]);
      await disk.release();
    }
    const whole = `the chain up to block ${BLOCKS}`;
    expect(await run()).toEqual({ code: 0, output: expect.stringContaining(whole) });
    expect(await disk.names("data/knit")).toEqual(["chaindata"]);
    expect((await runKnitBehind(disk.prefix, ["db", "verify", ...at])).code).toBe(0);
  },
  LONG,
);

testOnDisk(
  "a push to an archive on a full disk leaves whole files alone, and goes on when there is room",
  async () => {
    const { datadir, checkpoint } = await theCopied();
    await using disk = await aDisk("archive-on-disk", 16);
    const archive = join(disk.directory, "archive");
    const run = (...args: string[]) => runKnitBehind(disk.prefix, ["checkpoint", ...args]);
    const push = ["push", "--datadir", datadir, checkpoint, archive];
    for (const roomMb of ROOMS_MB) {
      await disk.fill(roomMb);
      expect(await run(...push)).toEqual(noRoom(disk));
      const names = await disk.names("archive/files");
      expect(names.filter((name) => !/^[0-9a-f]{64}$/.test(name))).toEqual([]);
      expect(await run("list", archive)).toEqual({ code: 0, output: "" });
      await disk.release();
    }
    expect(await run(...push)).toEqual({ code: 0, output: expect.stringMatching(/^pushed checkpoints\//m) });
    expect((await run("pull", archive, join(disk.directory, "pulled"), "--full")).code).toBe(0);
  },
  LONG,
);

/** The end of a pull for which there is no room: what is missing, and that the next one goes on. */
function noRoomForCopy(): KnitRun {
  const shortage =
    "(\\d+ bytes of the checkpoint are missing, \\d+ bytes of disk are free; |: )the verified files";
  return {
    code: 1,
    output: expect.stringMatching(
      new RegExp(
        `^Fatal: .*[Nn]o space left on device.*${shortage} are kept, and the next run goes on with them\n$`,
        "m",
      ),
    ) as unknown as string,
  };
}

/** Deletes from an archive the files that a draft has; returns their number. */
async function forget(archive: string, { names }: SmallDisk, draft: string): Promise<number> {
  const [manifest = ""] = await readdir(join(archive, "checkpoints"));
  const text = await readFile(join(archive, "checkpoints", manifest), "utf8");
  const { files } = JSON.parse(text) as ArchiveManifest;
  const missing = new Set<string>(); // two files may have the same bytes
  for (const { path, sha256 } of files) {
    const found = await names(join(draft, dirname(path))).catch((): string[] => []);
    if (!found.includes(basename(path))) missing.add(sha256);
  }
  const kept = files.filter(({ sha256 }) => !missing.has(sha256));
  for (const { sha256 } of kept) await rm(join(archive, "files", sha256), { force: true });
  return kept.length;
}

testOnDisk.each(["run", "init"])(
  "knit %s --bootstrap keeps what it has where the copy does not fit, and goes on with it when there is room",
  async (command) => {
    const { archive: whole, genesis, genesisHash } = await theCopied();
    const archive = join(scratch, `bootstrap-${command}-archive`);
    await cp(whole, archive, { recursive: true });
    await using disk = await aDisk(`bootstrap-${command}`, 16);
    const at = ["--datadir", join(disk.directory, "data")];
    const from = ["--bootstrap", archive, "--bootstrap.genesis-hash", genesisHash];
    const alone = ["--nodiscover", "--port", "0", "--ipcdisable"];
    const run = (...args: string[]) => runKnitBehind(disk.prefix, args);
    const rest = command === "run" ? alone : [genesis];
    const attempt = async (roomMb: number): Promise<number> => {
      await disk.fill(roomMb);
      expect(await run(command, ...at, ...from, ...rest)).toEqual(noRoomForCopy());
      expect(await disk.names("data/knit")).toEqual(["chaindata.bootstrap.partial"]);
      const kept = await forget(archive, disk, "data/knit/chaindata.bootstrap.partial");
      await disk.release();
      return kept;
    };
    let kept = 0;
    for (const roomMb of ROOMS_MB) kept = await attempt(roomMb);
    // one large file of those that arrive together may take the room of all
    for (let again = 0; kept === 0 && again < 10; again++) kept = await attempt(0.5);
    expect(kept).toBeGreaterThan(0);
    expect((await run("init", ...at, ...from, genesis)).code).toBe(0);
    expect(await disk.names("data/knit")).toEqual(["chaindata"]);
    expect(await run("db", "verify", ...at)).toEqual({
      code: 0,
      output: expect.stringContaining(`agree at block ${BLOCKS}:`),
    });
  },
  LONG,
);
