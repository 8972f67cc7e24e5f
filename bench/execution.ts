/**
 * Import of chain files: transactions per second of the import itself, as the command says it, seconds of the whole
 * command from start to exit, peak memory. `--chain DIR` names a folder with genesis.json and chain.rlp.gz; without it
 * three are taken: the recorded transfers, 50,000 transfers between 20,000 accounts, and 55,000 transactions of which
 * every fourth or so is a token transfer, under all forks up to Prague. With KNIT_PEER_KCN the Go node imports the
 * same blocks in the same run; @ethereumjs/vm runs transfers of the same two kinds, without blocks or disk.
 *
 *   npm run build && node bench/execution.ts [--chain DIR] [--runs N]
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { readBlockFile } from "../node/chain/block-file.ts";
import { decodeBlock } from "../node/model/block.ts";
import { importWithGoNode } from "../test/support/go-node.ts";
import { makeTransferChain } from "../test/support/transfer-chain.ts";
import { runBuilt } from "./support/built-knit.ts";
import { measureVm } from "./support/ethereumjs-vm.ts";
import { median, report, roundTo } from "./support/figures.ts";
import { loneForks } from "./support/lone-forks.ts";

const RECORDED = fileURLToPath(new URL("../test/vectors/chains/transfers", import.meta.url));

const { values } = parseArgs({
  options: { chain: { type: "string" }, runs: { type: "string", default: "3" } },
});
const runs = Number(values.runs);
const scratch = await mkdtemp(join(tmpdir(), "knit-bench-execution-"));
try {
  if (values.chain === undefined) report({ bench: "@ethereumjs/vm", ...(await measureVm()) });
  for (const chain of values.chain === undefined ? await ownChains(scratch) : [values.chain])
    await measure(chain);
} finally {
  await rm(scratch, { recursive: true, force: true });
}

async function ownChains(directory: string): Promise<string[]> {
  const [transfers, mixed] = [join(directory, "transfers"), join(directory, "mixed")];
  await makeTransferChain(transfers, { accounts: 20_000, blocks: 100, transfers: 500 });
  const config = Object.fromEntries(loneForks.map((key) => [key, 0]));
  const types = [0, 0x7802];
  await makeTransferChain(mixed, {
    accounts: 5_000,
    blocks: 110,
    transfers: 500,
    tokenEvery: 4,
    types,
    config,
  });
  return [RECORDED, transfers, mixed];
}

async function measure(chain: string): Promise<void> {
  const transactions = await countTransactions(join(chain, "chain.rlp.gz"));
  const whole: number[] = [];
  const seconds: number[] = [];
  const peaks: number[] = [];
  const peer: number[] = [];
  const peerPeaks: number[] = [];
  for (let run = 0; run < runs; run++) {
    const datadir = join(scratch, `run-${run}`);
    await runBuilt("init", "--datadir", datadir, join(chain, "genesis.json"));
    const done = await runBuilt("import", "--datadir", datadir, join(chain, "chain.rlp.gz"));
    whole.push(done.seconds);
    seconds.push(Number(/in ([\d.]+) s/.exec(done.output)?.[1]));
    if (done.peakMiB !== undefined) peaks.push(done.peakMiB);
    await rm(datadir, { recursive: true, force: true });
    const goDirectory = join(scratch, "go");
    const go = await importWithGoNode(chain, goDirectory);
    await rm(goDirectory, { recursive: true, force: true });
    if (go === undefined) continue;
    peer.push(go.seconds);
    if (go.peakMiB !== undefined) peerPeaks.push(go.peakMiB);
  }
  const rate = transactions / median(seconds);
  const goRate = peer.length === 0 ? undefined : transactions / median(peer);
  report({
    bench: "execution",
    chain: chain.split("/").at(-1),
    transactions,
    runs,
    seconds: roundTo(median(seconds)),
    wholeCommandSeconds: roundTo(median(whole)),
    transactionsPerSecond: Math.round(rate),
    peakMiB: median(peaks),
    ...(goRate === undefined
      ? { peer: "none: set KNIT_PEER_KCN to the path of a Go node" }
      : {
          peerTransactionsPerSecond: Math.round(goRate),
          peerPeakMiB: median(peerPeaks),
          ratio: roundTo(rate / goRate),
        }),
  });
}

async function countTransactions(path: string): Promise<number> {
  let count = 0;
  for await (const { raw } of readBlockFile(path)) count += decodeBlock(raw).transactions.length;
  return count;
}
