import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { fromHex } from "../../../node/bytes/hex.ts";
import { BASE_RULES, type Rules } from "../../../node/config/rules.ts";
import { addressOfKey, sign } from "../../../node/crypto/secp256k1.ts";
import { type BlockContext, executeTransaction } from "../../../node/execution/transaction.ts";
import { newAccount } from "../../../node/model/account.ts";
import { FAIL_KEY } from "../../../node/model/account-key.ts";
import { signTransaction, type Transaction, type TransactionDraft } from "../../../node/model/transaction.ts";
import { openState } from "../../../node/state/open-state.ts";
import type { State } from "../../../node/state/state.ts";
import { memoryTries } from "../../../node/state/trie-stores.ts";
import type { World } from "../../../node/state/world.ts";
import { createMemoryStore } from "../../../node/store/memory-store.ts";
import { aGenesisBlock, aHeader, aValidator, baseFeeRules } from "../../support/headers.ts";

const CHAIN_ID = 1001n;
const key = new Uint8Array(32).fill(3);
const sender = addressOfKey(key);
const to = fromHex(`0x${"ab".repeat(20)}`);
const author = aValidator(1).address;
const rewardbase = aValidator(2).address;
const PRICE = 25_000_000_000n;
const FEE = 21_000n * PRICE;
const header = { ...aHeader(aGenesisBlock([]), []), rewardbase };
const context: BlockContext = { chainId: CHAIN_ID, header, rules: BASE_RULES, author, deferredFees: true };

const store = createMemoryStore();
let state: State;
let world: World;
beforeAll(async () => {
  state = await openState({ chain: store, trie: memoryTries() });
  await state.ready;
});
afterAll(async () => {
  await state[Symbol.asyncDispose]();
});
beforeEach(() => {
  world = state.begin();
  world.addBalance(sender, 10n ** 18n);
  world.endTransaction();
});

function aTransfer(change: Partial<TransactionDraft> = {}, chainId = CHAIN_ID): Transaction {
  const draft = {
    code: 0,
    nonce: 0n,
    gas: 21_000n,
    gasFeeCap: PRICE,
    gasTipCap: PRICE,
    to,
    value: 5n,
    input: new Uint8Array(0),
  };
  return signTransaction({ ...draft, ...change }, chainId, (digest) => sign(digest, key));
}

function withRules(change: Partial<Rules>, more: Partial<BlockContext> = {}): BlockContext {
  return { ...context, rules: { ...BASE_RULES, ...change }, ...more };
}

test("a transfer moves the value, pays the fee and raises the nonce", () => {
  const { receipt, fee } = executeTransaction(world, aTransfer({ gas: 100_000n }), context);
  expect(receipt).toMatchObject({ status: 1, gasUsed: 21_000n, logs: [], contractAddress: undefined });
  expect(fee).toBe(FEE);
  expect([world.balance(to), world.nonce(sender)]).toEqual([5n, 1n]);
  expect(world.balance(sender)).toBe(10n ** 18n - 5n - FEE);
  expect(world.exists(author) || world.exists(rewardbase)).toBe(false);
});

test("a transfer of nothing leaves no account behind", () => {
  executeTransaction(world, aTransfer({ value: 0n }), context);
  expect(world.exists(to)).toBe(false);
});

test("a transfer to oneself costs the fee alone", () => {
  executeTransaction(world, aTransfer({ to: sender, value: 10n ** 17n }), context);
  expect(world.balance(sender)).toBe(10n ** 18n - FEE);
});

test("fees that are not deferred go to whom the rules name, at once", () => {
  executeTransaction(world, aTransfer(), withRules({ immediateFeeTo: "author" }, { deferredFees: false }));
  executeTransaction(
    world,
    aTransfer({ nonce: 1n }),
    withRules({ immediateFeeTo: "rewardbase" }, { deferredFees: false }),
  );
  expect([world.balance(author), world.balance(rewardbase)]).toEqual([FEE, FEE]);
});

test.each<[string, Rules, bigint, bigint]>([
  ["the offered price before the base fee", BASE_RULES, 30n, 30n],
  ["the base fee", baseFeeRules, 30n, 20n],
  ["base fee and tip", { ...baseFeeRules, effectivePrice: "base-fee-and-tip" }, 30n, 30n],
])("a unit of gas costs %s", (_what, rules, gasPrice, paid) => {
  const terms = { ...context, rules, header: { ...header, baseFee: rules.baseFee ? 20n : undefined } };
  const { fee } = executeTransaction(world, aTransfer({ gasFeeCap: gasPrice, gasTipCap: gasPrice }), terms);
  expect(fee).toBe(21_000n * paid);
});

test("input is paid for by the rules' price of a byte, and by the floor where there is one", () => {
  const input = Uint8Array.of(0, 1, 0, 1);
  const gas = 1_000_000n;
  expect(executeTransaction(world, aTransfer({ input, gas }), context).receipt.gasUsed).toBe(21_144n);
  const floor = withRules({ legacyInputGas: { zero: 4n, nonZero: 16n }, floorTokenGas: 10n });
  expect(executeTransaction(world, aTransfer({ input, gas, nonce: 1n }), floor).receipt.gasUsed).toBe(
    21_100n,
  );
});

test.each<[string, () => Transaction, BlockContext, string]>([
  [
    "a reserved recipient",
    () => aTransfer({ to: fromHex(`0x${"00".repeat(18)}03ff`) }),
    context,
    "the address is reserved for pre-compiled contracts",
  ],
  [
    "a creation",
    () => aTransfer({ to: undefined }),
    context,
    "contract creation is not supported by this release",
  ],
  [
    "a type whose fork is not there",
    () => aTransfer({ code: 0x7801 }),
    context,
    "transaction type not supported",
  ],
  [
    "a signature for another chain",
    () => aTransfer({}, 1n),
    context,
    "invalid sender: invalid chain id for signer",
  ],
  ["a nonce ahead", () => aTransfer({ nonce: 1n }), context, "nonce too high"],
  [
    "a price below the base fee",
    () => aTransfer({ gasFeeCap: 19n, gasTipCap: 19n }),
    { ...withRules(baseFeeRules), header: { ...header, baseFee: 20n } },
    "max fee per gas less than block base fee",
  ],
  [
    "a tip above the cap",
    () => aTransfer({ code: 0x7802, gasFeeCap: 30n, gasTipCap: 31n }),
    withRules({ checksPriceCaps: true, acceptedTypes: new Set([0x7802]) }),
    "max fee per gas higher than max priority fee per gas",
  ],
  [
    "gas that cannot be paid",
    () => aTransfer({ gas: 10n ** 9n }),
    context,
    "insufficient balance of the fee payer to pay for gas",
  ],
  ["too little gas", () => aTransfer({ gas: 20_999n }), context, "intrinsic gas too low"],
  [
    "gas below the floor",
    () => aTransfer({ gas: 21_399n, input: new Uint8Array(10).fill(1) }),
    withRules({ floorTokenGas: 10n, legacyInputGas: { zero: 4n, nonZero: 16n } }),
    "insufficient gas for floor data gas cost: have 21399, want 21400",
  ],
  [
    "a value that is not there",
    () => aTransfer({ value: 10n ** 18n }),
    context,
    "insufficient balance for transfer",
  ],
])("%s is refused and nothing changes", (_what, transfer, terms, message) => {
  const tx = transfer();
  expect(() => executeTransaction(world, tx, terms)).toThrow(message);
  expect([world.balance(sender), world.nonce(sender), world.exists(to)]).toEqual([10n ** 18n, 0n, false]);
});

test("a nonce behind or at its end is refused", () => {
  world.setNonce(sender, 2n);
  expect(() => executeTransaction(world, aTransfer({ nonce: 1n }), context)).toThrow("nonce too low");
  world.setNonce(sender, 2n ** 64n - 1n);
  expect(() => executeTransaction(world, aTransfer({ nonce: 2n ** 64n - 1n }), context)).toThrow(
    "nonce has max value",
  );
});

test("a recipient with code and a sender with another key than its own are refused", () => {
  world.setAccount(to, { ...newAccount(), kind: "contract", key: FAIL_KEY });
  world.setCode(to, Uint8Array.of(0x60));
  expect(() => executeTransaction(world, aTransfer(), context)).toThrow(
    "contract calls are not supported by this release",
  );
  world.setAccount(sender, { ...newAccount(), balance: 10n ** 18n, key: FAIL_KEY });
  expect(() => executeTransaction(world, aTransfer({ to: rewardbase }), context)).toThrow(
    "invalid sender: a legacy transaction must be with a legacy account key",
  );
});
