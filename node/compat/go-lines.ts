/**
 * Differences between the two lines of the Go node, Klaytn (version 1) and Kaia (version 2), in answers about the chain
 * and its governance.
 */

/** Answers of one line. */
export interface GoLine {
  /** The result of `protocolVersion`. */
  readonly protocolVersion: number;
  /** Blocks and Ethereum's headers contain the sum of all block scores. */
  readonly showsTotalScore: boolean;
  /** Memory of a header's fixed part, as the Go node counts it. */
  readonly headerBytes: number;
  /** Council and committee of the block after the head can be queried. */
  readonly knowsNextCouncil: boolean;
  /** Names of the funds; only version 2 has the third. */
  readonly funds: { readonly kif: string; readonly kef: string; readonly kpf: string | undefined };
  /** Members of staking information and their order. */
  readonly staking: "with-pools" | "without-pools";
  /** The number of `getStakingInfo` is optional. */
  readonly stakingOfHead: boolean;
  /** The lists of the first answer about a block without staking information are null, those of the next are empty. */
  readonly firstStakingIsNull: boolean;
  /** `createAccessList` fails before the base fee fork. */
  readonly accessListsNeedBaseFee: boolean;
  /** Parameters that a fork replaced are reported with their effective values. */
  readonly reportsEffectiveParameters: boolean;
  /** Governance parameters that the line does not have. */
  readonly unknownParameters: readonly string[];
  /** Members of `forkStatus` with the fork that each reports. */
  readonly forkFlags: Readonly<Record<string, string>>;
  /** Times are text for people, not seconds. */
  readonly timesAsText: boolean;
  /** A proof of an account without code is refused. */
  readonly provesContractsOnly: boolean;
  /** Error texts about missing headers contain hashes as lists of decimal bytes. */
  readonly hashesAsBytes: boolean;
  /** A receipt contains an address for every transaction without a recipient, not only for deployments. */
  readonly namesEveryTarget: boolean;
  /** The price of a transaction, queried by hash, and of its receipt is its fee cap. */
  readonly showsCapByHash: boolean;
  /** The error of a reverted call names Solidity's own panics. */
  readonly readsPanics: boolean;
  /** The sender of a legacy transaction can be recovered. */
  readonly recoversLegacy: boolean;
  /** Log searches from or to the pending block are accepted. */
  readonly searchesPending: boolean;
  /** The block tags `safe` and `finalized` are known. */
  readonly knowsSafeTags: boolean;
  /** A fee history contains blob base fees. */
  readonly blobFees: boolean;
  /**
   * A fee history includes the pending block, contains whole prices as rewards and relates gas to the
   * displayed limit.
   */
  readonly countsPending: boolean;
  /** An entry of a list of votes contains its block, or its voter. */
  readonly votes: "numbered" | "by-voter";
  /** Methods that the line does not have. */
  readonly lacks: ReadonlySet<string>;
  readonly texts: LineTexts;
}

/** Error texts. */
interface LineTexts {
  readonly noCredit: string;
  readonly keysBeforeRandao: string;
  readonly noVoteRight: string;
  readonly badBallot: string;
  readonly votePrepared: string;
  readonly noStakingSync: (from: number, to: number) => string;
  readonly noRewardBlock: (number: number | bigint) => string;
}

const PREPARED =
  "Your vote is prepared. It will be put into the block header or applied when your node generates a block as a proposer. Note that your vote may be duplicate.";

const SHARED_FORKS = {
  IsCancun: "cancunCompatibleBlock",
  IsEthTxType: "ethTxTypeCompatibleBlock",
  IsIstanbul: "istanbulCompatibleBlock",
  IsKore: "koreCompatibleBlock",
  IsLondon: "londonCompatibleBlock",
  IsMagma: "magmaCompatibleBlock",
  IsRandao: "randaoCompatibleBlock",
  IsShanghai: "shanghaiCompatibleBlock",
};

/** Version 2, Kaia. */
export const kaiaLine: GoLine = {
  protocolVersion: 67,
  showsTotalScore: false,
  headerBytes: 592,
  knowsNextCouncil: true,
  funds: { kif: "kif", kef: "kef", kpf: "kpf" },
  staking: "with-pools",
  firstStakingIsNull: true,
  accessListsNeedBaseFee: true,
  stakingOfHead: false,
  reportsEffectiveParameters: true,
  unknownParameters: [],
  forkFlags: {
    ...SHARED_FORKS,
    IsKaia: "kaiaCompatibleBlock",
    IsOsaka: "osakaCompatibleBlock",
    IsPrague: "pragueCompatibleBlock",
  },
  timesAsText: false,
  provesContractsOnly: false,
  hashesAsBytes: false,
  searchesPending: false,
  namesEveryTarget: true,
  showsCapByHash: false,
  readsPanics: true,
  recoversLegacy: true,
  knowsSafeTags: true,
  blobFees: true,
  countsPending: false,
  votes: "numbered",
  lacks: new Set([
    "governance_getChainConfig",
    "governance_showTally",
    "governance_totalVotingPower",
    "governance_myVotingPower",
    "governance_pendingChanges",
    "governance_idxCacheFromDb",
    "governance_itemCacheFromDb",
    "istanbul_getSnapshot",
    "istanbul_getSnapshotAtHash",
  ]),
  texts: {
    noCredit: "no mainnet credit contract",
    keysBeforeRandao: "cannot read kip113 address from registry before randao fork",
    noVoteRight: "you don't have the right to vote",
    badBallot: "your vote couldn't be placed. Please check your vote's key and value",
    votePrepared: `(kaiax) ${PREPARED}`,
    noStakingSync: (from, to) =>
      `staking info recovery is only available before Kaia fork block (from: ${from}, to: ${to})`,
    noRewardBlock: () => "block not found",
  },
};

/** Version 1, Klaytn. */
export const klaytnLine: GoLine = {
  protocolVersion: 65,
  showsTotalScore: true,
  headerBytes: 576,
  knowsNextCouncil: false,
  funds: { kif: "kff", kef: "kcf", kpf: undefined },
  staking: "without-pools",
  firstStakingIsNull: false,
  accessListsNeedBaseFee: true,
  stakingOfHead: true,
  reportsEffectiveParameters: false,
  unknownParameters: ["reward.stakingrewardthreshold", "reward.useflexreward"],
  forkFlags: { ...SHARED_FORKS, IsDragon: "kaiaCompatibleBlock" },
  timesAsText: true,
  provesContractsOnly: true,
  hashesAsBytes: true,
  searchesPending: true,
  namesEveryTarget: false,
  showsCapByHash: true,
  readsPanics: false,
  recoversLegacy: false,
  knowsSafeTags: false,
  blobFees: false,
  countsPending: true,
  votes: "by-voter",
  lacks: new Set([
    "chain_getTotalSupply",
    "chain_isConsoleLogEnabled",
    "chain_sendRawTransactions",
    "eth_blobBaseFee",
    "eth_config",
    "eth_getBlobSidecarByTxHash",
    "eth_getBlobSidecars",
    "governance_getContractParams",
    "governance_status",
    "istanbul_getDemotedValidators",
  ]),
  texts: {
    noCredit: "no cypress credit contract",
    keysBeforeRandao: "Randao fork is not enabled",
    noVoteRight: "You don't have the right to vote",
    badBallot: "Your vote couldn't be placed. Please check your vote's key and value",
    votePrepared: PREPARED,
    noStakingSync: () => "there is no staking info to be synced",
    noRewardBlock: (number) => `the block does not exist (block number: ${number})`,
  },
};
