/**
 * Checkpoints of running nodes and of directories, as whole programs: another node starts from one, kills leave them
 * whole or absent, and another file system gets a copy or, when it is full, nothing.
 */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { fundedKey, startDevNode } from "../support/dev-node.ts";
import { killLimitMs, killSeed, killsOfAKind, sleepBetween } from "../support/kills.ts";
import { runKnit, runKnitBehind, startKnit } from "../support/knit-process.ts";
import { importAll, initFrom, verifyDirectory } from "../support/offline-jobs.ts";
import { prepareCommands, runCommands } from "../support/page.ts";
import { call, until } from "../support/rpc-client.ts";
import { hasSmallDisks, openSmallDisk } from "../support/small-disk.ts";
import { makeTransferChain } from "../support/transfer-chain.ts";

const BLOCKS = 120;
const KILLS = killsOfAKind === 1 ? 1 : 2 * killsOfAKind;
const LIMIT_MS = killLimitMs(KILLS);
const testOnDisk = hasSmallDisks() ? test : test.skip;

let scratch = "";
let datadir = "";
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "knit-checkpoints-"));
  datadir = join(scratch, "data");
  const made = join(scratch, "made");
  await makeTransferChain(made, { accounts: 60, blocks: BLOCKS, transfers: 8 });
  await initFrom(datadir, join(made, "genesis.json"));
  expect(await importAll(datadir, join(made, "chain.rlp.gz"))).toBe(BLOCKS);
}, 60_000);
afterAll(() => rm(scratch, { recursive: true, force: true }));

test("a running node gives away a checkpoint over its socket alone, and another node starts from it", async () => {
  const [own, copy] = [join(scratch, "dev"), join(scratch, "from-dev")];
  const node = await startDevNode("--datadir", own, "--block-time", "auto", "--rpcapi", "admin,eth,chain");
  const [from, to] = [fundedKey(node, 0).address, fundedKey(node, 1).address];
  let sent = 0;
  const stop = new AbortController();
  const sending = (async () => {
    while (!stop.signal.aborted) {
      await call(node.http, "eth_sendTransaction", { from, to, value: "0x1", gas: "0x5208" });
      sent++;
    }
  })();
  await until(async () => (sent >= 20 ? true : undefined));
  const before = Number(await call(node.http, "eth_blockNumber"));
  const { code, output } = await runKnit("checkpoint", "create", "--datadir", own, copy);
  expect(output).toMatch(/^created .*from-dev: chain 1337, block \d+ 0x/);
  expect(code).toBe(0);
  const over = Number(await call(node.http, "eth_blockNumber"));
  await expect(call(node.http, "admin_createCheckpoint", join(scratch, "no"))).rejects.toMatchObject({
    code: -32_601,
  });
  stop.abort();
  await sending;
  const refused = await runKnit("checkpoint", "create", "--datadir", own, copy);
  expect(refused).toMatchObject({ code: 1, output: expect.stringContaining("is not empty") as unknown });
  const verified = await runKnit("checkpoint", "verify", copy, "--full");
  expect(verified.output).toMatch(/is sound: .*\n.*flat state, trie and root agree at block \d+/);
  const head = Number(/at block (\d+)/.exec(verified.output)?.[1]);
  expect(head).toBeGreaterThanOrEqual(before);
  expect(head).toBeLessThanOrEqual(over);
  const hash = (
    (await call(node.http, "eth_getBlockByNumber", `0x${head.toString(16)}`, false)) as { hash: string }
  ).hash;
  expect(await node.knit.stop()).toBe(0);
  const flags = ["--rpc", "--rpcport", "0", "--rpcapi", "eth", "--nodiscover", "--port", "0", "--ipcdisable"];
  const other = startKnit("run", "--datadir", copy, ...flags);
  const [url] = await other.waitFor(/http:\/\/127\.0\.0\.1:\d+/);
  expect(await call(url, "eth_getBlockByNumber", "latest", false)).toMatchObject({ hash });
  expect(await other.stop()).toBe(0);
}, 60_000);

test("a running node backs itself up over its socket alone, and a kill leaves nothing beside the databases", async () => {
  const [own, archive, file] = ["backed", "archive", "backup.json"].map((name) => join(scratch, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(file, JSON.stringify({ url: archive, keep: 1, verify: true }));
  const flags = ["--datadir", own, "--backup.file", file, "--rpcapi", "admin,eth"];
  const node = await startDevNode(...flags);
  await expect(call(node.http, "admin_startBackup")).rejects.toMatchObject({ code: -32_601 });
  const ask = async (method: string): Promise<unknown> => {
    const { code, output } = await runKnit("rpc", "--datadir", own, method);
    expect({ code, output }).toMatchObject({ code: 0 });
    return JSON.parse(output);
  };
  await ask("admin_startBackup");
  const status = await until(async () => {
    const found = (await ask("admin_backupStatus")) as { isRunning: boolean; err: unknown; last: object };
    return found.isRunning ? undefined : found;
  });
  expect(status).toMatchObject({ err: null, last: { archive, isVerified: true } });
  expect((await runKnit("checkpoint", "list", archive)).output).toMatch(
    /^checkpoints\/.*: chain 1337, block/,
  );
  await mkdir(join(own, "knit", "chaindata", "backup.partial"));
  await node.knit.stop("SIGKILL");
  const again = await startDevNode(...flags);
  expect(existsSync(join(own, "knit", "chaindata", "backup.partial"))).toBe(false);
  expect(await again.knit.stop()).toBe(0);
}, 60_000);

test(
  `a checkpoint is whole or absent after ${KILLS} kills of its process (seed ${killSeed})`,
  async () => {
    for (let kill = 0; kill < KILLS; kill++) {
      const copy = join(scratch, `killed-${kill % 2}`);
      const knit = startKnit("checkpoint", "create", "--datadir", datadir, copy);
      await sleepBetween(100, 900);
      await knit.stop("SIGKILL");
      if (!existsSync(copy)) continue;
      const { code, output } = await runKnit("checkpoint", "verify", copy, "--full");
      expect(output).toMatch(/is sound/);
      expect(code).toBe(0);
      await rm(copy, { recursive: true });
    }
    const last = join(scratch, "killed-0");
    expect(await runKnit("checkpoint", "create", "--datadir", datadir, last)).toMatchObject({ code: 0 });
    expect(await readdir(join(datadir, "knit", "chaindata"))).toEqual(["blocks", "chain", "trie"]);
    expect((await verifyDirectory(last)).head).toBe(BLOCKS);
    expect((await verifyDirectory(datadir)).head).toBe(BLOCKS);
  },
  LIMIT_MS,
);

test(
  `archives and what is pulled from them are whole or absent after ${KILLS} kills each (seed ${killSeed})`,
  async () => {
    const [copy, archive, pulled] = ["to-push", "archive", "pulled"].map((name) => join(scratch, name)) as [
      string,
      string,
      string,
    ];
    expect(await runKnit("checkpoint", "create", "--datadir", datadir, copy)).toMatchObject({ code: 0 });
    const push = ["checkpoint", "push", "--datadir", datadir, copy, archive];
    const pull = ["checkpoint", "pull", archive, pulled, "--full"];
    for (let kill = 0; kill < KILLS; kill++) {
      await runAndKill(...push);
      const { output } = await runKnit("checkpoint", "list", archive);
      expect(output).not.toContain("refused");
    }
    const { code, output } = await runKnit(...push);
    expect(output).toMatch(/pushed checkpoints\/0{9}120-/);
    expect(code).toBe(0);
    for (let kill = 0; kill < KILLS; kill++) {
      await runAndKill(...pull);
      if (existsSync(pulled)) expect((await verifyDirectory(pulled)).head).toBe(BLOCKS);
      await rm(pulled, { recursive: true, force: true });
    }
    expect(await runKnit(...pull)).toMatchObject({ code: 0 });
  },
  2 * LIMIT_MS,
);

test("a genesis file and an archive make a node of that chain; an archive of another chain leaves nothing", async () => {
  const [copy, archive, started, other] = ["to-init", "init-archive", "init-started", "init-other"].map(
    (name) => join(scratch, name),
  ) as [string, string, string, string];
  expect(await runKnit("checkpoint", "create", "--datadir", datadir, copy)).toMatchObject({ code: 0 });
  expect(await runKnit("checkpoint", "push", "--datadir", datadir, copy, archive)).toMatchObject({ code: 0 });
  const genesis = join(scratch, "made", "genesis.json");
  const init = ["init", "--datadir", started, "--bootstrap", archive, genesis];
  for (let time = 0; time < 2; time++) expect(await runKnit(...init)).toMatchObject({ code: 0 });
  expect((await verifyDirectory(started)).head).toBe(BLOCKS);
  const foreign = join(scratch, "foreign.json");
  await writeFile(foreign, (await readFile(genesis, "utf8")).replace(/"timestamp": ?"0x/, "$&1"));
  const refused = await runKnit("init", "--datadir", other, "--bootstrap", archive, foreign);
  expect(refused.output).toContain("the checkpoint has the genesis");
  expect(refused.code).not.toBe(0);
  expect(existsSync(join(other, "knit", "chaindata", "chain"))).toBe(false);
});

/** Pulls the plug of a command. */
async function runAndKill(...command: string[]): Promise<void> {
  const knit = startKnit(...command);
  await sleepBetween(100, 900);
  await knit.stop("SIGKILL");
}

test("a checkpoint goes through a pipe", async () => {
  const [copy, piped] = [join(scratch, "to-pipe"), join(scratch, "piped")];
  expect(await runKnit("checkpoint", "create", "--datadir", datadir, copy)).toMatchObject({ code: 0 });
  prepareCommands(scratch);
  const text = `set -o pipefail; knit checkpoint push --datadir ${datadir} ${copy} - | knit checkpoint pull - ${piped}`;
  const { code, output, complaint } = await runCommands(scratch, text);
  expect({ code, complaint }).toMatchObject({ code: 0 });
  expect(output).toMatch(/^pulled .*piped: chain 9001, block 120 /);
  expect((await verifyDirectory(piped)).head).toBe(BLOCKS);
}, 30_000);

async function aCheckpoint(): Promise<string> {
  const path = await mkdtemp(join(scratch, "made-"));
  expect(await runKnit("checkpoint", "create", "--datadir", datadir, path)).toMatchObject({ code: 0 });
  return path;
}

testOnDisk(
  "another file system gets a copy, or nothing when it is full; a pull goes on there when there is room",
  async () => {
    const mount = join(scratch, "disk");
    await mkdir(mount);
    await using disk = await openSmallDisk(mount, 64);
    const [first, second] = [join(mount, "first"), join(mount, "second")];
    const create = (to: string) =>
      runKnitBehind(disk.prefix, ["checkpoint", "create", "--datadir", datadir, to]);
    const made = await create(first);
    expect(made.output).toMatch(/copy \[#+\] 100%[^]*created /);
    expect(made.code).toBe(0);
    const verified = await runKnitBehind(disk.prefix, ["checkpoint", "verify", first, "--full"]);
    expect(verified).toMatchObject({ code: 0 });
    await disk.fill(0);
    const full = await create(second);
    expect(full).toMatchObject({ code: 1, output: expect.stringContaining("ENOSPC") as unknown });
    expect(await disk.names()).toEqual(["first"]);
    expect((await readdir(join(datadir, "knit", "chaindata"))).toSorted()).toEqual([
      "blocks",
      "chain",
      "trie",
    ]);
    const archive = join(scratch, "for-disk");
    await runKnit("checkpoint", "push", "--datadir", datadir, await aCheckpoint(), archive);
    const pull = () => runKnitBehind(disk.prefix, ["checkpoint", "pull", archive, join(mount, "pulled")]);
    const goesOn = /ENOSPC.* bytes of the checkpoint are missing.*, and the next run goes on with them\n$/;
    expect(await pull()).toMatchObject({ code: 1, output: expect.stringMatching(goesOn) as unknown });
    expect((await disk.names()).toSorted()).toEqual(["first", "pulled.partial"]);
    await disk.release();
    expect(await pull()).toMatchObject({ code: 0 });
    expect(await create(second)).toMatchObject({ code: 0 });
  },
  60_000,
);
