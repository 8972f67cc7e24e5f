/** JSON of extra data, headers and blocks. */
import type { Hash } from "../bytes/brands.ts";
import { toHex } from "../bytes/hex.ts";
import { toQuantity } from "../bytes/integer.ts";
import { itemAt, type RlpItem } from "../bytes/rlp.ts";
import { RlpCursor } from "../bytes/rlp-cursor.ts";
import { addressOfPublicKey, recover } from "../crypto/secp256k1.ts";
import { createBlock } from "../model/block.ts";
import { blockHash, decodeHeader, type Header, sealHash } from "../model/header.ts";
import {
  committedSealDigest,
  type IstanbulExtra,
  proposerSealDigest,
  roundOf,
} from "../model/istanbul-extra.ts";
import { decodeTransaction, type Transaction } from "../model/transaction.ts";
import { DecodeError, offsetIn, partError, withOffset } from "./decode-error.ts";
import { decodeGovernanceJson, decodeVoteJson } from "./decode-governance.ts";
import { transactionView } from "./decode-transaction.ts";

const VANITY = 32;

/** Decodes extra data: vanity and round, validators, seals. Throws `DecodeError`. */
export function decodeExtraJson(bytes: Uint8Array): object {
  return extraView(readExtra(bytes, 0), bytes);
}

/** Reads extra data with offsets in errors, which the node's own reader does not have. */
function readExtra(extra: Uint8Array, offset: number): IstanbulExtra {
  if (extra.length < VANITY) {
    const reason = `${extra.length} bytes where ${VANITY} of vanity are wanted`;
    throw partError("extra data", offset, reason, offset + extra.length);
  }
  return withOffset("extra data", offset, () => {
    const cursor = new RlpCursor(extra, VANITY);
    const end = cursor.enter();
    const validators = readStrings(cursor, 20);
    const seal = cursor.string();
    const committedSeals = readStrings(cursor);
    cursor.leave(end);
    if (!cursor.done) throw partError("extra data", offset, "bytes after its list", offset + cursor.at);
    return { vanity: extra.subarray(0, VANITY), validators, seal, committedSeals };
  });
}

function readStrings(cursor: RlpCursor, length?: number): Uint8Array[] {
  const end = cursor.enter();
  const strings: Uint8Array[] = [];
  while (!cursor.done) strings.push(length === undefined ? cursor.string() : cursor.fixedBytes(length));
  cursor.leave(end);
  return strings;
}

function extraView({ vanity, validators, seal, committedSeals }: IstanbulExtra, extra: Uint8Array): object {
  return {
    vanity: toHex(vanity),
    round: roundOf(extra),
    validators: validators.map(toHex),
    seal: toHex(seal),
    committedSeals: committedSeals.map(toHex),
  };
}

/** Decodes a header that fills `bytes`. Throws `DecodeError`. */
export function decodeHeaderJson(bytes: Uint8Array): object {
  return headerView(withOffset("header", 0, () => decodeHeader(whole(bytes, "header"))));
}

function whole(bytes: Uint8Array, what: string): RlpItem {
  const item = itemAt(bytes, 0);
  const { length } = item.raw;
  if (length === bytes.length) return item;
  throw partError(what, 0, `${bytes.length - length} bytes after it`, length);
}

/** Returns the fields under their JSON-RPC names, and derived fields. */
function headerView(header: Header): object {
  return {
    hash: toHex(blockHash(header)),
    ...headerFields(header),
    ...readable("vote", header.vote, decodeVoteJson),
    ...readable("governance", header.governance, decodeGovernanceJson),
    ...sealView(header),
  };
}

function headerFields(header: Header): object {
  const { baseFee, randomReveal, mixHash, blobGasUsed, excessBlobGas } = header;
  return {
    parentHash: toHex(header.parentHash),
    reward: toHex(header.rewardbase),
    stateRoot: toHex(header.stateRoot),
    transactionsRoot: toHex(header.transactionsRoot),
    receiptsRoot: toHex(header.receiptsRoot),
    logsBloom: toHex(header.bloom),
    blockScore: toQuantity(header.blockScore),
    number: toQuantity(header.number),
    gasUsed: toQuantity(header.gasUsed),
    timestamp: toQuantity(header.time),
    timestampFoS: toQuantity(header.timeFoS),
    extraData: toHex(header.extra),
    governanceData: toHex(header.governance),
    voteData: toHex(header.vote),
    ...(baseFee === undefined ? {} : { baseFeePerGas: toQuantity(baseFee) }),
    ...(randomReveal === undefined ? {} : { randomReveal: toHex(randomReveal) }),
    ...(mixHash === undefined ? {} : { mixHash: toHex(mixHash) }),
    ...(blobGasUsed === undefined ? {} : { blobGasUsed: toQuantity(blobGasUsed) }),
    ...(excessBlobGas === undefined ? {} : { excessBlobGas: toQuantity(excessBlobGas) }),
  };
}

/** Returns a decoded field: nothing when it is empty, the error text when its format is unknown. */
function readable(name: string, bytes: Uint8Array, read: (bytes: Uint8Array) => unknown): object {
  return bytes.length === 0 ? {} : { [name]: orReason(() => read(bytes)) };
}

function orReason<T>(read: () => T): T | string {
  try {
    return read();
  } catch (error) {
    if (error instanceof DecodeError) return `not readable: ${error.message}`;
    throw error;
  }
}

/** Returns the signers of a block; `null` for an absent seal. */
function sealView(header: Header): object {
  const extra = orReason(() => readExtra(header.extra, 0));
  if (typeof extra === "string") return { extra };
  const digest = committedSealDigest(blockHash(header));
  return {
    sealHash: toHex(sealHash(header)),
    author: signerOf(proposerSealDigest(header), extra.seal),
    committers: extra.committedSeals.map((seal) => signerOf(digest, seal)),
    round: roundOf(header.extra),
    validators: extra.validators.map(toHex),
  };
}

function signerOf(digest: Hash, seal: Uint8Array): string | null {
  const publicKey = seal.length === 65 ? recover(digest, seal) : undefined;
  return publicKey === undefined ? null : toHex(addressOfPublicKey(publicKey));
}

/** Decodes a block that fills `bytes`. Throws `DecodeError` with the index of an invalid transaction. */
export function decodeBlockJson(bytes: Uint8Array): object {
  const { header, body } = withOffset("block", 0, () => blockParts(bytes));
  const headerAt = offsetIn(bytes, header);
  const readHeader = withOffset("header", headerAt, () => decodeHeader(itemAt(header, 0)));
  const transactions = readBody(bytes, body);
  const { hash, size } = createBlock(readHeader, transactions);
  return {
    hash: toHex(hash),
    size,
    header: headerView(readHeader),
    transactions: transactions.map(transactionView),
  };
}

function blockParts(bytes: Uint8Array): { header: Uint8Array; body: Uint8Array } {
  whole(bytes, "block");
  const cursor = new RlpCursor(bytes);
  const end = cursor.enter();
  const parts = [list(cursor), list(cursor)] as const;
  cursor.leave(end);
  return { header: parts[0], body: parts[1] };
}

function list(cursor: RlpCursor): Uint8Array {
  if (cursor.atList) return cursor.raw();
  throw partError("block", 0, "a list is wanted", cursor.at);
}

/** Reads the transactions of a body: each is a type prefix, if any, and a list. */
function readBody(bytes: Uint8Array, body: Uint8Array): Transaction[] {
  const bodyAt = offsetIn(bytes, body);
  const cursor = withOffset("transactions", bodyAt, () => {
    const inside = new RlpCursor(body);
    inside.enter();
    return inside;
  });
  const transactions: Transaction[] = [];
  while (!cursor.done) {
    const start = cursor.at;
    const what = `transaction ${transactions.length}`;
    withOffset(what, bodyAt, () => {
      while (!cursor.done && !cursor.atList) cursor.skip();
      if (!cursor.done) cursor.skip();
    });
    const raw = body.subarray(start, cursor.at);
    const tx = withOffset(what, bodyAt + start, () => decodeTransaction(raw));
    if (tx.fields.sidecar !== undefined)
      throw partError(what, bodyAt + start, "a transaction in a block carries no blobs");
    transactions.push(tx);
  }
  return transactions;
}
