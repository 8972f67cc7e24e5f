/** A development chain as explorers ask it: Otterscan's twelve methods and the flat traces, over HTTP. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { JsonRpcProvider, Wallet } from "ethers";
import { type DevNode, fundedKey, startDevNode } from "../support/dev-node.ts";
import { call, until } from "../support/rpc-client.ts";

/** Sends its value to the address in its input. */
const FORWARDS = "6000600060006000346000355af100";
/** Creates a contract whose code is one zero byte. */
const CREATES = "6460016000f36000526005601b6000f000";
/** Reverts with the first word of its input. */
const REVERTS = "60003560005260206000fd";
const NOBODY = "0x00000000000000000000000000000000aaaaaaaa";

let node: DevNode;
let wallet: Wallet;
let provider: JsonRpcProvider;

const ask = (method: string, ...params: unknown[]): Promise<unknown> => call(node.http, method, ...params);
const word = (hex: string): string => hex.replace("0x", "").padStart(64, "0");

beforeAll(async () => {
  node = await startDevNode("--index.addresses", "--rpcapi", "eth,dev,ots,erigon,trace");
  provider = new JsonRpcProvider(node.http, undefined, { cacheTimeout: -1 });
  wallet = new Wallet(fundedKey(node, 0).key, provider);
}, 120_000);

afterAll(async () => {
  provider.destroy();
  await node.knit.stop();
});

async function send(request: object): Promise<string> {
  const { hash } = await wallet.sendTransaction({ gasLimit: 500_000n, ...request });
  return hash;
}

/** Deploys code by an init code that copies it. */
async function deploy(code: string): Promise<{ readonly hash: string; readonly contract: string }> {
  const size = (code.length / 2).toString(16).padStart(2, "0");
  const hash = await send({ data: `0x60${size}600c60003960${size}6000f3${code}` });
  const { contractAddress } = (await ask("eth_getTransactionReceipt", hash)) as { contractAddress: string };
  return { hash, contract: contractAddress };
}

async function searchBefore(address: string, number: number, size: number) {
  type Search = { txs: { hash: string }[]; receipts: object[]; firstPage: boolean; lastPage: boolean };
  return (await ask("ots_searchTransactionsBefore", address, number, size)) as Search;
}

test("Otterscan's methods answer for transfers, internal calls, creations and reverts", async () => {
  const { contract: forwards } = await deploy(FORWARDS);
  const { hash: deployed, contract: creates } = await deploy(CREATES);
  const { contract: reverts } = await deploy(REVERTS);
  const paid = await send({ to: forwards, value: 7n, data: `0x${word(NOBODY)}` });
  const created = await send({ to: creates });
  const failed = await send({ to: reverts, data: `0x${word("0xbad")}` });
  const from = wallet.address.toLowerCase();

  expect(await ask("ots_getApiLevel")).toBe(8);
  expect(await ask("ots_hasCode", creates, "latest")).toBe(true);
  expect(await ask("ots_hasCode", NOBODY, "latest")).toBe(false);
  expect(await ask("ots_getInternalOperations", paid)).toEqual([
    { type: 0, from: forwards, to: NOBODY, value: "0x7" },
  ]);
  const [{ to: child } = { to: "" }] = (await ask("ots_getInternalOperations", created)) as { to: string }[];
  expect(await ask("ots_getTransactionError", failed)).toBe(`0x${word("0xbad")}`);
  expect(await ask("ots_getTransactionError", paid)).toBe("0x");
  expect(await ask("ots_traceTransaction", paid)).toMatchObject([
    { type: "CALL", depth: 0, from, to: forwards, value: "0x7" },
    { type: "CALL", depth: 1, from: forwards, to: NOBODY, value: "0x7", input: "0x" },
  ]);

  const { txs, firstPage, lastPage } = await until(async () => {
    const page = await searchBefore(reverts, 0, 25);
    return page.txs.length === 2 ? page : undefined;
  });
  expect([txs[0]?.hash, firstPage, lastPage]).toEqual([failed, true, true]);
  expect((await searchBefore(NOBODY, 0, 25)).txs.map(({ hash }) => hash)).toEqual([paid]);
  expect(await ask("ots_getContractCreator", creates)).toEqual({ hash: deployed, creator: from });
  expect(await ask("ots_getContractCreator", child)).toEqual({ hash: created, creator: creates });
  expect(await ask("ots_getContractCreator", NOBODY)).toBeNull();
  expect(await ask("ots_getTransactionBySenderAndNonce", from, 3)).toBe(paid);
  expect(await ask("ots_getTransactionBySenderAndNonce", from, 300)).toBeNull();
});

test("a search goes from page to page in both directions, with whole blocks", async () => {
  await ask("evm_setAutomine", false);
  const start = await provider.getTransactionCount(wallet.address);
  const sent: string[] = [];
  for (let i = 0; i < 3; i++) sent.push(await send({ to: NOBODY, value: 1n, nonce: start + i }));
  await ask("evm_mine");
  await ask("evm_setAutomine", true);
  const number = await provider.getBlockNumber();
  const page = await until(async () => {
    const found = await searchBefore(NOBODY, 0, 1);
    return found.txs.length === 3 ? found : undefined;
  });
  expect(page.txs.map(({ hash }) => hash)).toEqual(sent.toReversed());
  expect(page).toMatchObject({ firstPage: true, lastPage: false, receipts: [{ status: "0x1" }, {}, {}] });
  const earlier = await searchBefore(NOBODY, number, 1);
  expect(earlier).toMatchObject({ txs: [{}], firstPage: false, lastPage: true });
  const after = (await ask("ots_searchTransactionsAfter", NOBODY, 0, 1)) as { txs: { hash: string }[] };
  expect(after).toMatchObject({ txs: earlier.txs, firstPage: false, lastPage: true });
  expect(await ask("ots_searchTransactionsAfter", NOBODY, number - 1, 9)).toMatchObject({
    txs: page.txs,
    firstPage: true,
    lastPage: false,
  });
  await expect(ask("ots_searchTransactionsAfter", NOBODY, 0, 0)).rejects.toMatchObject({ code: -32602 });
  const { hash } = (await provider.getBlock(number)) ?? {};
  const details = await ask("ots_getBlockDetails", number);
  expect(await ask("ots_getBlockDetailsByHash", hash)).toEqual(details);
  expect(details).toMatchObject({ block: { transactionCount: 3, logsBloom: null, hash }, issuance: {} });
  expect(details).not.toHaveProperty("block.transactions");
  const transactions = (await ask("ots_getBlockTransactions", number, 0, 2)) as {
    fullblock: { transactions: { hash: string }[] };
  };
  expect(transactions.fullblock.transactions.map((tx) => tx.hash)).toEqual(sent.slice(1));
  expect(await ask("ots_getBlockTransactions", number, 1, 2)).toMatchObject({
    fullblock: { transactions: [{ hash: sent[0], input: "0x" }] },
    receipts: [{ logs: null, logsBloom: null }],
  });
  expect(await ask("erigon_getHeaderByNumber", number)).toMatchObject({ hash });
  expect(await ask("erigon_getHeaderByNumber", number + 100)).toBeNull();
  const [trace] = (await ask("trace_block", number)) as { transactionHash: string }[];
  expect(trace?.transactionHash).toBe(sent[0]);
});

test("an index that is not kept is named, and reverted blocks leave the index", async () => {
  const snapshot = await ask("evm_snapshot");
  const hash = await send({ to: NOBODY, value: 1n });
  const before = await until(async () => {
    const { txs } = await searchBefore(NOBODY, 0, 25);
    return txs[0]?.hash === hash ? txs.length : undefined;
  });
  await ask("evm_revert", snapshot);
  expect((await searchBefore(NOBODY, 0, 25)).txs).toHaveLength(before - 1);
  const plain = await startDevNode("--rpcapi", "ots");
  await expect(call(plain.http, "ots_getContractCreator", NOBODY)).rejects.toMatchObject({
    message: "this node has no index of addresses: start it with --index.addresses",
  });
  await plain.knit.stop();
});
