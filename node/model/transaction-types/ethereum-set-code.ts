/** The row of set-code transactions (EIP-7702). */

import type { RlpCursor } from "../../bytes/rlp-cursor.ts";
import { authorizationsJson, readAuthorizations, writeAuthorizations } from "../authorization.ts";
import { readSignature, writer, writeSignature } from "../transaction-codec.ts";
import type { Signature, TransactionBody, TransactionContent, TransactionType } from "../transaction-type.ts";
import { ethereumFacts } from "./ethereum-row.ts";
import {
  feeMarketJson,
  feeMarketPrice,
  readFeeMarket,
  readNeededRecipient,
  WORD_BYTES,
  writeFeeMarket,
} from "./fee-market.ts";

/**
 * Fields before V: chainId, nonce, tip cap, fee cap, gas, to, value, input, accessList, authorizationList.
 */
const FACTS = ethereumFacts(4, 10);

/** Type 4 (EIP-7702): a transaction with authorizations; it never creates a contract. */
export const ethereumSetCode: TransactionType = {
  ...FACTS,
  name: "TxTypeEthereumSetCode",
  creates: () => false,
  read: readSetCode,
  encode: encodeSetCode,
  json: (content) => ({
    ...feeMarketJson(content),
    authorizationList: authorizationsJson(content.fields.authorizationList),
  }),
  jsonGasPrice: feeMarketPrice,
};

function readSetCode(cursor: RlpCursor, start: number): TransactionBody {
  const end = cursor.enter();
  const body = readFeeMarket(cursor, readNeededRecipient, { chainId: WORD_BYTES });
  const fields = { ...body.fields, authorizationList: readAuthorizations(cursor) };
  const signatures = [readSignature(cursor)];
  cursor.leave(end);
  return { ...body, fields, signatures, raw: cursor.bytes.subarray(start, cursor.at) };
}

function encodeSetCode(content: TransactionContent, signatures: readonly Signature[]): Uint8Array {
  writer.reset();
  for (const signature of signatures) writeSignature(signature);
  writeAuthorizations(content.fields.authorizationList);
  writeFeeMarket(content);
  writer.list(0);
  writer.raw(FACTS.prefix);
  return writer.take();
}
