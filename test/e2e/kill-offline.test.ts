/**
 * The plug is pulled, as in kill.test.ts, of commands that work on a data directory: imports, imports from a Go node
 * and rewinds; and of a node that lets go of old blocks.
 */
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { importedRows, makeGoDirectory } from "../support/go-directory.ts";
import { killLimitMs, killSeed, killsOfAKind, random, sleepBetween } from "../support/kills.ts";
import { type KnitProcess, runKnit, startKnit } from "../support/knit-process.ts";
import { exportTo, importAll, initFrom, oldestWhole, verifyDirectory } from "../support/offline-jobs.ts";
import { call, until } from "../support/rpc-client.ts";
import { makeTransferChain } from "../support/transfer-chain.ts";

const BLOCKS = 200;
/** They are cheap. */
const KILLS = killsOfAKind + 1;
const LIMIT_MS = killLimitMs(KILLS);
let directory: string;
let made: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "knit-kill-offline-"));
  made = join(directory, "made");
  await makeTransferChain(made, { accounts: 60, blocks: BLOCKS, transfers: 8 });
}, 60_000);
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Pulls the plug of a command that works on a data directory. */
async function runAndKill(...command: string[]): Promise<void> {
  const knit = startKnit(...command);
  await sleepBetween(200, 1_500);
  await knit.stop("SIGKILL");
}

test(
  `imports go on where they were, and rewinds are whole or nothing, in ${KILLS} kills (seed ${killSeed})`,
  async () => {
    const [datadir, chain] = [join(directory, "import"), join(made, "chain.rlp.gz")];
    const nothing = join(made, "0.rlp");
    await initFrom(datadir, join(made, "genesis.json"));
    await exportTo(datadir, nothing, { first: 0, last: 0 });
    let head = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      if (head < BLOCKS) {
        await runAndKill("import", "--datadir", datadir, chain);
        const reached = await importAll(datadir, nothing);
        expect(reached).toBeGreaterThanOrEqual(head);
        head = kill % 3 === 2 ? await importAll(datadir, chain) : reached;
      } else {
        const target = BLOCKS - 1 - Math.floor(random() * 120);
        await runAndKill("db", "rewind", "--datadir", datadir, String(target));
        head = await importAll(datadir, nothing);
        expect([target, BLOCKS]).toContain(head);
      }
      if (kill % 5 === 4) await verifyDirectory(datadir);
    }
    expect(await importAll(datadir, chain)).toBe(BLOCKS);
    await verifyDirectory(datadir);
  },
  LIMIT_MS,
);

test(
  `an import from a Go node goes on where it was, in ${KILLS} kills (seed ${killSeed})`,
  async () => {
    const [replayed, go] = [join(directory, "replayed"), join(directory, "go")];
    await initFrom(replayed, join(made, "genesis.json"));
    await importAll(replayed, join(made, "chain.rlp.gz"));
    await makeGoDirectory(replayed, go, {
      shards: 4,
      isCounted: true,
      isSingle: false,
      stateName: "statetrie",
    });
    const rows = await importedRows(replayed);
    const datadir = join(directory, "from-go");
    const begun = performance.now();
    await runKnit("import-go", "--datadir", datadir, go);
    const wholeMs = performance.now() - begun;
    await rm(datadir, { recursive: true });
    let imports = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const knit = startKnit("import-go", "--datadir", datadir, go);
      await sleepBetween(0.2 * wholeMs, 0.9 * wholeMs);
      await knit.stop("SIGKILL");
      if (!existsSync(join(datadir, "knit", "chaindata"))) continue;
      imports++;
      expect(await importedRows(datadir)).toEqual(rows);
      await rm(datadir, { recursive: true });
    }
    expect(imports).toBeLessThan(KILLS);
    const { code, output } = await runKnit("import-go", "--datadir", datadir, go);
    expect([code, output]).toEqual([0, expect.stringContaining(`the chain up to block ${BLOCKS}`)]);
    expect(await importedRows(datadir)).toEqual(rows);
    await verifyDirectory(datadir);
  },
  LIMIT_MS,
);

/** Less than what can still be taken back leaves. */
const LET_GO = 60;

/** A node that keeps so many newest blocks whole. */
function startKeeping(datadir: string, blocks: number): KnitProcess {
  const rpc = ["--rpc", "--rpcport", "0", "--rpcapi", "eth"];
  const alone = ["--nodiscover", "--port", "0", "--ipcdisable"];
  return startKnit("run", "--datadir", datadir, "--history.blocks", String(blocks), ...rpc, ...alone);
}

test(
  `old blocks are pruned and never half of one, in ${KILLS} kills (seed ${killSeed})`,
  async () => {
    const [datadir, chain] = [join(directory, "old"), join(made, "chain.rlp.gz")];
    await initFrom(datadir, join(made, "genesis.json"));
    expect(await importAll(datadir, chain)).toBe(BLOCKS);
    let oldest = 1;
    for (let kill = 0; kill < KILLS; kill++) {
      const kept = BLOCKS - Math.ceil((LET_GO * (kill + 1)) / KILLS);
      const knit = startKeeping(datadir, kept);
      await knit.waitFor(/old blocks are pruned/);
      await sleepBetween(0, 150);
      await knit.stop("SIGKILL");
      const now = await oldestWhole(datadir);
      expect(now).toBeGreaterThanOrEqual(oldest);
      expect(now).toBeLessThanOrEqual(BLOCKS - kept + 1);
      oldest = now;
    }
    const last = startKeeping(datadir, BLOCKS - LET_GO);
    const [url] = await last.waitFor(/http:\/\/127\.0\.0\.1:\d+/);
    await until(async () => {
      const answer = await call(url, "eth_getBlockByNumber", `0x${LET_GO.toString(16)}`, false).catch(
        (error: unknown) => error,
      );
      return (answer as { code?: number }).code === 4444 ? true : undefined;
    });
    expect(await last.stop()).toBe(0);
    const file = join(datadir, "kept.rlp");
    await expect(exportTo(datadir, file)).rejects.toThrow(
      `the first whole block after block 0 is ${LET_GO + 1}`,
    );
    await exportTo(datadir, file, { first: LET_GO + 1 });
    await verifyDirectory(datadir);
    expect(await importAll(datadir, chain)).toBe(BLOCKS);
  },
  LIMIT_MS,
);
