/** Checkpoints of a stopped node, and archives of them: the first push with a pull, and pushes a day of blocks later each. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { runBuilt } from "../support/built-knit.ts";
import { directoryBytes } from "../support/directory-bytes.ts";
import { roundTo } from "../support/figures.ts";
import { databasesIn, type Grown } from "./grown.ts";
import { runWork } from "./work.ts";

const MIB = 2 ** 20;
/** One account of so many receives something on a day; 5,000 others send. */
const ACTIVE_OF = 1_000;

/** Figures of the commands, each from its start to its end. */
export interface FirstPush {
  readonly checkpointMs: number;
  readonly pushMiBPerSecond: number;
  readonly pullMiBPerSecond: number;
}

/** Creates a checkpoint, pushes it to a directory and pulls it. */
export async function measureFirstPush(grown: Grown): Promise<FirstPush> {
  const datadir = await grown.copy();
  const checkpoint = join(grown.scratch, "checkpoint");
  const archive = join(grown.scratch, "archive");
  const pulled = join(grown.scratch, "pulled");
  const mib = directoryBytes(databasesIn(datadir)) / MIB;
  const created = await runBuilt("checkpoint", "create", "--datadir", datadir, checkpoint);
  const pushed = await runBuilt("checkpoint", "push", "--datadir", datadir, checkpoint, archive);
  const copied = await runBuilt("checkpoint", "pull", archive, pulled);
  for (const done of [checkpoint, archive, pulled]) await rm(done, { recursive: true });
  return {
    checkpointMs: Math.round(created.seconds * 1000),
    pushMiBPerSecond: Math.round(mib / pushed.seconds),
    pullMiBPerSecond: Math.round(mib / copied.seconds),
  };
}

/** Bytes of pushes to one archive, one a day. */
export interface DailyPushes {
  /** Blocks of a day, of a transfer each. */
  readonly dayBlocks: number;
  readonly firstPushMiB: number;
  /** After the first day the engine may still be merging what the growth has written. */
  readonly days: readonly DailyPush[];
}

/** Push after a day. */
export interface DailyPush {
  readonly checkpointMiB: number;
  readonly pushMiB: number;
  /** Percent of the checkpoint that had to be sent. */
  readonly sentPercent: number;
}

const DAYS = 3;

/** Pushes a checkpoint, and another one after the blocks of each day. */
export async function measureDailyPushes(grown: Grown, dayBlocks: number): Promise<DailyPushes> {
  const datadir = await grown.copy();
  const archive = join(grown.scratch, "archive");
  const first = await pushOnce(grown, datadir, archive);
  const { accounts, maxMemory } = grown;
  const days: DailyPush[] = [];
  for (let day = 0; day < DAYS; day++) {
    runWork("blocks", { datadir, maxMemory, accounts: Math.ceil(accounts / ACTIVE_OF), blocks: dayBlocks });
    const { sent, all } = await pushOnce(grown, datadir, archive);
    days.push({
      checkpointMiB: roundTo(all / MIB),
      pushMiB: roundTo(sent / MIB),
      sentPercent: roundTo((100 * sent) / all),
    });
  }
  await rm(archive, { recursive: true });
  return { dayBlocks, firstPushMiB: roundTo(first.sent / MIB), days };
}

async function pushOnce(
  grown: Grown,
  datadir: string,
  archive: string,
): Promise<{ readonly all: number; readonly sent: number }> {
  const checkpoint = join(grown.scratch, "checkpoint");
  await runBuilt("checkpoint", "create", "--datadir", datadir, checkpoint);
  const { output } = await runBuilt("checkpoint", "push", "--datadir", datadir, checkpoint, archive);
  await rm(checkpoint, { recursive: true });
  const said = /([\d,]+) of ([\d,]+) bytes/.exec(output);
  if (said === null) throw new Error(`no bytes in ${JSON.stringify(output)}`);
  const [sent = 0, all = 0] = said.slice(1).map((text) => Number(text.replaceAll(",", "")));
  return { all, sent };
}
