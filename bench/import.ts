/**
 * Import of a chain file: transactions per second of the import itself, as the command says it, seconds of the whole
 * command from start to exit, peak memory. `--chain DIR` names a folder with genesis.json and chain.rlp.gz; without it
 * the recorded transfer chain and a made one of 50,000 transfers between 20,000 accounts are taken.
 * With KNIT_PEER_KCN the Go node imports the same blocks in the same run.
 *
 *   npm run build && node bench/import.ts [--chain DIR] [--runs N]
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
import { median, report, rounded } from "./support/figures.ts";

const RECORDED = fileURLToPath(new URL("../test/vectors/chains/transfers", import.meta.url));

const { values } = parseArgs({
  options: { chain: { type: "string" }, runs: { type: "string", default: "3" } },
});
const runs = Number(values.runs);
const scratch = await mkdtemp(join(tmpdir(), "knit-bench-import-"));
try {
  const chains = values.chain === undefined ? [RECORDED, await madeChain(scratch)] : [values.chain];
  for (const chain of chains) await measure(chain);
} finally {
  await rm(scratch, { recursive: true, force: true });
}

async function madeChain(directory: string): Promise<string> {
  const chain = join(directory, "made");
  await makeTransferChain(chain, { accounts: 20_000, blocks: 100, transfers: 500 });
  return chain;
}

async function measure(chain: string): Promise<void> {
  const transactions = await countTransactions(join(chain, "chain.rlp.gz"));
  const whole: number[] = [];
  const seconds: number[] = [];
  const peaks: number[] = [];
  const peer: number[] = [];
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
    if (go !== undefined) peer.push(go);
  }
  const rate = transactions / median(seconds);
  const goRate = peer.length === 0 ? undefined : transactions / median(peer);
  report({
    bench: "import",
    chain: chain.split("/").at(-1),
    transactions,
    runs,
    seconds: rounded(median(seconds)),
    wholeCommandSeconds: rounded(median(whole)),
    transactionsPerSecond: Math.round(rate),
    peakMiB: median(peaks),
    ...(goRate === undefined
      ? { peer: "none: set KNIT_PEER_KCN to the path of a Go node" }
      : { peerTransactionsPerSecond: Math.round(goRate), ratio: rounded(rate / goRate) }),
  });
}

async function countTransactions(path: string): Promise<number> {
  let count = 0;
  for await (const { raw } of readBlockFile(path)) count += decodeBlock(raw).transactions.length;
  return count;
}
