/**
 * A state migration of whole nodes, Knit and, where KNIT_PEER_KCN is its path, the Go node: the same genesis, a block
 * a second, then `admin_startStateMigration`. A line of JSON a node, as `bench/support/node-migration.ts` measures it:
 * nodes copied a second, the delays of blocks, the longest time between two blocks, peak memory before and after.
 *
 *   npm run build && KNIT_PEER_KCN=<path of kcn> node bench/migration-nodes.ts [--accounts N] [--contracts N]
 */
import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { freePort } from "../test/support/go-node.ts";
import { largeGenesis, makerFlags, SLOTS } from "../test/support/large-genesis.ts";
import { startNode } from "./rpc/running.ts";
import { BUILT_MAIN, runBuilt } from "./support/built-knit.ts";
import { report } from "./support/figures.ts";
import { measureNodeMigration } from "./support/node-migration.ts";

const { values } = parseArgs({
  options: {
    accounts: { type: "string", default: "200000" },
    contracts: { type: "string", default: "500" },
  },
});
const PATIENCE_MS = 600_000;
const PEER = process.env["KNIT_PEER_KCN"];

const scratch = await mkdtemp(join(tmpdir(), "knit-bench-migration-"));
try {
  const genesis = join(scratch, "genesis.json");
  await writeFile(genesis, largeGenesis(Number(values.accounts), Number(values.contracts)));
  const knit = join(scratch, "knit");
  await runBuilt("init", "--datadir", knit, genesis);
  await measure("knit", process.execPath, [BUILT_MAIN, "run", "--type", "core", ...(await flagsOf(knit))]);
  if (PEER !== undefined) {
    const go = join(scratch, "go");
    spawnSync(PEER, ["--datadir", go, "init", genesis], { stdio: "ignore" });
    await measure("go", PEER, [
      ...(await flagsOf(go)),
      "--nat",
      "none",
      "--ntp.disable",
      "--networkid",
      "9001",
    ]);
  }
} finally {
  await rm(scratch, { recursive: true, force: true });
}

/** Flags of both nodes; the HTTP port comes first. */
async function flagsOf(datadir: string): Promise<string[]> {
  const [http, peers] = [await freePort(), await freePort()];
  const rpc = ["--rpcport", `${http}`, "--rpc", "--rpcaddr", "127.0.0.1", "--rpcapi", "eth,admin"];
  return [
    ...rpc,
    ...makerFlags,
    "--datadir",
    datadir,
    "--port",
    `${peers}`,
    "--nodiscover",
    "--verbosity",
    "1",
  ];
}

async function measure(name: string, command: string, args: readonly string[]): Promise<void> {
  const http = `http://127.0.0.1:${args[args.indexOf("--rpcport") + 1]}`;
  await using node = await startNode({ command, args, targets: { http }, patienceMs: PATIENCE_MS });
  report({
    bench: "migration-nodes",
    name,
    accounts: Number(values.accounts),
    slots: Number(values.contracts) * SLOTS,
    ...(await measureNodeMigration(node)),
  });
}
