/** What the two lines of the Go node tell differently of the chain and of its governance (rpc.md 2.6, 2.10, 2.11, 3.8). */

/** One line. */
export interface ReadLine {
  /** What `protocolVersion` says. */
  readonly protocolVersion: number;
  /** Blocks and Ethereum's headers show the sum of all block scores. */
  readonly showsTotalScore: boolean;
  /** Memory that the Go node counts for a header's fixed part. */
  readonly headerBytes: number;
  /** Council and committee of the block after the newest one may be asked for. */
  readonly knowsNextCouncil: boolean;
  /** The two funds' names: what was first, and the second one. */
  readonly funds: { readonly kif: string; readonly kef: string };
  /** Members of staking information and their order. */
  readonly staking: "with-pools" | "without-pools";
  /** `getStakingInfo` may be asked without a number. */
  readonly stakingOfHead: boolean;
  /** Parameters that a fork took the meaning of are shown as they count since. */
  readonly settlesParameters: boolean;
  /** `forkStatus`: member and the fork that it tells of. */
  readonly forkFlags: Readonly<Record<string, string>>;
  /** Times as seconds, or as text for people. */
  readonly timesAsText: boolean;
  /** A proof of an account without code is refused. */
  readonly provesContractsOnly: boolean;
  /** Unknown hashes are written as lists of decimal bytes in the words for a header that is not there. */
  readonly hashesAsBytes: boolean;
  /** A receipt names an address for every message without a recipient, not for creations alone. */
  readonly namesEveryTarget: boolean;
  /** A transaction asked for by its hash, and a receipt, shows the most that it offered as its price. */
  readonly showsCapByHash: boolean;
  /** Solidity's own checks are named when a call is taken back by one. */
  readonly readsPanics: boolean;
  /** The signer of a transaction without a type may be asked for. */
  readonly recoversLegacy: boolean;
  /** A search from or to the pending block is made, not refused. */
  readonly searchesPending: boolean;
  /** Blocks may be named `safe` and `finalized`. */
  readonly knowsSafeTags: boolean;
  /** Blob base fees are part of a fee history. */
  readonly blobFees: boolean;
  /** A fee history counts the pending block, shows whole prices as rewards and measures gas by the shown limit. */
  readonly countsPending: boolean;
  /** A vote of a list says in which block it stands, or who cast it. */
  readonly votes: "numbered" | "by-voter";
  /** Methods that the line does not have. */
  readonly lacks: ReadonlySet<string>;
  readonly words: LineWords;
}

/** Error texts. */
interface LineWords {
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

/** Version 2. */
export const kaiaLine: ReadLine = {
  protocolVersion: 67,
  showsTotalScore: false,
  headerBytes: 592,
  knowsNextCouncil: true,
  funds: { kif: "kif", kef: "kef" },
  staking: "with-pools",
  stakingOfHead: false,
  settlesParameters: true,
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
  words: {
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

/** Version 1. */
export const klaytnLine: ReadLine = {
  protocolVersion: 65,
  showsTotalScore: true,
  headerBytes: 576,
  knowsNextCouncil: false,
  funds: { kif: "kff", kef: "kcf" },
  staking: "without-pools",
  stakingOfHead: true,
  settlesParameters: false,
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
  words: {
    noCredit: "no cypress credit contract",
    keysBeforeRandao: "Randao fork is not enabled",
    noVoteRight: "You don't have the right to vote",
    badBallot: "Your vote couldn't be placed. Please check your vote's key and value",
    votePrepared: PREPARED,
    noStakingSync: () => "there is no staking info to be synced",
    noRewardBlock: (number) => `the block does not exist (block number: ${number})`,
  },
};
