/**
 * The plug is pulled: `kill -9` at random instants while blocks are made, imported and taken back. What the
 * node reported before must be there afterwards, flat state, trie and roots must agree, and executing the blocks
 * again must end as they did. Twenty kills by default, `KNIT_KILLS` says how many: half of them while blocks are made.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { startDevNode } from "../support/dev-node.ts";
import { runKnit, startKnit } from "../support/knit-process.ts";
import { seededRandom } from "../support/random.ts";
import { call, until } from "../support/rpc-client.ts";
import { makeTransferChain } from "../support/transfer-chain.ts";

const KILLS = Math.ceil(Number(process.env["KNIT_KILLS"] ?? 20) / 2);
const seed = Number(process.env["KNIT_SEED"] ?? 20_261);
const random = seededRandom(seed);
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "knit-kill-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface Reported {
  readonly number: string;
  readonly hash: string;
}

/** Sends transfers between held accounts and notes the newest block the node reports, until it is killed. */
async function useUntilKilled(url: string, stopped: () => boolean): Promise<Reported | undefined> {
  let newest: Reported | undefined;
  try {
    const [from, to] = (await call(url, "eth_accounts")) as [string, string]; // a development chain has ten
    while (!stopped()) {
      await call(url, "eth_sendTransaction", { from, to, value: "0x1", gas: "0x5208" });
      newest = (await call(url, "eth_getBlockByNumber", "latest", false)) as Reported; // as asked for
      await sleep(20);
    }
  } catch {
    // The plug was pulled in the middle of a request.
  }
  return newest;
}

/** Runs a command that must succeed; its output. */
async function ran(...command: string[]): Promise<string> {
  const { code, output } = await runKnit(...command);
  if (code !== 0) throw new Error(`knit ${command.join(" ")} ended with ${code}:\n${output}`);
  return output;
}

const NEWEST = /the newest block is (\d+)/;
/** As far as a rewind may go back, with some room. */
const REPLAYED = 100;

/** Takes the newest blocks out and imports them again, which executes them; every root must be that of its header. */
async function replay(datadir: string): Promise<void> {
  const file = join(datadir, "exported.rlp");
  await ran("export", "--datadir", datadir, file);
  const head = await importAll(datadir, file);
  const back = String(Math.max(0, head - REPLAYED));
  await ran("db", "rewind", "--datadir", datadir, back);
  expect(await importAll(datadir, file)).toBe(head);
  await ran("db", "verify", "--datadir", datadir);
  await rm(file);
}

/** Imports to the end; the newest block then. */
async function importAll(datadir: string, file: string): Promise<number> {
  return Number(NEWEST.exec(await ran("import", "--datadir", datadir, file))?.[1]);
}

test(`no reported block is lost in ${KILLS} kills while blocks are made (seed ${seed})`, async () => {
  const datadir = join(directory, "dev");
  let reported: Reported | undefined;
  for (let kill = 0; kill < KILLS; kill++) {
    const { knit, http: url } = await startDevNode("--datadir", datadir);
    if (reported !== undefined) {
      expect(await call(url, "eth_getBlockByNumber", reported.number, false)).toMatchObject({
        hash: reported.hash,
      });
    }
    let stopped = false;
    const using = useUntilKilled(url, () => stopped);
    await sleep(random() * 2500);
    await knit.stop("SIGKILL");
    stopped = true;
    reported = (await using) ?? reported;
    if (kill % 25 === 24) await replay(datadir);
  }
  await replay(datadir);
  const { knit, http: url } = await startDevNode("--datadir", datadir);
  const first = Number(await call(url, "eth_blockNumber"));
  await until(async () => (Number(await call(url, "eth_blockNumber")) > first ? true : undefined));
  expect(await knit.stop()).toBe(0);
}, 3_600_000);

const BLOCKS = 300;

/** Pulls the plug of a command that works on a data directory. */
async function killed(...command: string[]): Promise<void> {
  const knit = startKnit(...command);
  await sleep(200 + random() * 1300);
  await knit.stop("SIGKILL");
}

test(`imports go on where they were, and rewinds are whole or nothing, in ${KILLS} kills`, async () => {
  const made = join(directory, "made");
  await makeTransferChain(made, { accounts: 60, blocks: BLOCKS, transfers: 12 });
  const [datadir, chain, nothing] = [
    join(directory, "import"),
    join(made, "chain.rlp.gz"),
    join(made, "0.rlp"),
  ];
  await ran("init", "--datadir", datadir, join(made, "genesis.json"));
  await ran("export", "--datadir", datadir, nothing, "0");
  let head = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    if (head < BLOCKS) {
      await killed("import", "--datadir", datadir, chain);
      const reached = await importAll(datadir, nothing);
      expect(reached).toBeGreaterThanOrEqual(head);
      head = kill % 3 === 2 ? await importAll(datadir, chain) : reached;
    } else {
      const target = BLOCKS - 1 - Math.floor(random() * 120);
      await killed("db", "rewind", "--datadir", datadir, String(target));
      head = await importAll(datadir, nothing);
      expect([target, BLOCKS]).toContain(head);
    }
    if (kill % 5 === 4) await ran("db", "verify", "--datadir", datadir);
  }
  expect(await importAll(datadir, chain)).toBe(BLOCKS);
  await ran("db", "verify", "--datadir", datadir);
}, 3_600_000);
