/** What the agreement has done to blocks: they are made, judged and put into the chain, each in a turn of the writer. */
import { equalBytes } from "../../bytes/compare.ts";
import { mapKey, toHex } from "../../bytes/hex.ts";
import { encodeRlpList } from "../../bytes/rlp.ts";
import { ChainError } from "../../chain/error.ts";
import { retryAfterRepair } from "../../chain/retry-after-repair.ts";
import type { SealedBlock } from "../../chain/writer-parts.ts";
import { type Block, createBlock } from "../../model/block.ts";
import type { Header } from "../../model/header.ts";
import type { Transaction } from "../../model/transaction.ts";
import type { Clock } from "../../runtime/clock.ts";
import { untilAborted } from "../../runtime/until-aborted.ts";
import { type DraftDeps, draftBlock } from "../draft.ts";
import { copyReveal } from "../reveals.ts";
import { withAgreement } from "../seal.ts";
import { authorOf, rememberSealers } from "../sealers.ts";
import type { VoteMessage } from "./message.ts";
import { keyBytes, type ProposedBlock, proposedBlock } from "./payload.ts";
import type { Head } from "./round-state.ts";

/** Why work is broken off; an error made for each block would cost as much as a signature. */
export const ROUND_OVER = "the round is over";

/** What blocks are worked on with. */
export interface BlockWorkDeps extends DraftDeps {
  /** Milliseconds from a block to the next. */
  readonly intervalMs: number;
  /** Resolves when the disk has room for a block. */
  readonly room: () => Promise<void>;
  /**
   * Reads the transactions of a proposal, finds their senders and checks the blobs that travel with them. Rejects
   * with what is wrong with them.
   */
  readonly assemble: (header: Header, body: Uint8Array) => Promise<Block>;
  /** A transaction as proposals carry it: with its blobs. */
  readonly wire: (tx: Transaction) => Uint8Array;
}

/** In which round a block was agreed on, and the commits whose seals show it. */
export interface Agreement {
  readonly round: number;
  readonly commits: readonly VoteMessage<ProposedBlock>[];
}

/** See the head of this file. */
export class BlockWork {
  readonly #parts: BlockWorkDeps;
  /** Blocks of the height under agreement, put together. */
  readonly #blocks = new Map<string, Block>();
  #sealed: SealedBlock | undefined;

  constructor(parts: BlockWorkDeps) {
    this.#parts = parts;
  }

  /** Another height begins. */
  forget(): void {
    this.#blocks.clear();
  }

  /**
   * Makes the block after `head` when it is due; undefined when that is no longer wanted. Throws `ConsensusError` or
   * `ChainError`.
   */
  async make(head: Head, signal: AbortSignal): Promise<ProposedBlock | undefined> {
    const { writer, state, clock, intervalMs, room, wire } = this.#parts;
    await sleepUntil(() => writer.tip.header.time * 1000 + intervalMs, clock, signal);
    await Promise.race([room(), untilAborted(signal)]);
    const sealed = await writer.exclusively(async () => {
      const isWanted = !signal.aborted && equalBytes(writer.tip.hash, keyBytes(head.hash));
      return isWanted ? retryAfterRepair(state, () => draftBlock(this.#parts)) : undefined;
    });
    if (sealed === undefined) return undefined;
    const { block } = this.#hold(sealed);
    const proposal = proposedBlock(block.header, encodeRlpList(block.transactions.map(wire)));
    this.#blocks.set(proposal.hash, block);
    return proposal;
  }

  /**
   * What is wrong with a proposal; undefined when nothing is, `OVER` when it does not matter any more: its block may
   * have come from a peer meanwhile. One that comes early waits for its time.
   */
  async verify(proposal: ProposedBlock, signal: AbortSignal): Promise<unknown> {
    const { writer, clock } = this.#parts;
    const isOver = (): boolean => signal.aborted || writer.tip.header.number >= proposal.number;
    await sleepUntil(() => (proposal.header.time - 1) * 1000, clock, signal);
    try {
      const block = await this.#blockOf(proposal);
      await writer.exclusively(async () => {
        if (!isOver()) this.#hold(await writer.execute(block));
      });
      return isOver() ? ROUND_OVER : undefined;
    } catch (error) {
      return isOver() ? ROUND_OVER : error;
    }
  }

  /** Puts a block that was agreed on into the chain, durably; nothing happens when it is there. Throws `ChainError`. */
  async commit(proposal: ProposedBlock, agreement: Agreement, signal: AbortSignal): Promise<void> {
    const { writer, room, log } = this.#parts;
    const { transactions } = await this.#blockOf(proposal);
    const block = createBlock(sealedHeader(proposal.header, agreement), transactions);
    await Promise.race([room(), untilAborted(signal)]);
    if (signal.aborted) return;
    try {
      await writer.exclusively(async () => {
        if (writer.tip.header.number >= proposal.number) return;
        await writer.insert(block, true);
        const { number } = proposal;
        const { round } = agreement;
        log.info({ number, hash: toHex(block.hash), txs: transactions.length, round }, "agreed on a block");
      });
    } catch (error) {
      if (!(error instanceof ChainError) || error.code !== "no-room") throw error;
      await this.commit(proposal, agreement, signal); // the room was gone before the transition came
    }
  }

  async #blockOf({ hash, header, body }: ProposedBlock): Promise<Block> {
    const known = this.#blocks.get(hash);
    if (known !== undefined) return known;
    const block = await this.#parts.assemble(header, body);
    this.#blocks.set(mapKey(block.hash), block);
    return block;
  }

  /** Keeps the newest sealed block until the writer has committed it or sealed another. */
  #hold(sealed: SealedBlock): SealedBlock {
    this.#sealed = sealed;
    return sealed;
  }

  /** Discards a block that was executed and not agreed on. */
  async close(): Promise<void> {
    await this.#parts.writer.exclusively(() => Promise.resolve(this.#sealed?.discard()));
  }
}

/** The header with its seals: who made them is known, because each commit was checked when it came. */
function sealedHeader(header: Header, { round, commits }: Agreement): Header {
  const seals = commits.map(({ seal }) => seal);
  const sealed = withAgreement(header, round, seals);
  const committers = commits.map(({ sender }) => keyBytes(sender));
  copyReveal(header, sealed);
  rememberSealers(sealed, { proposer: authorOf(header), committers });
  return sealed;
}

/** True when the block is to blame, not this node. */
export function isBadBlock(error: unknown): boolean {
  return error instanceof ChainError && error.code === "bad-block";
}

/** A clock may be set while one waits, and a timer takes no more than 25 days. */
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
