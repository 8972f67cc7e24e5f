/** Genesis options of the network maker from the flags of `knit genesis`, checked against each other. */
import { DEFAULT_REWARD } from "../config/chain-config.ts";
import type { FlagValues } from "../config/flags.ts";
import { type GenesisKind, publicKinds } from "../config/flags-genesis.ts";
import { OptionError } from "../config/options-error.ts";
import type { GenesisOptions, GovernanceOptions } from "../network-maker/genesis-options.ts";

/** Returns the options of block 0. `now` is in milliseconds. Throws `OptionError` `clash` or `bad-value`. */
export function genesisOptions(values: FlagValues, now: number): GenesisOptions {
  const kind = kindOf(values);
  return {
    kind,
    chainId: BigInt(values.chainID),
    unitPrice: values.unitPrice,
    deriveShaImpl: values.deriveShaImpl,
    forks: forksOf(values),
    istanbul: {
      epoch: values["ist-epoch"],
      policy: values["ist-proposer-policy"],
      sub: values["ist-subgroup"],
    },
    governance: values.governance || kind !== "plain" ? governanceOf(values) : undefined,
    kip103Contract: values["kip103-contract-address"],
    kip160Contract: values["kip160-contract-address"],
    blsProxy: values["kip113-proxy-contract-address"],
    blsLogic: values["kip113-logic-contract-address"],
    funded: values["funding-addr"],
    addressBookOwner:
      values["patch-address-book-addr"] ?? (values["patch-address-book"] ? "first-validator" : undefined),
    time: Math.floor(now / 1000),
  };
}

function kindOf(values: FlagValues): GenesisKind {
  const [first, second] = publicKinds.filter((name) => values[name]);
  const other = second ?? (first && values["genesis-type"]);
  if (first !== undefined && other !== undefined && other !== first)
    throw new OptionError("clash", `--${first} and ${other}: a genesis is of one kind`);
  return first ?? values["genesis-type"] ?? "plain";
}

const FORK_FLAGS = {
  istanbulCompatibleBlock: "istanbul-compatible-blocknumber",
  londonCompatibleBlock: "london-compatible-blocknumber",
  ethTxTypeCompatibleBlock: "eth-tx-type-compatible-blocknumber",
  magmaCompatibleBlock: "magma-compatible-blocknumber",
  koreCompatibleBlock: "kore-compatible-blocknumber",
  shanghaiCompatibleBlock: "shanghai-compatible-blocknumber",
  cancunCompatibleBlock: "cancun-compatible-blocknumber",
  randaoCompatibleBlock: "randao-compatible-blocknumber",
  kaiaCompatibleBlock: "kaia-compatible-blocknumber",
  pragueCompatibleBlock: "prague-compatible-blocknumber",
  osakaCompatibleBlock: "osaka-compatible-blocknumber",
  kip103CompatibleBlock: "kip103-compatible-blocknumber",
  kip160CompatibleBlock: "kip160-compatible-blocknumber",
} as const;

function forksOf(values: FlagValues): ReadonlyMap<string, number> {
  const forks = new Map<string, number>();
  for (const [member, flag] of Object.entries(FORK_FLAGS)) {
    const begins = values[flag];
    if (begins !== "never") forks.set(member, begins);
  }
  return forks;
}

function governanceOf(values: FlagValues): GovernanceOptions {
  return {
    mode: values["gov-mode"],
    governingNode: values["governing-node"],
    parameterContract: values["gov-param-contract"],
    reward: {
      ...DEFAULT_REWARD,
      mintingAmount: values["reward-mint-amount"],
      ratio: ratio("reward-ratio", values["reward-ratio"], 3),
      kip82Ratio: ratio("reward-kip82-ratio", values["reward-kip82-ratio"], 2),
      useGiniCoeff: values["reward-gini-coeff"],
      deferredTxFee: values["reward-deferred-tx"],
      stakingUpdateInterval: values["reward-staking-interval"],
      proposerUpdateInterval: values["reward-proposer-interval"],
      minimumStake: values["reward-minimum-stake"],
    },
    baseFee: baseFee(values),
  };
}

/** Checks a ratio: `parts` integers that add up to 100. */
function ratio(name: string, text: string, parts: number): string {
  const shares = text.split("/");
  const good = shares.length === parts && shares.every((share) => /^\d{1,3}$/.test(share));
  if (good && shares.reduce((sum, share) => sum + Number(share), 0) === 100) return text;
  throw new OptionError("bad-value", `--${name} must be ${parts} percentages that sum to 100, not ${text}`);
}

function baseFee(values: FlagValues): GovernanceOptions["baseFee"] {
  const lowerBound = values["lower-bound-base-fee"];
  const upperBound = values["upper-bound-base-fee"];
  if (lowerBound > upperBound)
    throw new OptionError(
      "clash",
      `--lower-bound-base-fee ${lowerBound} is above --upper-bound-base-fee ${upperBound}`,
    );
  for (const name of ["gas-target", "block-gas-limit", "base-fee-denominator"] as const)
    if (values[name] === 0n) throw new OptionError("bad-value", `--${name} must be at least 1`);
  return {
    lowerBound,
    upperBound,
    gasTarget: values["gas-target"],
    blockGasLimit: values["block-gas-limit"],
    denominator: values["base-fee-denominator"],
  };
}
