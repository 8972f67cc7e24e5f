/**
 * Checks of a block's body and of the outcome of its execution, in the Go node's order and with its texts.
 */
import type { Hash } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { bareHex } from "../bytes/hex.ts";
import { messageOf } from "../bytes/message-of.ts";
import type { Rules } from "../config/rules.ts";
import { blobGasOf } from "../execution/blob-gas.ts";
import type { BlockOutcome } from "../execution/block.ts";
import type { GovernanceParameters } from "../governance/parameters.ts";
import type { Block } from "../model/block.ts";
import type { Header } from "../model/header.ts";
import { listRootSteps } from "../model/list-root.ts";
import { encodeReceiptSteps } from "../model/receipt.ts";
import { StateError } from "../state/error.ts";
import { StoreError } from "../store/error.ts";
import { ChainError } from "./error.ts";

/** Rules and parameters in force at the block. */
export interface BodyRules {
  readonly rules: Rules;
  readonly parameters: GovernanceParameters;
}

/** Checks in steps what can be known of a body without executing it. Throws `ChainError` `bad-block`. */
export function* checkBody(
  { header, transactions, size }: Block,
  { rules, parameters }: BodyRules,
): Generator<undefined, void> {
  const { maxBlockSize } = rules;
  if (maxBlockSize !== undefined && size > maxBlockSize) {
    const have = `have ${size}, want at most ${maxBlockSize}`;
    throw new ChainError("bad-block", `block RLP-encoded size exceeds maximum: ${have}`);
  }
  const root = yield* listRootSteps(
    parameters.deriveShaImpl,
    transactions.map((tx) => tx.raw),
  );
  if (!equalBytes(root, header.transactionsRoot)) {
    throw mismatch("transaction root hash mismatch: have %x, want %x", root, header.transactionsRoot);
  }
  for (const tx of header.baseFee === undefined ? [] : transactions) {
    if (tx.gasFeeCap >= (header.baseFee ?? 0n)) continue;
    const price = `GasPrice ${tx.gasFeeCap}, BaseFee ${header.baseFee}`;
    throw new ChainError("bad-block", `invalid GasPrice: txHash ${bareHex(tx.hash)}, ${price}`);
  }
  checkBlobGas(header, transactions);
}

function checkBlobGas({ blobGasUsed }: Header, transactions: Block["transactions"]): void {
  const found = blobGasOf(transactions);
  if (blobGasUsed === undefined) {
    if (found > 0n) throw new ChainError("bad-block", "data blobs present in block body");
    return;
  }
  if (found === blobGasUsed) return;
  const both = `header ${blobGasUsed}, calculated ${found}`;
  throw new ChainError("bad-block", `blob gas used mismatch (${both})`);
}

/** Compares in steps what the transactions did with what the header says. Throws `ChainError` `bad-block`. */
export function* checkOutcome(
  header: Header,
  outcome: BlockOutcome,
  root: Hash,
  parameters: GovernanceParameters,
): Generator<undefined, void> {
  if (outcome.gasUsed !== header.gasUsed) {
    const both = `remote: ${header.gasUsed} local: ${outcome.gasUsed}`;
    throw new ChainError("bad-block", `invalid gas used (${both})`);
  }
  if (!equalBytes(outcome.bloom, header.bloom)) {
    throw mismatch("invalid bloom (remote: %x  local: %x)", header.bloom, outcome.bloom);
  }
  const receipts = yield* encodeReceiptSteps(outcome.receipts);
  const receiptsRoot = yield* listRootSteps(parameters.deriveShaImpl, receipts);
  if (!equalBytes(receiptsRoot, header.receiptsRoot)) {
    throw mismatch("invalid receipt root hash (remote: %x local: %x)", header.receiptsRoot, receiptsRoot);
  }
  if (!equalBytes(root, header.stateRoot)) {
    throw mismatch("invalid merkle root (remote: %x local: %x)", header.stateRoot, root);
  }
}

function mismatch(text: string, first: Uint8Array, second: Uint8Array): ChainError {
  return new ChainError("bad-block", text.replace("%x", bareHex(first)).replace("%x", bareHex(second)));
}

/**
 * Creates the error for a refused block: `bad-block` when it breaks a rule, `unsupported` when this release
 * lacks the rule, `failed` for a fault of disk, state or this program.
 */
export function refusal(number: number, cause: unknown): ChainError {
  const why = messageOf(cause);
  return new ChainError(refusalCode(cause), `block ${number}: ${why}`, { block: number, cause });
}

/** True when the block itself is to blame: not for coming early, and not when its parent is simply not here. */
export function isBadBlock({ code, cause }: ChainError): boolean {
  const reason = (cause as { readonly code?: unknown } | undefined)?.code;
  return code === "bad-block" && reason !== "future-block" && reason !== "unknown-ancestor";
}

/** Form of the codes of this program's errors; the system's own codes differ. */
const ROOM_CODE = /^[a-z]+(-[a-z]+)*$/;

function refusalCode(cause: unknown): "bad-block" | "failed" | "unsupported" {
  if (cause instanceof StoreError || cause instanceof StateError) return "failed";
  const { code } = (cause ?? {}) as { code?: unknown }; // of the room whose rule was broken
  if (typeof code !== "string" || !ROOM_CODE.test(code)) return "failed";
  return code === "unsupported" ? "unsupported" : "bad-block";
}
