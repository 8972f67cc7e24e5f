/** Makes a block on the tip as a proposer does: sealed by this node, agreed on by nobody yet. */
import { Steps } from "../chain/insert-times.ts";
import type { Writer } from "../chain/writer.ts";
import type { SealedBlock } from "../chain/writer-parts.ts";
import type { ChainConfig } from "../config/chain-config.ts";
import { rulesAt } from "../config/rules.ts";
import { blobGasOf } from "../execution/blob-gas.ts";
import { blockContext } from "../execution/block-context.ts";
import type { Governance } from "../governance/governance.ts";
import type { GovernanceParameters } from "../governance/parameters.ts";
import { createBlock } from "../model/block.ts";
import type { Header } from "../model/header.ts";
import { listRoot } from "../model/list-root.ts";
import { encodeReceipt } from "../model/receipt.ts";
import type { Transaction } from "../model/transaction.ts";
import type { Log } from "../observe/log.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Pause } from "../runtime/scheduler.ts";
import { runInSlices } from "../runtime/scheduler.ts";
import type { State } from "../state/state.ts";
import type { OnDraft } from "./draft-metrics.ts";
import { headerExtras, proposerRewardbase } from "./header-extras.ts";
import { type Candidates, draftHeader, type FilledBlock, fillBlock } from "./proposal.ts";
import { type SealDigest, withProposerSeal } from "./seal.ts";

/** What blocks are made of. */
export interface DraftDeps {
  readonly config: ChainConfig;
  readonly writer: Writer;
  readonly state: State;
  readonly governance: Governance;
  /** The vote field of the next block. */
  readonly vote: () => Uint8Array;
  /** Transactions for the next block, best first. */
  readonly candidates: (baseFee: bigint | undefined) => Candidates;
  readonly drop: (tx: Transaction) => void;
  /** The node's own address and its signature. */
  readonly address: Uint8Array;
  readonly sign: SealDigest;
  /** Signs what headers with randomness carry. */
  readonly blsKey: Uint8Array;
  /** Where the weighted policy names no address for the node. */
  readonly rewardbase: Uint8Array;
  readonly vanity: Uint8Array;
  readonly limitMs: number;
  readonly pause: Pause;
  /** Told of every block made. */
  readonly onDraft: OnDraft;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Makes a block on the writer's tip and seals it, ready to be committed once it is agreed on. For callers of
 * `exclusively`. Throws `ConsensusError` `unsupported` when no node would accept a block of this one.
 */
export async function draftBlock(parts: DraftDeps): Promise<SealedBlock> {
  const { config, writer, state, clock, log } = parts;
  const steps = new Steps();
  const parent = writer.tip;
  const number = parent.header.number + 1;
  const rules = rulesAt(config, number);
  const parameters = parts.governance.parameters(number);
  const header = draftHeader({
    parent,
    rules,
    parameters,
    validators: parts.governance.validators(number).qualified,
    rewardbase: proposerRewardbase(parts, number),
    vanity: parts.vanity,
    now: clock.now(),
    extras: await headerExtras(parts, parent.header, rules),
  });
  const world = state.begin();
  const balance = world.balance(parts.address);
  const blockHash = writer.hashOf.bind(writer);
  const context = blockContext(config, header, { author: parts.address, blockHash });
  const filled = await fillBlock(world, context, { ...parts, candidates: parts.candidates(header.baseFee) });
  const fillMs = steps.next();
  await parts.pause();
  using sealed = await writer.seal({ world, outcome: filled.outcome }, header, rules);
  await parts.pause();
  const complete = await runInSlices(completeSteps(header, filled, sealed.stateRoot, parameters));
  await parts.pause();
  const block = createBlock(withProposerSeal(complete, parts.sign), filled.transactions);
  const transactions = filled.transactions.length;
  const { baseFee = 0n } = header;
  parts.onDraft({ fillMs, completeMs: steps.next(), tally: filled.tally, transactions, baseFee, balance });
  log.debug({ number, txs: transactions, ms: Math.round(steps.all) }, "made a block");
  return sealed.complete(block);
}

/** Fills in what is known after execution, in steps: thousands of transactions make each a matter of milliseconds. */
function* completeSteps(
  header: Header,
  { transactions, outcome }: FilledBlock,
  stateRoot: Uint8Array,
  { deriveShaImpl }: GovernanceParameters,
): Generator<undefined, Header> {
  const rawTransactions = transactions.map((tx) => tx.raw);
  const transactionsRoot = listRoot(deriveShaImpl, rawTransactions);
  yield;
  const rawReceipts = outcome.receipts.map(encodeReceipt);
  yield;
  return {
    ...header,
    stateRoot,
    transactionsRoot,
    receiptsRoot: listRoot(deriveShaImpl, rawReceipts),
    bloom: outcome.bloom,
    gasUsed: outcome.gasUsed,
    blobGasUsed: header.excessBlobGas === undefined ? undefined : blobGasOf(transactions),
  };
}
