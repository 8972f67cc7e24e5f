/** The kinds of genesis: what each sets besides the terms. */
import { DEFAULT_REWARD, type RewardConfig } from "../config/chain-config.ts";
import type { GenesisKind } from "../config/flags-genesis.ts";
import type { GenesisOptions, GovernanceTerms } from "./genesis-options.ts";

interface KindRow {
  readonly istanbul: GenesisOptions["istanbul"];
  readonly unitPrice: bigint;
  /** Rewards that differ from a plain network's; `undefined`: no governance. */
  readonly reward: Partial<RewardConfig> | undefined;
  readonly hasAddressBook: boolean;
}

const PUBLIC = { ratio: "34/54/12", deferredTxFee: true, minimumStake: 5_000_000n } as const;
const QUICK = { stakingUpdateInterval: 60, proposerUpdateInterval: 30 } as const;
const PRICE = 25_000_000_000n;

/** Epoch, policy and committee of a kind, its price and its rewards. Quick kinds change often. */
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

/** Rewards where nothing else is said. */
export const PLAIN_REWARD: RewardConfig = {
  ...DEFAULT_REWARD,
  mintingAmount: 9_600_000_000_000_000_000n,
};

/** Roots of transactions and receipts over their hashes one behind the other. */
const KIND_DERIVE_SHA = 2;

/** The terms with what their kind sets. */
export function termsOfKind(terms: GenesisOptions): GenesisOptions & { readonly hasAddressBook: boolean } {
  if (terms.kind === "plain") return { ...terms, hasAddressBook: terms.addressBookOwner !== undefined };
  const { istanbul, unitPrice, reward, hasAddressBook } = KINDS[terms.kind];
  const governance = reward && governanceOf(terms, { ...PLAIN_REWARD, ...reward });
  return { ...terms, istanbul, unitPrice, deriveShaImpl: KIND_DERIVE_SHA, governance, hasAddressBook };
}

function governanceOf({ governance }: GenesisOptions, reward: RewardConfig): GovernanceTerms | undefined {
  return governance && { ...governance, mode: "single", governingNode: undefined, reward };
}
