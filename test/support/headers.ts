/** Headers sealed by throw-away validators. */
import { BASE_RULES, type Rules } from "../../node/config/rules.ts";
import type { HeaderDeps } from "../../node/consensus/header-rules.ts";
import { draftHeader } from "../../node/consensus/proposal.ts";
import { type SealDigest, withCommittedSeals, withProposerSeal } from "../../node/consensus/seal.ts";
import { addressOfKey, sign } from "../../node/crypto/secp256k1.ts";
import { checkGovernanceData } from "../../node/governance/header-fields.ts";
import type { GovernanceParameters } from "../../node/governance/parameters.ts";
import { validatorSet } from "../../node/governance/validators.ts";
import { type Block, createBlock } from "../../node/model/block.ts";
import type { Header } from "../../node/model/header.ts";

/** A validator of tests; its number makes its key. */
export interface TestValidator {
  readonly address: Uint8Array;
  readonly sign: SealDigest;
}

export function aValidator(number: number): TestValidator {
  const key = new Uint8Array(32).fill(number);
  return { address: addressOfKey(key), sign: (digest) => sign(digest, key) };
}

export const testParameters: GovernanceParameters = {
  unitPrice: 25_000_000_000n,
  deriveShaImpl: 2,
  mintingAmount: 0n,
  ratio: { validators: 100n, kif: 0n, kef: 0n, kpf: 0n },
  kip82: { proposer: 20n, stakers: 80n },
  deferredTxFee: true,
  minimumStake: 0n,
  stakingRewardThreshold: 0n,
  useFlexReward: false,
  policy: "round-robin",
  proposerUpdateInterval: 10,
  useGini: false,
  governanceMode: "none",
  governingNode: new Uint8Array(20),
  govParamContract: new Uint8Array(20),
  epoch: 10,
  committeeSize: 22,
  baseFee: {
    lowerBound: 25_000_000_000n,
    upperBound: 750_000_000_000n,
    gasTarget: 30_000_000n,
    maxBlockGasUsed: 60_000_000n,
    denominator: 20n,
  },
};

export const baseFeeRules: Rules = { ...BASE_RULES, baseFee: true, effectivePrice: "base-fee" };

/** An unsealed header on `parent`, made at `now` milliseconds. */
export function aHeader(
  parent: Block,
  validators: readonly TestValidator[],
  rules = BASE_RULES,
  now = 2_000_000,
): Header {
  return draftHeader({
    parent,
    rules,
    parameters: testParameters,
    validators: validators.map(({ address }) => address),
    rewardbase: new Uint8Array(20),
    vanity: new Uint8Array(32),
    now,
  });
}

/** The header sealed by `proposer` and committed to by `committers`. */
export function aSealedHeader(
  header: Header,
  proposer: TestValidator,
  committers: readonly TestValidator[],
): Header {
  return withCommittedSeals(
    withProposerSeal(header, proposer.sign),
    committers.map((committer) => committer.sign),
  );
}

/** A block 0 with nothing in it, made at 1,000 s. */
export function aGenesisBlock(validators: readonly TestValidator[]): Block {
  const parent = {
    header: { number: -1, time: 0, timeFoS: 0, gasUsed: 0n, baseFee: undefined },
    hash: new Uint8Array(32),
  };
  return createBlock(aHeader(parent as unknown as Block, validators, BASE_RULES, 1_000_000), []); // draftHeader reads no more
}

/** Context for the rules of headers of a chain without later forks. */
export function aHeaderContext(parent: Block, validators: readonly TestValidator[]): HeaderDeps {
  const addresses = validators.map(({ address }) => address);
  return {
    parent: parent.header,
    parentHash: parent.hash,
    rules: BASE_RULES,
    parameters: testParameters,
    validators: validatorSet(addresses, addresses, testParameters.committeeSize),
    blobs: { target: 1, max: 2, baseFeeUpdateFraction: 1n },
    randomness: undefined,
    checkGovernance: (header) => checkGovernanceData(header.governance, undefined),
    now: 2_000,
  };
}
