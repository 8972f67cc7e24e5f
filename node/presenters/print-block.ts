/**
 * A block as text in the format of the Go node's `debug_printBlock`. The address in memory that the Go node
 * prints is always 0.
 */
import type { Hash } from "../bytes/brands.ts";
import { bareHex } from "../bytes/hex.ts";
import { decodeRlp, encodeRlpList, listItems } from "../bytes/rlp.ts";
import { keccak256 } from "../crypto/keccak.ts";
import { goJson } from "../jsonrpc/json-text.ts";
import type { Block } from "../model/block.ts";
import { encodeHeader, type Header } from "../model/header.ts";
import { transactionJson } from "../model/transaction-json.ts";

const KIB = 1024;
const MINED_FIELDS = 12;

/** Formats a block as several lines of text. */
export function printBlock({ header, transactions, hash, size }: Block): string {
  const fields: readonly (readonly [string, string])[] = [
    ["ParentHash", bareHex(header.parentHash)],
    ["Rewardbase", bareHex(header.rewardbase)],
    ["Root", bareHex(header.stateRoot)],
    ["TxSha", bareHex(header.transactionsRoot)],
    ["ReceiptSha", bareHex(header.receiptsRoot)],
    ["Bloom", bareHex(header.bloom)],
    ["BlockScore", String(header.blockScore)],
    ["Number", String(header.number)],
    ["GasUsed", String(header.gasUsed)],
    ["Time", String(header.time)],
    ["TimeFoS", String(header.timeFoS)],
    ["Extra", bareHex(header.extra)],
    ["Governance", bareHex(header.governance)],
    ["Vote", bareHex(header.vote)],
    ...(header.baseFee === undefined ? [] : [["BaseFee", header.baseFee.toString(16)] as const]),
    ...randomFields(header),
  ];
  const lines = fields.map(([name, value]) => `\t\t${`${name}:`.padEnd(18)}${value}`);
  return [
    `(*types.Block)(0x0)(Block(#${header.number}): Size: ${sizeText(size)} {`,
    `MinerHash: ${bareHex(minerHash(header))}`,
    `Header(${bareHex(hash)}):`,
    "\t[",
    ...lines,
    "]",
    "Transactions:",
    `[${transactions.map((tx) => goJson(transactionJson(tx))).join(" ")}]`,
    "}",
    ")",
    "",
  ].join("\n");
}

function randomFields({ randomReveal, mixHash }: Header): readonly (readonly [string, string])[] {
  if (randomReveal === undefined || mixHash === undefined) return [];
  return [
    ["RandomReveal", bareHex(randomReveal)],
    ["MixHash", bareHex(mixHash)],
  ];
}

/** Returns the hash of the header fields that every fork has, up to the extra data. */
function minerHash(header: Header): Hash {
  const fields = listItems(decodeRlp(encodeHeader(header))).slice(0, MINED_FIELDS);
  return keccak256(encodeRlpList(fields.map(({ raw }) => raw)));
}

function sizeText(bytes: number): string {
  if (bytes < KIB) return `${bytes.toFixed(2)} B`;
  return bytes < KIB * KIB ? `${(bytes / KIB).toFixed(2)} KiB` : `${(bytes / KIB / KIB).toFixed(2)} MiB`;
}
