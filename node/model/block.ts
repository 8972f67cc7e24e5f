/** Blocks: a header and its transactions, as one RLP list of the header and the list of all transactions' items. */
import { decodeRlp, encodeRlpList, itemAt, type RlpItem } from "../bytes/rlp.ts";
import { ModelError } from "./error.ts";
import { blockHash, decodeHeader, encodeHeader, type Header } from "./header.ts";
import { readTransactions, type Transaction } from "./transaction.ts";

/** A block; `size` is the length of its RLP. */
export interface Block {
  readonly header: Header;
  readonly transactions: readonly Transaction[];
  readonly hash: Uint8Array;
  readonly size: number;
}

/** The two parts of a block's RLP, unread. */
export interface BlockParts {
  readonly header: RlpItem;
  /** The list of transactions. */
  readonly body: RlpItem;
  readonly size: number;
}

/** Takes a block apart; the parts are views. Throws `BytesError` or `ModelError`, of missing parts in the Go node's words. */
export function splitBlock(input: RlpItem | Uint8Array): BlockParts {
  const { isList, payload, raw } = input instanceof Uint8Array ? decodeRlp(input) : input;
  if (!isList) throw new ModelError("bad-block", "a block is a list");
  if (payload.length === 0) throw tooFew();
  const header = itemAt(payload, 0);
  if (header.raw.length === payload.length) throw tooFew();
  const body = itemAt(payload, header.raw.length);
  if (header.raw.length + body.raw.length !== payload.length) {
    throw new ModelError("bad-block", "a block has a header and a list of transactions, nothing else");
  }
  return { header, body, size: raw.length };
}

function tooFew(): ModelError {
  return new ModelError("bad-block", "rlp: too few elements for types.extblock");
}

/** Reads a block; everything in it is a view. Throws `BytesError`, `ModelError` or `TransactionError`. */
export function decodeBlock(input: RlpItem | Uint8Array): Block {
  const { header: headerItem, body, size } = splitBlock(input);
  const header = decodeHeader(headerItem);
  return { header, transactions: readTransactions(body), hash: blockHash(header), size };
}

/** The block's RLP. */
export function encodeBlock({
  header,
  transactions,
}: Pick<Block, "header" | "transactions">): Uint8Array<ArrayBuffer> {
  return encodeRlpList([encodeHeader(header), encodeRlpList(transactions.map((tx) => tx.raw))]);
}

/** Puts a block together; hash and size are computed. */
export function createBlock(header: Header, transactions: readonly Transaction[]): Block {
  let body = 0;
  for (const tx of transactions) body += tx.raw.length;
  const size = listLength(encodeHeader(header).length + listLength(body));
  return { header, transactions, hash: blockHash(header), size };
}

/** The length of a list's RLP, by that of its items together. */
function listLength(payload: number): number {
  if (payload < 56) return 1 + payload;
  return 1 + Math.ceil((32 - Math.clz32(payload)) / 8) + payload;
}
