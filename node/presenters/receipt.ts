/** Receipts and logs as JSON, in Kaia's form and in Ethereum's. */
import type { Hash } from "../bytes/brands.ts";
import { toHex } from "../bytes/hex.ts";
import { toQuantity } from "../bytes/integer.ts";
import type { Chain } from "../chain/chain.ts";
import { blobGasFor } from "../execution/blob-gas.ts";
import { BLOB_PRICE } from "../execution/block-context.ts";
import { failure } from "../jsonrpc/errors.ts";
import { sortKeys } from "../jsonrpc/json-text.ts";
import type { Block } from "../model/block.ts";
import { EMPTY_BLOOM } from "../model/bloom.ts";
import type { EventLog, Receipt } from "../model/receipt.ts";
import { STATUS_SUCCESS } from "../model/receipt-status.ts";
import { ethereumRecipient } from "../model/recipient.ts";
import { senderOf, type Transaction } from "../model/transaction.ts";
import { chainTransactionFields, paidPrice } from "./transaction.ts";

/** Members of receipts and of transactions by hash that interfaces choose. */
export interface ReceiptForm {
  /**
   * Transactions whose receipt contains a contract address: those without a recipient, or those of the types
   * that deploy a contract alone.
   */
  readonly contractAddress: "without-recipient" | "deployments";
  /** The gas price: what was paid, or the fee cap of the transaction. */
  readonly gasPrice: "paid" | "fee-cap";
}

/** A block with its receipts and their running sums. */
export interface BlockReceipts {
  readonly block: Block;
  readonly receipts: readonly Receipt[];
  /** Number of logs before each transaction. */
  readonly logsBefore: readonly number[];
  /** Gas used by the block up to and including each transaction. */
  readonly cumulativeGas: readonly bigint[];
  readonly form: ReceiptForm;
}

/** Reads a block's receipts. Throws `RpcError` when their number is not that of the transactions. */
export function blockReceipts(chain: Chain, block: Block, form: ReceiptForm): BlockReceipts {
  const receipts = chain.receipts(block.header.number) ?? [];
  if (receipts.length !== block.transactions.length) {
    throw failure(`the size of transactions and receipts is different in the block (${toHex(block.hash)})`);
  }
  return { block, receipts, ...sumsOf(receipts), form };
}

type Sums = Pick<BlockReceipts, "logsBefore" | "cumulativeGas">;
const sums = new WeakMap<readonly Receipt[], Sums>();

/**
 * Returns the running sums of a block's receipts. They are cached: clients read the receipts of a block one
 * by one.
 */
function sumsOf(receipts: readonly Receipt[]): Sums {
  const known = sums.get(receipts);
  if (known !== undefined) return known;
  const logsBefore: number[] = [];
  const cumulativeGas: bigint[] = [];
  let [logs, gas] = [0, 0n];
  for (const receipt of receipts) {
    logsBefore.push(logs);
    logs += receipt.logs.length;
    gas += receipt.gasUsed;
    cumulativeGas.push(gas);
  }
  const found = { logsBefore, cumulativeGas };
  sums.set(receipts, found);
  return found;
}

/** Formats the receipt at an index of a block. */
export type FormatReceipt = (chain: Chain, all: BlockReceipts, index: number) => object;

/** Formats a receipt in Kaia's form. Keys are sorted. */
export const chainReceipt: FormatReceipt = (chain, all, index) => {
  const { block } = all;
  const { tx, receipt } = pair(all, index);
  const { hash: _hash, ...fields } = chainTransactionFields(chain, tx, { block, index });
  const failed = receipt.status !== STATUS_SUCCESS;
  return sortKeys({
    ...withPrice(fields, tx, all.form),
    ...outcomeJson(chain, all, index),
    ...(failed ? { txError: toQuantity(receipt.status) } : {}),
  });
};

/** Formats a receipt in Ethereum's form. Keys are sorted. */
export const ethReceipt: FormatReceipt = (chain, all, index) => {
  const { block, cumulativeGas } = all;
  const { tx } = pair(all, index);
  const to = ethereumRecipient(tx);
  return sortKeys({
    ...outcomeJson(chain, all, index),
    blockHash: toHex(block.hash),
    blockNumber: toQuantity(block.header.number),
    cumulativeGasUsed: toQuantity(cumulativeGas[index] ?? 0n),
    from: toHex(senderOf(tx, chain.config.chainId)),
    to: to === undefined ? null : toHex(to),
    transactionIndex: toQuantity(index),
    type: toQuantity(tx.type.ethType),
  });
};

/** Replaces the gas price of a transaction in Kaia's form as the form says. */
export function withPrice(
  fields: Record<string, unknown>,
  { gasFeeCap }: Transaction,
  { gasPrice }: ReceiptForm,
): Record<string, unknown> {
  return gasPrice === "fee-cap" ? { ...fields, gasPrice: toQuantity(gasFeeCap) } : fields;
}

function outcomeJson(chain: Chain, all: BlockReceipts, index: number): object {
  const { tx, receipt } = pair(all, index);
  return {
    contractAddress: contractAddressOf(tx, receipt, all.form),
    effectiveGasPrice: toQuantity(paidPrice(chain, tx, all.block)),
    gasUsed: toQuantity(receipt.gasUsed),
    ...blobFeesOf(tx, all.block),
    logs: logsOf(all, index),
    logsBloom: receipt.bloom === EMPTY_BLOOM ? EMPTY_BLOOM_TEXT : toHex(receipt.bloom),
    status: receipt.status === STATUS_SUCCESS ? "0x1" : "0x0",
    transactionHash: toHex(tx.hash),
  };
}

/** Returns the blob gas and its price of a blob transaction. */
function blobFeesOf({ fields: { blobVersionedHashes } }: Transaction, { header }: Block): object {
  if (blobVersionedHashes === undefined) return {};
  return {
    blobGasPrice: toQuantity((header.baseFee ?? 0n) * BLOB_PRICE),
    blobGasUsed: toQuantity(blobGasFor(blobVersionedHashes)),
  };
}

/**
 * Returns the contract address of a receipt; null for kinds that create no contract. The state transition
 * also assigns one to failed creations.
 */
function contractAddressOf(tx: Transaction, { contractAddress }: Receipt, form: ReceiptForm): string | null {
  if (contractAddress === undefined) return null;
  const { ethType, code, name } = tx.type;
  const creates = ethType > 0 || code === 0 || name.includes("SmartContractDeploy");
  return creates || form.contractAddress === "without-recipient" ? toHex(contractAddress) : null;
}

const EMPTY_BLOOM_TEXT = toHex(EMPTY_BLOOM);

function pair({ block, receipts }: BlockReceipts, index: number): { tx: Transaction; receipt: Receipt } {
  // both exist: `blockReceipts` has compared the numbers
  return { tx: block.transactions[index] as Transaction, receipt: receipts[index] as Receipt };
}

/** Formats logs of the receipt at an index of a block: all, or those of a range. */
export function logsOf(
  { block, receipts, logsBefore }: BlockReceipts,
  index: number,
  { first, end }: { readonly first: number; readonly end?: number } = { first: 0 },
): object[] {
  const { logs, transactionHash } = receipts[index] as Receipt; // exists: `blockReceipts` has compared the numbers
  const { hash: blockHash, header } = block;
  const before = (logsBefore[index] ?? 0) + first;
  return logs.slice(first, end).map((log, at) => {
    const place = { number: header.number, blockHash, transactionHash, transactionIndex: index };
    return logJson(log, { ...place, logIndex: before + at });
  });
}

/** Position of a log in the chain. */
export interface LogPlace {
  readonly number: number;
  readonly blockHash: Hash;
  readonly transactionHash: Hash;
  readonly transactionIndex: number;
  /** Index within the block. */
  readonly logIndex: number;
  /** The log's block is no longer canonical. */
  readonly removed?: boolean;
}

/** Formats a log, members in the Go node's order. */
export function logJson({ address, topics, data }: EventLog, place: LogPlace): object {
  return {
    address: toHex(address),
    topics: topics.map(toHex),
    data: toHex(data),
    blockNumber: toQuantity(place.number),
    transactionHash: toHex(place.transactionHash),
    transactionIndex: toQuantity(place.transactionIndex),
    blockHash: toHex(place.blockHash),
    logIndex: toQuantity(place.logIndex),
    removed: place.removed === true,
  };
}
