/** Genesis options of the network maker from the flags of `knit genesis`, checked against each other. */
import { publicNetworkOptions } from "../compose/options.ts";
import { DEFAULT_REWARD } from "../config/reward-config.ts";
import {
  addressBookOptions,
  type BaseFeeOptions,
  baseFeeOptions,
  chainOptions,
  contractOptions,
  forkOptions,
  type GenesisKind,
  type GenesisOptions,
  type GovernanceOptions,
  governanceOptions,
  istanbulOptions,
  kindOptions,
  publicKinds,
  rewardOptions,
} from "../network-maker/genesis-options.ts";
import { OptionError } from "../options/error.ts";
import { optionValues, type ResolvedFlags } from "../options/resolve.ts";
import type { OptionRow } from "../options/rows.ts";

/** Returns the options of block 0. `now` is in milliseconds. Throws `OptionError` `clash` or `bad-value`. */
export function genesisOptions(resolved: ResolvedFlags, now: number): GenesisOptions {
  const kind = kindOf(resolved);
  const { chainId, ...chain } = optionValues(chainOptions, resolved);
  const { isPatched, owner } = optionValues(addressBookOptions, resolved);
  const { isIncluded } = optionValues(governanceOptions, resolved);
  return {
    kind,
    chainId: BigInt(chainId),
    ...chain,
    forks: forksOf(resolved),
    istanbul: optionValues(istanbulOptions, resolved),
    governance: isIncluded || kind !== "plain" ? governanceOf(resolved) : undefined,
    ...optionValues(contractOptions, resolved),
    addressBookOwner: owner ?? (isPatched ? "first-validator" : undefined),
    time: Math.floor(now / 1000),
  };
}

function kindOf(resolved: ResolvedFlags): GenesisKind {
  const { kind, ...kinds } = {
    ...optionValues(publicNetworkOptions, resolved),
    ...optionValues(kindOptions, resolved),
  };
  const [first, second] = publicKinds.filter((name) => kinds[name]);
  const other = second ?? (first && kind);
  if (first !== undefined && other !== undefined && other !== first)
    throw new OptionError("clash", `--${first} and ${other}: a genesis is of one kind`);
  return first ?? kind ?? "plain";
}

function forksOf(resolved: ResolvedFlags): ReadonlyMap<string, number> {
  const forks = new Map<string, number>();
  for (const [member, begins] of Object.entries(optionValues(forkOptions, resolved)))
    if (begins !== "never") forks.set(member, begins);
  return forks;
}

function governanceOf(resolved: ResolvedFlags): GovernanceOptions {
  const { isIncluded: _, ...governance } = optionValues(governanceOptions, resolved);
  const reward = optionValues(rewardOptions, resolved);
  checkRatio(rewardOptions.ratio, reward.ratio, 3);
  checkRatio(rewardOptions.kip82Ratio, reward.kip82Ratio, 2);
  return {
    ...governance,
    reward: { ...DEFAULT_REWARD, ...reward },
    baseFee: baseFee(optionValues(baseFeeOptions, resolved)),
  };
}

/** Throws unless a ratio is `parts` integers that add up to 100. */
function checkRatio({ flag }: OptionRow<unknown>, text: string, parts: number): void {
  const shares = text.split("/");
  const good = shares.length === parts && shares.every((share) => /^\d{1,3}$/.test(share));
  if (good && shares.reduce((sum, share) => sum + Number(share), 0) === 100) return;
  throw new OptionError("bad-value", `--${flag} must be ${parts} percentages that sum to 100, not ${text}`);
}

function baseFee(options: BaseFeeOptions): BaseFeeOptions {
  const { lowerBound, upperBound } = options;
  if (lowerBound > upperBound)
    throw new OptionError(
      "clash",
      `--lower-bound-base-fee ${lowerBound} is above --upper-bound-base-fee ${upperBound}`,
    );
  for (const member of ["gasTarget", "blockGasLimit", "denominator"] as const)
    if (options[member] === 0n)
      throw new OptionError("bad-value", `--${baseFeeOptions[member].flag} must be at least 1`);
  return options;
}
