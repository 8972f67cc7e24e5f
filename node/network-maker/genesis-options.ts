/** What a network is to be: everything that is asked of the maker, defaults filled in. */
import type { RewardConfig } from "../config/chain-config.ts";
import type { GenesisKind } from "../config/flags-genesis.ts";

/** How many nodes of each type, of which so many core nodes make blocks, and how many funded accounts. */
export interface NetworkSize {
  readonly core: number;
  readonly validators: number;
  readonly proxy: number;
  readonly endpoint: number;
  readonly testAccounts: number;
}

/** The base fee (KIP-71). */
export interface BaseFeeTerms {
  readonly lowerBound: bigint;
  readonly upperBound: bigint;
  readonly gasTarget: bigint;
  readonly blockGasLimit: bigint;
  readonly denominator: bigint;
}

/** Governance as the genesis sets it. */
export interface GovernanceTerms {
  readonly mode: string;
  /** `undefined`: the first validator. */
  readonly governingNode: Uint8Array | undefined;
  readonly parameterContract: Uint8Array;
  readonly reward: RewardConfig;
  readonly baseFee: BaseFeeTerms;
}

/** Block 0. */
export interface GenesisOptions {
  readonly kind: GenesisKind;
  readonly chainId: bigint;
  readonly unitPrice: bigint;
  readonly deriveShaImpl: number;
  /** Blocks at which forks begin, by the member of the configuration; a fork that is missing never does. */
  readonly forks: ReadonlyMap<string, number>;
  readonly istanbul: { readonly epoch: number; readonly policy: number; readonly sub: number };
  /** `undefined`: the chain's defaults. A kind other than `plain` has its own. */
  readonly governance: GovernanceTerms | undefined;
  readonly kip103Contract: Uint8Array;
  readonly kip160Contract: Uint8Array;
  readonly blsProxy: Uint8Array;
  readonly blsLogic: Uint8Array;
  /** Accounts with money besides those of validators and tests. */
  readonly funded: readonly Uint8Array[];
  /** Who may set up the address book; `undefined`: whom its code names. */
  readonly addressBookOwner: "first-validator" | Uint8Array | undefined;
  /** Seconds since the epoch. */
  readonly time: number;
}
