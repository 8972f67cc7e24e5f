/**
 * Options of a genesis: their rows, and the options that a block 0 is made of. Names and defaults are those of the Go
 * node's homi (`cmd/homi/setup/flags.go@v2.2.2`).
 */
import type { Address } from "../bytes/brands.ts";
import { DEFAULT_REWARD, type RewardConfig } from "../config/reward-config.ts";
import {
  addresses,
  addressKind,
  amount,
  booleanKind,
  choice,
  fork,
  integerKind,
  textKind,
} from "../options/kinds.ts";
import { type OptionRow, optionGroup, type ValuesOf } from "../options/rows.ts";

const chain = optionGroup("Genesis", ["genesis"]);

function forkRow(flag: string, name: string, typed: string): OptionRow<number | "never"> {
  const alias = `genesis.hardfork.${typed}-compatible-blocknumber`;
  return chain({
    flag,
    kind: fork,
    default: 0,
    summary: `fork block of ${name}, or never`,
    aliases: [alias],
  });
}

/** The kinds of genesis that follow a public network; each is a flag, too. */
export const publicKinds = [
  "mainnet",
  "mainnet-test",
  "kairos",
  "kairos-test",
  "servicechain",
  "servicechain-test",
] as const;

/** All kinds of genesis; `plain` follows the flags alone. */
const genesisKinds = ["plain", ...publicKinds] as const;

/** A kind of genesis. */
export type GenesisKind = (typeof genesisKinds)[number];

const genesisKind = {
  ...choice(genesisKinds),
  hint: "KIND",
};

const ZERO: Address = new Uint8Array(20);

/** Returns the address 0x400 + `last` of a system contract. */
function systemAddress(last: number): Address {
  const bytes = new Uint8Array(20);
  bytes.set([4, last], 18);
  return bytes;
}

/** Rows of the kind of genesis. */
export const kindOptions = {
  kind: chain({
    flag: "genesis-type",
    kind: genesisKind,
    summary: "plain, mainnet, kairos or servicechain; each except plain also with -test",
    aliases: ["genesis.type"],
    differs: "mainnet and mainnet-test use the address book of Kairos and have no credit contract",
  }),
  "mainnet-test": chain({
    flag: "mainnet-test",
    kind: booleanKind,
    default: false,
    summary: "same as --genesis-type mainnet-test",
    aliases: ["cypress-test"],
  }),
  "kairos-test": chain({
    flag: "kairos-test",
    kind: booleanKind,
    default: false,
    summary: "same as --genesis-type kairos-test",
    aliases: ["baobab-test"],
  }),
  servicechain: chain({
    flag: "servicechain",
    kind: booleanKind,
    default: false,
    summary: "same as --genesis-type servicechain",
  }),
  "servicechain-test": chain({
    flag: "servicechain-test",
    kind: booleanKind,
    default: false,
    summary: "same as --genesis-type servicechain-test",
  }),
};

/** Kind of genesis; each flag of a kind stands for it. */
export type KindOptions = ValuesOf<typeof kindOptions>;

/** Rows of a chain. */
export const chainOptions = {
  chainId: chain({
    flag: "chainID",
    kind: integerKind(1),
    default: 1_000,
    summary: "chain id",
    aliases: ["genesis.chain-id"],
  }),
  unitPrice: chain({
    flag: "unitPrice",
    kind: amount,
    default: 0n,
    summary: "gas price before Magma, in peb",
    aliases: ["genesis.unit-price"],
  }),
  deriveShaImpl: chain({
    flag: "deriveShaImpl",
    kind: integerKind(0, 2),
    default: 0,
    summary: "method for transaction and receipt roots: 0 trie, 1 simple, 2 concatenated",
    aliases: ["genesis.derive-sha-impl"],
  }),
  funded: chain({
    flag: "funding-addr",
    kind: addresses,
    default: [],
    summary: "additional accounts to fund",
    aliases: ["genesis.funding-addr"],
  }),
};

/** Rows of the governance of a chain. */
export const governanceOptions = {
  isIncluded: chain({
    flag: "governance",
    kind: booleanKind,
    default: false,
    summary: "include the governance parameters",
    aliases: ["genesis.governance"],
  }),
  mode: chain({
    flag: "gov-mode",
    kind: choice(["none", "single", "ballot"]),
    default: "none",
    summary: "governance mode",
    aliases: ["genesis.governance-mode"],
  }),
  governingNode: chain({
    flag: "governing-node",
    kind: addressKind,
    summary: "governing node in single mode; the first validator by default",
    aliases: ["genesis.governing-node"],
  }),
  parameterContract: chain({
    flag: "gov-param-contract",
    kind: addressKind,
    default: ZERO,
    summary: "address of the governance parameter contract",
  }),
};

/** Rows of the rewards of a chain. */
export const rewardOptions = {
  mintingAmount: chain({
    flag: "reward-mint-amount",
    kind: amount,
    default: 9_600_000_000_000_000_000n,
    summary: "block reward, in peb",
    aliases: ["genesis.reward.mint-amount"],
  }),
  ratio: chain({
    flag: "reward-ratio",
    kind: textKind,
    default: DEFAULT_REWARD.ratio,
    summary: "reward shares of the proposer and the funds, in percent",
    aliases: ["genesis.reward.ratio"],
  }),
  kip82Ratio: chain({
    flag: "reward-kip82-ratio",
    kind: textKind,
    default: DEFAULT_REWARD.kip82Ratio,
    summary: "reward shares of the proposer and the stakers (KIP-82), in percent",
  }),
  useGiniCoeff: chain({
    flag: "reward-gini-coeff",
    kind: booleanKind,
    default: DEFAULT_REWARD.useGiniCoeff,
    summary: "use the Gini coefficient in the selection of proposers",
    aliases: ["genesis.reward.gini-coefficient"],
  }),
  deferredTxFee: chain({
    flag: "reward-deferred-tx",
    kind: booleanKind,
    default: DEFAULT_REWARD.deferredTxFee,
    summary: "pay fees together with the block reward",
    aliases: ["genesis.reward.deferred-tx"],
  }),
  stakingUpdateInterval: chain({
    flag: "reward-staking-interval",
    kind: integerKind(1),
    default: DEFAULT_REWARD.stakingUpdateInterval,
    summary: "staking update interval, in blocks",
    aliases: ["genesis.reward.staking-interval"],
  }),
  proposerUpdateInterval: chain({
    flag: "reward-proposer-interval",
    kind: integerKind(1),
    default: DEFAULT_REWARD.proposerUpdateInterval,
    summary: "proposer update interval, in blocks",
    aliases: ["genesis.reward.proposer-inteval"],
  }),
  minimumStake: chain({
    flag: "reward-minimum-stake",
    kind: amount,
    default: DEFAULT_REWARD.minimumStake,
    summary: "minimum stake of a validator, in KAIA",
    aliases: ["genesis.reward.minimum-stake"],
  }),
};

/** Rows of the base fee (KIP-71). */
export const baseFeeOptions = {
  lowerBound: chain({
    flag: "lower-bound-base-fee",
    kind: amount,
    default: 25_000_000_000n,
    summary: "lower bound of the base fee, in peb",
    aliases: ["genesis.kip71.lower-bound-base-fee"],
  }),
  upperBound: chain({
    flag: "upper-bound-base-fee",
    kind: amount,
    default: 750_000_000_000n,
    summary: "upper bound of the base fee, in peb",
    aliases: ["genesis.kip71.upper-bound-base-fee"],
  }),
  gasTarget: chain({
    flag: "gas-target",
    kind: amount,
    default: 30_000_000n,
    summary: "block gas at which the base fee does not change",
    aliases: ["genesis.kip71.gas-target"],
  }),
  blockGasLimit: chain({
    flag: "block-gas-limit",
    kind: amount,
    default: 60_000_000n,
    summary: "maximum block gas that counts for the base fee",
    aliases: ["genesis.kip71.block-gas-limit"],
  }),
  denominator: chain({
    flag: "base-fee-denominator",
    kind: amount,
    default: 20n,
    summary: "base fee denominator; a larger one means slower changes",
    aliases: ["genesis.kip71.base-fee-denominator"],
  }),
};

/** Parameters of the base fee (KIP-71). */
export type BaseFeeOptions = ValuesOf<typeof baseFeeOptions>;

/** Rows of the consensus. */
export const istanbulOptions = {
  epoch: chain({
    flag: "ist-epoch",
    kind: integerKind(1),
    default: 604_800,
    summary: "epoch length, in blocks",
    aliases: ["genesis.consensus.istanbul.epoch"],
  }),
  policy: chain({
    flag: "ist-proposer-policy",
    kind: integerKind(0, 2),
    default: 0,
    summary: "proposer policy: 0 round robin, 1 sticky, 2 weighted random",
    aliases: ["genesis.consensus.istanbul.policy"],
  }),
  sub: chain({
    flag: "ist-subgroup",
    kind: integerKind(1, 1_000),
    default: 21,
    summary: "committee size",
    aliases: ["subgroup-size", "genesis.consensus.istanbul.subgroup"],
  }),
};

/** Rows of the fork blocks, by the member of the chain configuration. */
export const forkOptions = {
  istanbulCompatibleBlock: forkRow("istanbul-compatible-blocknumber", "Istanbul", "istanbul"),
  londonCompatibleBlock: forkRow("london-compatible-blocknumber", "London", "london"),
  ethTxTypeCompatibleBlock: forkRow("eth-tx-type-compatible-blocknumber", "EthTxType", "eth-tx-type"),
  magmaCompatibleBlock: forkRow("magma-compatible-blocknumber", "Magma", "magma"),
  koreCompatibleBlock: forkRow("kore-compatible-blocknumber", "Kore", "kore"),
  shanghaiCompatibleBlock: forkRow("shanghai-compatible-blocknumber", "Shanghai", "shanghai"),
  cancunCompatibleBlock: forkRow("cancun-compatible-blocknumber", "Cancun", "cancun"),
  randaoCompatibleBlock: forkRow("randao-compatible-blocknumber", "Randao", "randao"),
  kaiaCompatibleBlock: forkRow("kaia-compatible-blocknumber", "Kaia", "kaia"),
  pragueCompatibleBlock: forkRow("prague-compatible-blocknumber", "Prague", "prague"),
  osakaCompatibleBlock: forkRow("osaka-compatible-blocknumber", "Osaka", "osaka"),
  kip103CompatibleBlock: forkRow("kip103-compatible-blocknumber", "KIP-103", "kip103"),
  kip160CompatibleBlock: forkRow("kip160-compatible-blocknumber", "KIP-160", "kip160"),
};

/** Rows of the addresses of system contracts. */
export const contractOptions = {
  kip103Contract: chain({
    flag: "kip103-contract-address",
    kind: addressKind,
    default: ZERO,
    summary: "address of the KIP-103 contract",
    aliases: ["genesis.hardfork.kip103-contract-address"],
  }),
  kip160Contract: chain({
    flag: "kip160-contract-address",
    kind: addressKind,
    default: ZERO,
    summary: "address of the KIP-160 contract",
    aliases: ["genesis.hardfork.kip160-contract-address"],
  }),
  blsProxy: chain({
    flag: "kip113-proxy-contract-address",
    kind: addressKind,
    default: systemAddress(2),
    summary: "address of the BLS registry (KIP-113)",
    aliases: ["genesis.hardfork.kip113-proxy-contract-address"],
  }),
  blsLogic: chain({
    flag: "kip113-logic-contract-address",
    kind: addressKind,
    default: systemAddress(3),
    summary: "address of the BLS registry's implementation (KIP-113)",
    aliases: ["genesis.hardfork.kip113-logic-contract-address"],
  }),
};

/** Rows of the owner of the address book. */
export const addressBookOptions = {
  isPatched: chain({
    flag: "patch-address-book",
    kind: booleanKind,
    default: false,
    summary: "let the first validator set up the address book",
    aliases: ["genesis.patched-address-book.enable"],
  }),
  owner: chain({
    flag: "patch-address-book-addr",
    kind: addressKind,
    summary: "account that may set up the address book instead",
    aliases: ["genesis.patched-address-book.addr"],
  }),
};

/** Governance parameters of the genesis. */
export interface GovernanceOptions extends Omit<ValuesOf<typeof governanceOptions>, "isIncluded"> {
  readonly reward: RewardConfig;
  readonly baseFee: BaseFeeOptions;
}

/** Options of the genesis. */
export interface GenesisOptions
  extends Omit<ValuesOf<typeof chainOptions>, "chainId">,
    ValuesOf<typeof contractOptions> {
  readonly kind: GenesisKind;
  readonly chainId: bigint;
  /** Fork blocks by the member of the chain configuration; a fork without an entry is not scheduled. */
  readonly forks: ReadonlyMap<string, number>;
  readonly istanbul: ValuesOf<typeof istanbulOptions>;
  /** `undefined` for the chain's defaults. A kind other than `plain` has its own. */
  readonly governance: GovernanceOptions | undefined;
  /** Account that may initialise the address book; `undefined` for the one in its code. */
  readonly addressBookOwner: "first-validator" | Address | undefined;
  /** Timestamp in seconds since the epoch. */
  readonly time: number;
}
