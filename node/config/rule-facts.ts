/** What may differ between forks, as plain facts: code asks for a fact, never for a fork. */
/** What one byte of a transaction's input costs. */
export interface InputGas {
  readonly zero: bigint;
  readonly nonZero: bigint;
}

/** The interpreter's revisions, each with all of the earlier ones: opcodes, precompiled contracts and gas. */
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
export type EvmRevision = (typeof EVM_REVISIONS)[number];

/** True when `revision` is `since` or a later one. */
export function isRevisionSince(revision: EvmRevision, since: EvmRevision): boolean {
  return EVM_REVISIONS.indexOf(revision) >= EVM_REVISIONS.indexOf(since);
}

/** One value for every fact; a fork changes some of them. */
export interface RuleFacts {
  /** Input of transactions without a type. */
  readonly legacyInputGas: InputGas;
  /** Input of all other transactions. */
  readonly inputGas: InputGas;
  /** Least gas for one token of input (a zero byte is one, any other four; EIP-7623); 0 means no floor. */
  readonly floorTokenGas: bigint;
  /** Longest code that may be run to create a contract (EIP-3860), in bytes. */
  readonly maxInitcodeSize: number | undefined;
  /** For each 32 bytes of such code (EIP-3860). */
  readonly initcodeWordGas: bigint;
  /** Numbers of the transaction types accepted beyond those that always are. */
  readonly acceptedTypes: ReadonlySet<number>;
  /** Headers carry a base fee (KIP-71) and no transaction may offer less. */
  readonly baseFee: boolean;
  /** What a unit of gas costs in the end. */
  readonly effectivePrice: "gas-price" | "base-fee" | "base-fee-and-tip";
  /** Price caps are checked against each other and the base fee before gas is bought. */
  readonly checksPriceCaps: boolean;
  /** Half of a block's fees is destroyed when the fees are paid out at the end of the block. */
  readonly burnHalf: boolean;
  /** Who gets a transaction's fee at once when fees are not deferred to the end of the block. */
  readonly immediateFeeTo: "author" | "rewardbase";
  /** Addresses and slots cost less once they were used in a transaction (EIP-2929). */
  readonly accessSets: boolean;
  /** The block's author counts as used from the start (EIP-3651). */
  readonly warmsAuthor: boolean;
  /** What an access list names counts as used from the start; before, it only costs gas (EIP-2930). */
  readonly warmsAccessList: boolean;
  /** At most this part of the gas used is refunded (EIP-3529). */
  readonly refundQuotient: bigint;
  /** Written into the code info of contracts created now. */
  readonly vmVersion: 0 | 1;
  /** How many fields a header has. */
  readonly headerFields: number;
  /** Header answers show a base fee, 0 when there is none. */
  readonly headerShowsBaseFee: boolean;
  /** How a price is suggested to callers. */
  readonly suggestedPrice: "unit-price" | "twice-base-fee" | "base-fee-and-tenth";
  /** A block's own number counts when the governance parameters of its epoch are looked up, not its parent's. */
  readonly governanceCountsBlock: boolean;
  /** Parameters may come from the governance contract too. */
  readonly governanceContract: boolean;
  /** Rewards are split by proposers and stakers (KIP-82). */
  readonly splitsStakers: boolean;
  /** Every qualified validator stands once in the list of proposers, whatever it has staked. */
  readonly drawsProposersEvenly: boolean;
  /** Stakes are those of the parent block, not of an earlier interval. */
  readonly readsNewestStakes: boolean;
  /** Pools of consensus liquidity count as stakes (KIP-226). */
  readonly liquidityPools: boolean;
  /** Validators with too little stake are left out under the weighted policy. */
  readonly demotesValidators: boolean;
  /** A multi-signature costs gas by the signatures a transaction carries, not by the keys registered. */
  readonly multiSigGasBySignatures: boolean;
  /** A multi-signature is refused when it has more signatures than keys, or one of a key that is not registered. */
  readonly multiSigRefusesStrangers: boolean;
  /** Headers carry randomness (KIP-114). */
  readonly randao: boolean;
  /** Every block begins by storing its parent's hash (EIP-2935). */
  readonly parentHashCall: boolean;
  /** Accounts without a contract may carry code: a delegation (EIP-7702). */
  readonly delegations: boolean;
  /** Headers carry blob gas (EIP-4844). */
  readonly blobGas: boolean;
  /** What contracts can do and what it costs. */
  readonly evm: EvmRevision;
  /** The most computation that the opcodes of one transaction may cost. */
  readonly computationLimit: number;
  /** Longest block, in bytes of RLP. */
  readonly maxBlockSize: number | undefined;
}

/** Before any fork. */
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
  demotesValidators: false,
  multiSigGasBySignatures: false,
  multiSigRefusesStrangers: false,
  randao: false,
  parentHashCall: false,
  delegations: false,
  blobGas: false,
  evm: "base",
  computationLimit: 100_000_000,
  maxBlockSize: undefined,
};
