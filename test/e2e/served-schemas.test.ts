/**
 * A running development chain over IPC: the answers of methods that need a whole node and the notifications of
 * subscriptions keep to the schemas in the document that the node itself serves.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Schema } from "../../node/jsonrpc/schemas.ts";
import { schemaFaults } from "../support/answer-schemas.ts";
import { type DevNode, fundedKey, startDevNode } from "../support/dev-node.ts";
import { overIpc } from "../support/transcript/wires.ts";

/** The document of `rpc_discover`. */
interface ServedDocument {
  readonly methods: readonly ServedMethod[];
  readonly components: { readonly schemas: Schema };
}

interface ServedMethod {
  readonly name: string;
  readonly params: readonly { readonly schema: Schema }[];
  readonly result: { readonly schema: Schema };
  readonly "x-subscriptions"?: Readonly<
    Record<string, { readonly notification: { readonly schema: Schema } }>
  >;
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
/** Emits a log with one topic. */
const LOGS = "0x600760006000a100";

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

function servedMethod(method: string): ServedMethod {
  const row = served.methods.find(({ name }) => name === method);
  if (row === undefined) throw new Error(`the document has no ${method}`);
  return row;
}

const faultsOf = (method: string, result: unknown): string[] =>
  schemaFaults(servedMethod(method).result.schema, result, served.components.schemas);

/** Returns what is wrong with arguments by the schemas of their parameters. */
function argumentFaults(method: string, ...given: readonly unknown[]): string[] {
  const { params } = servedMethod(method);
  expect(given.length).toBeLessThanOrEqual(params.length);
  const faults = (value: unknown, at: number): string[] =>
    schemaFaults(params[at]?.schema ?? {}, value, served.components.schemas);
  return given.flatMap(faults);
}

/** Subscribes over IPC, does the work once there is a subscription, and returns the first notification. */
async function notificationOf(
  method: string,
  params: readonly unknown[],
  work: () => Promise<unknown>,
): Promise<unknown> {
  const socket = connect({ path: node.ipc });
  const reader = createInterface({ input: socket });
  try {
    const lines = reader[Symbol.asyncIterator]();
    socket.write(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
    const answer = await lines.next();
    expect(JSON.parse(String(answer.value))).toMatchObject({
      result: expect.stringMatching(/^0x/) as unknown,
    });
    await work();
    const notified = await lines.next();
    return (JSON.parse(String(notified.value)) as { params: { result: unknown } }).params.result;
  } finally {
    reader.close();
    socket.destroy();
  }
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

test.each<[string, readonly unknown[]]>([
  ["chain_subscribe", ["newHeads"]],
  ["eth_subscribe", ["newHeads"]],
  ["auction_subscribe", ["newHeads"]],
  ["chain_subscribe", ["logs", {}]],
  ["eth_subscribe", ["logs", { fromBlock: "latest", address: [], topics: [null] }]],
  ["auction_subscribe", ["logs", {}]],
  ["chain_subscribe", ["newPendingTransactions"]],
  ["eth_subscribe", ["newPendingTransactions", false]],
  ["auction_subscribe", ["newPendingTransactions", true]],
  ["debug_subscribe", ["traceChain", "0x0", "latest", { tracer: "callTracer" }]],
])("%s of %j", async (method, params) => {
  expect(argumentFaults(method, ...params)).toEqual([]);
  const notified = await notificationOf(method, params, () =>
    ask("eth_sendTransaction", { from: facts.sender, data: LOGS, gas: GAS }),
  );
  const kinds = servedMethod(method)["x-subscriptions"] ?? {};
  const { notification } = kinds[String(params[0])] ?? {};
  expect(notification?.schema).not.toEqual({});
  expect(schemaFaults(notification?.schema ?? {}, notified, served.components.schemas)).toEqual([]);
  expect(schemaFaults(notification?.schema ?? {}, {}, served.components.schemas)).not.toEqual([]);
});

const POINT = { x: `0x${"0".repeat(63)}1`, y: "0x2" };
test.each<[string, readonly unknown[], wrong: unknown]>([
  ["dev_reset", [{ forking: { jsonRpcUrl: null, blockNumber: "0x1" } }], { forking: { url: "http://x" } }],
  ["evm_mine", [{ timestamp: "0x1", blocks: 2 }], { timestamp: {} }],
  ["governance_vote", ["governance.addvalidator", [`0x${"11".repeat(20)}`]], 5],
  ["eth_getStorageValues", [{ [`0x${"11".repeat(20)}`]: [`0x${"00".repeat(32)}`] }, "latest"], { alice: [] }],
  ["chain_encodeAccountKey", [{ keyType: 1 }], { keyType: 2, key: {} }],
  [
    "chain_encodeAccountKey",
    [{ keyType: 4, key: { threshold: 1, keys: [{ weight: 1, key: POINT }] } }],
    { keyType: 4, key: POINT },
  ],
  [
    "chain_encodeAccountKey",
    [
      {
        keyType: 5,
        key: [
          { keyType: 2, key: POINT },
          { keyType: 1, key: {} },
        ],
      },
    ],
    { keyType: 5, key: [{ keyType: 5, key: [] }] },
  ],
])("parameters of %s as %j", (method, given, wrong) => {
  expect(argumentFaults(method, ...given)).toEqual([]);
  expect(argumentFaults(method, wrong)).not.toEqual([]);
});
