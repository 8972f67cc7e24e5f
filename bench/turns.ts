/**
 * Measures the delay of other work while blocks are executed: the CPU time of the main thread between one turn of
 * the event loop and the next, while a chain of 500 transfers a block is imported from disk to disk.
 * `node bench/turns.ts [accounts] [blocks]`
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { importChain, initDatadir } from "../node/compose/offline-jobs.ts";
import { options } from "../test/support/options.ts";
import { makeTransferChain } from "../test/support/transfer-chain.ts";
import { report, roundTo } from "./support/figures.ts";

const TRANSFERS = 500;
const [accounts = 20_000, blocks = 100] = process.argv.slice(2).map(Number);

/** Milliseconds of CPU time of each turn until `stop` is called. */
function watchTurns(): () => number[] {
  const turns: number[] = [];
  let before = process.threadCpuUsage();
  let isOver = false;
  const turn = (): void => {
    const { user, system } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    turns.push((user + system) / 1000);
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  return () => {
    isOver = true;
    return turns.sort((a, b) => a - b);
  };
}

const scratch = await mkdtemp(join(tmpdir(), "knit-bench-turns-"));
try {
  await makeTransferChain(join(scratch, "chain"), { accounts, blocks, transfers: TRANSFERS });
  const settings = options({ line: { datadir: join(scratch, "data") } }).options;
  await initDatadir(settings, await readFile(join(scratch, "chain", "genesis.json"), "utf8"));
  const stop = watchTurns();
  const job = {
    files: [join(scratch, "chain", "chain.rlp.gz")],
    progress: { update: () => undefined, [Symbol.dispose]: () => undefined },
    signal: new AbortController().signal,
  };
  const { transactions, seconds, failure } = await importChain(settings, job);
  if (failure !== undefined) throw failure;
  const turns = stop();
  const at = (part: number): number => roundTo(turns[Math.floor(part * (turns.length - 1))] ?? Number.NaN);
  report({
    bench: "turns",
    accounts,
    transactions,
    seconds: roundTo(seconds),
    turns: turns.length,
    milliseconds: { p50: at(0.5), p99: at(0.99), p999: at(0.999), most: at(1) },
    longest: turns.slice(-12).map(roundTo),
  });
} finally {
  await rm(scratch, { recursive: true, force: true });
}
