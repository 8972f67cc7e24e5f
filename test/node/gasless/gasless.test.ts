/** Gasless transactions at a head, told from others, and the checks in place of their balance. */
import { describe, expect, test } from "@jest/globals";
import { fixedBytes } from "../../../node/bytes/integer.ts";
import { addressOfKey } from "../../../node/crypto/secp256k1.ts";
import { REGISTRY } from "../../../node/governance/system-contracts.ts";
import { senderOf, type Transaction } from "../../../node/model/transaction.ts";
import { answeringCode } from "../../support/contract-code.ts";
import { addressWord } from "../../support/contracts.ts";
import { CHAIN_ID } from "../../support/execution.ts";
import {
  aGaslessWorld,
  anApproval,
  aSingleSwap,
  aSwap,
  type GaslessWorld,
  LENDER_KEY,
  OTHER_TOKEN,
  ROUTER,
  type SwapFacts,
  TOKEN,
} from "../../support/gasless.ts";
import { aSigner, aTransaction, DYNAMIC_FEE, withChanges } from "../../support/pool-transactions.ts";

const poor = aSigner(100);
const other = aSigner(101);
const nobody = fixedBytes(0xffff, 20);
const approval = anApproval({ from: poor, nonce: 0 });
const swap = aSwap({ from: poor, nonce: 1 });
const single = aSingleSwap({ from: poor, nonce: 0 });
const dirty = Uint8Array.from(approval.input);
dirty[4] = 1;

test.each<[string, Transaction, "approval" | "swap" | "neither"]>([
  ["an approval", approval, "approval"],
  ["one whose address has other bytes before it", withChanges(approval, { input: dirty }), "approval"],
  ["one of another contract", anApproval({ from: poor, nonce: 0, to: nobody }), "neither"],
  ["one for another spender", anApproval({ from: poor, nonce: 0, spender: nobody }), "neither"],
  ["one of nothing", anApproval({ from: poor, nonce: 0, amount: 0n }), "neither"],
  ["one of another type", anApproval({ from: poor, nonce: 0, code: DYNAMIC_FEE }), "neither"],
  ["one cut short", withChanges(approval, { input: approval.input.subarray(0, 67) }), "neither"],
  ["a swap", swap, "swap"],
  ["a swap through another contract", aSwap({ from: poor, nonce: 1, to: nobody }), "neither"],
  ["a swap of another token", aSwap({ from: poor, nonce: 1, token: nobody }), "neither"],
  ["a transfer", aTransaction({ from: poor }), "neither"],
  ["a new contract", withChanges(approval, { to: undefined }), "neither"],
])("%s is told from others", async (_what, tx, expected) => {
  const { gasless } = await aGaslessWorld();
  const what = gasless.isSwap(tx) ? "swap" : "neither";
  expect(gasless.isApproval(tx) ? "approval" : what).toBe(expected);
  expect(gasless.covers(tx)).toBe(expected !== "neither");
});

test.each<[string, Transaction | undefined, Transaction, string | undefined]>([
  ["a pair", approval, swap, undefined],
  ["a swap alone", undefined, single, undefined],
  [
    "a pair of two senders",
    approval,
    aSwap({ from: other, nonce: 1 }),
    "approve and swap transactions have different senders",
  ],
  [
    "a pair of two tokens",
    approval,
    aSwap({ from: poor, nonce: 1, token: OTHER_TOKEN }),
    "approve transaction is for different token than swap transaction: approve token 0x000000000000000000000000000000000000ABcD, swap token 0x000000000000000000000000000000000000bcDe",
  ],
  [
    "a pair with a gap",
    approval,
    aSwap({ from: poor, nonce: 2 }),
    "approve and swap transactions have non-sequential nonces: approve nonce 0, swap nonce 2 (expected 1)",
  ],
  [
    "a pair too early",
    anApproval({ from: poor, nonce: 1 }),
    aSwap({ from: poor, nonce: 2 }),
    "approve transaction nonce is not current: approve nonce 1, current nonce 0",
  ],
  [
    "a swap too early",
    undefined,
    aSingleSwap({ from: poor, nonce: 1 }),
    "swap transaction nonce is not current: swap nonce 1, current nonce 0",
  ],
  [
    "a swap that pays back too little",
    undefined,
    aSingleSwap({ from: poor, nonce: 0, amountRepay: 1n }),
    "swap transaction has incorrect amountRepay: got 1, expected 1021000",
  ],
  ["no swap", undefined, approval, "failed to decode swap transaction"],
  ["a foreign swap", undefined, aSwap({ from: poor, nonce: 0, to: nobody }), "swap transaction is not valid"],
  ["no approval", single, swap, "failed to decode approve transaction"],
  [
    "a small approval",
    anApproval({ from: poor, nonce: 0, amount: 1n }),
    swap,
    "approve transaction is not valid",
  ],
])("the next block can hold %s, or the reason is the Go node's", async (_what, first, second, reason) => {
  const { gasless } = await aGaslessWorld();
  expect(gasless.whyNot(first, second)).toBe(reason);
  expect(gasless.canLend(first, second)).toBe(reason === undefined);
});

test("the proposer lends the highest fees of both at the swap's price", async () => {
  const { gasless } = await aGaslessWorld();
  const lent = gasless.lend(approval, swap, 7n);
  expect(lent).toMatchObject({ nonce: 7n, gas: 21_000n, value: 2_000_000n, gasFeeCap: 1n, gasTipCap: 1n });
  expect([lent.to, senderOf(lent, CHAIN_ID)]).toEqual([poor.address, addressOfKey(LENDER_KEY)]);
  expect(gasless.lend(undefined, single, 0n).value).toBe(1_000_000n);
});

describe("tokens pay for gas only", () => {
  test.each<[string, (world: GaslessWorld) => void]>([
    ["with a contract registry", ({ world }) => world.setCode(REGISTRY, new Uint8Array(0))],
    [
      "with a router in it",
      ({ world }) => world.setCode(REGISTRY, answeringCode([["getActiveAddr(string)", [0n]]])),
    ],
    ["while the router answers", ({ world }) => world.setCode(ROUTER, Uint8Array.of(0xfe))],
    ["after the block that installs the registry", ({ changes }) => void (changes.randao = false)],
  ])("%s", async (_when, change) => {
    const given = await aGaslessWorld();
    expect(given.gasless.router.tokens).toHaveLength(2);
    change(given);
    expect(given.gasless.covers(single)).toBe(true); // until the next block
    given.grow();
    expect(given.gasless.router).toEqual({ address: new Uint8Array(20), tokens: [] });
    expect(given.gasless.covers(single)).toBe(false);
  });

  test("if the node allows them", async () => {
    const { gasless } = await aGaslessWorld({ options: { allowedTokens: [OTHER_TOKEN, nobody] } });
    expect(gasless.router).toEqual({ address: ROUTER, tokens: [OTHER_TOKEN] });
  });
});

function aCheckedSwap(facts: SwapFacts): Transaction {
  return aSingleSwap({ from: poor, nonce: 0, ...facts });
}

const held = answeringCode([
  ["balanceOf(address)", [9n]],
  ["allowance(address,address)", [10n]],
]);
const approved = answeringCode([
  ["balanceOf(address)", [10n]],
  ["allowance(address,address)", [9n]],
]);

test.each<[string, Transaction, number, (world: GaslessWorld) => void, string]>([
  [
    "no token",
    approval,
    1,
    ({ world }) => world.setCode(TOKEN, answeringCode([["balanceOf(address)", [0n]]])),
    "insufficient sender token balance: token=0x000000000000000000000000000000000000ABcD, have=0, want=nonzero",
  ],
  [
    "a swap for less than it pays back",
    aCheckedSwap({ minAmountOut: 1n }),
    0,
    () => undefined,
    "insufficient minAmountOut: minAmountOut=1, amountRepay=1021000",
  ],
  [
    "too few tokens to swap",
    aCheckedSwap({ amountIn: 9n }),
    2,
    () => undefined,
    "insufficient amountIn: have=9, want=10",
  ],
  [
    "too few tokens",
    single,
    1,
    ({ world }) => world.setCode(TOKEN, held),
    "insufficient balance: balance=9, want=10",
  ],
  [
    "too small an approval",
    single,
    1,
    ({ world }) => world.setCode(TOKEN, approved),
    "insufficient approval: approval=9, want=10",
  ],
  [
    "a token that fails",
    single,
    1,
    ({ world }) => world.setCode(TOKEN, Uint8Array.of(0xfe)),
    "execution reverted",
  ],
  [
    "code",
    single,
    3,
    ({ world }) => {
      world.addBalance(poor.address, 1n);
      world.setCode(poor.address, Uint8Array.of(1));
    },
    "sender with code is not allowed",
  ],
])("a sender with %s is refused from level %s on", async (_what, tx, level, change, message) => {
  for (const checkLevel of [3, level, level - 1].filter((each) => each >= 0)) {
    const given = await aGaslessWorld({ options: { checkLevel } });
    change(given);
    given.world.endTransaction();
    const check = (): void => given.gasless.checkFunds(tx);
    if (checkLevel < level) expect(check).not.toThrow();
    else expect(check).toThrow(message);
  }
});

test("a swap behind an approval needs none yet, and a swap too late is refused", async () => {
  const given = await aGaslessWorld();
  given.world.setCode(TOKEN, approved);
  given.gasless.checkFunds(swap);
  given.gasless.checkFunds(approval);
  const { time } = given.head();
  const late = aSwap({ from: poor, nonce: 1, deadline: BigInt(time) - 1n });
  expect(() => given.gasless.checkFunds(late)).toThrow(
    `insufficient deadline: deadline=${time - 1}, want=${time}`,
  );
  given.gasless.checkFunds(aSwap({ from: poor, nonce: 1, deadline: BigInt(time) }));
});

test("a router of many tokens, and one whose word is no address, are read or refused whole", async () => {
  const given = await aGaslessWorld();
  given.world.setCode(
    ROUTER,
    answeringCode([["getSupportedTokens()", [32n, 3n, addressWord(TOKEN), addressWord(TOKEN), 5n]]]),
  );
  given.grow();
  expect(given.gasless.router.tokens).toEqual([TOKEN, fixedBytes(5, 20)]);
  given.world.setCode(ROUTER, answeringCode([["getSupportedTokens()", [32n, 1n, 2n ** 160n]]]));
  given.grow();
  expect(given.gasless.router.tokens).toEqual([]);
});
