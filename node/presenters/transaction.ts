/** How a transaction looks to clients: the chain's own form and Ethereum's, in a block and in the pool. */
import { toHex } from "../bytes/hex.ts";
import { bytesToQuantity, toQuantity } from "../bytes/integer.ts";
import type { Chain } from "../chain/chain.ts";
import type { RpcProfile } from "../compat/profiles.ts";
import { goJson } from "../jsonrpc/json-text.ts";
import { sorted } from "../jsonrpc/sorted-json.ts";
import type { Block } from "../model/block.ts";
import { effectivePrice, senderOf, type Transaction } from "../model/transaction.ts";
import { ethereumRecipient, transactionFields } from "../model/transaction-json.ts";

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

/** The chain's form as JSON text. */
export function chainTransactionText(chain: Chain, tx: Transaction, place?: Place): string {
  return goJson(chainTransaction(chain, tx, place));
}

/** Ethereum's form as JSON text, put together by hand: blocks are full of them. */
export function ethTransactionText(chain: Chain, tx: Transaction, place?: Place): string {
  const paid = place === undefined ? undefined : paidPrice(chain, tx, place.block);
  const recipient = ethereumRecipient(tx);
  const [signature] = tx.signatures;
  const { prices, rest } = tx.type.ethType === 0 ? NO_MEMBERS : ethereumMembers(tx);
  const { blockHash, blockNumber } = placeTexts(place);
  return (
    `{"blockHash":${blockHash},"blockNumber":${blockNumber},` +
    `"from":"${toHex(senderOf(tx, chain.config.chainId))}","gas":"${toQuantity(tx.gas)}",` +
    `"gasPrice":"${toQuantity(tx.type.shownPrice(tx, paid))}",${prices}"hash":"${toHex(tx.hash)}",` +
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
const NOWHERE = { blockHash: "null", blockNumber: "null" };
const texts = new WeakMap<Block, typeof NOWHERE>();

/** The same for all transactions of a block. */
function placeTexts(place: Place | undefined): typeof NOWHERE {
  if (place === undefined) return NOWHERE;
  const { block } = place;
  let found = texts.get(block);
  if (found === undefined) {
    found = { blockHash: `"${toHex(block.hash)}"`, blockNumber: `"${toQuantity(block.header.number)}"` };
    texts.set(block, found);
  }
  return found;
}

/** What only Ethereum's own kinds have, each text with a comma behind it. */
function ethereumMembers(tx: Transaction): typeof NO_MEMBERS {
  const { maxFeePerGas, maxPriorityFeePerGas, ...more } = transactionFields(tx);
  return {
    prices: membersText({ maxFeePerGas, maxPriorityFeePerGas }),
    rest: membersText({
      accessList: more["accessList"],
      chainId: more["chainId"],
      maxFeePerBlobGas: more["maxFeePerBlobGas"],
      blobVersionedHashes: more["blobVersionedHashes"],
      authorizationList: more["authorizationList"],
    }),
  };
}

function membersText(fields: Readonly<Record<string, unknown>>): string {
  const json = goJson(fields);
  return json === "{}" ? "" : `${json.slice(1, -1)},`;
}
