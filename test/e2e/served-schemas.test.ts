/**
 * A running development chain over IPC: the answers of methods that need a whole node keep to the schemas in the document
 * that the node itself serves.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Schema } from "../../node/jsonrpc/schemas.ts";
import { schemaFaults } from "../support/answer-schemas.ts";
import { type DevNode, fundedKey, startDevNode } from "../support/dev-node.ts";
import { overIpc } from "../support/transcript/wires.ts";

/** The document of `rpc_discover`. */
interface ServedDocument {
  readonly methods: readonly { readonly name: string; readonly result: { readonly schema: Schema } }[];
  readonly components: { readonly schemas: Schema };
}

/** Accounts, a block and a transaction that the calls name. */
interface Facts {
  readonly sender: string;
  readonly contract: string;
  readonly blockHash: string;
  readonly transactionHash: string;
  readonly blockRlp: string;
}

/** Reverts with the reason "no". */
const REVERTS = "62461bcd60e51b60005260206004526002602452616e6f60f01b60445260646000fd";
/** Returns the code behind it. */
const DEPLOYS = `61${(REVERTS.length / 2).toString(16).padStart(4, "0")}80600a3d393df3`;
const GAS = "0x100000";

let directory: string;
let node: DevNode;
let served: ServedDocument;
let facts: Facts;

/** Calls a method over IPC and returns its result. Rejects with the error of the node. */
async function ask<T>(method: string, ...params: readonly unknown[]): Promise<T> {
  const request = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const answer = JSON.parse(await overIpc(node.ipc, request, 1, 15_000)) as { result: T; error?: object };
  if (answer.error !== undefined) throw new Error(`${method}: ${JSON.stringify(answer.error)}`);
  return answer.result;
}

function faultsOf(method: string, result: unknown): string[] {
  const row = served.methods.find(({ name }) => name === method);
  if (row === undefined) throw new Error(`the document has no ${method}`);
  return schemaFaults(row.result.schema, result, served.components.schemas);
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "served-schemas-"));
  node = await startDevNode("--index.addresses", "--datadir", join(directory, "node"));
  served = await ask<ServedDocument>("rpc_discover");
  const from = fundedKey(node, 0).address;
  const deployment = { from, data: `0x${DEPLOYS}${REVERTS}`, gas: GAS };
  const receipt = await ask<Record<string, string>>("eth_sendTransactionSync", deployment);
  expect(faultsOf("eth_sendTransactionSync", receipt)).toEqual([]);
  facts = {
    sender: from,
    contract: receipt["contractAddress"] ?? "",
    blockHash: receipt["blockHash"] ?? "",
    transactionHash: receipt["transactionHash"] ?? "",
    blockRlp: `0x${await ask<string>("debug_getBlockRlp", receipt["blockNumber"])}`,
  };
}, 120_000);

afterAll(async () => {
  await node.knit.stop();
  await rm(directory, { recursive: true, force: true });
});

test.each<[string, (facts: Facts) => readonly unknown[]]>([
  ["rpc_discover", () => []],
  ["admin_backupStatus", () => []],
  ["admin_checkpointStatus", () => []],
  ["admin_createCheckpoint", () => [join(directory, "checkpoint")]],
  ["admin_nodeInfo", () => []],
  ["admin_saveTrieNodeStatus", () => []],
  ["admin_stateMigrationLast", () => []],
  ["admin_stateMigrationRoom", () => []],
  ["admin_stateMigrationStatus", () => []],
  ["debug_memStats", () => []],
  ["debug_metrics", () => [true]],
  ["debug_traceBlock", ({ blockRlp }) => [blockRlp, { tracer: "callTracer" }]],
  ["debug_traceTransaction", ({ transactionHash }) => [transactionHash]],
  ["dev_metadata", () => []],
  ["dev_nodeInfo", () => []],
  ["erigon_getHeaderByNumber", () => ["0x1"]],
  ["eth_config", () => []],
  ["eth_getAccount", ({ sender }) => [sender]],
  ["eth_getAccountInfo", ({ contract }) => [contract]],
  ["eth_getStorageValues", ({ contract }) => [{ [contract]: [`0x${"00".repeat(32)}`] }]],
  [
    "eth_simulateV1",
    ({ sender, contract }) => [{ blockStateCalls: [{ calls: [{ from: sender, to: contract }] }] }],
  ],
  ["ots_getBlockDetails", () => ["0x1"]],
  ["ots_getBlockDetailsByHash", ({ blockHash }) => [blockHash]],
  ["ots_getBlockTransactions", () => ["0x1", 0, 10]],
  ["ots_getContractCreator", ({ contract }) => [contract]],
  ["ots_searchTransactionsAfter", ({ sender }) => [sender, 0, 10]],
  ["ots_searchTransactionsBefore", ({ sender }) => [sender, 0, 10]],
  ["ots_traceTransaction", ({ transactionHash }) => [transactionHash]],
  ["trace_block", () => ["0x1"]],
  ["trace_replayTransaction", ({ transactionHash }) => [transactionHash, ["trace", "vmTrace", "stateDiff"]]],
])("%s", async (method, paramsOf) => {
  const result = await ask(method, ...paramsOf(facts));
  expect(faultsOf(method, result)).toEqual([]);
});

test("dev_mineDetailed, with a transaction that is reverted", async () => {
  await ask("evm_setAutomine", false);
  await ask("eth_sendTransaction", { from: facts.sender, to: facts.contract, gas: GAS });
  const blocks = await ask<readonly object[]>("dev_mineDetailed");
  expect(faultsOf("dev_mineDetailed", blocks)).toEqual([]);
  expect(blocks).toMatchObject([{ transactions: [{ revertReason: expect.any(String) }] }]);
});
