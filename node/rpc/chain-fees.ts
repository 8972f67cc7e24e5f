/** Suggested prices, the bounds of the base fee, fee history and blob base fee. */

import { blockNumber, decimalOrHex } from "../calls/arguments/block-number.ts";
import { type FeeHistoryDeps, feeHistory } from "../calls/fee-history.ts";
import { priceBounds, suggestedPrice, suggestedTip } from "../calls/gas-price.ts";
import type { Chain } from "../chain/chain.ts";
import { BLOB_PRICE } from "../execution/block-context.ts";
import { listOf, nullable, quantity } from "../jsonrpc/codecs/hex.ts";
import { float, writtenAs } from "../jsonrpc/codecs/plain.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { arraySchema, nullableSchema, recordSchema } from "../jsonrpc/schemas.ts";

const quantities = arraySchema(quantity.schema);
/** The ratios are null when no block was asked for. */
const feeHistorySchema = recordSchema({
  oldestBlock: quantity.schema,
  "reward?": arraySchema(quantities),
  "baseFeePerGas?": quantities,
  "blobBaseFeePerGas?": quantities,
  gasUsedRatio: nullableSchema(arraySchema(float.schema)),
});

/** The methods of `chain` and `eth` about prices and fees. */
export function chainFeeMethods(deps: FeeHistoryDeps): Method[] {
  return [
    ...priceMethods(deps.chain),
    method({
      name: "chain_feeHistory",
      aliases: ["eth_feeHistory"],
      summary:
        "Returns base fees, gas used ratios and priority fees of up to 1,024 blocks, and the base fee of the block after them.",
      params: { count: decimalOrHex, newest: blockNumber, percentiles: listOf(float, "[]float64") },
      result: writtenAs("fee history", feeHistorySchema),
      handle: (question, origin) => feeHistory(deps, question, origin),
    }),
    method({
      name: "eth_blobBaseFee",
      summary:
        "Returns the blob base fee of the newest block, in peb; null before the base fee fork (Magma).",
      params: {},
      result: nullable(quantity),
      handle: () => {
        const { baseFee } = deps.chain.head().header;
        return baseFee === undefined ? undefined : baseFee * BLOB_PRICE;
      },
    }),
  ];
}

function priceMethods(chain: Chain): Method[] {
  return [
    method({
      name: "chain_gasPrice",
      aliases: ["eth_gasPrice"],
      summary: "Returns the suggested gas price for the next block, in peb.",
      params: {},
      result: quantity,
      handle: () => suggestedPrice(chain),
    }),
    method({
      name: "chain_maxPriorityFeePerGas",
      aliases: ["eth_maxPriorityFeePerGas"],
      summary: "Returns the suggested priority fee, in peb; the unit price before the base fee fork (Magma).",
      params: {},
      result: quantity,
      handle: () => suggestedTip(chain),
    }),
    method({
      name: "chain_lowerBoundGasPrice",
      aliases: ["eth_lowerBoundGasPrice"],
      summary:
        "Returns the lower bound of the base fee, in peb; the unit price before the base fee fork (Magma).",
      params: {},
      result: quantity,
      handle: () => priceBounds(chain).lower,
    }),
    method({
      name: "chain_upperBoundGasPrice",
      aliases: ["eth_upperBoundGasPrice"],
      summary:
        "Returns the upper bound of the base fee, in peb; the unit price before the base fee fork (Magma).",
      params: {},
      result: quantity,
      handle: () => priceBounds(chain).upper,
    }),
  ];
}
