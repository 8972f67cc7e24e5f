/** The prices that the node suggests for the next block. */
import { equalBytes } from "../bytes/compare.ts";
import type { Chain } from "../chain/chain.ts";
import type { Block } from "../model/block.ts";
import { senderOf } from "../model/transaction.ts";
import { tipOf } from "./fee-history.ts";

/** What a transaction should offer for a unit of gas, in peb. */
export function suggestedPrice(chain: Chain): bigint {
  const next = chain.head().header.number + 1;
  const { suggestedPrice: way } = chain.rules(next);
  if (way === "unit-price") return chain.parameters(next).unitPrice;
  const baseFee = chain.nextBaseFee() ?? 0n;
  if (way === "twice-base-fee") return baseFee * 2n;
  const tip = suggestedTip(chain);
  return tip === 0n ? (baseFee * 110n) / 100n : (baseFee * 115n) / 100n + tip;
}

/** What it should offer on top of the base fee; where there is none, the whole price. */
export function suggestedTip(chain: Chain): bigint {
  const next = chain.head().header.number + 1;
  const { suggestedPrice: way } = chain.rules(next);
  const { unitPrice, baseFee } = chain.parameters(next);
  if (way === "unit-price") return unitPrice;
  const isQuiet = (chain.nextBaseFee() ?? 0n) <= baseFee.lowerBound;
  return way === "twice-base-fee" || isQuiet ? 0n : usualTip(chain);
}

/** The highest tip that is ever suggested: 500 Gpeb. */
const MOST_TIP = 500_000_000_000n;
const RECENT_BLOCKS = 20;
/** Of each block the lowest tips count. */
const SAMPLES = 3;
const PERCENTILE = 60;

const known = new WeakMap<Block, bigint>();

/** The 60th percentile of the lowest tips of recent blocks; found once for each head. */
function usualTip(chain: Chain): bigint {
  const head = chain.head();
  let tip = known.get(head);
  if (tip === undefined) {
    tip = tipUpTo(chain, head.header.number);
    known.set(head, tip);
  }
  return tip;
}

/** Blocks with one tip or none say little: for each of them one more is looked at, up to twice as many in all. */
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
  return found > MOST_TIP ? MOST_TIP : found;
}

/** What the block's maker sends to itself says nothing. */
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

/** The lowest and the highest price the chain may come to ask. */
export function priceBounds(chain: Chain): { readonly lower: bigint; readonly upper: bigint } {
  const next = chain.head().header.number + 1;
  const { unitPrice, baseFee } = chain.parameters(next);
  if (!chain.rules(next).baseFee) return { lower: unitPrice, upper: unitPrice };
  return { lower: baseFee.lowerBound, upper: baseFee.upperBound };
}
