/** The row of dynamic fee transactions (EIP-1559). */
import type { RlpCursor } from "../../bytes/rlp-cursor.ts";
import { readRecipient, readSignature, writer, writeSignature } from "../transaction-codec.ts";
import type { Signature, TransactionBody, TransactionContent, TransactionType } from "../transaction-type.ts";
import { ethereumFacts } from "./ethereum-row.ts";
import { feeMarketJson, feeMarketPrice, readFeeMarket, writeFeeMarket } from "./fee-market.ts";

/** Fields before V: chainId, nonce, tip cap, fee cap, gas, to, value, input, accessList. */
const FACTS = ethereumFacts(2, 9);

/** Type 2 (EIP-1559): a tip on top of the base fee, and a cap for both. */
export const ethereumDynamicFee: TransactionType = {
  ...FACTS,
  name: "TxTypeEthereumDynamicFee",
  read: readDynamicFee,
  encode: encodeDynamicFee,
  json: feeMarketJson,
  jsonGasPrice: feeMarketPrice,
};

function readDynamicFee(cursor: RlpCursor, start: number): TransactionBody {
  const end = cursor.enter();
  const body = readFeeMarket(cursor, readRecipient);
  const signatures = [readSignature(cursor)];
  cursor.leave(end);
  return { ...body, signatures, raw: cursor.bytes.subarray(start, cursor.at) };
}

function encodeDynamicFee(content: TransactionContent, signatures: readonly Signature[]): Uint8Array {
  writer.reset();
  for (const signature of signatures) writeSignature(signature);
  writeFeeMarket(content);
  writer.list(0);
  writer.raw(FACTS.prefix);
  return writer.take();
}
