/** Options of a network: its size and its genesis, defaults included. */
import type { Address } from "../bytes/brands.ts";
import type { RewardConfig } from "../config/chain-config.ts";
import type { GenesisKind } from "../config/flags-genesis.ts";

/** Number of nodes of each type, of validators among the core nodes, and of test accounts. */
export interface NetworkSize {
  readonly core: number;
  readonly validators: number;
  readonly proxy: number;
  readonly endpoint: number;
  readonly testAccounts: number;
}

/** Parameters of the base fee (KIP-71). */
export interface BaseFeeOptions {
  readonly lowerBound: bigint;
  readonly upperBound: bigint;
  readonly gasTarget: bigint;
  readonly blockGasLimit: bigint;
  readonly denominator: bigint;
}

/** Governance parameters of the genesis. */
export interface GovernanceOptions {
  readonly mode: string;
  /** `undefined` for the first validator. */
  readonly governingNode: Address | undefined;
  readonly parameterContract: Address;
  readonly reward: RewardConfig;
  readonly baseFee: BaseFeeOptions;
}

/** Options of the genesis. */
export interface GenesisOptions {
  readonly kind: GenesisKind;
  readonly chainId: bigint;
  readonly unitPrice: bigint;
  readonly deriveShaImpl: number;
  /** Fork blocks by the member of the chain configuration; a fork without an entry is not scheduled. */
  readonly forks: ReadonlyMap<string, number>;
  readonly istanbul: { readonly epoch: number; readonly policy: number; readonly sub: number };
  /** `undefined` for the chain's defaults. A kind other than `plain` has its own. */
  readonly governance: GovernanceOptions | undefined;
  readonly kip103Contract: Uint8Array;
  readonly kip160Contract: Uint8Array;
  readonly blsProxy: Address;
  readonly blsLogic: Address;
  /** Funded accounts in addition to validators and test accounts. */
  readonly funded: readonly Address[];
  /** Account that may initialise the address book; `undefined` for the one in its code. */
  readonly addressBookOwner: "first-validator" | Uint8Array | undefined;
  /** Timestamp in seconds since the epoch. */
  readonly time: number;
}
