/** Tests of the methods about blocks and the chain, against recorded answers. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openAccounts } from "../../../node/accounts/open-accounts.ts";
import type { ProfileName } from "../../../node/compat/profiles.ts";
import type { RpcEndpoint } from "../../../node/jsonrpc/dispatch.ts";
import { silentLog } from "../../../node/observe/log.ts";
import { recordedJson, type TestChain } from "../../support/chain.ts";
import { lonelyP2p } from "../../support/lonely-p2p.ts";
import { readingParts } from "../../support/reading-parts.ts";
import { aSession, recorded } from "./fixture.ts";
import { aPool, recordedChain } from "./recorded-chain.ts";
import { type ServedParts, servedNode } from "./served-node.ts";

let chain: TestChain;
let directory: string;
let parts: ServedParts;
const endpoints = new Map<ProfileName, RpcEndpoint>();

beforeAll(async () => {
  chain = await recordedChain();
  directory = await mkdtemp(join(tmpdir(), "rpc-chain-"));
  const accounts = await openAccounts({ directory, lightKdf: true, log: silentLog });
  parts = {
    chain: chain.chain,
    pool: await aPool(chain.chain),
    accounts,
    ...readingParts(chain.chain, 10_000),
    clientName: "Klaytn/knit/v0.1.0/linux-x64/go1.0",
    networkId: 9025,
    dataDirectory: directory,
    address: new Uint8Array(20).fill(7),
  };
});

afterAll(async () => {
  await parts.accounts[Symbol.asyncDispose]();
  await chain[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

function endpointOf(name: ProfileName): RpcEndpoint {
  const known = endpoints.get(name);
  if (known !== undefined) return known;
  const endpoint = servedNode(name, parts);
  endpoints.set(name, endpoint);
  return endpoint;
}

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

async function rawCall(
  method: string,
  params: readonly unknown[],
  profile: ProfileName = "kaia",
): Promise<string> {
  const request = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  return (await endpointOf(profile).answer(request, aSession)) ?? "";
}

async function call(
  method: string,
  params: readonly unknown[],
  profile: ProfileName = "kaia",
): Promise<unknown> {
  const answer = JSON.parse(await rawCall(method, params, profile)) as Answer;
  return answer.error ?? answer.result;
}

test("every recorded block is returned byte for byte", async () => {
  for (const block of await recordedJson<{ number: string }[]>("blocks.json.gz")) {
    const answer = await rawCall("klay_getBlockByNumber", [block.number, true]);
    expect(answer).toBe(`{"jsonrpc":"2.0","id":1,"result":${JSON.stringify(block)}}\n`);
  }
});

test("every recorded receipt is returned byte for byte, by block and by transaction", async () => {
  const recordedReceipts =
    await recordedJson<Record<string, { transactionHash: string }[]>>("receipts.json.gz");
  for (const [number, receipts] of Object.entries(recordedReceipts)) {
    const answer = await rawCall("klay_getBlockReceipts", [Number(number)]);
    expect(answer).toBe(`{"jsonrpc":"2.0","id":1,"result":${JSON.stringify(receipts)}}\n`);
    const [receipt] = receipts;
    const single = await rawCall("klay_getTransactionReceipt", [receipt?.transactionHash]);
    expect(await rawCall("klay_getTransactionReceiptInCache", [receipt?.transactionHash])).toBe(single);
    expect(single).toBe(`{"jsonrpc":"2.0","id":1,"result":${JSON.stringify(receipt)}}\n`);
  }
});

test("every recorded account is returned byte for byte", async () => {
  const { accounts } = await recordedJson<{ accounts: Record<string, { account: unknown }> }>(
    "state.json.gz",
  );
  const rows = Object.entries(accounts);
  expect(rows.length).toBeGreaterThan(3000);
  for (const [address, { account }] of rows) {
    const answer = await rawCall("klay_getAccount", [address, "latest"]);
    expect(answer).toBe(`{"jsonrpc":"2.0","id":1,"result":${JSON.stringify(account)}}\n`);
  }
});

test("balances and nonces are those of the account, at the head and at block 0", async () => {
  const { accounts } = await recordedJson<{
    accounts: Record<string, { account: { account: { nonce: number; balance: string } } }>;
  }>("state.json.gz");
  const sender = Object.entries(accounts).find(([, { account }]) => account.account.nonce > 0);
  const [address = "", state] = sender ?? [];
  expect(await call("eth_getBalance", [address, "latest"])).toBe(state?.account.account.balance);
  expect(await call("klay_getTransactionCount", [address, { blockNumber: "latest" }])).toBe(
    `0x${state?.account.account.nonce.toString(16)}`,
  );
  expect(await call("klay_getTransactionCount", [address, "0x0"])).toBe("0x0");
  expect(await call("klay_getBalance", [`0x${"99".repeat(20)}`, "latest"])).toBe("0x0");
});

test("parameter errors are the Go node's", async () => {
  const missing: string[] = [];
  let compared = 0;
  for (const [method, params, message] of recorded.parameterErrors) {
    const request = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const { error } = JSON.parse((await endpointOf("kaia").answer(request, aSession)) ?? "") as Answer;
    if (error?.code === -32601) missing.push(method);
    else {
      expect([method, params, error]).toEqual([method, params, { code: -32602, message }]);
      compared++;
    }
  }
  expect(missing).toEqual([]);
  expect(compared).toBe(recorded.parameterErrors.length);
});

test("unknown blocks are errors for chain and null for eth", async () => {
  expect(await call("klay_getBlockByNumber", ["0x26f", false])).toEqual({
    code: -32000,
    message: "the block does not exist (block number: 623)",
  });
  const hash = `0x${"12".repeat(32)}`;
  expect(await call("klay_getBlockByHash", [hash, false])).toEqual({
    code: -32000,
    message: `the block does not exist (block hash: ${hash})`,
  });
  expect(await call("eth_getBlockByNumber", ["0x26f", false])).toBeNull();
  expect(await call("eth_getBlockByHash", [hash, false])).toBeNull();
  expect(await call("klay_getTransactionByHash", [hash])).toBeNull();
  expect(await call("eth_getTransactionReceipt", [hash])).toBeNull();
  expect(await call("klay_getBalance", [`0x${"99".repeat(20)}`, {}])).toEqual({
    code: -32000,
    message: "invalid arguments; neither block nor hash specified",
  });
});

test("Ethereum's forms have Ethereum's keys in the Go node's order", async () => {
  const [block] = (
    await recordedJson<{ number: string; hash: string; transactions: { hash: string }[] }[]>("blocks.json.gz")
  ).filter(({ transactions }) => transactions.length > 0);
  const full = (await call("eth_getBlockByNumber", [block?.number, true])) as {
    transactions: Record<string, unknown>[];
  };
  const keys =
    "difficulty extraData gasLimit gasUsed hash logsBloom miner mixHash nonce number parentHash receiptsRoot " +
    "sha3Uncles size stateRoot timestamp transactions transactionsRoot uncles";
  expect(Object.keys(full).join(" ")).toBe(keys);
  expect(full).toMatchObject({
    hash: block?.hash,
    uncles: [],
    difficulty: "0x1",
    nonce: "0x0000000000000000",
  });
  expect(Object.keys(full.transactions[0] ?? {}).join(" ")).toBe(
    "blockHash blockNumber from gas gasPrice hash input nonce to transactionIndex value type v r s",
  );
  const hash = block?.transactions[1]?.hash;
  expect(await call("eth_getTransactionByHash", [hash])).toEqual(full.transactions[1]);
  const receipt = (await call("eth_getTransactionReceipt", [hash])) as Record<string, unknown>;
  expect(Object.keys(receipt).join(" ")).toBe(
    "blockHash blockNumber contractAddress cumulativeGasUsed effectiveGasPrice from gasUsed logs logsBloom status " +
      "to transactionHash transactionIndex type",
  );
  expect(receipt).toMatchObject({
    cumulativeGasUsed: "0xa410",
    gasUsed: "0x5208",
    status: "0x1",
    type: "0x0",
  });
});

test("rpc_modules lists the modules of the profile", async () => {
  expect(Object.keys((await call("rpc_modules", [], "service")) as object)).toEqual(
    "admin chain debug erigon miner net ots personal rpc trace txpool web3".split(" "),
  );
  expect(Object.keys((await call("rpc_modules", [], "klaytn")) as object)).toContain("klay");
  expect(Object.keys((await call("rpc_modules", [], "kaia")) as object)).toContain("kaia");
});

const listsAuction = (profile: ProfileName, auction: ServedParts["auction"]) =>
  servedNode(profile, { ...parts, auction }).view.modules.includes("auction");

test("a node that takes bids lists auction in Kaia's profile alone", () => {
  const taking = { add: () => undefined };
  expect(listsAuction("kaia", taking)).toBe(true);
  expect(listsAuction("kaia", undefined)).toBe(false);
  expect(listsAuction("klaytn", taking)).toBe(false);
  expect(listsAuction("service", taking)).toBe(false);
});

test("the network id is text in the service profile and a number in the others", async () => {
  expect(await call("net_networkID", [], "service")).toBe("9025");
  expect(await call("net_networkID", [], "kaia")).toBe(9025);
  expect(await call("net_version", [])).toBe("9025");
  expect(await call("net_peerCountByType", [])).toEqual({ total: 0 });
});

test("node information has the keys of its profile", async () => {
  const service = (await call("admin_nodeInfo", [], "service")) as {
    kni: string;
    protocols: { istanbul: Record<string, unknown> & { config: object } };
  };
  expect(service.kni).toBe(`kni://${lonelyP2p.self.id}@[::]:0?discport=0`);
  expect(service.protocols.istanbul["difficulty"]).toBe(42);
  expect(service.protocols.istanbul.config).toMatchObject({ isBFT: true, unitPrice: 25_000_000_000 });
  const kaia = (await call("admin_nodeInfo", [], "kaia")) as typeof service;
  expect(kaia.protocols.istanbul["blockscore"]).toBe(42);
  expect(kaia.protocols.istanbul.config).not.toHaveProperty("isBFT");
});

test("an empty or reversed range returns no logs, and an unknown block is an error", async () => {
  expect(await call("klay_getLogs", [{ fromBlock: "0x0", toBlock: "latest" }])).toEqual([]);
  const beyond = { message: "the header does not exist (block number: 42)" };
  expect(await call("klay_getLogs", [{ fromBlock: "0x0", toBlock: "0xffff" }])).toMatchObject(beyond);
  expect(
    await call("klay_getLogs", [{ toBlock: "0x2a", topics: [null, null, null, null, null] }]),
  ).toMatchObject(beyond);
  expect(await call("klay_getLogs", [{ fromBlock: "0x9", toBlock: "0x2" }])).toEqual([]);
  const blockHash = `0x${"12".repeat(32)}`;
  expect(await call("eth_getLogs", [{ blockHash }])).toEqual({
    code: -32000,
    message: `the header does not exist (hash: ${blockHash})`,
  });
  expect(await call("eth_getLogs", [{ fromBlock: "pending" }])).toMatchObject({
    message: "pending logs are not supported",
  });
});

test.each([
  ["0x", "EOF"],
  ["0x01", "EOF"],
  ["0xc0", "rlp: expected input string or byte for accountkey.AccountKeyType"],
  ["0xff", "rlp: value size exceeds available input length"],
  ["0x8101", "rlp: non-canonical size information for accountkey.AccountKeyType"],
  ["0x00", "rlp: non-canonical integer (leading zero bytes) for accountkey.AccountKeyType"],
  ["0x820001", "rlp: input string too long for accountkey.AccountKeyType"],
  ["0x80c101", "rlp: input contains more than one value"],
  ["0x0180", "rlp: expected input list for accountkey.AccountKeyLegacy"],
  ["0x01c000", "rlp: input contains more than one value"],
  ["0x02c0", "rlp: expected input string or byte for []uint8"],
  ["0x02a1", "rlp: value size exceeds available input length"],
  [`0x02a102${"ff".repeat(32)}`, "invalid public key"],
  ["0x06", "undefined account key type"],
])("the encoded account key %s is refused in the Go node's words", async (encoded, message) => {
  expect(await call("klay_decodeAccountKey", [encoded])).toMatchObject({ message });
});

test.each([
  [[], "no transactions provided"],
  [["0x"], "empty transaction at index 0"],
])("the transactions %j are not gasless: %s", async (transactions, reason) => {
  expect(await call("debug_isGaslessTx", [transactions])).toEqual({ isGasless: false, reason });
});

test("an index may be empty text, which is 0, and a nonce has eight bytes", async () => {
  const absent = `0x${"12".repeat(32)}`;
  expect(await call("klay_getTransactionByBlockHashAndIndex", [absent, ""])).toBeNull();
  expect(await call("eth_submitWork", ["0x01", absent, absent])).toMatchObject({
    message: "invalid argument 0: hex string has length 2, want 16 for BlockNonce",
  });
});

test("the auction is disabled, and calls through it are those of the chain", async () => {
  expect(await call("auction_submitBid", [{ bid: "0x1" }])).toEqual({ err: "auction is disabled" });
  const to = `0x${"00".repeat(20)}`;
  expect(await call("auction_call", [{ to }, "latest"])).toBe("0x");
});
