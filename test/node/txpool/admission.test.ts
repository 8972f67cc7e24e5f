/** Tests of admission to the pool, with the Go node's errors in its order. */
import { expect, test } from "@jest/globals";
import type { Rules } from "../../../node/config/rules.ts";
import { FAIL_KEY } from "../../../node/model/account-key.ts";
import type { Transaction } from "../../../node/model/transaction.ts";
import { AccountQueue } from "../../../node/txpool/account-queue.ts";
import { admit, stillValid } from "../../../node/txpool/admission.ts";
import { createEntry } from "../../../node/txpool/entry.ts";
import type { PoolError } from "../../../node/txpool/error.ts";
import { type NextBlockRules, nextBlockRules } from "../../../node/txpool/next-block-rules.ts";
import { DEFAULT_POOL_OPTIONS } from "../../../node/txpool/options.ts";
import { aMultiSig } from "../../support/account-keys.ts";
import { aSent } from "../../support/execution.ts";
import { BASE_FEE_RULES, FakeChain, type FakeChainFacts } from "../../support/pool-chain.ts";
import { nothingPooled } from "../../support/pool-entries.ts";
import {
  ACCESS_LIST,
  aSigner,
  aTransaction,
  DYNAMIC_FEE,
  type TransactionFacts,
  withChanges,
} from "../../support/pool-transactions.ts";

const signer = aSigner(1);
const reserved = new Uint8Array(20);
reserved[18] = 3;

function termsOf(facts: FakeChainFacts = {}, account = {}): NextBlockRules {
  const chain = new FakeChain(facts);
  chain.setAccount(signer, account);
  return nextBlockRules(chain, DEFAULT_POOL_OPTIONS);
}

function refusal(tx: Transaction, terms: NextBlockRules): string {
  try {
    admit(tx, terms, nothingPooled);
    return "accepted";
  } catch (error) {
    return (error as PoolError).message;
  }
}

const unitPrice: FakeChainFacts = { rules: { acceptedTypes: new Set([ACCESS_LIST, DYNAMIC_FEE]) } };
const baseFee: FakeChainFacts = { rules: BASE_FEE_RULES, baseFee: 25n };

test("a transfer at the unit price is accepted and its sender found", () => {
  expect(admit(aTransaction({ from: signer }), termsOf(), nothingPooled)).toEqual(signer.address);
});

test.each<[string, TransactionFacts, FakeChainFacts, string]>([
  ["a kind before its fork", { code: ACCESS_LIST }, {}, "transaction type not supported"],
  [
    "gas above the limit",
    { gas: 500_000_001 },
    {},
    "tx gas limit exceeds the upper limit: gas 500000001, limit 500000000",
  ],
  ["another chain", { chainId: 5n }, {}, "invalid chain id"],
  ["another chain, named in a field", { chainId: 5n, code: DYNAMIC_FEE }, baseFee, "invalid chain id"],
  ["a price that is not the unit price", { price: 26 }, {}, "invalid unit price"],
  [
    "a price below the base fee",
    { price: 24 },
    baseFee,
    "invalid gas price. It must be set to value greater than or equal to baseFee",
  ],
  [
    "an access list below the base fee",
    { price: 24, code: ACCESS_LIST },
    baseFee,
    "invalid gas price. It must be set to value greater than or equal to baseFee",
  ],
  [
    "a fee cap below the base fee",
    { price: 24, code: DYNAMIC_FEE },
    baseFee,
    "invalid gas fee cap. It must be set to value greater than or equal to baseFee",
  ],
  [
    "a tip above the fee cap",
    { price: 30, tip: 31, code: DYNAMIC_FEE },
    baseFee,
    "max fee per gas higher than max priority fee per gas",
  ],
  [
    "a tip that is not the unit price",
    { price: 25, tip: 24, code: DYNAMIC_FEE },
    unitPrice,
    "invalid gas tip cap. It must be set to the same value as gas unit price",
  ],
  [
    "a fee cap that is not the unit price",
    { price: 26, tip: 25, code: DYNAMIC_FEE },
    unitPrice,
    "invalid gas fee cap. It must be set to the same value as gas unit price",
  ],
  ["too many bytes", { input: new Uint8Array(131_072) }, {}, "oversized data"],
  ["the last nonce", { nonce: 2n ** 64n - 1n }, {}, "nonce has max value"],
  ["a reserved recipient", { to: reserved }, {}, "the address is reserved for pre-compiled contracts"],
  ["too little gas", { gas: 20_999 }, {}, "intrinsic gas too low"],
])("%s is refused", (_what, facts, chain, message) => {
  expect(refusal(aTransaction(facts), termsOf(chain))).toBe(message);
});

test("a limit of gas of the next block holds in place of the pool's own, as it is set at that moment", () => {
  const chain = new FakeChain({});
  chain.setAccount(signer, {});
  const terms = nextBlockRules(chain, DEFAULT_POOL_OPTIONS);
  const tx = aTransaction({ from: signer, gas: 30_000 });
  expect(refusal(tx, terms)).toBe("accepted");
  chain.limit = 29_999n;
  expect(refusal(tx, terms)).toBe("tx gas limit exceeds the upper limit: gas 30000, limit 29999");
});

test("a creation with too much code is refused where that is limited", () => {
  const facts = { to: null, input: new Uint8Array(49_153), gas: 400_000_000 };
  const limited = termsOf({ rules: { maxInitcodeSize: 49_152 } });
  expect(refusal(aTransaction(facts), limited)).toBe(
    "max initcode size exceeded: code size 49153, limit 49152",
  );
  expect(refusal(aTransaction(facts), termsOf())).toBe("accepted");
  expect(refusal(aTransaction({ ...facts, to: signer.address }), limited)).toBe("accepted");
});

test.each([
  ["an anchoring transaction", 0x48, undefined],
  ["a memo to the zero address", 0x10, new Uint8Array(20)],
])("%s with more input than code may have is refused as well, having no recipient", (_what, code, to) => {
  const ofLength = (length: number) =>
    aSent({ code, to, gasFeeCap: 25n, gas: 400_000_000n, input: new Uint8Array(length) });
  const limited = termsOf({ rules: { maxInitcodeSize: 49_152 } });
  expect(refusal(ofLength(49_152), limited)).toBe("accepted");
  expect(refusal(ofLength(49_153), limited)).toBe("max initcode size exceeded: code size 49153, limit 49152");
  expect(refusal(ofLength(49_153), termsOf())).toBe("accepted");
});

test("gas below the floor for data is refused", () => {
  const gas = { zero: 4n, nonZero: 16n };
  const terms = termsOf({ rules: { floorTokenGas: 10n, legacyInputGas: gas } });
  const input = new Uint8Array(100).fill(1);
  expect(refusal(aTransaction({ input, gas: 24_999 }), terms)).toBe(
    "insufficient gas for floor data gas cost: gas 24999, minimum needed 25000",
  );
  expect(refusal(aTransaction({ input, gas: 25_000 }), terms)).toBe("accepted");
});

test("a fee payer whose key needs no signature lets less gas be enough, for the floor as well", () => {
  const payer = aSigner(3);
  const rules: Partial<Rules> = {
    multiSigGasBySignatures: true,
    multiSigRefusesUnknownKeys: true,
    inputGas: { zero: 4n, nonZero: 16n },
    floorTokenGas: 10n,
  };
  const chain = new FakeChain({ rules });
  chain.setAccount(payer, { key: aMultiSig(0n, [[5, 1n]]) });
  const terms = nextBlockRules(chain, DEFAULT_POOL_OPTIONS);
  const memo = { code: 0x11, paidBy: [], gasFeeCap: 25n, fields: { feePayer: payer.address } };
  const refusalOf = (input: Uint8Array, gas: bigint) => refusal(aSent({ ...memo, input, gas }), terms);
  expect(refusalOf(new Uint8Array(0), 15_999n)).toBe("intrinsic gas too low");
  expect(refusalOf(new Uint8Array(0), 16_000n)).toBe("accepted");
  const input = new Uint8Array(10).fill(1);
  expect(refusalOf(input, 16_399n)).toBe(
    "insufficient gas for floor data gas cost: gas 16399, minimum needed 16400",
  );
  expect(refusalOf(input, 16_400n)).toBe("accepted");
});

test("caps of more than 256 bits and negative values, which no encoding can say, are refused", () => {
  const tx = aTransaction({ code: DYNAMIC_FEE });
  const long = 2n ** 256n;
  expect(refusal(withChanges(tx, { gasTipCap: long }), termsOf(baseFee))).toBe(
    "max priority fee per gas higher than 2^256-1",
  );
  expect(refusal(withChanges(tx, { gasFeeCap: long }), termsOf(baseFee))).toBe(
    "max fee per gas higher than 2^256-1",
  );
  expect(refusal(withChanges(tx, { value: -1n }), termsOf(baseFee))).toBe("negative value");
});

test("a signature with a high s is refused as that of an invalid sender", () => {
  const tx = aTransaction();
  const [signature] = tx.signatures;
  const high = { ...signature, s: new Uint8Array(32).fill(0xf0) };
  expect(refusal(withChanges(tx, { signatures: [high as never] }), termsOf())).toMatch(
    /^invalid sender: invalid/,
  );
});

test("an account that signs with another key than its own is refused", () => {
  const terms = termsOf({}, { key: FAIL_KEY });
  expect(refusal(aTransaction(), terms)).toBe(
    "invalid sender: a legacy transaction must be with a legacy account key",
  );
  expect(stillValid(aTransaction(), signer.address, terms)).toBe(false);
});

test("a nonce below the account's is refused", () => {
  const terms = termsOf({}, { nonce: 5n });
  expect(refusal(aTransaction({ nonce: 4 }), terms)).toBe("nonce too low");
  expect(refusal(aTransaction({ nonce: 5 }), terms)).toBe("accepted");
});

test("the sender must afford value and the whole gas limit at the fee cap", () => {
  const cost = 21_000n * 30n + 7n;
  const tx = aTransaction({ value: 7n, price: 30, tip: 1, code: DYNAMIC_FEE });
  const short = "insufficient funds of the sender for value ";
  expect(refusal(tx, termsOf(baseFee, { balance: cost - 1n }))).toBe(short);
  expect(refusal(tx, termsOf(baseFee, { balance: cost }))).toBe("accepted");
  expect(stillValid(tx, signer.address, termsOf(baseFee, { balance: cost - 1n }))).toBe(false);
  expect(stillValid(tx, signer.address, termsOf(baseFee, { balance: cost }))).toBe(true);
});

test("of several faults the first in the Go node's order is told", () => {
  const faults = { chainId: 5n, price: 26, gas: 20_999, to: reserved };
  const poor = termsOf({}, { nonce: 5n, balance: 0n });
  expect(refusal(aTransaction({ ...faults, gas: 500_000_001 }), poor)).toMatch(/^tx gas limit/);
  expect(refusal(aTransaction(faults), poor)).toBe("invalid chain id");
  expect(refusal(aTransaction({ ...faults, chainId: 1001n }), poor)).toBe("invalid unit price");
  expect(refusal(aTransaction({ gas: 20_999, to: reserved }), poor)).toBe("nonce too low");
  expect(refusal(aTransaction({ nonce: 5, gas: 20_999, to: reserved }), poor)).toMatch(/^insufficient funds/);
  expect(refusal(aTransaction({ nonce: 5, gas: 20_999, to: reserved }), termsOf())).toBe(
    "intrinsic gas too low",
  );
});

test("an account that delegated its code may have one executable transaction", () => {
  const rules: Partial<Rules> = { delegations: true };
  const terms = termsOf({ rules }, { codeHash: new Uint8Array(32).fill(1) });
  expect(refusal(aTransaction({ nonce: 1 }), terms)).toBe("gapped-nonce tx from delegated accounts");
  const queue = new AccountQueue(signer.address, "key");
  queue.put(createEntry(aTransaction(), { key: "hash", sender: signer.address, seen: 0, time: 0 }));
  queue.promote(0n, () => true);
  const tryWith = (nonce: number) => () =>
    admit(aTransaction({ nonce, value: 1n }), terms, { ...nothingPooled, account: () => queue });
  expect(tryWith(1)).toThrow("in-flight transaction limit reached for delegated accounts");
  expect(tryWith(0)).not.toThrow();
});
