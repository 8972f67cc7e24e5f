/**
 * Tests of the upkeep of a node's state: saved trie nodes, which survive a `kill -9`, and a migration beside a
 * running chain.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { startDevNode } from "../support/dev-node.ts";
import { call, until } from "../support/rpc-client.ts";

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "knit-fastcache-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const start = (...more: string[]) => startDevNode("--datadir", directory, "--rpcapi", "admin,chain", ...more);

test("what a node saved is loaded by the next; without a cache nothing is", async () => {
  const { knit: first, http: url } = await start("--state.block-interval", "1");
  const [from, to] = (await call(url, "chain_accounts")) as [string, string];
  await call(url, "chain_sendTransaction", { from, to, value: "0x1" });
  await until(async () => ((await call(url, "chain_blockNumber")) === "0x0" ? undefined : true));
  expect(await call(url, "admin_saveTrieNodeToDisk")).toBeNull();
  await first.waitFor(/saved trie nodes/);
  await first.stop("SIGKILL");

  const { knit: second } = await start();
  const [, nodes] = await second.waitFor(/loaded trie nodes.*nodes=(\d+)/);
  expect(Number(nodes)).toBeGreaterThan(0);
  await second.stop();

  const { knit: without, http: bare } = await start("--state.trie-cache-limit", "0");
  await expect(call(bare, "admin_saveTrieNodeCacheToDisk")).rejects.toMatchObject({
    code: -32000,
    message: "trie node cache is disabled, nothing to save to file",
  });
  expect(without.output()).not.toContain("loaded trie nodes");
  await without.stop();
});

test("a migration asked for over RPC ends by itself while blocks go on", async () => {
  const { knit, http: url } = await start("--block-generation-interval", "1");
  expect(await call(url, "admin_stateMigrationLast")).toBeNull();
  const { free, needed } = (await call(url, "admin_stateMigrationRoom")) as Record<string, number>;
  expect(free).toBeGreaterThan(needed ?? 0);
  expect(needed).toBeGreaterThan(128 * 1024 * 1024); // and what the state takes
  const account = ((await call(url, "chain_accounts")) as string[])[5]; // which sends nothing
  const before = await call(url, "chain_getBalance", account, "latest");
  expect(await call(url, "admin_startStateMigration")).toBeNull();
  await expect(call(url, "admin_startStateMigration")).rejects.toMatchObject({
    code: -32000,
    message: "migration already started",
  });
  const ended = await until(async () => {
    const status = (await call(url, "admin_stateMigrationStatus")) as { isMigration: boolean };
    return status.isMigration ? undefined : status;
  });
  expect(ended).toMatchObject({ err: "null", progress: 100, pending: 0 });
  const { migrationBlockNumber } = ended as { isMigration: boolean; migrationBlockNumber: number };
  expect(await call(url, "admin_stateMigrationLast")).toEqual({ err: "null", migrationBlockNumber });
  await expect(call(url, "admin_stopStateMigration")).rejects.toMatchObject({ message: "not in migration" });
  expect(await call(url, "chain_getBalance", account, "latest")).toBe(before);
  await knit.stop();
}, 60_000);

test("with too little room on the disk no blocks are made, and readiness, metrics and the log's file say so", async () => {
  const file = join(directory, "logs", "knit.log");
  const scratch = join(directory, "full");
  const node = await startDevNode("--datadir", scratch, "--db.min-free", "1000000000", "--log.file", file);
  const ready = await fetch(new URL("/readyz", node.metrics));
  expect([ready.status, await ready.json()]).toEqual([503, { ready: false, reasons: ["disk-low"] }]);
  const scraped = await (await fetch(node.metrics)).text();
  expect(scraped).toMatch(/^knit_disk_low 1$/m);
  expect(scraped).toMatch(/^klaytn_blockchain_head_blocknumber 0$/m);
  await node.knit.stop();
  expect(await readFile(file, "utf8")).toMatch(/error disk is nearly full: no blocks are written/);
});
