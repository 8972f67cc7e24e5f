/**
 * A node as its state and its chain grow. For each size: the time in which the directory was made, its bytes, the
 * time from start to first answer with the memory then, calls that read a slot each for the first time, 500 transfers a
 * block (made and written; imported), a checkpoint, an archive with a copy from it, and a state migration beside a block a
 * second. Prints one JSON line for each size. Each part is a process of its own, under the limit of memory.
 *
 *   npm run build && node bench/scale.ts [--sizes 1000000:10000,5000000:100000] [--max-memory 2GB] [--no-migration]
 */
import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { toHex } from "../node/bytes/hex.ts";
import { limitHeap } from "../node/compose/heap-limit.ts";
import { freePort } from "../test/support/go-node.ts";
import { makerFlags } from "../test/support/large-genesis.ts";
import { exportTo } from "../test/support/offline-jobs.ts";
import { call, until } from "../test/support/rpc-client.ts";
import { TOKEN_ADDRESS } from "../test/support/token.ts";
import { bytesWritten, peakMemory, residentMemory, runBuilt, spawnBuilt } from "./support/built-knit.ts";
import { directoryBytes } from "./support/directory-bytes.ts";
import { quantile, report, roundTo } from "./support/figures.ts";
import {
  growDirectory,
  holderSlot,
  holdersOf,
  limitedOptions,
  makeTransfers,
} from "./support/grown-chain.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    sizes: { type: "string", default: "1000000:10000,5000000:100000,25000000:500000" },
    "max-memory": { type: "string", default: "2GB" },
    migration: { type: "boolean", default: true },
  },
});
const TRANSFERS = 500;
const BLOCKS = 200;
const CALLS = 2_000;
const STARTS = 3;
const MIB = 2 ** 20;
/** Returns the slot that the input names: `PUSH1 0 CALLDATALOAD SLOAD PUSH1 0 MSTORE`, then a word. */
const READ_SLOT = "0x6000355460005260206000f3";
const memory = ["--max-memory", values["max-memory"]];

const [job, ...terms] = positionals;
if (job === undefined) await measureAll();
else await runJob(job, terms);

/** A part in a process of its own: its memory is that of the part alone. */
async function runJob(name: string, [datadir = "", accounts, blocks]: readonly string[]): Promise<void> {
  const size = { accounts: Number(accounts), blocks: Number(blocks) };
  const options = limitedOptions(datadir, values["max-memory"]);
  limitHeap(options.memory.shares.heap);
  const before = bytesWritten();
  const begun = performance.now();
  const times =
    name === "grow"
      ? await growDirectory(options, size).then(() => [])
      : await makeTransfers(options, { ...size, transfers: TRANSFERS });
  const seconds = (performance.now() - begun) / 1000;
  const written = bytesWritten() - before;
  process.stdout.write(JSON.stringify({ seconds, written, times, peakMiB: peakMemory(process.pid) }));
}

interface Part {
  readonly seconds: number;
  readonly written: number;
  readonly times: readonly number[];
  readonly peakMiB: number;
}

function runPart(name: string, ...args: readonly (string | number)[]): Part {
  const line = [import.meta.filename, name, ...args.map(String), ...memory];
  const { stdout, status } = spawnSync(process.execPath, line, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status !== 0) throw new Error(`${name} ended with ${status}`);
  return JSON.parse(stdout) as Part; // as `runJob` writes it
}

async function measureAll(): Promise<void> {
  for (const size of values.sizes.split(",")) {
    const [accounts = 0, blocks = 0] = size.split(":").map(Number);
    const scratch = await mkdtemp(join(tmpdir(), "knit-bench-scale-"));
    try {
      report({ bench: "scale", accounts, blocks, ...(await measure(scratch, accounts, blocks)) });
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  }
}

async function measure(scratch: string, accounts: number, blocks: number): Promise<object> {
  const at = (name: string): string => join(scratch, name);
  const [datadir, checkpoint, archive, pulled, file] = [
    at("data"),
    at("checkpoint"),
    at("archive"),
    at("pulled"),
    at("blocks.rlp"),
  ];
  const made = runPart("grow", datadir, accounts, blocks);
  const bytes = directoryBytes(datadir);
  const started = await measureStarts(datadir, accounts);
  const created = await runBuilt("checkpoint", "create", "--datadir", datadir, checkpoint);
  const pushed = await runBuilt("checkpoint", "push", "--datadir", datadir, checkpoint, archive);
  const copied = await runBuilt("checkpoint", "pull", archive, pulled);
  for (const done of [checkpoint, archive]) await rm(done, { recursive: true });
  const transfers = runPart("transfers", datadir, accounts, BLOCKS);
  await exportTo(datadir, file, { first: blocks + 1 });
  const imported = await runBuilt("import", "--datadir", pulled, file);
  await rm(pulled, { recursive: true });
  const rate = (seconds: number): number => Math.round((BLOCKS * TRANSFERS) / seconds);
  return {
    madeSeconds: roundTo(made.seconds),
    madePeakMiB: made.peakMiB,
    diskMiB: Math.round(bytes / MIB),
    ...started,
    checkpointMs: Math.round(created.seconds * 1000),
    blockMs: quantiles(transfers.times),
    transfersPerSecond: rate(transfers.times.reduce((sum, ms) => sum + ms, 0) / 1000),
    writtenKiBPerBlock: Math.round(transfers.written / BLOCKS / 1024),
    importedPerSecond: rate(imported.seconds),
    importPeakMiB: imported.peakMiB,
    pushMiBPerSecond: Math.round(bytes / MIB / pushed.seconds),
    pullMiBPerSecond: Math.round(bytes / MIB / copied.seconds),
    ...(values.migration ? await measureMigration(datadir) : {}),
  };
}

/** Starts the node several times: the first answer, its memory, and calls that read slots which nothing has read. */
async function measureStarts(datadir: string, accounts: number): Promise<object> {
  const answers: number[] = [];
  const calls: number[] = [];
  let residentMiB: number | undefined;
  for (let run = 0; run < STARTS; run++) {
    const begun = performance.now();
    await using node = await startNode(datadir, ["--type", "endpoint"]);
    answers.push(performance.now() - begun);
    for (let i = 0; i < CALLS; i++) calls.push(await callSlot(node.url, run * CALLS + i, accounts));
    residentMiB = residentMemory(node.pid);
  }
  return { firstAnswerMs: quantiles(answers), slotCallMs: quantiles(calls), residentMiB };
}

async function callSlot(url: string, at: number, accounts: number): Promise<number> {
  const place = (at * 7_919) % holdersOf(accounts);
  const to = toHex(TOKEN_ADDRESS);
  const begun = performance.now();
  const found = await call(url, "eth_call", { to, data: toHex(holderSlot(place)) }, "latest", {
    [to]: { code: READ_SLOT },
  });
  const took = performance.now() - begun;
  if (BigInt(String(found)) === 0n) throw new Error(`holder ${place} has nothing`);
  return took;
}

/** A migration beside the blocks of the only validator: how long, with what memory, and seconds without a block. */
async function measureMigration(datadir: string): Promise<object> {
  await using node = await startNode(datadir, ["--type", "core", ...makerFlags]);
  const height = async (): Promise<number> => Number(await call(node.url, "eth_blockNumber"));
  const first = await height();
  while ((await height()) < first + 2) await setTimeout(100);
  await call(node.url, "admin_startStateMigration");
  const begun = performance.now();
  const from = await height();
  let peakMiB = 0;
  for (;;) {
    await setTimeout(500);
    peakMiB = Math.max(peakMiB, residentMemory(node.pid) ?? 0);
    const status = (await call(node.url, "admin_stateMigrationStatus")) as {
      isMigration: boolean;
      err: string;
    };
    if (status.err !== "null" && status.err !== "") throw new Error(status.err);
    if (!status.isMigration && performance.now() - begun > 5_000) break;
  }
  const seconds = (performance.now() - begun) / 1000;
  const made = (await height()) - from;
  return { migrationSeconds: roundTo(seconds), migrationBlocks: made, migrationPeakMiB: peakMiB };
}

interface RunningNode extends AsyncDisposable {
  readonly url: string;
  readonly pid: number | undefined;
}

/** Starts a node and waits for its first answer. */
async function startNode(datadir: string, flags: readonly string[]): Promise<RunningNode> {
  const alone = ["--nodiscover", "--port", "0", "--ipcdisable", ...memory];
  const port = await freePort();
  const rpc = ["--rpc", "--rpcport", `${port}`, "--rpcapi", "eth,admin", "--verbosity", "2"];
  const child = spawnBuilt(["run", "--datadir", datadir, ...flags, ...alone, ...rpc]);
  const url = `http://127.0.0.1:${port}`;
  await until(() => call(url, "eth_blockNumber").catch(() => undefined));
  const ended = new Promise((resolve) => child.once("exit", resolve));
  return {
    url,
    pid: child.pid,
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await ended;
    },
  };
}

function quantiles(times: readonly number[]): object {
  return { p50: roundTo(quantile(times, 0.5)), p99: roundTo(quantile(times, 0.99)) };
}
