/** `debug_gaslessInfo` and `debug_isGaslessTx` on a chain with a swap router, and without the rules. */
import { expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import type { Transaction } from "../../../node/model/transaction.ts";
import { type DebugGaslessDeps, debugGaslessMethods } from "../../../node/rpc/debug-gasless.ts";
import { askRow } from "../../support/ask-row.ts";
import {
  aGaslessWorld,
  anApproval,
  aSingleSwap,
  aSwap,
  OTHER_TOKEN,
  ROUTER,
  TOKEN,
} from "../../support/gasless.ts";
import { aSigner, aTransaction } from "../../support/pool-transactions.ts";

const from = aSigner(100);
const approval = anApproval({ from, nonce: 0 });
const swap = aSwap({ from, nonce: 1 });
const single = aSingleSwap({ from, nonce: 0 });
const transfer = aTransaction({ from });

function tell(deps: DebugGaslessDeps, transactions: readonly Transaction[]): Promise<unknown> {
  const raws = transactions.map(({ raw }) => toHex(raw));
  return askRow(debugGaslessMethods(deps), "debug_isGaslessTx", raws);
}

test("the router and its tokens are shown, and a limit of none as the largest number", async () => {
  for (const [maxPending, shown] of [
    [7, 7],
    [0, 2 ** 64],
  ] as const) {
    const { gasless } = await aGaslessWorld({ options: { maxPending } });
    const info = await askRow(debugGaslessMethods({ gasless }), "debug_gaslessInfo");
    expect(info).toMatchObject({
      isDisabled: false,
      maxBundleTxs: shown,
      swapRouter: toHex(ROUTER),
      allowedTokens: [toHex(TOKEN), toHex(OTHER_TOKEN)],
    });
  }
});

test("a node without the rules says so", async () => {
  expect(await askRow(debugGaslessMethods({ gasless: undefined }), "debug_gaslessInfo")).toEqual({
    isDisabled: true,
    swapRouter: `0x${"00".repeat(20)}`,
    allowedTokens: [],
    maxBundleTxs: 0,
  });
  expect(await tell({ gasless: undefined }, [single])).toEqual({
    isGasless: false,
    reason: "transaction is not a swap transaction",
  });
});

test.each<[string, readonly Transaction[], string | null]>([
  ["a swap", [single], null],
  ["a pair", [approval, swap], null],
  [
    "a swap that needs an approval",
    [swap],
    "swap transaction nonce is not current: swap nonce 1, current nonce 0",
  ],
  ["a transfer", [transfer], "transaction is not a swap transaction"],
  ["a pair without an approval", [transfer, swap], "first transaction is not an approve transaction"],
  ["a pair without a swap", [approval, transfer], "second transaction is not a swap transaction"],
  ["three", [approval, swap, transfer], "expected 1 or 2 transactions, got 3"],
])("of %s the answer is the Go node's", async (_what, transactions, reason) => {
  const { gasless } = await aGaslessWorld();
  expect(await tell({ gasless }, transactions)).toEqual({ isGasless: reason === null, reason });
});
