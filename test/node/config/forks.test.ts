/** Tests of the forks and their rules by block. */
import { expect, test } from "@jest/globals";
import { ConfigError } from "../../../node/config/error.ts";
import { checkForkOrder, type ForkSchedule, forks } from "../../../node/config/forks.ts";
import { BASE_RULES, rulesAt } from "../../../node/config/rules.ts";
import { forkOptions } from "../../../node/network-maker/genesis-options.ts";

function schedule(numbers: Readonly<Record<string, number>>): ForkSchedule {
  return { forks: new Map(Object.entries(numbers).map(([key, start]) => [`${key}CompatibleBlock`, start])) };
}

test("a chain without forks keeps the first rules for ever", () => {
  const config = schedule({});
  expect(rulesAt(config, 0)).toBe(BASE_RULES);
  expect(rulesAt(config, 1e9)).toBe(BASE_RULES);
  expect(BASE_RULES).toMatchObject({ headerFields: 14, baseFee: false, vmVersion: 0, refundQuotient: 2n });
});

test("a fork holds from its block on, and rules of the same stretch are one object", () => {
  const config = schedule({ istanbul: 8, london: 16, ethTxType: 16, magma: 24 });
  expect(rulesAt(config, 7)).toBe(BASE_RULES);
  expect(rulesAt(config, 8)).toMatchObject({ vmVersion: 1, legacyInputGas: { zero: 100n }, since: 8 });
  expect(rulesAt(config, 8)).toBe(rulesAt(config, 15));
  expect([...rulesAt(config, 15).acceptedTypes]).toEqual([]);
  expect([...rulesAt(config, 16).acceptedTypes]).toEqual([0x7801, 0x7802]);
  expect(rulesAt(config, 23)).toMatchObject({ baseFee: false, headerShowsBaseFee: true, headerFields: 14 });
  expect(rulesAt(config, 24)).toMatchObject({ baseFee: true, effectivePrice: "base-fee", headerFields: 15 });
});

test("with all forks the newest facts hold and types add up", () => {
  const all = { forks: new Map(forks.map(({ configKey }) => [configKey, 0])) };
  expect(rulesAt(all, 0)).toMatchObject({
    legacyInputGas: { zero: 4n, nonZero: 16n },
    inputGas: { zero: 4n, nonZero: 16n },
    floorTokenGas: 10n,
    maxInitcodeSize: 49_152,
    effectivePrice: "base-fee-and-tip",
    suggestedPrice: "base-fee-and-tenth",
    immediateFeeTo: "rewardbase",
    refundQuotient: 5n,
    headerFields: 19,
    randao: true,
    parentHashCall: true,
  });
  expect(rulesAt(all, 0).acceptedTypes).toEqual(new Set([0x7801, 0x7802, 0x7803, 0x7804]));
});

test("knit genesis has a flag for the block of every fork", () => {
  const missed = forks.filter(({ configKey }) => !Object.hasOwn(forkOptions, configKey));
  expect(missed.map(({ configKey }) => `add ${configKey} to node/network-maker/genesis-options.ts`)).toEqual(
    [],
  );
});

test("forks out of order are refused by the Go node's names; unset and unordered ones do not count", () => {
  expect(() =>
    checkForkOrder(schedule({ istanbul: 5, kore: 5, prague: 9, kip103: 1, kip160: 0 })),
  ).not.toThrow();
  expect(() => checkForkOrder(schedule({ istanbul: 5, kore: 4 }))).toThrow(
    new ConfigError(
      "fork-order",
      "unsupported fork ordering: istanbulBlock enabled at 5, but koreBlock enabled at 4",
    ),
  );
  expect(() => checkForkOrder(schedule({ kaia: 3, randao: 4 }))).toThrow(
    "unsupported fork ordering: randaoBlock enabled at 4, but kaiaBlock enabled at 3",
  );
});
