/** Tests of the suggested tips and the fee history. */
import { expect, test } from "@jest/globals";
import { feeHistory } from "../../../node/calls/fee-history.ts";
import { suggestedPrice, suggestedTip } from "../../../node/calls/gas-price.ts";
import type { Chain } from "../../../node/chain/chain.ts";
import { rpcProfiles } from "../../../node/compat/profiles.ts";
import { BASE_RULES } from "../../../node/config/rules.ts";

const LOWER = 25n;
const UPPER = 750n;
const RULES = { ...BASE_RULES, baseFee: true, suggestedPrice: "base-fee-and-tenth" } as const;

const [maker, somebody] = [new Uint8Array(20).fill(1), new Uint8Array(20).fill(2)];
/** A tip from the block's own reward address. */
const OWN = 6n;

/** A chain of blocks with a base fee of 100 and transactions with these tips, each for 10 gas. */
function aChainOf(blocks: readonly (readonly bigint[])[], nextBaseFee = 100n): Chain {
  const all = [[], ...blocks].map((tips, number) => ({
    header: { number, baseFee: 100n, gasUsed: BigInt(tips.length) * 10n, rewardbase: maker },
    transactions: tips.map((tip) => ({
      gasFeeCap: 100n + tip,
      gasTipCap: 10n ** 15n,
      fields: { from: tip === OWN ? maker : somebody },
    })),
  }));
  const baseFee = {
    lowerBound: LOWER,
    upperBound: UPPER,
    gasTarget: 30n,
    maxBlockGasUsed: 60n,
    denominator: 20n,
  };
  const chain = {
    config: { chainId: 1n },
    head: () => all.at(-1),
    block: (number: number) => all[number],
    header: (number: number) => all[number],
    receipts: (number: number) => all[number]?.transactions.map(() => ({ gasUsed: 10n })),
    rules: () => RULES,
    parameters: () => ({ unitPrice: 1n, baseFee }),
    nextBaseFee: () => nextBaseFee,
  };
  return chain as unknown as Chain; // what prices are found from
}

test("the suggested tip is 0 while the base fee is at its lower bound", () => {
  const chain = aChainOf([[9n, 9n, 9n]], LOWER);
  expect([suggestedTip(chain), suggestedPrice(chain)]).toEqual([0n, 27n]);
});

test("the tip is the 60th percentile of the three lowest of each recent block, and the price covers it", () => {
  const chain = aChainOf([[5n, 1n, 2n, 3n], [], [7n]]);
  expect(suggestedTip(chain)).toBe(2n); // of 0, 1, 2, 3, 7
  expect(suggestedPrice(chain)).toBe(117n);
});

const times = (count: number, ...tips: readonly bigint[]) => Array.from({ length: count }, () => tips);
const DEAR = 10n ** 13n;

test("the suggested tip is at most 500 Gpeb, and blocks before the last twenty do not count", () => {
  expect(suggestedTip(aChainOf([[DEAR]]))).toBe(500_000_000_000n);
  expect(suggestedTip(aChainOf([...times(20, DEAR, DEAR), ...times(20, 4n, 4n)]))).toBe(4n);
});

test("each block with one tip adds a block to the sample, at most twenty", () => {
  const blocks = [...times(20, 1n), ...times(20, DEAR), ...times(20, 4n)];
  expect(suggestedTip(aChainOf(blocks))).toBe(500_000_000_000n); // the 24th lowest of forty
});

test("tips from a block's own reward address do not count", () => {
  expect(suggestedTip(aChainOf([[OWN, 8n, 9n, OWN, 7n]]))).toBe(8n); // of 7, 8, 9
});

test("a fee history of no blocks needs no valid percentiles", async () => {
  const question = { count: 0, newest: 99, percentiles: [50, 10, 101] };
  const text = await feeHistory({ chain: aChainOf([]), ...rpcProfiles.kaia.options }, question);
  expect(text).toBe('{"oldestBlock":"0x0","gasUsedRatio":null}');
});

test("a fee history's rewards are the priority fees at the gas percentiles", async () => {
  const chain = aChainOf([[3n, 1n, 2n, 4n], []]);
  const question = { count: 2, newest: 2, percentiles: [0, 25, 50, 100] };
  const text = await feeHistory({ chain, ...rpcProfiles.kaia.options }, question);
  expect(JSON.parse(text)).toMatchObject({
    oldestBlock: "0x1",
    reward: [
      ["0x1", "0x1", "0x2", "0x4"],
      ["0x0", "0x0", "0x0", "0x0"],
    ],
    gasUsedRatio: [40 / 60, 0],
  });
});
