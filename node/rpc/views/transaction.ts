/** How a transaction looks to clients: the chain's own form and Ethereum's, in a block and in the pool. */
import { toHex } from "../../bytes/hex.ts";
import { bytesToBigint, toQuantity } from "../../bytes/integer.ts";
import type { Chain } from "../../chain/chain.ts";
import type { Block } from "../../model/block.ts";
import { effectivePrice, senderOf, type Transaction } from "../../model/transaction.ts";
import { ethereumRecipient, transactionFields } from "../../model/transaction-json.ts";
import type { RpcProfile } from "../profiles.ts";
import { sorted } from "./sorted.ts";

/** Where a transaction stands; undefined while it waits in the pool. */
export interface Place {
  readonly block: Block;
  readonly index: number;
}

const ZERO_HASH = `0x${"0".repeat(64)}`;

/** The chain's form. Keys are sorted. */
export function chainTransaction(chain: Chain, tx: Transaction, place?: Place): Record<string, unknown> {
  return sorted({ ...chainTransactionFields(chain, tx, place), hash: toHex(tx.hash) });
}

/** The same as it is answered to a hash. */
export function byHash(
  shown: Record<string, unknown>,
  { gasFeeCap }: Transaction,
  { line }: Pick<RpcProfile, "line">,
): Record<string, unknown> {
  return line.showsCapByHash ? { ...shown, gasPrice: toQuantity(gasFeeCap) } : shown;
}

/** What the chain's form of a transaction and of its receipt share. */
export function chainTransactionFields(
  chain: Chain,
  tx: Transaction,
  place: Place | undefined,
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

/** What a unit of gas cost in a block. */
export function paidPrice(chain: Chain, tx: Transaction, { header }: Block): bigint {
  return effectivePrice(tx, header.baseFee, chain.rules(header.number));
}

/** Ethereum's form. */
export function ethTransaction(chain: Chain, tx: Transaction, place?: Place): Record<string, unknown> {
  const paid = place === undefined ? undefined : paidPrice(chain, tx, place.block);
  const { accessList, chainId, maxFeePerGas, maxPriorityFeePerGas, gasPrice, ...more } = transactionFields(
    tx,
    paid,
  );
  const recipient = ethereumRecipient(tx);
  const [signature] = tx.signatures;
  return {
    blockHash: place === undefined ? null : toHex(place.block.hash),
    blockNumber: place === undefined ? null : toQuantity(place.block.header.number),
    from: toHex(senderOf(tx, chain.config.chainId)),
    gas: toQuantity(tx.gas),
    gasPrice,
    maxFeePerGas,
    maxPriorityFeePerGas,
    hash: toHex(tx.hash),
    input: toHex(tx.input),
    nonce: toQuantity(tx.nonce),
    to: recipient === undefined ? null : toHex(recipient),
    transactionIndex: place === undefined ? null : toQuantity(place.index),
    value: toQuantity(tx.value),
    type: toQuantity(tx.type.ethType),
    accessList,
    chainId,
    maxFeePerBlobGas: more["maxFeePerBlobGas"],
    blobVersionedHashes: more["blobVersionedHashes"],
    authorizationList: more["authorizationList"],
    v: toQuantity(signature?.v ?? 0n),
    r: toQuantity(bytesToBigint(signature?.r ?? new Uint8Array(0))),
    s: toQuantity(bytesToBigint(signature?.s ?? new Uint8Array(0))),
  };
}
