/** Tests of intrinsic gas. */
import { expect, test } from "@jest/globals";
import { parseChainConfig } from "../../../node/config/chain-config.ts";
import { forks } from "../../../node/config/forks.ts";
import { BASE_RULES, rulesAt } from "../../../node/config/rules.ts";
import { sign } from "../../../node/crypto/secp256k1.ts";
import { encodeAccountKey, LEGACY_KEY } from "../../../node/model/account-key.ts";
import { roleBasedKey } from "../../../node/model/account-key-update.ts";
import {
  floorGas,
  intrinsicGas,
  signTransaction,
  type Transaction,
} from "../../../node/model/transaction.ts";
import { transactionTypes } from "../../../node/model/transaction-table.ts";
import type {
  AccessListEntry,
  TransactionContent,
  TransactionType,
} from "../../../node/model/transaction-type.ts";
import { aPublic } from "../../support/account-keys.ts";

const KEY = new Uint8Array(32).fill(7);
/** One zero byte and three others. */
const INPUT = Uint8Array.of(0, 1, 2, 3);

function aTransaction(
  code: number,
  change: { create?: boolean; input?: Uint8Array; accessList?: AccessListEntry[] },
): Transaction {
  const { create = false, input = INPUT, accessList = [] } = change;
  const to = create ? undefined : new Uint8Array(20).fill(1);
  const content = { code, nonce: 0n, gas: 1n, gasFeeCap: 1n, gasTipCap: 1n, value: 0n, to, input };
  return signTransaction({ ...content, fields: { accessList } }, 1n, (digest) => sign(digest, KEY));
}

/** The rules of a chain whose newest fork is the one with this key. */
function rulesOf(newest: string | undefined) {
  const keys = forks.filter(({ ordered }) => ordered).map(({ configKey }) => configKey);
  const active = keys.slice(0, newest === undefined ? 0 : keys.indexOf(newest) + 1);
  const config = { chainId: 1, ...Object.fromEntries(active.map((key) => [key, 0])) };
  return rulesAt(parseChainConfig(config), 0);
}

test.each([
  [undefined, 21_000n + 4n + 3n * 68n, 21_400n],
  ["istanbulCompatibleBlock", 21_400n, 21_400n],
  ["kaiaCompatibleBlock", 21_400n, 21_400n],
  ["pragueCompatibleBlock", 21_000n + 4n + 3n * 16n, 21_000n + 4n + 3n * 16n],
])(
  "with %s as the newest fork, four bytes of input cost %i in legacy and %i in typed transactions",
  (fork, plain, typed) => {
    expect(intrinsicGas(aTransaction(0, {}), rulesOf(fork))).toBe(plain);
    expect(intrinsicGas(aTransaction(0x7801, {}), rulesOf(fork))).toBe(typed);
    expect(intrinsicGas(aTransaction(0x7802, {}), rulesOf(fork))).toBe(typed);
  },
);

test("creating a contract costs 53000, and 2 per begun word of code from Shanghai on", () => {
  const create = aTransaction(0, { create: true, input: new Uint8Array(33).fill(1) });
  expect(intrinsicGas(create, rulesOf("koreCompatibleBlock"))).toBe(53_000n + 3_300n);
  expect(intrinsicGas(create, rulesOf("shanghaiCompatibleBlock"))).toBe(53_000n + 3_300n + 4n);
});

test("an access list costs 2400 an address and 1900 a slot on every fork", () => {
  const accessList = [
    { address: new Uint8Array(20), storageKeys: [new Uint8Array(32), new Uint8Array(32)] },
    { address: new Uint8Array(20), storageKeys: [] },
  ];
  const tx = aTransaction(0x7802, { input: new Uint8Array(0), accessList });
  expect(intrinsicGas(tx, rulesOf("ethTxTypeCompatibleBlock"))).toBe(21_000n + 2n * 2_400n + 2n * 1_900n);
  expect(intrinsicGas(tx, rulesOf("pragueCompatibleBlock"))).toBe(21_000n + 2n * 2_400n + 2n * 1_900n);
});

test("there is a floor of 10 per token of input from Prague on", () => {
  for (const code of [0, 0x7801, 0x7802]) {
    expect(floorGas(aTransaction(code, {}), rulesOf("kaiaCompatibleBlock"))).toBe(0n);
    expect(floorGas(aTransaction(code, {}), rulesOf("pragueCompatibleBlock"))).toBe(
      21_000n + 10n * (1n + 3n * 4n),
    );
    expect(floorGas(aTransaction(code, { create: true }), rulesOf("pragueCompatibleBlock"))).toBe(21_130n);
  }
});

test.each([
  ["ValueTransfer", 21_000n],
  ["ValueTransferMemo", 21_400n],
  ["SmartContractDeploy", 53_400n],
  ["SmartContractExecution", 21_400n],
  ["AccountUpdate", 61_000n],
  ["Cancel", 21_000n],
  ["ChainDataAnchoring", 21_400n],
])("%s costs %i, with a fee payer 10000 more and with a ratio 15000", (stem, gas) => {
  const names = [`TxType${stem}`, `TxTypeFeeDelegated${stem}`, `TxTypeFeeDelegated${stem}WithRatio`];
  const rows = names.map((name) => transactionTypes.find((row) => row.name === name));
  expect(rows.map((row) => row?.intrinsicGas(aContent(row), BASE_RULES))).toEqual([
    gas,
    gas + 10_000n,
    gas + 15_000n,
  ]);
});

/** A content whose input a kind without input never reads; its key has two public keys. */
function aContent({ name }: TransactionType): TransactionContent {
  const input = /Memo|Deploy|Execution|Anchoring/.test(name) ? INPUT : new Uint8Array(0);
  const key = encodeAccountKey(roleBasedKey([aPublic(1), aPublic(2), LEGACY_KEY]));
  const prices = { gasFeeCap: 1n, gasTipCap: 1n, chainId: 1n };
  const fields = name.includes("AccountUpdate") ? { key } : {};
  return { nonce: 0n, gas: 1n, value: 0n, to: undefined, input, fields, ...prices };
}

test("from Prague on the chain's own kinds pay Ethereum's price for input, and have the floor over their base", () => {
  const rules = rulesOf("pragueCompatibleBlock");
  const row = transactionTypes.find(({ code }) => code === 0x12);
  if (row === undefined) throw new Error("there is a memo with a ratio");
  expect(row.intrinsicGas(aContent(row), rules)).toBe(36_000n + 4n + 3n * 16n);
  expect(row.floorGas(aContent(row), rules)).toBe(36_000n + 130n);
  const deploy = transactionTypes.find(({ code }) => code === 0x28);
  expect(deploy?.floorGas(aContent(deploy), rules)).toBe(53_130n);
  expect(deploy?.intrinsicGas(aContent(deploy), rulesOf("shanghaiCompatibleBlock"))).toBe(53_402n);
});

test("an authorization costs 25000", () => {
  const row = transactionTypes.find(({ code }) => code === 0x7804);
  if (row === undefined) throw new Error("there is a set-code kind");
  const one = { chainId: 1n, address: new Uint8Array(20), nonce: 0n, yParity: 0, r: INPUT, s: INPUT };
  const content = { ...aContent(row), to: new Uint8Array(20), fields: { authorizationList: [one, one] } };
  expect(row.intrinsicGas(content, rulesOf("pragueCompatibleBlock"))).toBe(71_000n);
});

test("a contract with an address that a person can read would cost 4,000,000,000 more", () => {
  const rules = rulesOf("pragueCompatibleBlock");
  const gas = [false, true].map((humanReadable) => {
    const content = { nonce: 0n, gas: 1n, gasFeeCap: 1n, gasTipCap: 1n, value: 0n, to: undefined };
    const fields = { from: new Uint8Array(20), humanReadable, codeFormat: 0 };
    const draft = { code: 0x28, ...content, input: INPUT, fields };
    return intrinsicGas(
      signTransaction(draft, 1n, (digest) => sign(digest, KEY)),
      rules,
    );
  });
  expect((gas[1] ?? 0n) - (gas[0] ?? 0n)).toBe(4_000_000_000n);
});
