/** How a receipt and its logs look to clients. */
import { toHex } from "../../bytes/hex.ts";
import { toQuantity } from "../../bytes/integer.ts";
import type { Chain } from "../../chain/chain.ts";
import type { Block } from "../../model/block.ts";
import type { Log, Receipt } from "../../model/receipt.ts";
import { STATUS_SUCCESS } from "../../model/receipt-status.ts";
import { senderOf } from "../../model/transaction.ts";
import { ethereumRecipient } from "../../model/transaction-json.ts";
import { failure } from "../errors.ts";
import { sorted } from "./sorted.ts";
import { chainTransactionFields, paidPrice } from "./transaction.ts";

/** A form of receipt: of transaction `index` of a block with these receipts. */
export type ReceiptView = (chain: Chain, block: Block, receipts: readonly Receipt[], index: number) => object;

/** The chain's form. Keys are sorted. */
export const chainReceipt: ReceiptView = (chain, block, receipts, index) => {
  const { tx, receipt } = pair(block, receipts, index);
  const { hash: _hash, ...fields } = chainTransactionFields(chain, tx, { block, index });
  const failed = receipt.status !== STATUS_SUCCESS;
  return sorted({
    ...fields,
    ...outcome(chain, block, receipts, index),
    ...(failed ? { txError: toQuantity(receipt.status) } : {}),
  });
};

/** Ethereum's form. */
export const ethReceipt: ReceiptView = (chain, block, receipts, index) => {
  const { tx } = pair(block, receipts, index);
  const recipient = ethereumRecipient(tx);
  let cumulative = 0n;
  for (const { gasUsed } of receipts.slice(0, index + 1)) cumulative += gasUsed;
  return sorted({
    ...outcome(chain, block, receipts, index),
    blockHash: toHex(block.hash),
    blockNumber: toQuantity(block.header.number),
    cumulativeGasUsed: toQuantity(cumulative),
    from: toHex(senderOf(tx, chain.config.chainId)),
    to: recipient === undefined ? null : toHex(recipient),
    transactionIndex: toQuantity(index),
    type: toQuantity(tx.type.ethType),
  });
};

function outcome(chain: Chain, block: Block, receipts: readonly Receipt[], index: number): object {
  const { tx, receipt } = pair(block, receipts, index);
  return {
    contractAddress: receipt.contractAddress === undefined ? null : toHex(receipt.contractAddress),
    effectiveGasPrice: toQuantity(paidPrice(chain, tx, block)),
    gasUsed: toQuantity(receipt.gasUsed),
    logs: logsOf(block, receipts, index),
    logsBloom: toHex(receipt.bloom),
    status: receipt.status === STATUS_SUCCESS ? "0x1" : "0x0",
    transactionHash: toHex(tx.hash),
  };
}

function pair({ transactions, hash }: Block, receipts: readonly Receipt[], index: number) {
  const [tx, receipt] = [transactions[index], receipts[index]];
  if (tx !== undefined && receipt !== undefined) return { tx, receipt };
  throw failure(`the size of transactions and receipts is different in the block (${toHex(hash)})`);
}

/** The logs of one transaction of a block. */
export function logsOf(block: Block, receipts: readonly Receipt[], index: number): object[] {
  let before = 0;
  for (const { logs } of receipts.slice(0, index)) before += logs.length;
  return (receipts[index]?.logs ?? []).map((log, at) =>
    logView(log, {
      number: block.header.number,
      blockHash: block.hash,
      transactionHash: receipts[index]?.transactionHash ?? block.hash,
      transactionIndex: index,
      logIndex: before + at,
    }),
  );
}

/** Where a log stands. */
export interface LogPlace {
  readonly number: number;
  readonly blockHash: Uint8Array;
  readonly transactionHash: Uint8Array;
  readonly transactionIndex: number;
  /** In the block. */
  readonly logIndex: number;
}

/** One log, members in the Go node's order. */
export function logView({ address, topics, data }: Log, place: LogPlace): object {
  return {
    address: toHex(address),
    topics: topics.map(toHex),
    data: toHex(data),
    blockNumber: toQuantity(place.number),
    transactionHash: toHex(place.transactionHash),
    transactionIndex: toQuantity(place.transactionIndex),
    blockHash: toHex(place.blockHash),
    logIndex: toQuantity(place.logIndex),
    removed: false,
  };
}
