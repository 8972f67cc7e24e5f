/** The methods of `debug` about gasless transactions (KIP-247, `kaiax/gasless/impl/api.go@v2.2.2`). */

import { toHex } from "../bytes/hex.ts";
import { MAX_UINT64 } from "../bytes/integer.ts";
import { messageOf } from "../bytes/message-of.ts";
import { decodeEthereumTransaction } from "../calls/raw-transaction.ts";
import { jsonInteger } from "../config/exact-json.ts";
import type { Gasless } from "../gasless/gasless.ts";
import { NO_ROUTER } from "../gasless/router.ts";
import { data, listOf } from "../jsonrpc/codecs/hex.ts";
import { plain } from "../jsonrpc/codecs/plain.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { arraySchema, nullableSchema, plainSchemas, recordSchema, schemaRefs } from "../jsonrpc/schemas.ts";
import type { Transaction } from "../model/transaction.ts";

/** Facts that the methods ask for. */
type GaslessFacts = Pick<Gasless, "router" | "maxPending" | "isApproval" | "isSwap" | "whyNot">;

/** Dependencies of the methods. */
export interface DebugGaslessDeps {
  /** Undefined where gasless transactions are like all others. */
  readonly gasless: GaslessFacts | undefined;
}

const { text, boolean, integer } = plainSchemas;
const { address: addressSchema } = schemaRefs;
const infoSchema = recordSchema({
  isDisabled: boolean,
  swapRouter: addressSchema,
  allowedTokens: arraySchema(addressSchema),
  maxBundleTxs: integer,
});
const verdictSchema = recordSchema({ isGasless: boolean, reason: nullableSchema(text) });

/** The methods. */
export function debugGaslessMethods({ gasless }: DebugGaslessDeps): Method[] {
  return [
    method({
      name: "debug_gaslessInfo",
      summary: "Returns the swap router of gasless transactions and the tokens that can pay for gas.",
      params: {},
      result: plain<object>("{isDisabled, swapRouter, allowedTokens, maxBundleTxs}", infoSchema),
      handle: () => {
        const { address, tokens } = gasless?.router ?? NO_ROUTER;
        return {
          isDisabled: gasless === undefined,
          swapRouter: toHex(address),
          allowedTokens: tokens.map(toHex),
          maxBundleTxs: numberOf(gasless?.maxPending ?? 0),
        };
      },
    }),
    method({
      name: "debug_isGaslessTx",
      summary:
        "Tells whether a swap, or an approval and a swap, are gasless transactions that the next block can hold, and why not.",
      params: { transactions: listOf(data, "[]hexutil.Bytes") },
      result: plain<object>("{isGasless, reason}", verdictSchema),
      handle: ({ transactions }) => {
        const reason = whyNotGasless(transactions, gasless);
        return { isGasless: reason === undefined, reason: reason ?? null };
      },
    }),
  ];
}

function numberOf(limit: number): unknown {
  return Number.isFinite(limit) ? limit : jsonInteger(MAX_UINT64);
}

/** Returns why transactions are not gasless; undefined when they are. */
function whyNotGasless(raws: readonly Uint8Array[], gasless: GaslessFacts | undefined): string | undefined {
  if (raws.length === 0) return "no transactions provided";
  const transactions: Transaction[] = [];
  for (const [index, raw] of raws.entries()) {
    if (raw.length === 0) return `empty transaction at index ${index}`;
    try {
      transactions.push(decodeEthereumTransaction(raw));
    } catch (error) {
      return `failed to decode transaction at index ${index}: ${messageOf(error)}`;
    }
  }
  const [first, second] = transactions;
  if (first === undefined || transactions.length > 2) {
    return `expected 1 or 2 transactions, got ${transactions.length}`;
  }
  return second === undefined ? whyNotSwap(first, gasless) : whyNotPair(first, second, gasless);
}

function whyNotSwap(swap: Transaction, gasless: GaslessFacts | undefined): string | undefined {
  if (gasless?.isSwap(swap) !== true) return "transaction is not a swap transaction";
  return gasless.whyNot(undefined, swap);
}

function whyNotPair(
  approve: Transaction,
  swap: Transaction,
  gasless: GaslessFacts | undefined,
): string | undefined {
  if (gasless?.isApproval(approve) !== true) return "first transaction is not an approve transaction";
  if (!gasless.isSwap(swap)) return "second transaction is not a swap transaction";
  return gasless.whyNot(approve, swap);
}
