/**
 * The plug is pulled: `kill -9` at random instants, in every kind of work of a running node that writes. What the
 * node reported before must be there afterwards, flat state, trie and roots must agree, and executing the blocks
 * again must end as they did. One kill a kind by default; `KNIT_KILLS` says how many there are with those of
 * kill-offline.test.ts. Many go in batches, each with a new data directory and a limit of its own.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type DevNode, startDevNode } from "../support/dev-node.ts";
import { type KilledNode, type KillKind, killFlags, killKinds } from "../support/kill-kinds.ts";
import { killLimitMs, killSeed, killsOfAKind, sleepBetween } from "../support/kills.ts";
import { exportTo, importAll, rewindTo, verifyDirectory } from "../support/offline-jobs.ts";
import { call, until } from "../support/rpc-client.ts";

/** Kills of each kind in a batch. */
const BATCH = 5;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "knit-kill-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

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
      await sleepBetween(20, 20);
    }
  } catch (error) {
    if (!stopped()) throw error; // otherwise the plug was pulled in the middle of a request
  }
  return newest;
}

/** As far as a rewind may go back, with some room. */
const REPLAYED = 100;

/** Takes the newest blocks out and imports them again, which executes them; every root must be that of its header. */
async function replay(datadir: string): Promise<void> {
  const file = join(datadir, "exported.rlp");
  const head = await exportTo(datadir, file);
  await rewind(datadir, Math.max(0, head - REPLAYED));
  expect(await importAll(datadir, file)).toBe(head);
  await verifyDirectory(datadir);
}

const OLDEST_REWIND = /the oldest block whose state can be restored is (\d+)/;

/** Takes the chain back to a block, or as far as states were kept. */
async function rewind(datadir: string, number: number): Promise<void> {
  const oldest = await rewindTo(datadir, number).then(
    () => undefined,
    (error: Error) => Number(OLDEST_REWIND.exec(error.message)?.[1]),
  );
  if (oldest !== undefined) await rewindTo(datadir, oldest);
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
const batches = Array.from({ length: Math.ceil(killsOfAKind / BATCH) }, (_, batch) => ({
  batch: batch + 1,
  kills: killKinds.length * Math.min(BATCH, killsOfAKind - batch * BATCH),
}));
const longest = killLimitMs(killKinds.length * BATCH);

test.each(batches)(
  `nothing reported is lost, batch $batch of ${batches.length}: $kills kills by turns in ${names} (seed ${killSeed})`,
  async ({ batch, kills }) => {
    const datadir = join(directory, String(batch));
    const noted: string[] = [];
    let reported: Reported | undefined;
    for (let kill = 0; kill < kills; kill++) {
      const kind = killKinds[kill % killKinds.length] as KillKind; // one of them
      const { knit, url } = await restart({ datadir, noted, reported }, kind);
      let stopped = false;
      const using = useUntilKilled({ kind, node: { url, datadir, noted }, stopped: () => stopped });
      await sleepBetween(300, 1_200);
      stopped = true;
      await knit.stop("SIGKILL");
      reported = (await using) ?? reported;
    }
    const { knit, url } = await restart({ datadir, noted, reported });
    const first = Number(await call(url, "eth_blockNumber"));
    await until(async () => (Number(await call(url, "eth_blockNumber")) > first ? true : undefined));
    expect(await knit.stop()).toBe(0);
    await replay(datadir);
    await rm(datadir, { recursive: true });
  },
  longest,
);
