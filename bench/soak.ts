/**
 * A development chain under everything at once: reads, batches, transactions, contract calls, logs, traces, filters,
 * subscriptions, saved caches and state migrations, while it is killed and started again; in the second half of the
 * time it runs without a break. At the end its memory, files, threads, disk, blocks and databases are held against
 * bounds: a table, and 1 as the exit code when one does not hold. Linux only.
 *
 *   npm run build && npm run soak -- [--minutes 20] [--limit 512MiB] [--restart-seconds 60]
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { toQuantity } from "../node/bytes/integer.ts";
import { byteSize } from "../node/options/kinds.ts";
import { ask, askMany } from "./rpc/ask.ts";
import type { Client } from "./soak/client.ts";
import { listen } from "./soak/listeners.ts";
import { sampleOf, watch } from "./soak/samples.ts";
import { Subject } from "./soak/subject.ts";
import { Down, Tally } from "./soak/tally.ts";
import { bounds, type Findings } from "./soak/verdict.ts";
import { type Stage, type Work, works } from "./soak/works.ts";
import { runBuilt } from "./support/built-knit.ts";
import { directoryBytes } from "./support/directory-bytes.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "20" },
    limit: { type: "string", default: "512MiB" },
    "restart-seconds": { type: "string", default: "60" },
  },
});
const wholeMs = Number(values.minutes) * 60_000;
const SAMPLE_MS = 1_000;
const LISTENERS = 4;
/** Time after which closed connections have released their memory. */
const QUIET_MS = 15_000;
const HEADERS_AT_A_TIME = 500;

const scratch = await mkdtemp(join(tmpdir(), "knit-soak-"));
try {
  process.exitCode = (await soak(join(scratch, "data"))) ? 0 : 1;
} finally {
  await rm(scratch, { recursive: true, force: true });
}

/** True when every bound holds. */
async function soak(datadir: string): Promise<boolean> {
  const subject = await Subject.open({ datadir, limit: values.limit });
  const client: Client = { subject, tally: new Tally() };
  const accounts = await ask<string[]>(subject.http, "eth_accounts", []);
  const stage: Stage = { accounts, contract: undefined, newest: undefined, sent: 0, migrating: undefined };
  const first = sampleOf(subject.pid);
  const watched = watch(subject, SAMPLE_MS);
  const over = new AbortController();
  const running = [
    ...works.flatMap((work) =>
      Array.from({ length: work.clients }, () => repeat(work, client, stage, over.signal)),
    ),
    ...Array.from({ length: LISTENERS }, () => listen(client, over.signal)),
  ];
  const lostBlocks = await breakOff(client, stage, wholeMs / 2);
  const steadyFrom = Date.now() + wholeMs / 8;
  await setTimeout(wholeMs / 2);
  const loadedTo = Date.now();
  over.abort();
  await Promise.all(running);
  await setTimeout(QUIET_MS);
  watched.stop();
  const last = sampleOf(subject.pid);
  const times = await blockTimes(subject);
  await subject.stop("SIGTERM");
  const between = (from: number, to: number) => watched.samples.filter(({ at }) => at >= from && at < to);
  return tell(client, {
    limitBytes: byteSize.parse(values.limit),
    samples: watched.samples,
    early: between(steadyFrom, steadyFrom + wholeMs / 8),
    late: between(loadedTo - wholeMs / 8, loadedTo),
    first,
    last,
    databaseBytes: directoryBytes(datadir),
    blocks: times.length,
    transactions: stage.sent,
    times,
    pauses: subject.pauses,
    failures: sum(client.tally.failures.values()) + subject.faults.length,
    lostBlocks,
    migrations: client.tally.works.get("migrations finished")?.done ?? 0,
    verified: await verifies(datadir),
  });
}

/** Repeats a kind of work until the signal. */
async function repeat(work: Work, client: Client, stage: Stage, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await work.step(client, stage);
    } catch (error) {
      if (!(error instanceof Down)) client.tally.fail(work.name, String(error));
    }
    await setTimeout(work.restMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Ends the node again and again, three times of four without a word; how many reported blocks were not there later. */
async function breakOff({ subject, tally }: Client, stage: Stage, forMs: number): Promise<number> {
  const until = Date.now() + forMs;
  const everyMs = Number(values["restart-seconds"]) * 1000;
  let lost = 0;
  for (let turn = 1; Date.now() + everyMs < until; turn++) {
    await setTimeout(everyMs * (0.5 + Math.random()));
    const signal = turn % 4 === 0 ? "SIGTERM" : "SIGKILL";
    const { newest } = stage;
    await subject.restart(signal);
    tally.done(signal === "SIGKILL" ? "kills" : "restarts");
    if (newest === undefined) continue;
    const found = await ask<{ hash: string }>(subject.http, "eth_getBlockByNumber", [
      toQuantity(newest.number),
      false,
    ]);
    if (found?.hash !== newest.hash) lost++;
  }
  await setTimeout(Math.max(0, until - Date.now()));
  return lost;
}

async function blockTimes({ http }: Subject): Promise<readonly number[]> {
  const head = Number(await ask<string>(http, "eth_blockNumber", []));
  const times: number[] = [];
  for (let from = 1; from <= head; from += HEADERS_AT_A_TIME) {
    const count = Math.min(HEADERS_AT_A_TIME, head - from + 1);
    const calls = Array.from({ length: count }, (_, i) => [toQuantity(from + i), false] as const);
    const blocks = await askMany<{ timestamp: string }>(http, "eth_getBlockByNumber", calls);
    times.push(...blocks.map((block) => Number(block?.timestamp)));
  }
  return times;
}

async function verifies(datadir: string): Promise<boolean> {
  return runBuilt("db", "verify", "--datadir", datadir).then(
    () => true,
    () => false,
  );
}

function write(line: string): void {
  process.stdout.write(`${line}\n`);
}

function tell({ subject, tally }: Client, found: Findings): boolean {
  write(`${values.minutes} minutes, ${found.blocks} blocks, ${found.transactions} transactions\n`);
  write("| clients' work | done | refused for now |\n|---|---|---|");
  for (const [name, { done, refused }] of tally.works) write(`| ${name} | ${done} | ${refused} |`);
  for (const [text, count] of tally.refusals) write(`\nrefused for now, ${count} times: ${text}`);
  for (const [text, count] of tally.failures) write(`\nmust not happen, ${count} times: ${text}`);
  for (const fault of subject.faults) write(`\nmust not happen: ${fault}`);
  write("\n| bound | seen | allowed | |\n|---|---|---|---|");
  const all = bounds(found);
  for (const { name, seen, allowed, holds } of all) {
    write(`| ${name} | ${seen} | ${allowed} | ${holds ? "holds" : "DOES NOT HOLD"} |`);
  }
  return all.every(({ holds }) => holds);
}

function sum(numbers: Iterable<number>): number {
  return [...numbers].reduce((all, each) => all + each, 0);
}
