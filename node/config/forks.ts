/** The forks, one row each: name, key in the chain configuration, and the facts that the fork changes. */
import { ConfigError } from "./error.ts";
import { MAX_BLOCK_SIZE, type RuleFacts } from "./rule-facts.ts";

/** A fork. `name` is its name in the Go node's messages, `configKey` its member of the chain configuration. */
export interface ForkRow {
  readonly name: string;
  readonly configKey: string;
  /** False for the treasury rebalances, which may come at any point between the others. */
  readonly ordered: boolean;
  readonly changes: Partial<RuleFacts>;
}

/** The fork blocks of a chain by `configKey`; a fork without an entry is not scheduled. */
export interface ForkSchedule {
  readonly forks: ReadonlyMap<string, number>;
}

/** All forks in their required order; the unordered ones are last. */
export const forks: readonly ForkRow[] = [
  {
    name: "istanbulBlock",
    configKey: "istanbulCompatibleBlock",
    ordered: true,
    changes: {
      legacyInputGas: { zero: 100n, nonZero: 100n },
      vmVersion: 1,
      evm: "istanbul",
      demotesValidators: true,
      multiSigGasBySignatures: true,
      multiSigRefusesUnknownKeys: true,
    },
  },
  { name: "londonBlock", configKey: "londonCompatibleBlock", ordered: true, changes: { evm: "london" } },
  {
    name: "ethTxTypeBlock",
    configKey: "ethTxTypeCompatibleBlock",
    ordered: true,
    changes: { acceptedTypes: new Set([0x7801, 0x7802]), headerShowsBaseFee: true },
  },
  {
    name: "magmaBlock",
    configKey: "magmaCompatibleBlock",
    ordered: true,
    changes: {
      baseFee: true,
      effectivePrice: "base-fee",
      burnHalf: true,
      immediateFeeTo: "rewardbase",
      headerFields: 15,
      suggestedPrice: "twice-base-fee",
    },
  },
  {
    name: "koreBlock",
    configKey: "koreCompatibleBlock",
    ordered: true,
    changes: {
      accessSets: true,
      refundQuotient: 5n,
      evm: "kore",
      governanceCountsBlock: true,
      governanceContract: true,
      splitsStakers: true,
      drawsProposersEvenly: true,
    },
  },
  {
    name: "shanghaiBlock",
    configKey: "shanghaiCompatibleBlock",
    ordered: true,
    changes: { maxInitcodeSize: 49_152, initcodeWordGas: 2n, evm: "shanghai", warmsAuthor: true },
  },
  {
    name: "cancunBlock",
    configKey: "cancunCompatibleBlock",
    ordered: true,
    changes: { evm: "cancun", plainCodeHash: true, computationLimit: 150_000_000, warmsAccessList: true },
  },
  {
    name: "randaoBlock",
    configKey: "randaoCompatibleBlock",
    ordered: true,
    changes: { randao: true, headerFields: 17 },
  },
  {
    name: "kaiaBlock",
    configKey: "kaiaCompatibleBlock",
    ordered: true,
    changes: {
      effectivePrice: "base-fee-and-tip",
      suggestedPrice: "base-fee-and-tenth",
      readsNewestStakes: true,
    },
  },
  {
    name: "pragueBlock",
    configKey: "pragueCompatibleBlock",
    ordered: true,
    changes: {
      legacyInputGas: { zero: 4n, nonZero: 16n },
      inputGas: { zero: 4n, nonZero: 16n },
      floorTokenGas: 10n,
      acceptedTypes: new Set([0x7804]),
      checksPriceCaps: true,
      parentHashCall: true,
      delegations: true,
      liquidityPools: true,
      evm: "prague",
    },
  },
  {
    name: "osakaBlock",
    configKey: "osakaCompatibleBlock",
    ordered: true,
    changes: {
      acceptedTypes: new Set([0x7803]),
      headerFields: 19,
      blobGas: true,
      flexReward: true,
      evm: "osaka",
      maxBlockSize: MAX_BLOCK_SIZE,
    },
  },
  {
    name: "kip103Block",
    configKey: "kip103CompatibleBlock",
    ordered: false,
    changes: {},
  },
  {
    name: "kip160Block",
    configKey: "kip160CompatibleBlock",
    ordered: false,
    changes: {},
  },
];

/** Throws `ConfigError` `fork-order` when the fork blocks are out of order (`params/config.go@v2.2.2`). */
export function checkForkOrder(config: ForkSchedule): void {
  let last: { readonly name: string; readonly start: number } | undefined;
  for (const { name, configKey, ordered } of forks) {
    const start = config.forks.get(configKey);
    if (!ordered || start === undefined) continue;
    if (last !== undefined && last.start > start) {
      throw new ConfigError(
        "fork-order",
        `unsupported fork ordering: ${last.name} enabled at ${last.start}, but ${name} enabled at ${start}`,
      );
    }
    last = { name, start };
  }
}
