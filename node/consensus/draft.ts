/** Builds a block on the tip as a proposer does, sealed by this node and not yet agreed on. */

import type { Auction } from "../auction/auction.ts";
import type { Address, Hash } from "../bytes/brands.ts";
import type { HeaderOverrides, NextHeader } from "../chain/next-header.ts";
import { Stopwatch } from "../chain/stopwatch.ts";
import type { Writer } from "../chain/writer.ts";
import type { SealedBlock } from "../chain/writer-deps.ts";
import type { ChainConfig } from "../config/chain-config.ts";
import { rulesAt } from "../config/rules.ts";
import { blobGasOf } from "../execution/blob-gas.ts";
import { blockContext } from "../execution/block-context.ts";
import type { Governance } from "../governance/governance.ts";
import type { GovernanceParameters } from "../governance/parameters.ts";
import { createBlock } from "../model/block.ts";
import type { Header } from "../model/header.ts";
import { listRootSteps } from "../model/list-root.ts";
import { encodeReceiptSteps } from "../model/receipt.ts";
import type { Transaction } from "../model/transaction.ts";
import type { Log } from "../observe/log.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Pause } from "../runtime/scheduler.ts";
import { runInSlices } from "../runtime/scheduler.ts";
import type { State } from "../state/state.ts";
import type { World } from "../state/world/world.ts";
import type { OnDraft } from "./draft-metrics.ts";
import { headerExtras, proposerRewardbase } from "./header-extras.ts";
import type { Lender } from "./loans.ts";
import { type Candidates, draftHeader, type FilledBlock, fillBlock, type HeaderExtras } from "./proposal.ts";
import { type SealDigest, withProposerSeal } from "./seal.ts";
import { rememberProposer } from "./sealers.ts";

/** Decides on loans, and makes the transactions that lend. */
export interface GaslessLender extends Pick<Lender, "canLend"> {
  /** `nonce` is the proposer's. */
  lend(approve: Transaction | undefined, swap: Transaction, nonce: bigint): Transaction;
}

/** Dependencies of the block builder. */
export interface DraftDeps {
  readonly config: ChainConfig;
  readonly writer: Writer;
  readonly state: State;
  readonly governance: Governance;
  readonly nextHeader: NextHeader;
  /** Returns the vote field of the next block. */
  readonly vote: () => Uint8Array;
  /** Returns the pool's transactions for block `number`, best tip first. */
  readonly candidates: (number: number, baseFee: bigint | undefined) => Candidates;
  /** Bids for places in blocks; undefined where none are taken. */
  readonly auction: Pick<Auction, "follower"> | undefined;
  /** Lends fees to senders without KAIA; undefined where nobody does. */
  readonly gasless: GaslessLender | undefined;
  readonly drop: (tx: Transaction) => void;
  /** Address of the node; `sign` makes its signatures. */
  readonly address: Address;
  readonly sign: SealDigest;
  /** BLS key that signs random reveals (KIP-114). */
  readonly blsKey: Uint8Array;
  /** Reward address for policies other than the weighted one, and for a node without a staking entry. */
  readonly rewardbase: Address;
  readonly vanity: Uint8Array;
  readonly limitMs: number;
  readonly pause: Pause;
  /** Receives the figures of every block built. */
  readonly onDraft: OnDraft;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Builds a block on the writer's tip and seals it, ready to be committed once it is agreed on. Called within
 * `exclusively`. Throws `ConsensusError` `unsupported` when no node would accept a block of this one.
 */
export async function draftBlock(deps: DraftDeps): Promise<SealedBlock> {
  const { config, writer, state, clock, log } = deps;
  const steps = new Stopwatch();
  const parent = writer.tip;
  const number = parent.header.number + 1;
  const rules = rulesAt(config, number);
  const parameters = deps.governance.parameters(number);
  const header = draftHeader({
    parent,
    rules,
    parameters,
    validators: deps.governance.validators(number).qualified,
    rewardbase: proposerRewardbase(deps, number),
    vanity: deps.vanity,
    now: clock.now(),
    extras: { ...(await headerExtras(deps, parent.header, rules)), ...overrides(deps.nextHeader.at(number)) },
  });
  const world = state.begin();
  const balance = world.balance(deps.address);
  const blockHash = writer.hashOf.bind(writer);
  const context = blockContext(config, header, { author: deps.address, blockHash });
  const filled = await fillBlock(world, context, {
    ...deps,
    candidates: deps.candidates(number, header.baseFee),
    gasLimit: deps.nextHeader.gasLimitAt(number),
    lender: lenderOf(deps, world),
    bidBehind: (target) => deps.auction?.follower(target, { number, nonce: world.nonce(deps.address) }),
  });
  const fillMs = steps.next();
  await deps.pause();
  using sealed = await writer.seal({ world, outcome: filled.outcome }, header, rules);
  await deps.pause();
  const complete = await runInSlices(completeSteps(header, filled, sealed.stateRoot, parameters));
  await deps.pause();
  const proposed = withProposerSeal(complete, deps.sign);
  rememberProposer(proposed, deps.address);
  const block = createBlock(proposed, filled.transactions);
  const transactions = filled.transactions.length;
  const { baseFee = 0n } = header;
  deps.onDraft({ fillMs, completeMs: steps.next(), tally: filled.tally, transactions, baseFee, balance });
  log.debug({ number, txs: transactions, ms: Math.round(steps.all) }, "built a block");
  return sealed.complete(block);
}

function lenderOf({ gasless, address }: DraftDeps, world: World): Lender | undefined {
  if (gasless === undefined) return undefined;
  return {
    canLend: (approve, swap) => gasless.canLend(approve, swap),
    lend: (approve, swap) => gasless.lend(approve, swap, world.nonce(address)),
  };
}

/** Returns the members that a development chain has set; a random value comes without a reveal. */
function overrides(members: HeaderOverrides): HeaderExtras {
  return members.mixHash === undefined ? members : { ...members, randomReveal: new Uint8Array(0) };
}

/**
 * Completes a header after execution, in slices, since thousands of transactions need several milliseconds
 * each.
 */
function* completeSteps(
  header: Header,
  { transactions, outcome }: FilledBlock,
  stateRoot: Hash,
  { deriveShaImpl }: GovernanceParameters,
): Generator<undefined, Header> {
  const rawTransactions = transactions.map((tx) => tx.raw);
  const transactionsRoot = yield* listRootSteps(deriveShaImpl, rawTransactions);
  const rawReceipts = yield* encodeReceiptSteps(outcome.receipts);
  return {
    ...header,
    stateRoot,
    transactionsRoot,
    receiptsRoot: yield* listRootSteps(deriveShaImpl, rawReceipts),
    bloom: outcome.bloom,
    gasUsed: outcome.gasUsed,
    blobGasUsed: header.excessBlobGas === undefined ? undefined : blobGasOf(transactions),
  };
}
