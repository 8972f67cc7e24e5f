/**
 * The plug is pulled: `kill -9` at random instants, in every kind of work that writes. What the node reported before
 * must be there afterwards, flat state, trie and roots must agree, and executing the blocks again must end as they
 * did. One kill a kind by default; `KNIT_KILLS` says how many in all.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type DevNode, startDevNode } from "../support/dev-node.ts";
import { type KilledNode, type KillKind, killFlags, killKinds } from "../support/kill-kinds.ts";
import { runKnit, startKnit } from "../support/knit-process.ts";
import { seededRandom } from "../support/random.ts";
import { call, until } from "../support/rpc-client.ts";
import { makeTransferChain } from "../support/transfer-chain.ts";

/** Those of a running node, imports and rewinds, old blocks. */
const KINDS = killKinds.length + 2;
const KILLS = Math.ceil(Number(process.env["KNIT_KILLS"] ?? KINDS) / KINDS);
const NODE_KILLS = KILLS * killKinds.length;
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

interface Use {
  readonly kind: KillKind;
  readonly node: Omit<KilledNode, "stroke">;
  readonly stopped: () => boolean;
}

let strokes = 0;

/** Sends transfers between held accounts, does the kind's work and notes the newest block, until it is killed. */
async function useUntilKilled({ kind, node, stopped }: Use): Promise<Reported | undefined> {
  let newest: Reported | undefined;
  const { url } = node;
  try {
    const [from, to] = (await call(url, "eth_accounts")) as [string, string]; // a development chain has ten
    while (!stopped()) {
      await call(url, "eth_sendTransaction", { from, to, value: "0x1", gas: "0x5208" });
      await kind.work?.({ ...node, stroke: strokes++ });
      newest = (await call(url, "eth_getBlockByNumber", "latest", false)) as Reported; // as asked for
      await sleep(20);
    }
  } catch (error) {
    if (!stopped()) throw error; // otherwise the plug was pulled in the middle of a request
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
  await rewind(datadir, Math.max(0, head - REPLAYED));
  expect(await importAll(datadir, file)).toBe(head);
  await ran("db", "verify", "--datadir", datadir);
  await rm(file);
}

const OLDEST_REWIND = /the oldest block whose state can be restored is (\d+)/;

/** Takes the chain back to a block, or as far as states were kept. */
async function rewind(datadir: string, number: number): Promise<void> {
  const { code, output } = await runKnit("db", "rewind", "--datadir", datadir, String(number));
  const [, oldest] = OLDEST_REWIND.exec(output) ?? [];
  if (oldest !== undefined) await ran("db", "rewind", "--datadir", datadir, oldest);
  else expect([code, output]).toEqual([0, expect.stringMatching(NEWEST)]);
}

/** Imports to the end; the newest block then. */
async function importAll(datadir: string, file: string): Promise<number> {
  return Number(NEWEST.exec(await ran("import", "--datadir", datadir, file))?.[1]);
}

/** The node on the directory, after a look at all that the runs before it have left. */
async function restart(
  before: Pick<KilledNode, "datadir" | "noted"> & { readonly reported: Reported | undefined },
  kind?: KillKind,
): Promise<{ readonly knit: DevNode["knit"]; readonly url: string }> {
  const { datadir, noted, reported } = before;
  const { knit, http: url } = await startDevNode("--datadir", datadir, ...killFlags, ...(kind?.flags ?? []));
  if (reported !== undefined) {
    const { number, hash } = reported;
    expect(await call(url, "eth_getBlockByNumber", number, false)).toMatchObject({ hash });
  }
  for (const { check } of killKinds) await check?.({ url, datadir, noted, stroke: strokes++ });
  return { knit, url };
}

const names = killKinds.map(({ name }) => name).join(", ");

test(`nothing reported is lost in ${NODE_KILLS} kills by turns in: ${names} (seed ${seed})`, async () => {
  const datadir = join(directory, "dev");
  const noted: string[] = [];
  let reported: Reported | undefined;
  for (let kill = 0; kill < NODE_KILLS; kill++) {
    const kind = killKinds[kill % killKinds.length] as KillKind; // one of them
    const { knit, url } = await restart({ datadir, noted, reported }, kind);
    let stopped = false;
    const using = useUntilKilled({ kind, node: { url, datadir, noted }, stopped: () => stopped });
    await sleep(300 + random() * 900);
    stopped = true;
    await knit.stop("SIGKILL");
    reported = (await using) ?? reported;
    if (kill % 25 === 24) await replay(datadir);
  }
  const { knit, url } = await restart({ datadir, noted, reported });
  const first = Number(await call(url, "eth_blockNumber"));
  await until(async () => (Number(await call(url, "eth_blockNumber")) > first ? true : undefined));
  expect(await knit.stop()).toBe(0);
  await replay(datadir);
}, 3_600_000);

const BLOCKS = 200;

/** Pulls the plug of a command that works on a data directory. */
async function killed(...command: string[]): Promise<void> {
  const knit = startKnit(...command);
  await sleep(200 + random() * 1300);
  await knit.stop("SIGKILL");
}

let made: string;
beforeAll(async () => {
  made = join(directory, "made");
  await makeTransferChain(made, { accounts: 60, blocks: BLOCKS, transfers: 8 });
}, 60_000);

/** The kinds that need no running node have no waiting, so there are some more of them. */
const OFFLINE_KILLS = KILLS + 1;

test(`imports go on where they were, and rewinds are whole or nothing, in ${OFFLINE_KILLS} kills`, async () => {
  const [datadir, chain, nothing] = [
    join(directory, "import"),
    join(made, "chain.rlp.gz"),
    join(made, "0.rlp"),
  ];
  await ran("init", "--datadir", datadir, join(made, "genesis.json"));
  await ran("export", "--datadir", datadir, nothing, "0");
  let head = 0;
  for (let kill = 0; kill < OFFLINE_KILLS; kill++) {
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

const OLDEST_WHOLE = /bodies and receipts are those of block 0 and of (\d+) to \d+\n/;

/** Less than what can still be taken back leaves. */
const LET_GO = 60;

test(`old blocks are let go of and never half of one, in ${OFFLINE_KILLS} kills`, async () => {
  const [datadir, chain] = [join(directory, "old"), join(made, "chain.rlp.gz")];
  await ran("init", "--datadir", datadir, join(made, "genesis.json"));
  expect(await importAll(datadir, chain)).toBe(BLOCKS);
  const run = (kept: number) => {
    const ports = [
      "--nodiscover",
      "--port",
      "0",
      "--ipcdisable",
      "--rpc",
      "--rpcport",
      "0",
      "--rpcapi",
      "eth",
    ];
    return startKnit("run", "--datadir", datadir, "--history.blocks", String(kept), ...ports);
  };
  let oldest = 1;
  for (let kill = 0; kill < OFFLINE_KILLS; kill++) {
    const kept = BLOCKS - Math.ceil((LET_GO * (kill + 1)) / OFFLINE_KILLS);
    const knit = run(kept);
    await knit.waitFor(/old blocks are let go of/);
    await sleep(random() * 150);
    await knit.stop("SIGKILL");
    const now = Number(OLDEST_WHOLE.exec(await ran("db", "size", "--datadir", datadir))?.[1] ?? 1);
    expect(now).toBeGreaterThanOrEqual(oldest);
    expect(now).toBeLessThanOrEqual(BLOCKS - kept + 1);
    oldest = now;
  }
  const last = run(BLOCKS - LET_GO);
  const [url] = await last.waitFor(/http:\/\/127\.0\.0\.1:\d+/);
  await until(async () => {
    const answer = await call(url, "eth_getBlockByNumber", `0x${LET_GO.toString(16)}`, false).catch(
      (error: unknown) => error,
    );
    return (answer as { code?: number }).code === 4444 ? true : undefined;
  });
  expect(await last.stop()).toBe(0);
  const file = join(datadir, "kept.rlp");
  const { code, output } = await runKnit("export", "--datadir", datadir, file);
  expect([code, output]).toEqual([
    1,
    expect.stringContaining(`the first whole block after block 0 is ${LET_GO + 1}`),
  ]);
  await ran("export", "--datadir", datadir, file, String(LET_GO + 1));
  await ran("db", "verify", "--datadir", datadir);
  expect(await importAll(datadir, chain)).toBe(BLOCKS);
}, 3_600_000);
