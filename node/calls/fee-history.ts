/** `feeHistory`: base fees, fullness and priority fees of a range of blocks, as JSON text. */
import { toQuantity } from "../bytes/integer.ts";
import type { BlockHead, Chain } from "../chain/chain.ts";
import { nextBaseFee } from "../execution/base-fee.ts";
import { BLOB_PRICE } from "../execution/block-context.ts";
import { failure } from "../jsonrpc/errors.ts";
import { goJson } from "../jsonrpc/json-text.ts";
import type { CallOrigin } from "../jsonrpc/method.ts";
import type { Block } from "../model/block.ts";
import type { Transaction } from "../model/transaction.ts";
import type { BlockMembers } from "../presenters/block.ts";
import { blockText } from "../presenters/not-found.ts";
import { writeInSlices } from "../presenters/slices.ts";
import { paidPrice } from "../presenters/transaction.ts";
import { type BlockNumber, resolveNumber } from "./arguments/block-number.ts";

/** Rules of a fee history that interfaces choose. */
export interface FeeHistoryForm {
  /** It contains blob base fees. */
  readonly blobFees: boolean;
  /** The pending block counts as one of the blocks although it does not exist. */
  readonly countsPending: boolean;
  /** The rewards: priority fees, or whole prices. */
  readonly rewards: "tips" | "prices";
  /** The gas of a full block: the gas limit of Ethereum's form, or the limit of the base fee. */
  readonly fullBlock: "displayed-limit" | "base-fee-limit";
}

/** Dependencies of the fee history. */
export interface FeeHistoryDeps {
  readonly chain: Chain;
  readonly feeHistoryForm: FeeHistoryForm;
  readonly blockMembers: BlockMembers;
}

/** Parameters of a fee history. */
export interface FeeHistoryQuery {
  readonly count: number;
  readonly newest: BlockNumber;
  /** Percentiles of priority fees, ascending, 0 to 100. */
  readonly percentiles: readonly number[];
}

const MAX_BLOCKS = 1_024;
const MAX_PERCENTILES = 100;
/** The answer about no blocks, which needs no valid range and no valid percentiles. */
const NO_HISTORY = goJson({ oldestBlock: "0x0", gasUsedRatio: null });

/** Computes a fee history as JSON text. Throws `RpcError` for an invalid range or percentile. */
export function feeHistory(
  deps: FeeHistoryDeps,
  question: FeeHistoryQuery,
  origin?: CallOrigin,
): string | Promise<string> {
  const { percentiles } = question;
  if (question.count < 1) return NO_HISTORY;
  checkPercentiles(percentiles);
  const { newest, count } = rangeOf(deps, question);
  if (count < 1) return NO_HISTORY;
  const oldest = newest + 1 - count;
  const ratios: number[] = [];
  const fees: bigint[] = [];
  const take = (index: number): string => {
    const number = oldest + index;
    const block = percentiles.length > 0 ? deps.chain.block(number) : undefined;
    const found = block ?? deps.chain.header(number);
    if (found === undefined) throw failure("block not found");
    fees.push(found.header.baseFee ?? 0n);
    ratios.push(ratioOf(deps, found));
    return block === undefined ? "" : goJson(rewardsOf(deps, block, percentiles));
  };
  const compose = (rewards: readonly string[]): string => {
    const all = [...fees, feeAfter(deps.chain, newest)];
    const rest = goJson({
      baseFeePerGas: all.map(toQuantity),
      ...(deps.feeHistoryForm.blobFees
        ? { blobBaseFeePerGas: all.map((fee) => toQuantity(fee * BLOB_PRICE)) }
        : {}),
      gasUsedRatio: ratios,
    });
    const reward = percentiles.length > 0 ? `"reward":[${rewards.join(",")}],` : "";
    return `{"oldestBlock":"${toQuantity(oldest)}",${reward}${rest.slice(1)}`;
  };
  return writeInSlices(count, take, compose, origin);
}

function checkPercentiles(percentiles: readonly number[]): void {
  if (percentiles.length > MAX_PERCENTILES) {
    throw failure(`invalid reward percentile: over the query limit ${MAX_PERCENTILES}`);
  }
  for (const [index, value] of percentiles.entries()) {
    if (value < 0 || value > 100) throw failure(`invalid reward percentile: ${value.toFixed(6)}`);
    const before = percentiles[index - 1] ?? 0;
    if (value < before) {
      const places = `#${index - 1}:${before.toFixed(6)} > #${index}:${value.toFixed(6)}`;
      throw failure(`invalid reward percentile: ${places}`);
    }
  }
}

function rangeOf({ chain, feeHistoryForm }: FeeHistoryDeps, { count, newest }: FeeHistoryQuery) {
  const head = chain.head().header.number;
  const asked = Math.min(count, MAX_BLOCKS);
  const left = newest === "pending" && feeHistoryForm.countsPending ? asked - 1 : asked;
  const last = resolveNumber(head, newest);
  if (last > head && count > 0)
    throw failure(`request beyond head block: requested ${blockText(last)}, head ${head}`);
  return { newest: last, count: Math.min(left, last + 1) };
}

/**
 * Returns the part of a block's gas limit that was used, at most 1. The limit is the one of the base fee when there is
 * a base fee, otherwise the displayed one.
 */
function ratioOf(
  { chain, feeHistoryForm, blockMembers: { gasLimit } }: FeeHistoryDeps,
  { header }: BlockHead,
): number {
  const used = Number(header.gasUsed);
  if (feeHistoryForm.fullBlock === "displayed-limit") return used / Number(gasLimit);
  const { maxBlockGasUsed } = chain.parameters(header.number + 1).baseFee;
  const hasLimit = chain.rules(header.number).baseFee && maxBlockGasUsed !== 0n;
  return Math.min(1, used / Number(hasLimit ? maxBlockGasUsed : gasLimit));
}

/**
 * Returns the priority fee at each percentile of the block's gas, as `processBlock` in
 * `node/cn/gasprice/feehistory.go@v2.2.2`.
 */
function rewardsOf(deps: FeeHistoryDeps, block: Block, percentiles: readonly number[]): string[] {
  const { header, transactions } = block;
  if (transactions.length === 0) return percentiles.map(() => "0x0");
  const receipts = deps.chain.receipts(header.number) ?? [];
  const rows = transactions
    .map((tx, index) => ({ gas: receipts[index]?.gasUsed ?? 0n, reward: rewardOf(deps, tx, block) }))
    .sort((a, b) => (a.reward < b.reward ? -1 : a.reward > b.reward ? 1 : 0));
  let at = 0;
  let sum = rows[0]?.gas ?? 0n;
  return percentiles.map((percentile) => {
    const threshold = BigInt(Math.floor((Number(header.gasUsed) * percentile) / 100));
    while (sum < threshold && at < rows.length - 1) sum += rows[++at]?.gas ?? 0n;
    return toQuantity(rows[at]?.reward ?? 0n);
  });
}

function rewardOf({ chain, feeHistoryForm }: FeeHistoryDeps, tx: Transaction, block: Block): bigint {
  return feeHistoryForm.rewards === "prices" ? paidPrice(chain, tx, block) : tipOf(tx, block);
}

/** Returns the effective priority fee of a transaction, in peb. */
export function tipOf({ gasFeeCap, gasTipCap }: Transaction, { header: { baseFee } }: Block): bigint {
  if (baseFee === undefined) return gasTipCap;
  const left = gasFeeCap - baseFee;
  return left < gasTipCap ? left : gasTipCap;
}

function feeAfter(chain: Chain, number: number): bigint {
  const header = chain.header(number)?.header;
  if (header === undefined || !chain.rules(number + 1).baseFee) return 0n;
  return nextBaseFee(header, chain.parameters(number + 1).baseFee);
}
