/** Kinds of genesis: parameters that a kind sets in addition to the options. */
import { DEFAULT_REWARD, type RewardConfig } from "../config/reward-config.ts";
import { defaultsOf } from "../options/rows.ts";
import {
  type GenesisKind,
  type GenesisOptions,
  type GovernanceOptions,
  rewardOptions,
} from "./genesis-options.ts";

interface KindRow {
  readonly istanbul: GenesisOptions["istanbul"];
  readonly unitPrice: bigint;
  /** Rewards that differ from those of a plain genesis; `undefined` for a genesis without governance. */
  readonly reward: Partial<RewardConfig> | undefined;
  readonly hasAddressBook: boolean;
}

const PUBLIC = { ratio: "34/54/12", deferredTxFee: true, minimumStake: 5_000_000n } as const;
const QUICK = { stakingUpdateInterval: 60, proposerUpdateInterval: 30 } as const;
const PRICE = 25_000_000_000n;

/**
 * Epoch, proposer policy, committee size, unit price and rewards of each kind. The test kinds have short
 * intervals.
 */
const KINDS: Readonly<Record<Exclude<GenesisKind, "plain">, KindRow>> = {
  mainnet: {
    istanbul: { epoch: 604_800, policy: 2, sub: 22 },
    unitPrice: PRICE,
    reward: { ...PUBLIC, useGiniCoeff: true },
    hasAddressBook: true,
  },
  "mainnet-test": {
    istanbul: { epoch: 30, policy: 2, sub: 22 },
    unitPrice: PRICE,
    reward: { ...PUBLIC, ...QUICK, useGiniCoeff: true },
    hasAddressBook: true,
  },
  kairos: {
    istanbul: { epoch: 604_800, policy: 2, sub: 13 },
    unitPrice: PRICE,
    reward: PUBLIC,
    hasAddressBook: true,
  },
  "kairos-test": {
    istanbul: { epoch: 30, policy: 2, sub: 13 },
    unitPrice: PRICE,
    reward: { ...PUBLIC, ...QUICK },
    hasAddressBook: true,
  },
  servicechain: {
    istanbul: { epoch: 3_600, policy: 0, sub: 22 },
    unitPrice: 0n,
    reward: undefined,
    hasAddressBook: false,
  },
  "servicechain-test": {
    istanbul: { epoch: 30, policy: 0, sub: 22 },
    unitPrice: 0n,
    reward: undefined,
    hasAddressBook: false,
  },
};

/** Default rewards. */
export const PLAIN_REWARD: RewardConfig = { ...DEFAULT_REWARD, ...defaultsOf(rewardOptions) };

/** `deriveShaImpl` of the kinds: concatenated hashes (`params/config.go@v2.2.2`). */
const KIND_DERIVE_SHA = 2;

/** Returns the options with the parameters of their kind. */
export function applyKind(options: GenesisOptions): GenesisOptions & { readonly hasAddressBook: boolean } {
  if (options.kind === "plain") return { ...options, hasAddressBook: options.addressBookOwner !== undefined };
  const { istanbul, unitPrice, reward, hasAddressBook } = KINDS[options.kind];
  const governance = reward && governanceOf(options, { ...PLAIN_REWARD, ...reward });
  return { ...options, istanbul, unitPrice, deriveShaImpl: KIND_DERIVE_SHA, governance, hasAddressBook };
}

function governanceOf({ governance }: GenesisOptions, reward: RewardConfig): GovernanceOptions | undefined {
  return governance && { ...governance, mode: "single", governingNode: undefined, reward };
}
