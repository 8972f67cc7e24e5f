/** The prices that the node suggests for the next block. */
import type { Chain } from "../../chain/chain.ts";

/** What a transaction should offer for a unit of gas, in peb. */
export function suggestedPrice(chain: Chain): bigint {
  const next = chain.head().header.number + 1;
  const { suggestedPrice: way } = chain.rules(next);
  if (way === "unit-price") return chain.parameters(next).unitPrice;
  const baseFee = chain.nextBaseFee() ?? 0n;
  return way === "twice-base-fee" ? baseFee * 2n : (baseFee * 110n) / 100n;
}

/** What it should offer on top of the base fee; where there is none, the whole price. */
export function suggestedTip(chain: Chain): bigint {
  const next = chain.head().header.number + 1;
  return chain.rules(next).suggestedPrice === "unit-price" ? chain.parameters(next).unitPrice : 0n;
}

/** The lowest and the highest price the chain may come to ask. */
export function priceBounds(chain: Chain): { readonly lower: bigint; readonly upper: bigint } {
  const next = chain.head().header.number + 1;
  const { unitPrice, baseFee } = chain.parameters(next);
  if (!chain.rules(next).baseFee) return { lower: unitPrice, upper: unitPrice };
  return { lower: baseFee.lowerBound, upper: baseFee.upperBound };
}
