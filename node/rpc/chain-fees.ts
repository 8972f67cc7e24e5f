/** `feeHistory` and `blobBaseFee` of `chain` and `eth`. */

import { blockNumber, decimalOrHex } from "../calls/arguments/block-number.ts";
import { type FeeHistoryDeps, feeHistory } from "../calls/fee-history.ts";
import { BLOB_PRICE } from "../execution/block-context.ts";
import { listOf, quantity } from "../jsonrpc/codecs/hex.ts";
import { float, writtenAs } from "../jsonrpc/codecs/plain.ts";
import { type Method, method } from "../jsonrpc/method.ts";

/** The methods about fees. */
export function chainFeeMethods(deps: FeeHistoryDeps): Method[] {
  return [
    method({
      name: "chain_feeHistory",
      aliases: ["eth_feeHistory"],
      summary:
        "Returns base fees, gas used ratios and priority fees of up to 1,024 blocks, and the base fee of the block after them.",
      params: { count: decimalOrHex, newest: blockNumber, percentiles: listOf(float, "[]float64") },
      result: writtenAs("fee history"),
      handle: (question) => feeHistory(deps, question),
    }),
    method({
      name: "eth_blobBaseFee",
      summary: "Returns the blob base fee of the newest block, in peb.",
      params: {},
      result: quantity,
      handle: () => (deps.chain.head().header.baseFee ?? 0n) * BLOB_PRICE,
    }),
  ];
}
