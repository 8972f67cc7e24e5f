/** How a receipt and its logs look to clients. */
import { toHex } from "../bytes/hex.ts";
import { toQuantity } from "../bytes/integer.ts";
import type { Chain } from "../chain/chain.ts";
import type { ReadLine } from "../compat/go-lines.ts";
import type { RpcProfile } from "../compat/profiles.ts";
import { failure } from "../jsonrpc/errors.ts";
import { sorted } from "../jsonrpc/sorted-json.ts";
import type { Block } from "../model/block.ts";
import { EMPTY_BLOOM } from "../model/bloom.ts";
import type { Log, Receipt } from "../model/receipt.ts";
import { STATUS_SUCCESS } from "../model/receipt-status.ts";
import { senderOf, type Transaction } from "../model/transaction.ts";
import { ethereumRecipient } from "../model/transaction-json.ts";
import { byHash, chainTransactionFields, paidPrice } from "./transaction.ts";

/** A block with its receipts, and what stands before each of them. */
export interface BlockReceipts {
  readonly block: Block;
  readonly receipts: readonly Receipt[];
  /** Logs before each transaction. */
  readonly logsBefore: readonly number[];
  /** Gas used up to and with each transaction. */
  readonly cumulativeGas: readonly bigint[];
  readonly line: ReadLine;
}

/** Reads a block's receipts. Throws `RpcError` when they are not as many as its transactions. */
export function blockReceipts(chain: Chain, block: Block, { line }: Pick<RpcProfile, "line">): BlockReceipts {
  const receipts = chain.receipts(block.header.number) ?? [];
  if (receipts.length !== block.transactions.length) {
    throw failure(`the size of transactions and receipts is different in the block (${toHex(block.hash)})`);
  }
  return { block, receipts, ...sumsOf(receipts), line };
}

type Sums = Pick<BlockReceipts, "logsBefore" | "cumulativeGas">;
const sums = new WeakMap<readonly Receipt[], Sums>();

/** Counted once: clients ask for one receipt of a block after another. */
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

/** A form of receipt. */
export type ReceiptView = (chain: Chain, all: BlockReceipts, index: number) => object;

/** The chain's form. Keys are sorted. */
export const chainReceipt: ReceiptView = (chain, all, index) => {
  const { block } = all;
  const { tx, receipt } = pair(all, index);
  const { hash: _hash, ...fields } = chainTransactionFields(chain, tx, { block, index });
  const failed = receipt.status !== STATUS_SUCCESS;
  return sorted({
    ...byHash(fields, tx, all),
    ...outcome(chain, all, index),
    ...(failed ? { txError: toQuantity(receipt.status) } : {}),
  });
};

/** Ethereum's form. */
export const ethReceipt: ReceiptView = (chain, all, index) => {
  const { block, cumulativeGas } = all;
  const { tx } = pair(all, index);
  const to = ethereumRecipient(tx);
  return sorted({
    ...outcome(chain, all, index),
    blockHash: toHex(block.hash),
    blockNumber: toQuantity(block.header.number),
    cumulativeGasUsed: toQuantity(cumulativeGas[index] ?? 0n),
    from: toHex(senderOf(tx, chain.config.chainId)),
    to: to === undefined ? null : toHex(to),
    transactionIndex: toQuantity(index),
    type: toQuantity(tx.type.ethType),
  });
};

function outcome(chain: Chain, all: BlockReceipts, index: number): object {
  const { tx, receipt } = pair(all, index);
  return {
    contractAddress: createdBy(tx, receipt, all.line),
    effectiveGasPrice: toQuantity(paidPrice(chain, tx, all.block)),
    gasUsed: toQuantity(receipt.gasUsed),
    logs: logsOf(all, receipt, index),
    logsBloom: receipt.bloom === EMPTY_BLOOM ? EMPTY_BLOOM_TEXT : toHex(receipt.bloom),
    status: receipt.status === STATUS_SUCCESS ? "0x1" : "0x0",
    transactionHash: toHex(tx.hash),
  };
}

/** Where the state transition made a contract, or would have: it takes every message without a recipient for one. */
function createdBy(tx: Transaction, { contractAddress }: Receipt, line: ReadLine): string | null {
  if (contractAddress === undefined) return null;
  const { ethType, code, name } = tx.type;
  const creates = ethType > 0 || code === 0 || name.includes("SmartContractDeploy");
  return creates || line.namesEveryTarget ? toHex(contractAddress) : null;
}

const EMPTY_BLOOM_TEXT = toHex(EMPTY_BLOOM);

function pair({ block, receipts }: BlockReceipts, index: number): { tx: Transaction; receipt: Receipt } {
  // as many as each other: `blockReceipts` has compared them
  return { tx: block.transactions[index] as Transaction, receipt: receipts[index] as Receipt };
}

function logsOf(
  { block, logsBefore }: BlockReceipts,
  { logs, transactionHash }: Receipt,
  index: number,
): object[] {
  const { hash: blockHash, header } = block;
  const first = logsBefore[index] ?? 0;
  return logs.map((log, at) => {
    const place = { number: header.number, blockHash, transactionHash, transactionIndex: index };
    return logView(log, { ...place, logIndex: first + at });
  });
}

/** Where a log stands. */
export interface LogPlace {
  readonly number: number;
  readonly blockHash: Uint8Array;
  readonly transactionHash: Uint8Array;
  readonly transactionIndex: number;
  /** In the block. */
  readonly logIndex: number;
  /** Its block was taken out of the chain. */
  readonly removed?: boolean;
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
    removed: place.removed === true,
  };
}
