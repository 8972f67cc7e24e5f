/**
 * The plug is pulled at random instants of state migrations beside a chain that makes blocks: from asking for one,
 * over all of its copying, to the removal of what it leaves behind. `KNIT_MIGRATION_KILLS` says how often,
 * `KNIT_MIGRATION_ACCOUNTS` how large the state is: an account in 400 is a contract with 100 slots. They go in
 * batches on one data directory, with a limit each. Before each kill some of the state is proven against a block's
 * root, after a batch all of it is read.
 */
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { killLimitMs, killSeed, random, sleepBetween } from "../support/kills.ts";
import { startKnit } from "../support/knit-process.ts";
import { largeContract, largeGenesis, largeHolder, makerFlags, SLOTS } from "../support/large-genesis.ts";
import { initFrom, verifyDirectory } from "../support/offline-jobs.ts";
import { readProof } from "../support/read-proof.ts";
import { call, until } from "../support/rpc-client.ts";

const KILLS = Number(process.env["KNIT_MIGRATION_KILLS"] ?? 1);
const ACCOUNTS = Number(process.env["KNIT_MIGRATION_ACCOUNTS"] ?? 4_000);
const CONTRACTS = ACCOUNTS / 400;
const BATCH = 25;

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
  readonly stateRoot: string;
}

interface Status {
  readonly isMigration: boolean;
  readonly migrationBlockNumber: number;
  readonly err: string;
}

/** Reports of a node before it was killed. */
interface Told {
  readonly block: Block;
  readonly status: Status;
}

interface Running {
  readonly knit: ReturnType<typeof startKnit>;
  readonly url: string;
}

async function start(): Promise<Running> {
  const rpc = ["--rpc", "--rpcport", "0", "--rpcapi", "eth,admin"];
  const alone = ["--nodiscover", "--port", "0", "--ipcdisable"];
  const knit = startKnit("run", "--type", "core", "--datadir", datadir, ...makerFlags, ...rpc, ...alone);
  const [url] = await knit.waitFor(/http:\/\/127\.0\.0\.1:\d+/);
  return { knit, url };
}

function statusOf(url: string): Promise<Status> {
  return call(url, "admin_stateMigrationStatus") as Promise<Status>; // as asked for
}

function blockAt(url: string, which: string): Promise<Block> {
  return call(url, "eth_getBlockByNumber", which, false) as Promise<Block>; // as asked for
}

let reported: Told | undefined;

/** Starts the node after a kill: its block is there, and a migration goes on unless it had just ended well. */
async function restart(): Promise<Running> {
  const running = await start();
  const { url } = running;
  if (reported !== undefined) {
    const { block, status } = reported;
    expect(await blockAt(url, block.number)).toMatchObject({ hash: block.hash });
    if (status.isMigration && !(await statusOf(url)).isMigration) {
      const last = (await call(url, "admin_stateMigrationLast")) as Status;
      expect(last.err).toBe("null");
      expect(last.migrationBlockNumber).toBeGreaterThanOrEqual(status.migrationBlockNumber);
    }
  }
  return running;
}

/** Asks for a migration unless one goes on from before; whether it did. */
async function migrate(url: string): Promise<boolean> {
  if ((await statusOf(url)).isMigration) return true;
  await call(url, "admin_startStateMigration");
  return false;
}

/** Migrates to the end and stops; milliseconds that the migration took. */
async function migrateWhole(): Promise<number> {
  const { knit, url } = await restart();
  reported = undefined;
  const started = performance.now();
  await migrate(url);
  await until(async () => ((await statusOf(url)).isMigration ? undefined : true));
  const ms = performance.now() - started;
  expect(await statusOf(url)).toMatchObject({ err: "null" });
  expect(await knit.stop()).toBe(0);
  expect(await readdir(join(datadir, "knit", "chaindata", "trie"))).toHaveLength(1);
  return ms;
}

/** An account and a slot of another, as they were made, the slot by nothing but the newest block's root. */
async function expectSome(url: string): Promise<Block> {
  const { address: holder, balance } = largeHolder(Math.floor(random() * ACCOUNTS));
  const { address, storage } = largeContract(Math.floor(random() * CONTRACTS));
  const [slot, value] = Object.entries(storage)[Math.floor(random() * SLOTS)] as [string, string]; // one of them
  const block = await blockAt(url, "latest");
  expect(await call(url, "eth_getBalance", holder, block.number)).toBe(balance);
  const proof = await until(() => call(url, "eth_getProof", address, [slot], block.number).catch(notReady));
  expect(await readProof(block.stateRoot, proof)).toEqual([value]);
  return block;
}

/** A trie with a long log opens behind the node's first answers. */
function notReady(error: Error): undefined {
  if (error.message !== "the trie is being opened or rebuilt") throw error;
}

async function expectWhole(): Promise<void> {
  const { accounts, slots } = await verifyDirectory(datadir);
  expect(slots).toBe(CONTRACTS * SLOTS);
  expect(accounts).toBeGreaterThanOrEqual(ACCOUNTS + CONTRACTS);
}

type Instant = "asked" | "copying" | "over";
const instants: Record<Instant, number> = { asked: 0, copying: 0, over: 0 };
let resumed = 0;

function instantOf({ isMigration, migrationBlockNumber }: Status): Instant {
  if (!isMigration) return "over";
  return migrationBlockNumber === 0 ? "asked" : "copying";
}

/** Pulls the plug within so many milliseconds. */
async function kill(withinMs: number): Promise<void> {
  const { knit, url } = await restart();
  try {
    if (await migrate(url)) resumed++;
    await sleepBetween(0, withinMs);
    reported = { block: await expectSome(url), status: await statusOf(url) };
    instants[instantOf(reported.status)]++;
  } finally {
    await knit.stop("SIGKILL");
  }
}

const batches = Array.from({ length: Math.ceil(KILLS / BATCH) }, (_, batch) => ({
  batch: batch + 1,
  kills: Math.min(BATCH, KILLS - batch * BATCH),
}));

test.each(batches)(
  `nothing is lost, batch $batch of ${batches.length}: $kills kills of migrations of ${ACCOUNTS} accounts (seed ${killSeed})`,
  async ({ kills }) => {
    const wholeMs = await migrateWhole();
    for (let i = 0; i < kills; i++) await kill(wholeMs);
    await migrateWhole();
    await expectWhole();
    if (KILLS >= BATCH) process.stderr.write(`kills: ${JSON.stringify({ ...instants, resumed })}\n`);
  },
  killLimitMs(BATCH) + ACCOUNTS * 5,
);
