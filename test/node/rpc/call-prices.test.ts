/** Tests of the gas prices of calls under the rules of each fork. */
import { expect, test } from "@jest/globals";
import type { CallArgs } from "../../../node/calls/arguments/transaction-args.ts";
import { callOf } from "../../../node/calls/run-call.ts";
import { BASE_RULES, type Rules } from "../../../node/config/rules.ts";
import type { BlockContext } from "../../../node/execution/transaction.ts";

const plain: Rules = BASE_RULES;
const magma: Rules = { ...plain, baseFee: true, effectivePrice: "base-fee" };
const kaia: Rules = { ...magma, effectivePrice: "base-fee-and-tip" };

function pricesOf(rules: Rules, args: CallArgs, takesLowPrices = false): readonly bigint[] {
  const context = { rules, block: { baseFee: 25n } } as BlockContext; // what prices are found from
  const limits = { upperGas: 100n, gasCap: 0n, takesLowPrices };
  const { price, gasFeeCap, gasTipCap } = callOf(args, context, limits);
  return [price, gasFeeCap, gasTipCap];
}

// A Kaia v2.2.2 node answers a contract that returns GASPRICE with these.
test.each<[string, Rules, CallArgs, readonly bigint[]]>([
  ["nothing before the base fee", plain, {}, [0n, 0n, 0n]],
  ["its price before the base fee", plain, { gasPrice: 7n }, [7n, 7n, 7n]],
  ["the base fee up to Kaia", magma, { gasPrice: 70n }, [25n, 70n, 70n]],
  ["twice the base fee without a price", kaia, {}, [50n, 50n, 50n]],
  ["twice the base fee with a tip alone", kaia, { maxPriorityFeePerGas: 5n }, [50n, 50n, 50n]],
  ["its fee cap", kaia, { maxFeePerGas: 100n, maxPriorityFeePerGas: 5n }, [100n, 100n, 100n]],
  ["the base fee for a price of 0", kaia, { gasPrice: 0n }, [25n, 0n, 0n]],
])("a call pays %s", (_what, rules, args, prices) => {
  expect(pricesOf(rules, args)).toEqual(prices);
});

test("a call on a development chain pays what it offers below the base fee, and is not refused", () => {
  expect(pricesOf(kaia, { gasPrice: 7n })).toEqual([25n, 7n, 7n]);
  expect(pricesOf(kaia, { gasPrice: 7n }, true)).toEqual([7n, 0n, 0n]);
  expect(pricesOf(kaia, { gasPrice: 70n }, true)).toEqual([70n, 70n, 70n]);
});
