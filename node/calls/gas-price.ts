/** Gas prices and priority fees that the node suggests for the next block. */
import { equalBytes } from "../bytes/compare.ts";
import type { Chain } from "../chain/chain.ts";
import type { Block } from "../model/block.ts";
import { senderOf } from "../model/transaction.ts";
import { tipOf } from "./fee-history.ts";

/** Returns the suggested gas price, in peb. */
export function suggestedPrice(chain: Chain): bigint {
  const next = chain.head().header.number + 1;
  const { suggestedPrice: way } = chain.rules(next);
  if (way === "unit-price") return chain.parameters(next).unitPrice;
  const baseFee = chain.nextBaseFee() ?? 0n;
  if (way === "twice-base-fee") return baseFee * 2n;
  const tip = suggestedTip(chain);
  return tip === 0n ? (baseFee * 110n) / 100n : (baseFee * 115n) / 100n + tip;
}

/** Returns the suggested priority fee, in peb. Without a base fee it is the whole gas price. */
export function suggestedTip(chain: Chain): bigint {
  const next = chain.head().header.number + 1;
  const { suggestedPrice: way } = chain.rules(next);
  const { unitPrice, baseFee } = chain.parameters(next);
  if (way === "unit-price") return unitPrice;
  const isQuiet = (chain.nextBaseFee() ?? 0n) <= baseFee.lowerBound;
  return way === "twice-base-fee" || isQuiet ? 0n : usualTip(chain);
}

/** Maximum suggested priority fee: 500 Gpeb. */
const MAX_TIP = 500_000_000_000n;
const RECENT_BLOCKS = 20;
/** Number of the lowest priority fees that are sampled per block. */
const SAMPLES = 3;
const PERCENTILE = 60;

const tipsByHead = new WeakMap<Block, bigint>();

/** Returns the 60th percentile of the lowest priority fees of recent blocks, cached per head block. */
function usualTip(chain: Chain): bigint {
  const head = chain.head();
  let tip = tipsByHead.get(head);
  if (tip === undefined) {
    tip = tipUpTo(chain, head.header.number);
    tipsByHead.set(head, tip);
  }
  return tip;
}

/**
 * Computes the percentile. Each block with at most one sample extends the range by one block, up to twice the
 * range, as in `node/cn/gasprice/gasprice.go@v2.2.2`.
 */
function tipUpTo(chain: Chain, head: number): bigint {
  const tips: bigint[] = [];
  let wanted = RECENT_BLOCKS;
  for (let number = head; number > Math.max(0, head - wanted); number--) {
    const block = chain.block(number);
    const found = block === undefined ? [] : lowestTips(block, chain.config.chainId);
    const left = wanted - (head - number + 1);
    if (found.length <= 1 && tips.length + 1 + left < 2 * RECENT_BLOCKS) wanted++;
    tips.push(...(found.length === 0 ? [0n] : found));
  }
  const found = tips.sort(ascending)[Math.floor(((tips.length - 1) * PERCENTILE) / 100)] ?? 0n;
  return found > MAX_TIP ? MAX_TIP : found;
}

/** Returns the lowest priority fees of a block, except for transactions from its reward address. */
function lowestTips(block: Block, chainId: bigint): readonly bigint[] {
  const offers = block.transactions
    .map((tx) => ({ tx, tip: tipOf(tx, block) }))
    .sort((a, b) => ascending(a.tip, b.tip));
  const tips: bigint[] = [];
  for (const { tx, tip } of offers) {
    if (!equalBytes(senderOf(tx, chainId), block.header.rewardbase)) tips.push(tip);
    if (tips.length === SAMPLES) break;
  }
  return tips;
}

function ascending(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns the bounds of the gas price that the chain's parameters allow, in peb. */
export function priceBounds(chain: Chain): { readonly lower: bigint; readonly upper: bigint } {
  const next = chain.head().header.number + 1;
  const { unitPrice, baseFee } = chain.parameters(next);
  if (!chain.rules(next).baseFee) return { lower: unitPrice, upper: unitPrice };
  return { lower: baseFee.lowerBound, upper: baseFee.upperBound };
}
