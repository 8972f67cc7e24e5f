/** What gas cost in a range of blocks, how full they were and what their transactions offered on top. */
import { toQuantity } from "../bytes/integer.ts";
import type { BlockHead, Chain } from "../chain/chain.ts";
import type { RpcProfile } from "../compat/profiles.ts";
import { nextBaseFee } from "../execution/base-fee.ts";
import { BLOB_PRICE } from "../execution/evm-block.ts";
import { failure } from "../jsonrpc/errors.ts";
import { goJson } from "../jsonrpc/json-text.ts";
import type { Block } from "../model/block.ts";
import type { Transaction } from "../model/transaction.ts";
import { writeInSlices } from "../presenters/slices.ts";
import { paidPrice } from "../presenters/transaction.ts";
import { type BlockNumber, numberAt } from "./arguments/block-number.ts";

/** What is read. */
export interface FeeHistoryParts {
  readonly chain: Chain;
  readonly profile: Pick<RpcProfile, "line" | "shownGasLimit">;
}

/** What is asked. */
export interface FeeQuestion {
  readonly count: number;
  readonly newest: BlockNumber;
  /** Ascending, 0 to 100. */
  readonly percentiles: readonly number[];
}

const MOST_BLOCKS = 1_024;
const MOST_PERCENTILES = 100;

/** JSON text. Throws `RpcError`. */
export function feeHistory(parts: FeeHistoryParts, question: FeeQuestion): string | Promise<string> {
  const { percentiles } = question;
  checkPercentiles(percentiles);
  const { newest, count } = rangeOf(parts, question);
  if (count < 1) return goJson({ oldestBlock: "0x0", gasUsedRatio: null });
  const oldest = newest + 1 - count;
  const rewards: string[][] = [];
  const ratios: number[] = [];
  const fees: bigint[] = [];
  const take = (index: number): string => {
    const number = oldest + index;
    const block = percentiles.length > 0 ? parts.chain.block(number) : undefined;
    const found = block ?? parts.chain.header(number);
    if (found === undefined) throw failure("block not found");
    fees.push(found.header.baseFee ?? 0n);
    ratios.push(ratioOf(parts, found));
    if (block !== undefined) rewards.push(rewardsOf(parts, block, percentiles));
    return "";
  };
  return writeInSlices(count, take, () => {
    const all = [...fees, feeAfter(parts.chain, newest)];
    return goJson({
      oldestBlock: toQuantity(oldest),
      ...(percentiles.length > 0 ? { reward: rewards } : {}),
      baseFeePerGas: all.map(toQuantity),
      ...(parts.profile.line.blobFees
        ? { blobBaseFeePerGas: all.map((fee) => toQuantity(fee * BLOB_PRICE)) }
        : {}),
      gasUsedRatio: ratios,
    });
  });
}

function checkPercentiles(percentiles: readonly number[]): void {
  if (percentiles.length > MOST_PERCENTILES) {
    throw failure(`invalid reward percentile: over the query limit ${MOST_PERCENTILES}`);
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

/** Line 1 counts a pending block that is not there among those asked for. */
function rangeOf({ chain, profile }: FeeHistoryParts, { count, newest }: FeeQuestion) {
  const head = chain.head().header.number;
  const asked = Math.min(count, MOST_BLOCKS);
  const left = newest === "pending" && profile.line.countsPending ? asked - 1 : asked;
  const last = numberAt(head, newest);
  if (last > head && count > 0) throw failure(`request beyond head block: requested ${last}, head ${head}`);
  return { newest: last, count: Math.min(left, last + 1) };
}

function ratioOf({ chain, profile }: FeeHistoryParts, { header }: BlockHead): number {
  const limit = profile.line.countsPending
    ? profile.shownGasLimit
    : chain.parameters(header.number).baseFee.maxBlockGasUsed;
  return limit === 0n ? 0 : Number(header.gasUsed) / Number(limit);
}

/** What the part of the gas that each percentile names was offered at most. */
function rewardsOf(parts: FeeHistoryParts, block: Block, percentiles: readonly number[]): string[] {
  const { header, transactions } = block;
  if (transactions.length === 0) return percentiles.map(() => "0x0");
  const receipts = parts.chain.receipts(header.number) ?? [];
  const rows = transactions
    .map((tx, index) => ({ gas: receipts[index]?.gasUsed ?? 0n, reward: rewardOf(parts, tx, block) }))
    .sort((a, b) => (a.reward < b.reward ? -1 : a.reward > b.reward ? 1 : 0));
  let at = 0;
  let sum = rows[0]?.gas ?? 0n;
  return percentiles.map((percentile) => {
    const threshold = BigInt(Math.floor((Number(header.gasUsed) * percentile) / 100));
    while (sum < threshold && at < rows.length - 1) sum += rows[++at]?.gas ?? 0n;
    return toQuantity(rows[at]?.reward ?? 0n);
  });
}

function rewardOf({ chain, profile }: FeeHistoryParts, tx: Transaction, block: Block): bigint {
  return profile.line.countsPending ? paidPrice(chain, tx, block) : tipOf(tx, block);
}

/** What a transaction offers on top of its block's base fee. */
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
