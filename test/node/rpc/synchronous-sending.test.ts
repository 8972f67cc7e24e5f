/** Tests of `eth_sendRawTransactionSync`: the receipt, the time limit, and transactions that no block can take yet. */
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { Transaction as EthersTransaction, Wallet } from "ethers";
import { DEVELOPMENT_KEYS } from "../../../node/accounts/development-keys.ts";
import { bareHex } from "../../../node/bytes/hex.ts";
import { developmentGenesis } from "../../../node/chain/development.ts";
import { addressOfKey } from "../../../node/crypto/secp256k1.ts";
import { synchronousSendingMethods } from "../../../node/rpc/synchronous-sending.ts";
import type { TxPool } from "../../../node/txpool/pool.ts";
import { askRow } from "../../support/ask-row.ts";
import { aChain, type TestChain } from "../../support/chain.ts";
import { aPool } from "./recorded-chain.ts";

const [KEY = new Uint8Array(32)] = DEVELOPMENT_KEYS;
const wallet = new Wallet(`0x${bareHex(KEY)}`);

let chain: TestChain;
let pool: TxPool;

beforeEach(async () => {
  const validator = addressOfKey(new Uint8Array(32).fill(9));
  const time = 1_700_000_000;
  chain = await aChain(
    developmentGenesis({ keys: [KEY], chainId: 1337, balance: 10n ** 24n, validator, time }),
  );
  pool = await aPool(chain.chain);
});
afterEach(async () => {
  await pool[Symbol.asyncDispose]();
  await chain[Symbol.asyncDispose]();
});

function signTransfer(nonce: number): Promise<string> {
  return wallet.signTransaction({
    to: `0x${"77".repeat(20)}`,
    value: 1n,
    gasLimit: 21_000n,
    chainId: 1337,
    nonce,
    gasPrice: 100_000_000_000n,
  });
}

function send(receiptWait: { defaultMs: number; maxMs: number }, ...params: readonly unknown[]) {
  const methods = synchronousSendingMethods({
    chain: chain.chain,
    pool,
    receiptForm: { contractAddress: "without-recipient", gasPrice: "paid" },
    receiptWait,
  });
  return askRow(methods, "eth_sendRawTransactionSync", ...params);
}

test.each([
  ["the caller's time", [1], 1],
  ["the caller's time as a quantity", ["0x2"], 2],
  ["the node's own time", [], 20],
  ["the node's own time for a time that is too long", [61], 20],
  ["the node's own time for a negative time", [-1], 20],
  ["the node's own time for a text", ["soon"], 20],
])("without a block the call ends after %s, and the pool keeps the transaction", async (_, given, ms) => {
  const raw = await signTransfer(0);
  const { hash } = EthersTransaction.from(raw);
  await expect(send({ defaultMs: 20, maxMs: 60 }, raw, ...given)).rejects.toMatchObject({
    code: 4,
    message: `The transaction was added to the mempool but wasn't processed in ${ms} ms.`,
    data: `"${hash}"`,
  });
  expect(pool.status()).toEqual({ pending: 1, queued: 0 });
});

test("a nonce gap is refused with the next nonce, and the pool does not get the transaction", async () => {
  await expect(send({ defaultMs: 1, maxMs: 60 }, await signTransfer(3))).rejects.toMatchObject({
    code: 6,
    data: '"0x0"',
  });
  expect(pool.status()).toEqual({ pending: 0, queued: 0 });
});

test("errors of the pool and of the encoding are those of eth_sendRawTransaction", async () => {
  const raw = await signTransfer(0);
  await expect(send({ defaultMs: 1, maxMs: 60 }, raw)).rejects.toMatchObject({ code: 4 });
  await expect(send({ defaultMs: 1, maxMs: 60 }, raw)).rejects.toMatchObject({
    message: expect.stringMatching(/^known transaction: /),
  });
  await expect(send({ defaultMs: 1, maxMs: 60 }, "0x")).rejects.toMatchObject({ message: "Empty input" });
});
