/** Tests of the methods that sign and send. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { Transaction as EthersTransaction, recoverAddress, Wallet } from "ethers";
import type { Accounts } from "../../../node/accounts/accounts.ts";
import { DEVELOPMENT_KEYS } from "../../../node/accounts/development-keys.ts";
import { openAccounts } from "../../../node/accounts/open-accounts.ts";
import { bareHex, toHex } from "../../../node/bytes/hex.ts";
import { developmentGenesis } from "../../../node/chain/development.ts";
import { type ProfileName } from "../../../node/compat/profiles.ts";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { addressOfKey } from "../../../node/crypto/secp256k1.ts";
import type { RpcSession } from "../../../node/jsonrpc/dispatch.ts";
import { createSubscriptionLimit, Subscriptions } from "../../../node/jsonrpc/subscriptions.ts";
import { silentLog } from "../../../node/observe/log.ts";
import { personalMethods } from "../../../node/rpc/personal.ts";
import type { TxPool } from "../../../node/txpool/pool.ts";
import { askRow } from "../../support/ask-row.ts";
import { aChain, type TestChain } from "../../support/chain.ts";
import { aSession } from "./fixture.ts";
import { aPool } from "./recorded-chain.ts";
import { type ServedParts, servedNode, servedRegistry } from "./served-node.ts";

let chain: TestChain;
let pool: TxPool;
let accounts: Accounts;
let directory: string;
let rich: string;
const to = `0x${"77".repeat(20)}`;

beforeEach(async () => {
  const validator = addressOfKey(new Uint8Array(32).fill(9));
  chain = await aChain(
    developmentGenesis({
      keys: DEVELOPMENT_KEYS.slice(0, 2),
      chainId: 1337,
      balance: 10n ** 24n,
      validator,
      time: 1_700_000_000,
    }),
  );
  pool = await aPool(chain.chain);
  directory = await mkdtemp(join(tmpdir(), "rpc-sending-"));
  accounts = await openAccounts({ directory, lightKdf: true, log: silentLog });
  rich = toHex(accounts.hold(DEVELOPMENT_KEYS[0] ?? new Uint8Array(32)));
});
afterEach(async () => {
  await accounts[Symbol.asyncDispose]();
  await pool[Symbol.asyncDispose]();
  await chain[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

function parts(): ServedParts {
  return { chain: chain.chain, pool, accounts, dataDirectory: directory };
}

async function call(
  method: string,
  params: readonly unknown[],
  { profile = "service", session = aSession }: { profile?: ProfileName; session?: RpcSession } = {},
): Promise<unknown> {
  const endpoint = servedNode(profile, parts());
  const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const answer = JSON.parse((await endpoint.answer(text, session)) ?? "") as {
    result?: unknown;
    error?: unknown;
  };
  return answer.error ?? answer.result;
}

const message = (text: string) => ({ code: -32000, message: text });

test("an unlocked account sends; the pool has the transaction, and the next one gets the next nonce", async () => {
  const hash = await call("klay_sendTransaction", [{ from: rich, to, value: "0x5" }]);
  const second = await call("klay_sendTransaction", [{ from: rich, to, value: "0x6" }]);
  expect(await call("klay_getTransactionByHash", [hash])).toMatchObject({
    blockHash: `0x${"0".repeat(64)}`,
    blockNumber: "0x0",
    from: rich,
    gas: "0x15f90",
    nonce: "0x0",
    typeInt: 0,
    value: "0x5",
  });
  expect(await call("eth_getTransactionByHash", [second])).toMatchObject({ blockHash: null, nonce: "0x1" });
  expect(await call("eth_getTransactionCount", [rich, "pending"])).toBe("0x2");
  expect(await call("eth_getTransactionCount", [rich, "latest"])).toBe("0x0");
  expect(await call("txpool_status", [])).toEqual({ pending: "0x2", queued: "0x0" });
});

test("Ethereum's transaction object gets the newest type and the gas of a transfer", async () => {
  const hash = await call("eth_sendTransaction", [{ from: rich, to, value: "0x5" }]);
  expect(await call("eth_getTransactionByHash", [hash])).toMatchObject({ type: "0x2", gas: "0x5208" });
  const old = await call("eth_sendTransaction", [
    { from: rich, to, gasPrice: await call("eth_gasPrice", []) },
  ]);
  expect(await call("eth_getTransactionByHash", [old])).toMatchObject({ type: "0x0" });
});

test.each([
  [{ from: to, to, value: "0x5" }, "unknown account"],
  [{ to, value: "0x5" }, "unknown account"],
  [{}, "contract creation without any data provided"],
  [
    { to, data: "0x01", input: "0x02" },
    'Both "data" and "input" are set and not equal. Please use "input" to pass transaction call data.',
  ],
])("%j is refused with the Go node's error", async (transaction, text) => {
  expect(await call("klay_sendTransaction", [transaction])).toEqual(message(text));
});

test("raw transactions are accepted only in the encoding of their module", async () => {
  const wallet = new Wallet(`0x${bareHex(DEVELOPMENT_KEYS[1] ?? new Uint8Array(32))}`);
  const base = { to, value: 1n, gasLimit: 21_000n, chainId: chain.chain.config.chainId, nonce: 0 };
  const fees = { maxFeePerGas: 100_000_000_000n, maxPriorityFeePerGas: 0n, type: 2 };
  const raw = await wallet.signTransaction({ ...base, ...fees });
  expect(await call("klay_sendRawTransaction", [raw])).toEqual(message("undefined tx type"));
  expect(await call("eth_sendRawTransaction", [`0x78${raw.slice(2)}`])).toEqual(message("undefined tx type"));
  const { hash } = EthersTransaction.from(raw);
  expect(await call("eth_sendRawTransaction", [raw])).toBe(hash);
  expect(await call("eth_sendRawTransaction", [raw])).toEqual(
    message(`known transaction: ${hash?.slice(2)}`),
  );
  expect(await call("klay_sendRawTransaction", ["0x"])).toEqual(message("EOF"));
  expect(await call("eth_sendRawTransaction", ["0x"])).toEqual(message("Empty input"));
  const legacy = await wallet.signTransaction({ ...base, type: 0, nonce: 1, gasPrice: 100_000_000_000n });
  expect(await call("klay_sendRawTransaction", [legacy])).toBe(EthersTransaction.from(legacy).hash);
});

test("accounts are created, unlocked and locked in the service profile", async () => {
  const address = (await call("personal_newAccount", ["secret"])) as string;
  expect(await call("personal_listAccounts", [])).toEqual([address, rich]);
  expect(await call("eth_accounts", [])).toEqual([address, rich]);
  expect(await call("personal_unlockAccount", [address, "wrong"])).toBe(false);
  expect(await call("personal_unlockAccount", [to, "secret"])).toBe(false);
  expect(await call("personal_unlockAccount", [address, "secret", 0])).toBe(true);
  expect(await call("personal_lockAccount", [address])).toBe(true);
  expect(await call("personal_lockAccount", [to])).toBe(false);
  expect(await call("personal_newAccount", [])).toMatch(/^0x[0-9a-f]{40}$/);
});

test("an account is unlocked for 300 seconds by default", async () => {
  const said: unknown[] = [];
  const stub = {
    unlock: async (_account: unknown, _passphrase: string, seconds: number) => void said.push(seconds),
  };
  const rows = personalMethods({
    ...parts(),
    accounts: stub as unknown as Accounts,
    messagePrefix: "Klaytn",
  });
  for (const more of [[], [null], [7], [0]])
    expect(await askRow(rows, "personal_unlockAccount", to, "secret", ...more)).toBe(true);
  expect(said).toEqual([300, 300, 7, 0]);
});

test("accounts are created, unlocked and locked in the Go nodes' profiles", async () => {
  const go = { profile: "kaia" } as const;
  const address = (await call("personal_newAccount", ["secret"])) as string;
  expect(await call("personal_unlockAccount", [address, "wrong"], go)).toEqual(
    message("could not decrypt key with given passphrase"),
  );
  expect(await call("personal_unlockAccount", [to, "x"], go)).toEqual(
    message("no key for given address or file"),
  );
  expect(await call("personal_lockAccount", [to], go)).toBe(true);
  expect(await call("personal_newAccount", [], go)).toEqual({
    code: -32602,
    message: "missing value for required argument 0",
  });
});

test("a message is signed with the profile's prefix and its signer recovered", async () => {
  const key = "11".repeat(32);
  const address = (await call("personal_importRawKey", [key, "p"])) as string;
  const data = toHex(Buffer.from("hello"));
  for (const [profile, word] of [
    ["service", "Klaytn"],
    ["klaytn", "Klaytn"],
    ["kaia", "Ethereum"],
  ] as const) {
    const signature = (await call("personal_sign", [data, address, "p"], { profile })) as string;
    const digest = keccak256(Buffer.from(`\x19${word} Signed Message:\n5hello`));
    expect(recoverAddress(toHex(digest), signature).toLowerCase()).toBe(address);
    expect(await call("personal_ecRecover", [data, signature], { profile })).toBe(address);
    expect(
      await call("personal_ecRecover", [data, `${signature.slice(0, -2)}01`], { profile }),
    ).toMatchObject({
      message: expect.stringContaining("(V is not 27 or 28)"),
    });
  }
  expect(await call("personal_sign", [data, address])).toEqual(
    message("authentication needed: password or unlock"),
  );
});

test("two concurrent transactions with a passphrase get two nonces", async () => {
  const key = bareHex(DEVELOPMENT_KEYS[1] ?? new Uint8Array(32));
  const from = await call("personal_importRawKey", [key, "p"]);
  const endpoint = servedNode("service", parts());
  const send = (value: string) =>
    endpoint.answer(
      JSON.stringify({ id: 1, method: "personal_sendTransaction", params: [{ from, to, value }, "p"] }),
      aSession,
    );
  const answers = await Promise.all([send("0x1"), send("0x2"), send("0x3")]);
  for (const answer of answers) expect(answer).toContain('"result":"0x');
  const { pending } = (await call("txpool_inspect", [])) as {
    pending: Record<string, Record<string, string>>;
  };
  const [lines] = Object.values(pending);
  expect(Object.keys(lines ?? {})).toEqual(["0", "1", "2"]);
  expect(lines?.["0"]).toMatch(/^0x77[0-9a-fA-F]{38}: 1 peb \+ 90000 gas × \d+ peb$/);
});

test("the pool's content has the service's hash key, and nonces sort as text", async () => {
  for (let nonce = 0; nonce < 11; nonce++)
    await call("klay_sendTransaction", [{ from: rich, to, value: "0x1" }]);
  const endpoint = servedNode("service", parts());
  const text = String(await endpoint.answer('{"id":1,"method":"txpool_content"}', aSession));
  expect([...text.matchAll(/"(\d+)":\{"blockHash"/g)].map(([, nonce]) => nonce)).toEqual(
    "0 1 10 2 3 4 5 6 7 8 9".split(" "),
  );
  expect(text.match(/"txHash":"0x/g)).toHaveLength(11);
  const own = (await call("txpool_contentFrom", [rich])) as { pending: object; queued: object };
  expect([Object.keys(own.pending).length, own.queued]).toEqual([11, {}]);
  expect(await call("txpool_contentFrom", [to])).toEqual({ pending: {}, queued: {} });
});

test("subscribers are notified of transactions that become executable", async () => {
  const reported: string[] = [];
  const outlet = {
    send: (text: string) => void reported.push(text),
    hold: () => undefined,
    cut: () => undefined,
  };
  const subscriptions = new Subscriptions(
    servedRegistry("service", parts()).view("all"),
    createSubscriptionLimit(9),
    outlet,
  );
  const older = servedRegistry("klaytn", parts()).view("all");
  const olderTurn = new Subscriptions(older, createSubscriptionLimit(9), outlet).turn();
  expect(() => olderTurn.subscribe("klay", ["newPendingTransactions", true])).toThrow(
    "too many arguments, want at most 1",
  );
  const turn = subscriptions.turn();
  turn.subscribe("eth", ["newPendingTransactions"]);
  turn.release();
  expect(() => turn.subscribe("klay", ["newPendingTransactions", true])).toThrow("subscription not found");
  expect(() => turn.subscribe("klay", ["logs"])).toThrow("missing value for required argument 1");
  expect(() => turn.subscribe("klay", ["logs", { fromBlock: "0x5", toBlock: "0x2" }])).toThrow("from > to");
  expect(() => turn.subscribe("klay", ["logs", { toBlock: "0x2" }])).toThrow("from > to");
  const hash = await call("klay_sendTransaction", [{ from: rich, to, value: "0x5" }]);
  expect(reported).toHaveLength(1);
  expect(JSON.parse(reported[0] ?? "")).toMatchObject({
    method: "eth_subscription",
    params: { result: hash },
  });
  subscriptions.close();
  await call("klay_sendTransaction", [{ from: rich, to, value: "0x6" }]);
  expect(reported).toHaveLength(1);
});

test("auction_subscribe gives whole transactions when it is asked to, as in the Go node", async () => {
  const reported: string[] = [];
  const outlet = {
    send: (text: string) => void reported.push(text),
    hold: () => undefined,
    cut: () => undefined,
  };
  const registry = servedRegistry("kaia", parts()).view("all");
  const subscriptions = new Subscriptions(registry, createSubscriptionLimit(9), outlet);
  const turn = subscriptions.turn();
  turn.subscribe("auction", ["newPendingTransactions", true]);
  turn.release();
  const hash = await call("klay_sendTransaction", [{ from: rich, to, value: "0x5" }]);
  const { method, params } = JSON.parse(reported[0] ?? "") as { method: string; params: { result: object } };
  expect(method).toBe("auction_subscription");
  expect(params.result).toMatchObject({
    hash,
    from: rich,
    to,
    value: "0x5",
    type: "TxTypeLegacyTransaction",
  });
  expect(params.result).toHaveProperty("time", expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/));
  expect(Object.keys(params.result)).toEqual(Object.keys(params.result).toSorted());
  subscriptions.close();
});
