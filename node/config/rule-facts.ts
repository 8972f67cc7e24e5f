/** The rules that forks change, as facts with a name. Other code reads facts, never forks. */

/** Maximum size of a block since Osaka, in bytes of RLP (EIP-7934). */
export const MAX_BLOCK_SIZE = 10_485_760;

/** Gas for one byte of a transaction's input. */
export interface InputGas {
  readonly zero: bigint;
  readonly nonZero: bigint;
}

/** Revisions of the EVM: opcodes, precompiled contracts and gas. Each includes the earlier ones. */
export const EVM_REVISIONS = [
  "base",
  "istanbul",
  "london",
  "kore",
  "shanghai",
  "cancun",
  "prague",
  "osaka",
] as const;

/** A revision of the EVM. */
export type EvmRevision = (typeof EVM_REVISIONS)[number];

/** True when `revision` is `since` or a later one. */
export function isRevisionSince(revision: EvmRevision, since: EvmRevision): boolean {
  return EVM_REVISIONS.indexOf(revision) >= EVM_REVISIONS.indexOf(since);
}

/** Values of all facts; a fork changes some of them. */
export interface RuleFacts {
  /** Gas for the input of legacy transactions. */
  readonly legacyInputGas: InputGas;
  /** Gas for the input of all other transactions. */
  readonly inputGas: InputGas;
  /** Floor gas for one token of input (EIP-7623: a zero byte is one token, any other byte four); 0 for no floor. */
  readonly floorTokenGas: bigint;
  /** Maximum size of init code (EIP-3860), in bytes. */
  readonly maxInitcodeSize: number | undefined;
  /** Gas for each 32 bytes of init code (EIP-3860). */
  readonly initcodeWordGas: bigint;
  /** Transaction types that are valid in addition to those without a fork. */
  readonly acceptedTypes: ReadonlySet<number>;
  /** Headers carry a base fee (KIP-71) and no transaction may offer less. */
  readonly baseFee: boolean;
  /** The effective gas price. */
  readonly effectivePrice: "gas-price" | "base-fee" | "base-fee-and-tip";
  /** Fee caps are checked against each other and the base fee before gas is bought. */
  readonly checksPriceCaps: boolean;
  /** Half of a block's fees is burnt when they are paid at the end of the block. */
  readonly burnHalf: boolean;
  /** Recipient of a transaction's fee when fees are not deferred to the end of the block. */
  readonly immediateFeeTo: "author" | "rewardbase";
  /** Warm addresses and slots cost less gas (EIP-2929). */
  readonly accessSets: boolean;
  /** The block's author is warm at the start of a transaction (EIP-3651). */
  readonly warmsAuthor: boolean;
  /** Entries of an access list are warm (EIP-2930); without this fact they only cost gas. */
  readonly warmsAccessList: boolean;
  /** Divisor of the gas used that bounds the refund (EIP-3529). */
  readonly refundQuotient: bigint;
  /** VM version in the code info of new contracts. */
  readonly vmVersion: 0 | 1;
  /** Number of fields of a header. */
  readonly headerFields: number;
  /** Headers in JSON have a base fee, 0 when the header has none. */
  readonly headerShowsBaseFee: boolean;
  /** Method of gas price suggestions. */
  readonly suggestedPrice: "unit-price" | "twice-base-fee" | "base-fee-and-tenth";
  /** The block's number, not its parent's, selects the epoch of its governance parameters. */
  readonly governanceCountsBlock: boolean;
  /** Governance parameters may come from the governance contract. */
  readonly governanceContract: boolean;
  /** Rewards are split between proposers and stakers (KIP-82). */
  readonly splitsStakers: boolean;
  /** The list of proposers has every qualified validator once, regardless of its stake. */
  readonly drawsProposersEvenly: boolean;
  /** Stakes are read at the parent block, not at an earlier interval. */
  readonly readsNewestStakes: boolean;
  /** Consensus liquidity pools count as stakes (KIP-226). */
  readonly liquidityPools: boolean;
  /** `reward.useflexreward` splits rewards by four shares and a threshold of its own. */
  readonly flexReward: boolean;
  /** The weighted policy demotes validators below the minimum stake. */
  readonly demotesValidators: boolean;
  /** Gas of a multi-signature depends on the signatures in the transaction, not on the registered keys. */
  readonly multiSigGasBySignatures: boolean;
  /** A multi-signature is invalid with more signatures than keys or with a signature of an unregistered key. */
  readonly multiSigRefusesUnknownKeys: boolean;
  /** Headers carry randomness (KIP-114). */
  readonly randao: boolean;
  /** Every block stores its parent's hash before its transactions (EIP-2935). */
  readonly parentHashCall: boolean;
  /** Externally owned accounts may have a delegation as code (EIP-7702). */
  readonly delegations: boolean;
  /** Headers carry blob gas (EIP-4844). */
  readonly blobGas: boolean;
  /** Revision of the EVM. */
  readonly evm: EvmRevision;
  /** EXTCODEHASH costs 400 for every address and warms none (EIP-1052); otherwise it costs as EIP-2929 says. */
  readonly plainCodeHash: boolean;
  /** Addresses that take no value and hold no code: 0x1 to 0x3ff, or the precompiled contracts in force. */
  readonly reservedAddresses: "range" | "precompiles";
  /** Maximum computation cost of the opcodes of one transaction. */
  readonly computationLimit: number;
  /** Maximum size of a block, in bytes of RLP; `MAX_BLOCK_SIZE` since Osaka. */
  readonly maxBlockSize: number | undefined;
}

/** Facts before any fork. */
export const BASE_FACTS: RuleFacts = {
  legacyInputGas: { zero: 4n, nonZero: 68n },
  inputGas: { zero: 100n, nonZero: 100n },
  floorTokenGas: 0n,
  maxInitcodeSize: undefined,
  initcodeWordGas: 0n,
  acceptedTypes: new Set(),
  baseFee: false,
  effectivePrice: "gas-price",
  checksPriceCaps: false,
  burnHalf: false,
  immediateFeeTo: "author",
  accessSets: false,
  warmsAuthor: false,
  warmsAccessList: false,
  refundQuotient: 2n,
  vmVersion: 0,
  headerFields: 14,
  headerShowsBaseFee: false,
  suggestedPrice: "unit-price",
  governanceCountsBlock: false,
  governanceContract: false,
  splitsStakers: false,
  drawsProposersEvenly: false,
  readsNewestStakes: false,
  liquidityPools: false,
  flexReward: false,
  demotesValidators: false,
  multiSigGasBySignatures: false,
  multiSigRefusesUnknownKeys: false,
  randao: false,
  parentHashCall: false,
  delegations: false,
  blobGas: false,
  evm: "base",
  plainCodeHash: false,
  reservedAddresses: "range",
  computationLimit: 100_000_000,
  maxBlockSize: undefined,
};
