/**
 * The plug is pulled at random instants of state migrations beside a chain that makes blocks: from asking for one,
 * over all of its copying, to the removal of what it leaves behind. `KNIT_MIGRATION_KILLS` says how often,
 * `KNIT_MIGRATION_ACCOUNTS` how large the state is: an account in 400 is a contract with 100 slots.
 */
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { killLimitMs, killSeed, sleepBetween } from "../support/kills.ts";
import { startKnit } from "../support/knit-process.ts";
import { largeGenesis, makerFlags, SLOTS } from "../support/large-genesis.ts";
import { initFrom, verified } from "../support/offline-jobs.ts";
import { call, until } from "../support/rpc-client.ts";

const KILLS = Number(process.env["KNIT_MIGRATION_KILLS"] ?? 2);
const ACCOUNTS = Number(process.env["KNIT_MIGRATION_ACCOUNTS"] ?? 4_000);
const CONTRACTS = ACCOUNTS / 400;
/** All is read and compared after so many. */
const LOOK_KILLS = 10;
const LIMIT_MS = killLimitMs(KILLS) + ACCOUNTS * 5;

let directory: string;
let datadir: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "knit-kill-migration-"));
  datadir = join(directory, "data");
  const genesis = join(directory, "genesis.json");
  await writeFile(genesis, largeGenesis(ACCOUNTS, CONTRACTS));
  await initFrom(datadir, genesis);
}, 600_000);
afterAll(() => rm(directory, { recursive: true, force: true }));

interface Block {
  readonly number: string;
  readonly hash: string;
}

async function start(): Promise<{ readonly knit: ReturnType<typeof startKnit>; readonly url: string }> {
  const rpc = ["--rpc", "--rpcport", "0", "--rpcapi", "eth,admin"];
  const alone = ["--nodiscover", "--port", "0", "--ipcdisable"];
  const knit = startKnit("run", "--type", "core", "--datadir", datadir, ...makerFlags, ...rpc, ...alone);
  const [url] = await knit.waitFor(/http:\/\/127\.0\.0\.1:\d+/);
  return { knit, url };
}

async function isMigrating(url: string): Promise<boolean> {
  const { isMigration } = (await call(url, "admin_stateMigrationStatus")) as { isMigration: boolean };
  return isMigration;
}

/** Asks for a migration unless one goes on from before; whether it did. */
async function migrate(url: string): Promise<boolean> {
  if (await isMigrating(url)) return true;
  await call(url, "admin_startStateMigration");
  return false;
}

function untilMigrated(url: string): Promise<true> {
  return until(async () => ((await isMigrating(url)) ? undefined : true));
}

function newest(url: string): Promise<Block> {
  return call(url, "eth_getBlockByNumber", "latest", false) as Promise<Block>; // as asked for
}

async function expectWhole(): Promise<void> {
  const { accounts, slots } = await verified(datadir);
  expect(slots).toBe(CONTRACTS * SLOTS);
  expect(accounts).toBeGreaterThanOrEqual(ACCOUNTS + CONTRACTS);
}

/** Milliseconds that a whole migration takes here. */
async function timeOne(): Promise<number> {
  const { knit, url } = await start();
  const started = performance.now();
  await migrate(url);
  await untilMigrated(url);
  const ms = performance.now() - started;
  await knit.stop();
  return ms;
}

test(
  `nothing is lost in ${KILLS} kills of migrations of ${ACCOUNTS} accounts (seed ${killSeed})`,
  async () => {
    const wholeMs = await timeOne();
    let reported: Block | undefined;
    let resumed = 0;
    for (let kill = 1; kill <= KILLS; kill++) {
      const { knit, url } = await start();
      if (reported !== undefined) {
        expect(await call(url, "eth_getBlockByNumber", reported.number, false)).toMatchObject(reported);
      }
      if (await migrate(url)) resumed++;
      await sleepBetween(0, wholeMs);
      const { number, hash } = await newest(url);
      reported = { number, hash };
      await knit.stop("SIGKILL");
      if (kill % LOOK_KILLS === 0) await expectWhole();
    }
    const { knit, url } = await start();
    const first = await newest(url);
    expect(Number(first.number)).toBeGreaterThanOrEqual(Number(reported?.number));
    await migrate(url);
    await untilMigrated(url);
    expect(await knit.stop()).toBe(0);
    expect(await readdir(join(datadir, "knit", "chaindata", "trie"))).toHaveLength(1);
    await expectWhole();
    if (KILLS >= LOOK_KILLS) expect(resumed).toBeGreaterThan(KILLS / LOOK_KILLS);
  },
  LIMIT_MS,
);
