/** Blocks: RLP `[header, [transactions...]]`. */
import type { Hash } from "../bytes/brands.ts";
import { decodeRlp, encodeRlpList, itemAt, type RlpItem } from "../bytes/rlp.ts";
import { ModelError } from "./error.ts";
import { blockHash, decodeHeader, encodeHeader, type Header } from "./header.ts";
import { readTransactions, type Transaction } from "./transaction.ts";

/** A block; `size` is the length of its RLP in bytes. */
export interface Block {
  readonly header: Header;
  readonly transactions: readonly Transaction[];
  readonly hash: Hash;
  readonly size: number;
}

/** Header and body of a block's RLP, not decoded. */
export interface BlockItems {
  readonly header: RlpItem;
  /** The list of transactions. */
  readonly body: RlpItem;
  readonly size: number;
}

/**
 * Splits a block's RLP into views. Throws `BytesError` or `ModelError`; for missing elements with the Go
 * node's text.
 */
export function splitBlock(input: RlpItem | Uint8Array): BlockItems {
  const { isList, payload, raw } = input instanceof Uint8Array ? decodeRlp(input) : input;
  if (!isList) throw new ModelError("bad-block", "a block is a list");
  if (payload.length === 0) throw tooFewElements();
  const header = itemAt(payload, 0);
  if (header.raw.length === payload.length) throw tooFewElements();
  const body = itemAt(payload, header.raw.length);
  if (header.raw.length + body.raw.length !== payload.length) {
    throw new ModelError("bad-block", "a block has a header and a list of transactions, nothing else");
  }
  return { header, body, size: raw.length };
}

function tooFewElements(): ModelError {
  return new ModelError("bad-block", "rlp: too few elements for types.extblock");
}

/** Decodes a block into views. Throws `BytesError`, `ModelError` or `TransactionError`. */
export function decodeBlock(input: RlpItem | Uint8Array): Block {
  const { header: headerItem, body, size } = splitBlock(input);
  const header = decodeHeader(headerItem);
  return { header, transactions: readTransactions(body), hash: blockHash(header), size };
}

/** Encodes a block as RLP. */
export function encodeBlock({
  header,
  transactions,
}: Pick<Block, "header" | "transactions">): Uint8Array<ArrayBuffer> {
  return encodeRlpList([encodeHeader(header), encodeRlpList(transactions.map((tx) => tx.raw))]);
}

/** Creates a block from its parts and computes hash and size. */
export function createBlock(header: Header, transactions: readonly Transaction[]): Block {
  let body = 0;
  for (const tx of transactions) body += tx.raw.length;
  const size = listLength(encodeHeader(header).length + listLength(body));
  return { header, transactions, hash: blockHash(header), size };
}

/** Returns the length of a list's RLP from the length of its payload. */
function listLength(payload: number): number {
  if (payload < 56) return 1 + payload;
  return 1 + Math.ceil((32 - Math.clz32(payload)) / 8) + payload;
}
