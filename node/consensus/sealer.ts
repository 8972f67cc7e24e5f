/**
 * Makes blocks as the only validator of a chain: one each interval, empty ones too. The committed seal is the
 * proposer's own (a set of one needs one seal).
 */

import { repaired } from "../chain/repaired.ts";
import type { Writer } from "../chain/writer.ts";
import type { ChainConfig } from "../config/chain-config.ts";
import { rulesAt } from "../config/rules.ts";
import { blobGasOf } from "../execution/blob-gas.ts";
import type { Pause } from "../execution/block.ts";
import { blockContext } from "../execution/block-context.ts";
import type { Governance } from "../governance/governance.ts";
import type { Parameters } from "../governance/parameters.ts";
import { type Block, createBlock } from "../model/block.ts";
import type { Header } from "../model/header.ts";
import { listRoot } from "../model/list-root.ts";
import { encodeReceipt } from "../model/receipt.ts";
import type { Transaction } from "../model/transaction.ts";
import type { Clock } from "../observe/clock.ts";
import type { Log } from "../observe/log.ts";
import type { State } from "../state/state.ts";
import { headerExtras, rewardbaseOf, soleValidator } from "./header-extras.ts";
import { type Candidates, draftHeader, type Filled, fillBlock } from "./proposal.ts";
import { type SealDigest, withCommittedSeals, withProposerSeal } from "./seal.ts";

/** What the sealer works with. */
export interface SealerParts {
  readonly config: ChainConfig;
  readonly writer: Writer;
  readonly state: State;
  /** No block is made before. */
  readonly ready: Promise<unknown>;
  /** Resolves when the disk has room for a block. */
  readonly room: () => Promise<void>;
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
  readonly intervalMs: number;
  readonly limitMs: number;
  readonly pause: Pause;
  readonly clock: Clock;
  readonly log: Log;
}

/** A running sealer; disposing it lets the block being made finish. */
export interface Sealer extends AsyncDisposable {
  /** Rejects when a block could not be made or written: the node cannot go on. */
  readonly failed: Promise<never>;
}

/** Starts to make blocks. */
export function openSealer(parts: SealerParts): Sealer {
  const stop = new AbortController();
  const running = run(parts, stop.signal);
  const failed = new Promise<never>((_, reject) => {
    running.catch(reject);
  });
  failed.catch(() => undefined); // whoever races against it sees the failure
  return {
    failed,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running.catch(() => undefined);
    },
  };
}

async function run(parts: SealerParts, signal: AbortSignal): Promise<void> {
  await Promise.race([parts.ready, aborted(signal)]);
  while (!signal.aborted) {
    await sleepUntil(() => nextTime(parts), parts.clock, signal);
    await Promise.race([parts.room(), aborted(signal)]);
    if (!signal.aborted) await parts.writer.exclusively(() => repaired(parts.state, () => makeBlock(parts)));
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Milliseconds since the epoch at which the next block is due: a full second, an interval after the parent. */
function nextTime({ writer, intervalMs }: SealerParts): number {
  return writer.tip.header.time * 1000 + intervalMs;
}

/** A clock may be set while one waits, and a timer takes no more than 25 days. */
const LONGEST_SLEEP_MS = 1_000;

async function sleepUntil(time: () => number, clock: Clock, signal: AbortSignal): Promise<void> {
  for (;;) {
    const left = time() - clock.now();
    await sleep(Math.min(Math.max(0, left), LONGEST_SLEEP_MS), signal);
    if (left <= LONGEST_SLEEP_MS || signal.aborted) return;
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
  });
}

/** Makes and writes one block on the tip. */
async function makeBlock(parts: SealerParts): Promise<void> {
  const { config, writer, state, clock, log } = parts;
  const started = clock.now();
  const parent = writer.tip;
  const number = parent.header.number + 1;
  const rules = rulesAt(config, number);
  const parameters = parts.governance.parameters(number);
  const header = draftHeader({
    parent,
    rules,
    parameters,
    validators: soleValidator(parts, number),
    rewardbase: rewardbaseOf(parts, number),
    vanity: parts.vanity,
    now: started,
    extras: await headerExtras(parts, parent.header, rules),
  });
  const world = state.begin();
  const blockHash = writer.hashOf.bind(writer);
  const context = blockContext(config, header, { author: parts.address, blockHash });
  const filled = await fillBlock(world, context, { ...parts, candidates: parts.candidates(header.baseFee) });
  await parts.pause();
  const stateRoot = await writer.seal({ world, outcome: filled.outcome }, header, rules);
  await parts.pause();
  const block = sealed(completed(header, filled, stateRoot, parameters), filled, parts.sign);
  await parts.pause();
  await writer.commit(block, filled.outcome.receipts, true);
  log.debug({ number, txs: filled.transactions.length, ms: clock.now() - started }, "sealed block");
}

function completed(
  header: Header,
  { transactions, outcome }: Filled,
  stateRoot: Uint8Array,
  parameters: Parameters,
): Header {
  const rawTransactions = transactions.map((tx) => tx.raw);
  return {
    ...header,
    stateRoot,
    transactionsRoot: listRoot(parameters.deriveShaImpl, rawTransactions),
    receiptsRoot: listRoot(parameters.deriveShaImpl, outcome.receipts.map(encodeReceipt)),
    bloom: outcome.bloom,
    gasUsed: outcome.gasUsed,
    blobGasUsed: header.excessBlobGas === undefined ? undefined : blobGasOf(transactions),
  };
}

function sealed(header: Header, { transactions }: Filled, sign: SealDigest): Block {
  return createBlock(withCommittedSeals(withProposerSeal(header, sign), [sign]), transactions);
}
