/** Transactions as JSON, in Kaia's form and in Ethereum's, in a block and in the pool. */
import { toHex } from "../bytes/hex.ts";
import { bytesToQuantity, toQuantity } from "../bytes/integer.ts";
import type { Chain } from "../chain/chain.ts";
import { goJson, sortKeys } from "../jsonrpc/json-text.ts";
import type { Block } from "../model/block.ts";
import { ethereumRecipient } from "../model/recipient.ts";
import { effectivePrice, senderOf, type Transaction } from "../model/transaction.ts";
import { transactionFields } from "../model/transaction-json.ts";

/** Facts of a chain that senders and prices of its transactions follow from. */
export type PricedChain = Pick<Chain, "config" | "rules">;

/** Position of a transaction in the chain; undefined for one in the pool. */
export interface TransactionPosition {
  readonly block: Block;
  readonly index: number;
}

const ZERO_HASH = `0x${"0".repeat(64)}`;

/** Formats a transaction in Kaia's form. Keys are sorted. */
export function chainTransaction(
  chain: PricedChain,
  tx: Transaction,
  place?: TransactionPosition,
): Record<string, unknown> {
  return sortKeys({ ...chainTransactionFields(chain, tx, place), hash: toHex(tx.hash) });
}

/** Returns the members that Kaia's forms of a transaction and of its receipt share. */
export function chainTransactionFields(
  chain: PricedChain,
  tx: Transaction,
  place: TransactionPosition | undefined,
): Record<string, unknown> {
  return {
    ...transactionFields(tx, place === undefined ? undefined : paidPrice(chain, tx, place.block)),
    senderTxHash: toHex(tx.senderTxHash),
    blockHash: place === undefined ? ZERO_HASH : toHex(place.block.hash),
    blockNumber: toQuantity(place?.block.header.number ?? 0),
    transactionIndex: toQuantity(place?.index ?? 0),
    from: toHex(senderOf(tx, chain.config.chainId)),
  };
}

/** Returns the effective gas price of a transaction in a block, in peb. */
export function paidPrice(chain: Pick<Chain, "rules">, tx: Transaction, { header }: Block): bigint {
  return effectivePrice(tx, header.baseFee, chain.rules(header.number));
}

/** Formats a transaction in Kaia's form as JSON text. */
export function chainTransactionText(
  chain: PricedChain,
  tx: Transaction,
  place?: TransactionPosition,
): string {
  return goJson(chainTransaction(chain, tx, place));
}

/**
 * Formats a transaction in Ethereum's form as JSON text. The text is concatenated because blocks hold many
 * transactions.
 */
export function ethTransactionText(chain: PricedChain, tx: Transaction, place?: TransactionPosition): string {
  const paid = place === undefined ? undefined : paidPrice(chain, tx, place.block);
  const recipient = ethereumRecipient(tx);
  const [signature] = tx.signatures;
  const { prices, rest } = tx.type.ethType === 0 ? NO_MEMBERS : ethereumMembers(tx);
  const { blockHash, blockNumber } = placeTexts(place);
  return (
    `{"blockHash":${blockHash},"blockNumber":${blockNumber},` +
    `"from":"${toHex(senderOf(tx, chain.config.chainId))}","gas":"${toQuantity(tx.gas)}",` +
    `"gasPrice":"${toQuantity(tx.type.jsonGasPrice(tx, paid))}",${prices}"hash":"${toHex(tx.hash)}",` +
    `"input":"${toHex(tx.input)}","nonce":"${toQuantity(tx.nonce)}",` +
    `"to":${recipient === undefined ? "null" : `"${toHex(recipient)}"`},` +
    `"transactionIndex":${place === undefined ? "null" : `"${toQuantity(place.index)}"`},` +
    `"value":"${toQuantity(tx.value)}","type":"${toQuantity(tx.type.ethType)}",${rest}` +
    `"v":"${toQuantity(signature?.v ?? 0n)}","r":"${bytesToQuantity(signature?.r ?? NO_BYTES)}",` +
    `"s":"${bytesToQuantity(signature?.s ?? NO_BYTES)}"}`
  );
}

const NO_BYTES = new Uint8Array(0);
const NO_MEMBERS = { prices: "", rest: "" };
const NO_PLACE = { blockHash: "null", blockNumber: "null" };
const texts = new WeakMap<Block, typeof NO_PLACE>();

/** Returns the block hash and number as JSON texts, cached per block. */
function placeTexts(place: TransactionPosition | undefined): typeof NO_PLACE {
  if (place === undefined) return NO_PLACE;
  const { block } = place;
  let found = texts.get(block);
  if (found === undefined) {
    found = { blockHash: `"${toHex(block.hash)}"`, blockNumber: `"${toQuantity(block.header.number)}"` };
    texts.set(block, found);
  }
  return found;
}

/** Returns the members of Ethereum's typed transactions as texts with a trailing comma. */
function ethereumMembers(tx: Transaction): typeof NO_MEMBERS {
  const { maxFeePerGas, maxPriorityFeePerGas, maxFeePerBlobGas, ...more } = transactionFields(tx);
  return {
    prices: membersText({ maxFeePerGas, maxPriorityFeePerGas, maxFeePerBlobGas }),
    rest: membersText({
      accessList: more["accessList"],
      chainId: more["chainId"],
      blobVersionedHashes: more["blobVersionedHashes"],
      authorizationList: more["authorizationList"],
    }),
  };
}

function membersText(fields: Readonly<Record<string, unknown>>): string {
  const json = goJson(fields);
  return json === "{}" ? "" : `${json.slice(1, -1)},`;
}
