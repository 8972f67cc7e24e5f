/** The row of blob transactions (EIP-4844), with or without their sidecar. */
import type { Hash } from "../../bytes/brands.ts";
import { hashText } from "../../bytes/hex.ts";
import { toQuantity } from "../../bytes/integer.ts";
import type { RlpCursor } from "../../bytes/rlp-cursor.ts";
import { readSidecar, withoutSidecar, writeSidecar } from "../blob-sidecar.ts";
import { digestOfFirst, readSignature, writer, writeSignature } from "../transaction-codec.ts";
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

/** Number of fields before V: those of a dynamic fee, then maxFeePerBlobGas and blobVersionedHashes. */
const COUNT = 11;
const FACTS = ethereumFacts(3, COUNT);
const { prefix: PREFIX } = FACTS;
const SIGNED = { listAt: PREFIX.length, count: COUNT };
const NO_TAIL = new Uint8Array(0);
/** All integers of this type but those of the signature are of 256 bits. */
const WORDS = { chainId: WORD_BYTES, amounts: WORD_BYTES };

/** Type 3 (EIP-4844): a transaction with blobs in its sidecar; it never creates a contract. */
export const ethereumBlob: TransactionType = {
  ...FACTS,
  name: "TxTypeEthereumBlob",
  creates: () => false,
  hashPreimage: (body) => withoutSidecar(body, PREFIX).subarray(FACTS.hashFrom),
  digest: (body) => digestOfFirst(withoutSidecar(body, PREFIX), SIGNED, FACTS.ethType, NO_TAIL),
  read: readBlob,
  encode: encodeBlob,
  json: (content) => ({
    ...feeMarketJson(content),
    maxFeePerBlobGas: toQuantity(content.fields.maxFeePerBlobGas ?? 0n),
    blobVersionedHashes: (content.fields.blobVersionedHashes ?? []).map(hashText),
  }),
  jsonGasPrice: feeMarketPrice,
};

function readBlob(cursor: RlpCursor, start: number): TransactionBody {
  const end = cursor.enter();
  if (!cursor.atList) {
    const body = readFields(cursor);
    cursor.leave(end);
    return { ...body, raw: cursor.bytes.subarray(start, cursor.at) };
  }
  const fieldsEnd = cursor.enter();
  const body = readFields(cursor);
  cursor.leave(fieldsEnd);
  const sidecar = readSidecar(cursor);
  cursor.leave(end);
  const fields = { ...body.fields, sidecar };
  return { ...body, fields, raw: cursor.bytes.subarray(start, cursor.at) };
}

function readFields(cursor: RlpCursor): Omit<TransactionBody, "raw"> {
  const body = readFeeMarket(cursor, readNeededRecipient, WORDS);
  const maxFeePerBlobGas = cursor.bigint();
  const blobVersionedHashes = readHashes(cursor);
  const signatures = [readSignature(cursor)];
  return { ...body, fields: { ...body.fields, maxFeePerBlobGas, blobVersionedHashes }, signatures };
}

function readHashes(cursor: RlpCursor): readonly Hash[] {
  const end = cursor.enter();
  const hashes: Hash[] = [];
  while (!cursor.done) hashes.push(cursor.hash());
  cursor.leave(end);
  return hashes;
}

function encodeBlob(content: TransactionContent, signatures: readonly Signature[]): Uint8Array {
  const { sidecar } = content.fields;
  writer.reset();
  if (sidecar !== undefined) writeSidecar(sidecar);
  const mark = writer.length;
  for (const signature of signatures) writeSignature(signature);
  writeFields(content);
  writer.list(mark);
  if (sidecar !== undefined) writer.list(0);
  writer.raw(PREFIX);
  return writer.take();
}

function writeFields(content: TransactionContent): void {
  const { blobVersionedHashes = [], maxFeePerBlobGas = 0n } = content.fields;
  const hashes = writer.length;
  for (const hash of blobVersionedHashes.toReversed()) writer.string(hash);
  writer.list(hashes);
  writer.integer(maxFeePerBlobGas);
  writeFeeMarket(content);
}
