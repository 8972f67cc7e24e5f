/** Ethereum's types, short forms, the node's own pending transactions and HD wallets over RPC. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Transaction as EthersTransaction, HDNodeWallet } from "ethers";
import { aSigningNode, CONTRACT, refusalOf, type SigningNode } from "./signing-fixture.ts";

let node: SigningNode;
let rich: string;
let filed: string;
const to = `0x${"77".repeat(20)}`;

beforeAll(async () => {
  node = await aSigningNode();
  ({ rich, filed } = node);
});
afterAll(async () => node[Symbol.asyncDispose]());

test("set-code transactions are signed, blob transactions are refused", async () => {
  const authorization = { chainId: "0x1", address: to, nonce: "0x2", yParity: "0x1", r: "0x3", s: "0x4" };
  const unlisted = { from: rich, to, typeInt: 0x7804, nonce: "0x1", authorizationList: [authorization] };
  const prices = { maxFeePerGas: "0xba43b7400", maxPriorityFeePerGas: "0x0" };
  const setCode = { ...unlisted, ...prices, accessList: [] };
  const { raw, tx } = await node.call("chain_signTransaction", [setCode]);
  expect(tx).toMatchObject({ authorizationList: [authorization], type: "TxTypeEthereumSetCode" });
  expect(EthersTransaction.from(`0x${raw.slice(4)}`).from?.toLowerCase()).toBe(rich);
  for (const [transaction, message] of [
    [unlisted, "missing gasPrice or maxFeePerGas/maxPriorityFeePerGas"],
    [{ from: rich, typeInt: 0x7804, input: "0x00", ...prices }, "To must be a type of common.Address"],
    [{ from: rich, to, typeInt: 0x7803, ...prices }, "To must be a type of common.Address"],
    [{ ...unlisted, ...prices }, "AccessList must be a type of AccessList"],
    [{ ...setCode, authorizationList: undefined }, "AuthorizationList must be a type of AuthorizationList"],
    [{ ...setCode, gasPrice: "0x1" }, "undefined key remains"],
    [{ ...setCode, chainId: "0x63" }, "invalid chain id for signer"],
  ] as const) {
    expect(await node.call("chain_signTransaction", [transaction])).toEqual(refusalOf(message));
    expect(await node.call("chain_sendTransaction", [transaction])).toEqual(refusalOf(message));
  }
  for (const [typeInt, name] of [
    [0x18, "TxTypeAccountCreation"],
    [0x40, "TxTypeBatch"],
    [0x41, "UndefinedTxType"],
  ] as const)
    expect(await node.call("chain_signTransaction", [{ from: rich, typeInt }])).toEqual(
      refusalOf(`json:"typeInt" is not a field of ${name}`),
    );
});

test("prices and input of Ethereum's transaction object are refused in the Go node's words", async () => {
  const transaction = { from: rich, to, gas: "0x5208", nonce: "0x1" };
  const prices = { maxFeePerGas: "0xba43b7400", maxPriorityFeePerGas: "0x0" };
  for (const [members, message] of [
    [{ ...prices, gasPrice: "0x1" }, "both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified"],
    [{ maxFeePerGas: "0x1", maxPriorityFeePerGas: "0x0" }, /^maxFeePerGas \(0x1\) < BaseFee \(\d+\)$/],
    [
      { ...prices, data: "0x01", input: "0x02" },
      'both "data" and "input" are set and not equal. Please use "input" to pass transaction call data',
    ],
    [{ ...prices, chainId: "0x63" }, "invalid chain id for signer"],
  ] as const) {
    const answer = await node.call("eth_signTransaction", [{ ...transaction, ...members }]);
    expect(answer).toMatchObject({ code: -32000, message: expect.stringMatching(asPattern(message)) });
  }
  const foreign = await node.call("eth_fillTransaction", [{ ...transaction, ...prices, chainId: "0x63" }]);
  expect(foreign.tx).toMatchObject({ chainId: "0x63" });
});

function asPattern(text: string | RegExp): RegExp {
  return typeof text === "string" ? new RegExp(`^${RegExp.escape(text)}$`) : text;
}

test("eth_signTransaction requires all members, eth_fillTransaction adds them", async () => {
  const whole = {
    from: rich,
    to,
    gas: "0x5208",
    nonce: "0x1",
    maxFeePerGas: "0xba43b7400",
    maxPriorityFeePerGas: "0x0",
  };
  const { raw, tx } = await node.call("eth_signTransaction", [whole]);
  const read = EthersTransaction.from(raw);
  expect([read.from?.toLowerCase(), read.hash, read.type]).toEqual([rich, tx["hash"], 2]);
  for (const [member, message] of [
    ["gas", "gas not specified"],
    ["maxFeePerGas", "missing gasPrice or maxFeePerGas/maxPriorityFeePerGas"],
    ["nonce", "nonce not specified"],
  ] as const) {
    const { [member]: _, ...rest } = whole;
    expect(await node.call("eth_signTransaction", [rest])).toEqual(refusalOf(message));
  }
  const filled = await node.call("eth_fillTransaction", [{ from: rich, to, value: "0x1" }]);
  expect(filled.tx).toMatchObject({ type: "0x2", gas: "0x5208", value: "0x1", v: "0x0", r: "0x0", s: "0x0" });
  expect(EthersTransaction.from(filled.raw).value).toBe(1n);
});

test("a fee payer's passphrase signs one transaction", async () => {
  const transaction = { from: rich, to, value: "0x1", nonce: "0x9", gas: "0x30d40", gasPrice: "0xba43b7400" };
  const delegated = { ...transaction, typeInt: 9, feePayer: filed };
  const { tx } = await node.call("personal_signTransactionAsFeePayer", [delegated, "secret"]);
  expect(tx["feePayerSignatures"]).toHaveLength(1);
  expect(await node.call("chain_signTransactionAsFeePayer", [delegated])).toEqual(
    refusalOf("authentication needed: password or unlock"),
  );
});

test("short forms send a transfer and a key; the account stays locked", async () => {
  const order = { from: filed, to, value: "0x2", gasPrice: "0x1176592e00" };
  const hash = await node.call<string>("personal_sendValueTransfer", [order, "wrong"]);
  expect(hash).toEqual(refusalOf("could not decrypt key with given passphrase"));
  expect(await node.call("personal_sendValueTransfer", [{ from: filed, to }, "secret"])).toEqual(
    refusalOf("tx fields should be filled with valid values"),
  );
  expect(await node.call("personal_sendAccountUpdate", [{ from: filed }, "secret"])).toEqual(
    refusalOf("tx fields should be filled with valid values"),
  );
  expect(await node.call("personal_sendValueTransfer", [{ from: to, to, value: "0x1" }, "secret"])).toEqual(
    refusalOf("unknown account"),
  );
  expect(await node.call("chain_sign", [filed, "0x01"])).toEqual(
    refusalOf("authentication needed: password or unlock"),
  );
});

test("a pending transaction of an own account is listed and resent at another price", async () => {
  const first = { from: rich, to, value: "0x5", nonce: "0x0", gas: "0x5208", gasPrice: "0xba43b7400" };
  const hash = await node.call<string>("chain_sendTransaction", [first]);
  expect(await node.call("chain_pendingTransactions", [])).toEqual([
    expect.objectContaining({ hash, from: rich }),
  ]);
  expect(await node.call("eth_pendingTransactions", [])).toEqual([
    expect.objectContaining({ hash, blockHash: null }),
  ]);
  const { nonce: _, ...noNonce } = first;
  expect(await node.call("chain_resend", [noNonce])).toEqual(
    refusalOf("missing transaction nonce in transaction spec"),
  );
  expect(await node.call("chain_resend", [{ ...first, value: "0x6" }])).toMatchObject({
    message: expect.stringMatching(/^Transaction [0-9a-f]{64} not found$/),
  });
  const second = await node.call<string>("eth_resend", [first, "0x174876e8000"]);
  expect(await node.call("chain_pendingTransactions", [])).toEqual([
    expect.objectContaining({ hash: second, gasPrice: "0x174876e8000" }),
  ]);
});

test("raw transactions are submitted up to the first malformed one, whose index is in the error", async () => {
  const order = { from: rich, to, gas: "0x5208", gasPrice: "0xba43b7400" };
  const { raw } = await node.call("chain_signTransaction", [{ ...order, nonce: "0x1" }]);
  const { raw: next } = await node.call("chain_signTransaction", [{ ...order, nonce: "0x2" }]);
  expect(await node.call("chain_sendRawTransactions", [[]])).toEqual(refusalOf("Empty input"));
  expect(await node.call("chain_sendRawTransactions", [[raw, "0x", next]])).toEqual(
    refusalOf("Index 1: empty input"),
  );
  expect(await node.call("chain_sendRawTransactions", [[next]])).toHaveLength(1);
  const transfer = { ...order, nonce: "0x3", value: "0x0", typeInt: 8 };
  const { raw: native } = await node.call("chain_signTransaction", [transfer]);
  expect(await node.call("chain_sendRawTransactions", [[native]])).toHaveLength(1);
  expect(await node.call("chain_sendRawTransactions", [[raw]])).toMatchObject({
    message: expect.stringMatching(/^Index 0: known transaction: [0-9a-f]{64}$/),
  });
});

test("HD wallets open, derive and sign; profiles differ in the result and in USB wallets", async () => {
  const words = `${"abandon ".repeat(11)}about`;
  const url = await node.accounts.importMnemonic(words, "secret");
  const { address } = HDNodeWallet.fromPhrase(words);
  expect(await node.call("personal_openWallet", [url, "wrong"])).toEqual(
    refusalOf("could not decrypt key with given passphrase"),
  );
  expect(await node.call("personal_openWallet", [url, "secret"])).toBeNull();
  const derived = address.toLowerCase();
  expect(await node.call("personal_deriveAccount", [url, "m/44'/60'/0'/0/0", true])).toBe(derived);
  const member = { address: derived, url: `${url}/m/44'/60'/0'/0/0` };
  expect(await node.call("personal_deriveAccount", [url, "m/44'/60'/0'/0/0"], "kaia")).toEqual(member);
  expect(await node.call("personal_listWallets", [])).toContainEqual({
    url,
    status: "Unlocked",
    accounts: [member],
  });
  const { raw } = await node.call("chain_signTransaction", [{ from: derived, to, nonce: "0x0" }]);
  expect(EthersTransaction.from(raw).from).toBe(address);
  expect(await node.call("personal_openWallet", ["ledger://1"])).toEqual(
    refusalOf("USB wallets are not supported: open a software wallet (hdwallet://)"),
  );
  expect(await node.call("personal_openWallet", ["ledger://1"], "klaytn")).toEqual(
    refusalOf("unknown wallet"),
  );
});

test("refusals whose messages differ between the lines have the profile's message", async () => {
  const order = { from: rich, to, value: "0x0", input: "0x01", typeInt: 48, nonce: "0x3", gas: "0x30d40" };
  const asKaia = "recipient must be an EOA with code or an SCA";
  const asKlaytn = "not a program account (e.g., an account having code and storage)";
  expect(await node.call("chain_sendTransaction", [order])).toEqual(refusalOf(asKaia));
  expect(await node.call("chain_sendTransaction", [order], "kaia")).toEqual(refusalOf(asKaia));
  expect(await node.call("chain_sendTransaction", [order], "klaytn")).toEqual(refusalOf(asKlaytn));
  const { input: _, ...transfer } = { ...order, to: CONTRACT, typeInt: 8 };
  const withCode = "recipient must be an EOA without code";
  expect(await node.call("chain_sendTransaction", [transfer])).toEqual(refusalOf(withCode));
  expect(await node.call("chain_sendTransaction", [transfer], "kaia")).toEqual(refusalOf(withCode));
  expect(await node.call("chain_sendTransaction", [transfer], "klaytn")).toEqual(
    refusalOf("this type transaction cannot be sent to contract addresses"),
  );
});

test("Ethereum's methods refuse a fee above the cap; Kaia's do not", async () => {
  const order = { from: rich, to, nonce: "0x4", gas: "0x5208", gasPrice: "0x5af3107a4000" }; // 2.1 KAIA
  const refusal = refusalOf("tx fee (2.10 KAIA) exceeds the configured cap (2.05 KAIA)");
  expect(await node.call("eth_sendTransaction", [order])).toEqual(refusal);
  const { raw } = await node.call("eth_signTransaction", [order]);
  expect(await node.call("eth_sendRawTransaction", [raw])).toEqual(refusal);
  expect(await node.call("chain_sendTransaction", [order])).toMatch(/^0x[0-9a-f]{64}$/);
});
