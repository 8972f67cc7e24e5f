/**
 * Work on blocks for the round machine: builds a proposal, verifies a proposal of another validator and
 * inserts an agreed block. Each step runs exclusively on the chain's writer.
 */
import { equalBytes } from "../../bytes/compare.ts";
import { toHex } from "../../bytes/hex.ts";
import { encodeRlpList } from "../../bytes/rlp.ts";
import { ChainError } from "../../chain/error.ts";
import { retryAfterRepair } from "../../chain/retry-after-repair.ts";
import type { SealedBlock } from "../../chain/writer-deps.ts";
import { type Block, createBlock } from "../../model/block.ts";
import type { Header } from "../../model/header.ts";
import type { Transaction } from "../../model/transaction.ts";
import type { Clock } from "../../runtime/clock.ts";
import { untilDoneOrAborted } from "../../runtime/until-aborted.ts";
import { type DraftDeps, draftBlock } from "../draft.ts";
import { withCommitters } from "../sealers.ts";
import type { VoteMessage } from "./message.ts";
import { keyBytes, type ProposedBlock, proposedBlock } from "./payload.ts";
import type { Head } from "./round-state.ts";

/**
 * Reason with which work for a past round is aborted. A string, because an `Error` for every block costs as
 * much as a signature.
 */
export const ROUND_OVER = "the round is over";

/** Dependencies of `BlockWork`. */
export interface BlockWorkDeps extends DraftDeps {
  /** Milliseconds between two blocks. */
  readonly intervalMs: number;
  /** Resolves when the disk has space for a block. */
  readonly diskSpace: () => Promise<void>;
  /**
   * Decodes the transactions of a proposal, recovers their senders and verifies their blob sidecars. Rejects
   * with the error of an invalid body.
   */
  readonly assemble: (header: Header, body: Uint8Array) => Promise<Block>;
  /** Encodes a transaction as proposals carry it, with its blob sidecar. */
  readonly encodeWithBlobs: (tx: Transaction) => Uint8Array;
}

/** Round in which a block was agreed on, and the commits that carry its committed seals. */
export interface Agreement {
  readonly round: number;
  readonly commits: readonly VoteMessage<ProposedBlock>[];
}

/**
 * Builds, verifies and commits the blocks of one engine; owns the newest block that is sealed and not
 * committed.
 */
export class BlockWork {
  readonly #deps: BlockWorkDeps;
  /** Valid blocks of the current height with the bodies that they were assembled from, by hash. */
  readonly #blocks = new Map<string, { readonly body: Uint8Array; readonly block: Block }>();
  #sealed: SealedBlock | undefined;

  constructor(deps: BlockWorkDeps) {
    this.#deps = deps;
  }

  /** Drops the blocks of the past height. */
  forget(): void {
    this.#blocks.clear();
    this.#sealed = undefined; // committed, or discarded by the block that was
  }

  /**
   * Builds the block after `head` when it is due. Returns undefined when `signal` is aborted or the chain has
   * another head. Throws `ConsensusError` or `ChainError`.
   */
  async build(head: Head, signal: AbortSignal): Promise<ProposedBlock | undefined> {
    const { writer, state, clock, intervalMs, diskSpace, encodeWithBlobs } = this.#deps;
    await sleepUntil(() => writer.tip.header.time * 1000 + intervalMs, clock, signal);
    await untilDoneOrAborted(diskSpace(), signal);
    const sealed = await writer.exclusively(async () => {
      const isWanted = !signal.aborted && equalBytes(writer.tip.hash, keyBytes(head.hash));
      return isWanted ? retryAfterRepair(state, () => draftBlock(this.#deps)) : undefined;
    });
    if (sealed === undefined) return undefined;
    this.#sealed = sealed;
    const { block } = sealed;
    const proposal = proposedBlock(block.header, encodeRlpList(block.transactions.map(encodeWithBlobs)));
    this.#blocks.set(proposal.hash, { body: proposal.body, block });
    return proposal;
  }

  /**
   * Verifies a proposal: waits until its time has come, then executes its block. Resolves to undefined when
   * the block is valid, to `ROUND_OVER` when the result no longer matters because the round is over or the
   * block is in the chain, else to the error.
   */
  async verify(proposal: ProposedBlock, signal: AbortSignal): Promise<unknown> {
    const { writer, clock } = this.#deps;
    const isRoundOver = (): boolean => signal.aborted || writer.tip.header.number >= proposal.number;
    await sleepUntil(() => (proposal.header.time - 1) * 1000, clock, signal);
    try {
      const block = await this.#blockOf(proposal);
      await writer.exclusively(async () => {
        if (isRoundOver()) return;
        this.#sealed = await writer.execute(block);
        this.#blocks.set(proposal.hash, { body: proposal.body, block });
      });
      return isRoundOver() ? ROUND_OVER : undefined;
    } catch (error) {
      return isRoundOver() ? ROUND_OVER : error;
    }
  }

  /**
   * Inserts an agreed block with its committed seals, durably. A block that is in the chain already is no
   * error. Throws `ChainError`; `bad-block` also for a body that cannot be read.
   */
  async commit(proposal: ProposedBlock, agreement: Agreement, signal: AbortSignal): Promise<void> {
    const { writer, diskSpace, log } = this.#deps;
    const { transactions } = await this.#blockOf(proposal).catch((cause: Error) => {
      const message = `the body of agreed block ${proposal.number} cannot be read: ${cause.message}`;
      throw new ChainError("bad-block", message, { cause, block: proposal.number });
    });
    const block = createBlock(sealedHeader(proposal.header, agreement), transactions);
    await untilDoneOrAborted(diskSpace(), signal);
    if (signal.aborted) return;
    try {
      await writer.exclusively(async () => {
        if (writer.tip.header.number >= proposal.number) return;
        await writer.insert(block, true);
        const { number } = proposal;
        const { round } = agreement;
        log.info(
          { number, hash: toHex(block.hash), txs: transactions.length, round },
          "committed an agreed block",
        );
      });
    } catch (error) {
      if (!(error instanceof ChainError) || error.code !== "no-room") throw error;
      await this.commit(proposal, agreement, signal); // the disk was full when the writer was free
    }
  }

  /**
   * Returns the block of a proposal. The hash covers the header alone, so a valid block stands only for the body that
   * it was assembled from (`Verify` in consensus/istanbul/backend/backend.go@v2.2.2 computes the root of each body).
   */
  async #blockOf({ hash, header, body }: ProposedBlock): Promise<Block> {
    const known = this.#blocks.get(hash);
    if (known !== undefined && equalBytes(known.body, body)) return known.block;
    return this.#deps.assemble(header, body);
  }

  /** Discards the block that was executed and not committed. */
  async close(): Promise<void> {
    await this.#deps.writer.exclusively(() => Promise.resolve(this.#sealed?.discard()));
  }
}

/** Returns the header with its committed seals, each of which was verified on arrival. */
function sealedHeader(header: Header, { round, commits }: Agreement): Header {
  const seals = commits.map(({ seal }) => seal);
  return withCommitters(header, { round, seals, committers: commits.map(({ sender }) => keyBytes(sender)) });
}

/** Returns true for an invalid block, false for a failure of this node. */
export function isInvalidBlock(error: unknown): boolean {
  return error instanceof ChainError && error.code === "bad-block";
}

/** Longest sleep before the clock is read again: clocks are adjusted, and a timer takes at most 25 days. */
const MAX_SLEEP_MS = 1_000;

async function sleepUntil(time: () => number, clock: Clock, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const left = time() - clock.now();
    if (left > 0) await sleep(Math.min(left, MAX_SLEEP_MS), signal);
    if (left <= MAX_SLEEP_MS) return;
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
