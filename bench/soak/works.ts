/** Kinds of work that clients do concurrently, one row each. A step is one iteration of one client. */
import { randomBytes } from "node:crypto";
import { toHex } from "../../node/bytes/hex.ts";
import { fixedBytes, toQuantity } from "../../node/bytes/integer.ts";
import { COUNTER_CODE } from "../../test/support/counter-contract.ts";
import { type Client, call, callMany } from "./client.ts";

/** Shared by all kinds of work: accounts of the node, a contract, and the newest block that was reported. */
export interface Stage {
  accounts: readonly string[];
  contract: string | undefined;
  /** Newest block by number, as the node told of it. */
  newest: { readonly number: number; readonly hash: string } | undefined;
  sent: number;
  /** The process that was last asked to migrate, until it has. */
  migrating: number | undefined;
}

/** One kind of work. */
export interface Work {
  readonly name: string;
  readonly clients: number;
  /** Milliseconds between two steps of a client. */
  readonly restMs: number;
  step(client: Client, stage: Stage): Promise<void>;
}

const SET = "0x60fe47b1";
const BATCH = 50;
const SENT_AT_A_TIME = 20;

/** Every kind but those that steer the node. */
export const works: readonly Work[] = [
  { name: "reads", clients: 4, restMs: 20, step: read },
  { name: "batches", clients: 1, restMs: 200, step: readBatch },
  { name: "transactions", clients: 1, restMs: 250, step: send },
  { name: "contract calls", clients: 2, restMs: 20, step: callContract },
  { name: "logs", clients: 1, restMs: 200, step: searchLogs },
  { name: "traces", clients: 1, restMs: 500, step: trace },
  { name: "filters", clients: 1, restMs: 500, step: pollFilter },
  { name: "cache saves", clients: 1, restMs: 20_000, step: saveCache },
  { name: "migrations", clients: 1, restMs: 10_000, step: migrate },
];

async function read(client: Client, stage: Stage): Promise<void> {
  const block = await call<{ number: string; hash: string; transactions: string[] }>(
    client,
    "reads",
    "eth_getBlockByNumber",
    "latest",
    false,
  );
  if (block === undefined) return;
  const number = Number(block.number);
  if (number > (stage.newest?.number ?? -1)) stage.newest = { number, hash: block.hash };
  await call(client, "reads", "eth_getBalance", pick(stage.accounts), "latest");
  const [hash] = block.transactions;
  if (hash !== undefined) await call(client, "reads", "eth_getTransactionReceipt", hash);
}

async function readBatch(client: Client, stage: Stage): Promise<void> {
  const calls = Array.from({ length: BATCH }, () => {
    const params = [toQuantity(someBlock(stage)), true] as const;
    return ["eth_getBlockByNumber", params] as const;
  });
  await callMany(client, "batches", calls);
}

/** New accounts, and slots of a contract that tells of each change. */
async function send(client: Client, stage: Stage): Promise<void> {
  const from = pick(stage.accounts);
  if (stage.contract === undefined) return deploy(client, stage, from);
  const calls = Array.from({ length: SENT_AT_A_TIME }, (_, i) => {
    const to = toHex(randomBytes(20));
    const change = { from, to: stage.contract, data: SET + word(stage.sent + i), gas: "0x186a0" };
    const transfer = { from, to, value: "0x1", gas: "0x5208" };
    return ["eth_sendTransaction", [i % 4 === 0 ? change : transfer]] as const;
  });
  const hashes = await callMany<string>(client, "transactions", calls);
  stage.sent += hashes.filter((hash) => hash !== undefined).length;
}

async function deploy(client: Client, stage: Stage, from: string): Promise<void> {
  const data = COUNTER_CODE + word(7);
  const hash = await call<string>(client, "transactions", "eth_sendTransaction", {
    from,
    data,
    gas: "0xf4240",
  });
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const receipt = await call<{ contractAddress: string }>(
    client,
    "transactions",
    "eth_getTransactionReceipt",
    hash,
  );
  stage.contract = receipt?.contractAddress;
}

async function callContract(client: Client, { accounts, contract }: Stage): Promise<void> {
  if (contract === undefined) return;
  const asked = { from: pick(accounts), to: contract, data: SET + word(9) };
  await call(client, "contract calls", "eth_call", asked, "latest");
  await call(client, "contract calls", "eth_estimateGas", asked);
}

async function searchLogs(client: Client, stage: Stage): Promise<void> {
  const to = someBlock(stage);
  const range = { fromBlock: toQuantity(Math.max(0, to - 100)), toBlock: toQuantity(to) };
  await call(client, "logs", "eth_getLogs", { ...range, address: stage.contract });
}

async function trace(client: Client, { newest }: Stage): Promise<void> {
  const number = Math.max(1, (newest?.number ?? 1) - 2);
  await call(client, "traces", "debug_traceBlockByNumber", toQuantity(number), { tracer: "callTracer" });
  await call(client, "traces", "debug_traceBlockByNumber", toQuantity(number), {});
}

async function pollFilter(client: Client): Promise<void> {
  const id = await call<string>(client, "filters", "eth_newBlockFilter");
  await new Promise((resolve) => setTimeout(resolve, 1500));
  if (id === undefined) return;
  await call(client, "filters", "eth_getFilterChanges", id);
  await call(client, "filters", "eth_uninstallFilter", id);
}

async function saveCache(client: Client): Promise<void> {
  await call(client, "cache saves", "admin_saveTrieNodeToDisk");
}

async function migrate(client: Client, stage: Stage): Promise<void> {
  const { subject, tally } = client;
  const status = await call<{ isMigration: boolean; err: string }>(
    client,
    "questions about migrations",
    "admin_stateMigrationStatus",
  );
  if (status?.isMigration !== false) return;
  if (stage.migrating === subject.generation) {
    if (status.err === "null") tally.done("migrations finished");
    else tally.fail("migrations", status.err);
  }
  stage.migrating = subject.generation;
  await call(client, "migrations begun", "admin_startStateMigration");
}

function pick(accounts: readonly string[]): string {
  return accounts[Math.floor(Math.random() * accounts.length)] ?? "";
}

function someBlock({ newest }: Stage): number {
  return Math.floor(Math.random() * (newest?.number ?? 1));
}

function word(value: number): string {
  return toHex(fixedBytes(value, 32)).slice(2);
}
