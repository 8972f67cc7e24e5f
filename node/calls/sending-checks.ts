/** What a transaction object must say before the node signs and submits it. */

import { failure } from "../jsonrpc/errors.ts";
import type { SendArgs } from "./arguments/transaction-args.ts";
import { typeOf } from "./chain-draft.ts";

/** A transaction with a fee payer is not sent by its sender: the fee payer's signature would miss. Throws `RpcError`. */
export function checkSendable({ typeInt = 0 }: SendArgs): void {
  if (typeOf(typeInt).payerDigest === undefined) return;
  throw failure("fee-delegation type transactions are not allowed to use this API");
}

/** Nothing of what the sender has signed can be filled in. Throws `RpcError`. */
export function checkPayerRequest({ typeInt, nonce, gas, gasPrice, signatures }: SendArgs): void {
  if (typeInt === undefined) throw failure("tx should have a type value");
  if (nonce === undefined) throw failure("nonce of the sender is not set");
  if (gas === undefined) throw failure("gas limit is not set");
  if (gasPrice === undefined) throw failure("gas price is not set");
  if (signatures === undefined) throw failure("sender signature is not set");
}
