/** Copies that a running node gives away: to one receiver at a time, at a limited rate, and nothing is left. */
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { TableHashes } from "../../../node/checkpoint/table-hashes.ts";
import { pullFromArchive } from "../../../node/compose/archive-jobs.ts";
import { createCheckpointOffline } from "../../../node/compose/checkpoint-jobs.ts";
import { type Giveaway, type GiveawayDeps, openGiveaway } from "../../../node/compose/giveaway.ts";
import { silentLog } from "../../../node/observe/log.ts";
import { loadNodeKey } from "../../../node/p2p/node-key.ts";
import { until } from "../../support/rpc-client.ts";
import { makeWholeDirectory, optionsOf } from "../../support/whole-directory.ts";

const progress = { update: () => undefined, [Symbol.dispose]: () => undefined };
const { signal } = new AbortController();

let scratch = "";
let source = "";
let places = 0;

const place = (): string => join(scratch, `p${places++}`);

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "kg-"));
  source = (await makeWholeDirectory(scratch)).path;
});
afterAll(() => rm(scratch, { recursive: true }));

async function open(more: Partial<GiveawayDeps> = {}): Promise<Giveaway> {
  const options = optionsOf(source);
  return openGiveaway({
    options: { ...options, ipc: { path: join(scratch, "knit.ipc") } },
    checkpoints: {
      create: (directory) => createCheckpointOffline(options, { directory, progress, signal }),
    },
    nodeKey: await loadNodeKey(options.paths.nodeKey),
    hashes: new TableHashes(),
    log: silentLog,
    ...more,
  });
}

const leftovers = async (): Promise<readonly string[]> => [
  ...(await readdir(optionsOf(source).paths.chainData)).filter((name) => name.startsWith("give")),
  ...(await readdir(scratch)).filter((name) => name.endsWith(".sock")),
];

async function noneLeft(): Promise<void> {
  await until(async () => ((await leftovers()).length === 0 ? true : undefined));
}

test("one connection gets a checkpoint that is whole, and the next one another", async () => {
  await using giveaway = await open();
  for (let round = 0; round < 2; round++) {
    const { path } = await giveaway.open();
    const { head } = await pullFromArchive(optionsOf(place()), {
      directory: place(),
      from: connect({ path }),
      wanted: {},
      full: true,
      progress,
      signal,
      environment: {},
    });
    expect(head.number).toBe(34);
    await noneLeft();
  }
});

test("a second receiver is refused meanwhile", async () => {
  await using giveaway = await open({ times: { endMs: 10, connectMs: 10_000, stallMs: 1_000 } });
  const { path } = await giveaway.open();
  await expect(giveaway.open()).rejects.toMatchObject({ code: "busy" });
  connect({ path }).destroy();
  await noneLeft();
});

test("a receiver that goes, or that takes nothing, leaves nothing", async () => {
  await using giveaway = await open({ times: { endMs: 10, connectMs: 10_000, stallMs: 50 } });
  const gone = connect({ path: (await giveaway.open()).path });
  await new Promise((resolve) => gone.once("data", resolve));
  gone.destroy();
  await noneLeft();
  const idle = connect({ path: (await giveaway.open()).path });
  idle.pause();
  await noneLeft();
  idle.destroy();
});

test("a socket to which nobody connects goes", async () => {
  await using giveaway = await open({ times: { endMs: 10, connectMs: 20, stallMs: 1_000 } });
  await giveaway.open();
  await noneLeft();
  await giveaway.open();
});

test("without IPC there is none, and what a killed process has left is deleted", async () => {
  for (const name of ["give.partial", "give.partial.partial"])
    await mkdir(join(optionsOf(source).paths.chainData, name));
  await using giveaway = await open({ options: { ...optionsOf(source), ipc: undefined } });
  await expect(giveaway.open()).rejects.toMatchObject({ code: "failed" });
  expect(await leftovers()).toEqual([]);
});
