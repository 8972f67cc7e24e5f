/** Reads blocks of a Go node, each against its hashes: header, link to its parent, transactions, receipts. */
import type { Hash } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { bareHex } from "../bytes/hex.ts";
import { bytesToNumber } from "../bytes/integer.ts";
import { messageOf } from "../bytes/message-of.ts";
import { decodeRlp, listItems } from "../bytes/rlp.ts";
import { receiptAddress } from "../execution/message.ts";
import { type Block, createBlock } from "../model/block.ts";
import { blockHash, decodeHeader, encodeHeader, type Header } from "../model/header.ts";
import { hasListRoot } from "../model/list-root.ts";
import { encodeReceipts, type Receipt } from "../model/receipt.ts";
import { readTransactions, type Transaction } from "../model/transaction.ts";
import type { GoDatabases } from "./databases.ts";
import { GoDataError } from "./error.ts";
import { bodyKey, canonicalKey, HEAD_BLOCK, headerKey, numberKey, receiptsKey } from "./keys.ts";
import { decodeGoReceipts } from "./receipts.ts";

/** A header with its hash. */
export interface GoHead {
  readonly header: Header;
  readonly hash: Hash;
}

/** A block with its receipts. */
export interface GoBlock {
  readonly block: Block;
  readonly receipts: readonly Receipt[];
}

/** Blocks below the newest among which a stored state is looked for: the Go node stores one of 128 by default. */
const MAX_BACK = 1_000_000;

/** The canonical blocks of a Go node. */
export class GoBlocks {
  readonly #databases: GoDatabases;

  constructor(databases: GoDatabases) {
    this.#databases = databases;
  }

  /** Returns the number of the newest block. Throws `GoDataError` `no-data`. */
  newest(): number {
    const { header } = this.#databases;
    const hash = header.get(HEAD_BLOCK);
    const number = hash && header.get(numberKey(hash));
    if (number === undefined) throw new GoDataError("no-data", "the databases name no newest block");
    return bytesToNumber(number);
  }

  /**
   * Returns the newest block of which the root of the state is stored. A node that was killed has lost the states since it
   * last wrote one. Throws `GoDataError` `missing`.
   */
  newestWithState(): GoHead {
    const newest = this.newest();
    for (let number = newest; number >= Math.max(0, newest - MAX_BACK); number--) {
      const head = this.head(number);
      if (this.hasState(head.header)) return head;
    }
    throw new GoDataError("missing", `no state is stored of block ${newest} or of the blocks before it`);
  }

  /** True when the root of a block's state is stored. */
  hasState({ stateRoot }: Header): boolean {
    return this.#databases.state.get(stateRoot) !== undefined;
  }

  /** Returns a canonical header. Throws `GoDataError` `missing` or `damaged`. */
  head(number: number): GoHead {
    const { header: rows } = this.#databases;
    const hash = rows.get(canonicalKey(number));
    const row = hash && rows.get(headerKey(number, hash));
    if (hash === undefined || row === undefined) throw missing(number, "header");
    const header = decodePart(number, "header", () => decodeHeader(decodeRlp(row)));
    if (
      header.number !== number ||
      !equalBytes(blockHash(header), hash) ||
      !equalBytes(encodeHeader(header), row)
    )
      throw damage(number, "header", "has another hash than its key");
    return { header, hash };
  }

  /**
   * Returns body and receipts of a header. Receipts name the contract addresses that Kaia v2.2 gives them: Klaytn stored
   * fewer. Throws `GoDataError` `missing` or `damaged`.
   */
  block({ header, hash }: GoHead, chainId: bigint): GoBlock {
    const { number } = header;
    const body = this.#databases.body.get(bodyKey(number, hash));
    if (body === undefined) throw missing(number, "body");
    const transactions = decodePart(number, "body", () => {
      const [list, ...others] = listItems(decodeRlp(body));
      if (list === undefined || others.length > 0) throw new RangeError("a body is a list of one list");
      return readTransactions(list);
    });
    requireRoot(
      number,
      "body",
      header.transactionsRoot,
      transactions.map(({ raw }) => raw),
    );
    const stored = this.#receipts(header, hash, transactions.length);
    const receipts = transactions.map((tx, i) =>
      addressedReceipt(number, tx, { receipt: stored[i], chainId }),
    );
    return { block: createBlock(header, transactions), receipts };
  }

  #receipts(header: Header, hash: Hash, count: number): readonly Receipt[] {
    const { number } = header;
    const row = this.#databases.receipts.get(receiptsKey(number, hash));
    if (row === undefined && count > 0) throw missing(number, "receipts");
    const receipts = row === undefined ? [] : decodePart(number, "receipts", () => decodeGoReceipts(row));
    if (receipts.length !== count) throw damage(number, "receipts", `are ${receipts.length}, not ${count}`);
    requireRoot(number, "receipts", header.receiptsRoot, encodeReceipts(receipts));
    return receipts;
  }
}

function requireRoot(number: number, what: string, root: Hash, items: readonly Uint8Array[]): void {
  if (!hasListRoot(root, items)) throw damage(number, what, `another root than ${bareHex(root)}`);
}

/** Throws `GoDataError` `damaged` for a header that does not name the one before it as its parent. */
export function requireChild({ header }: GoHead, parent: GoHead): void {
  if (!equalBytes(header.parentHash, parent.hash))
    throw damage(header.number, "header", `is not a child of block ${parent.header.number}`);
}

/** Checks the parts of a stored receipt that the root does not cover, and names its contract address. */
function addressedReceipt(
  number: number,
  tx: Transaction,
  { receipt, chainId }: { readonly receipt: Receipt | undefined; readonly chainId: bigint },
): Receipt {
  if (receipt === undefined || !equalBytes(tx.hash, receipt.transactionHash))
    throw damage(number, "receipts", "are those of other transactions");
  const contractAddress = receiptAddress(tx, chainId);
  const { contractAddress: stored } = receipt;
  if (stored !== undefined && (contractAddress === undefined || !equalBytes(stored, contractAddress)))
    throw damage(number, "receipts", "name another contract than the transaction creates");
  if (stored === contractAddress) return receipt; // both absent, as nearly always
  return { ...receipt, contractAddress };
}

function decodePart<T>(number: number, what: string, decode: () => T): T {
  try {
    return decode();
  } catch (cause) {
    throw damage(number, what, `cannot be decoded: ${messageOf(cause)}`, cause);
  }
}

function missing(number: number, what: string): GoDataError {
  return new GoDataError("missing", `block ${number}: its ${what} is not in the databases`);
}

function damage(number: number, what: string, why: string, cause?: unknown): GoDataError {
  return new GoDataError("damaged", `block ${number}: its ${what}: ${why}`, { cause });
}
