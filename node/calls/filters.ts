/**
 * Filters that clients poll: what has come since they asked last. A filter is a position in the chain or in the
 * list of pending transactions, not a buffer: what it has to tell is looked up when somebody asks. It goes when
 * nobody has asked for five minutes, or when what it should tell is no longer there.
 */
import { toHex } from "../bytes/hex.ts";
import type { Chain } from "../chain/chain.ts";
import { failure, RpcError } from "../jsonrpc/errors.ts";
import { newSubscriptionId } from "../jsonrpc/subscription-id.ts";
import type { TxPool } from "../txpool/pool.ts";
import type { LogFilter } from "./arguments/log-filter.ts";
import { BlockLogs, checkLiveRange } from "./live-logs.ts";
import { PendingList } from "./pending-list.ts";

/** How many filters there may be, and for how long. */
export interface FilterLimits {
  readonly all: number;
  /** Of all criteria together, about. */
  readonly bytes: number;
  readonly idleMs: number;
  /** Hashes in one answer; the rest come with the next. */
  readonly hashes: number;
  /** Of the logs that one filter must take back. */
  readonly removedBytes: number;
}

/** What filters look things up in. */
export interface FilterParts {
  readonly chain: Pick<Chain, "head" | "header" | "onRewind">;
  readonly pool: Pick<TxPool, "onPending">;
  /** The logs that fit, as a JSON list, from a reader thread. Rejects with `RpcError`. */
  readonly searchLogs: (filter: LogFilter) => Promise<string>;
  /** Milliseconds. */
  readonly now: () => number;
  readonly limits?: Partial<FilterLimits>;
}

/** The Go node's deadline; it has no other limit. */
const LIMITS: FilterLimits = {
  all: 100_000,
  bytes: 64 * 1024 * 1024,
  idleMs: 5 * 60_000,
  hashes: 10_000,
  removedBytes: 1024 * 1024,
};
const FILTER_BYTES = 400;
/** Of an address or topic, measured. */
const CRITERION_BYTES = 264;

interface Common {
  askedAt: number;
  readonly bytes: number;
}

interface BlockPoll extends Common {
  readonly kind: "blocks";
  /** The newest block that was told. */
  told: number;
}

interface LogPoll extends Common {
  readonly kind: "logs";
  readonly filter: LogFilter;
  told: number;
  /** Logs of blocks that were told and are gone since. */
  removed: string[];
  removedBytes: number;
}

interface PendingPoll extends Common {
  readonly kind: "pending";
  /** Place in the list of what comes next. */
  next: number;
}

type Poll = BlockPoll | LogPoll | PendingPoll;

/** All filters of the process. */
export class Filters {
  readonly #parts: FilterParts;
  readonly #limits: FilterLimits;
  readonly #polls = new Map<string, Poll>();
  readonly #pending: PendingList;
  #bytes = 0;
  #pendingPolls = 0;
  #sweptAt = 0;
  #endRewinds: (() => void) | undefined;

  constructor(parts: FilterParts) {
    this.#parts = parts;
    this.#limits = { ...LIMITS, ...parts.limits };
    this.#pending = new PendingList(parts.pool);
  }

  /** How many there are. */
  get size(): number {
    return this.#polls.size;
  }

  /** Makes one; its id. Throws `RpcError` when there are too many. */
  addBlocks(): string {
    return this.#add({ kind: "blocks", told: this.#head, askedAt: this.#parts.now(), bytes: FILTER_BYTES });
  }

  /** The same for logs of new blocks. Throws `RpcError` for a range without new blocks. */
  addLogs(filter: LogFilter): string {
    checkLiveRange(filter);
    const criteria = filter.topics.reduce((sum, topics) => sum + topics.length, filter.addresses.length);
    return this.#add({
      kind: "logs",
      filter,
      told: this.#head,
      removed: [],
      removedBytes: 0,
      askedAt: this.#parts.now(),
      bytes: FILTER_BYTES + criteria * CRITERION_BYTES,
    });
  }

  /** The same for transactions that become executable. */
  addPending(): string {
    const askedAt = this.#parts.now();
    return this.#add({ kind: "pending", next: this.#pending.end, askedAt, bytes: FILTER_BYTES });
  }

  /** False when there is none of that id. */
  remove(id: string): boolean {
    const poll = this.#polls.get(id);
    if (poll === undefined) return false;
    this.#polls.delete(id);
    this.#bytes -= poll.bytes;
    if (poll.kind === "pending") this.#pendingPolls--;
    this.#settle();
    return true;
  }

  /** What has come since the last call, as a JSON list. Throws or rejects with `RpcError`. */
  changes(id: string): string | Promise<string> {
    const poll = this.#asked(id);
    if (poll.kind === "logs") return this.#logChanges(poll);
    const hashes = poll.kind === "blocks" ? this.#blockChanges(poll) : this.#pendingChanges(id, poll);
    return `[${hashes.map((hash) => `"${toHex(hash)}"`).join(",")}]`;
  }

  /** All logs of a filter's range, whether told or not. Throws or rejects with `RpcError`. */
  logs(id: string): Promise<string> {
    const poll = this.#asked(id);
    if (poll.kind !== "logs") throw notFound();
    return this.#parts.searchLogs(poll.filter);
  }

  get #head(): number {
    return this.#parts.chain.head().header.number;
  }

  #add(poll: Poll): string {
    this.#sweep(poll.askedAt);
    if (this.#polls.size >= this.#limits.all || this.#bytes + poll.bytes > this.#limits.bytes) {
      throw failure("too many filters");
    }
    const id = newSubscriptionId();
    this.#polls.set(id, poll);
    this.#bytes += poll.bytes;
    if (poll.kind === "pending") this.#pendingPolls++;
    this.#settle();
    return id;
  }

  #asked(id: string): Poll {
    const now = this.#parts.now();
    this.#sweep(now);
    const poll = this.#polls.get(id);
    if (poll === undefined || this.#isIdle(poll, now)) throw notFound();
    poll.askedAt = now;
    return poll;
  }

  #blockChanges(poll: BlockPoll): Uint8Array[] {
    const last = Math.min(this.#head, poll.told + this.#limits.hashes);
    const hashes: Uint8Array[] = [];
    for (let number = poll.told + 1; number <= last; number++) {
      const block = this.#parts.chain.header(number);
      if (block !== undefined) hashes.push(block.hash);
    }
    poll.told = Math.max(poll.told, last);
    return hashes;
  }

  #pendingChanges(id: string, poll: PendingPoll): readonly Uint8Array[] {
    const hashes = this.#pending.from(poll.next, this.#limits.hashes);
    if (hashes === undefined) {
      this.remove(id);
      throw notFound();
    }
    poll.next += hashes.length;
    return hashes;
  }

  /** A range with more logs than one answer holds is told by parts. */
  async #logChanges(poll: LogPoll): Promise<string> {
    const { told, removed } = poll;
    poll.removed = [];
    poll.removedBytes = 0;
    let last = this.#head;
    poll.told = last; // another call meanwhile begins behind this one
    for (;;) {
      const range = intersection(poll.filter, told + 1, last);
      if (range === undefined) return joined(removed, "[]");
      try {
        const found = await this.#parts.searchLogs(range);
        poll.told = Math.min(poll.told, last);
        return joined(removed, found);
      } catch (error) {
        const isOne = last <= told + 1;
        if (!isOne && isTooMuch(error)) {
          last = told + Math.ceil((last - told) / 2);
          continue;
        }
        // a block of which no answer can hold the logs is told once, as an error
        poll.told = Math.min(poll.told, isTooMuch(error) ? last : told);
        poll.removed.unshift(...removed);
        throw error;
      }
    }
  }

  #onRewind: Parameters<Chain["onRewind"]>[0] = (blocks, head) => {
    const { number } = head.header;
    for (const block of blocks) this.#takeBack(block.block.header.number, new BlockLogs(block, true));
    for (const poll of this.#polls.values()) {
      if (poll.kind !== "pending") poll.told = Math.min(poll.told, number);
    }
  };

  #takeBack(number: number, logs: BlockLogs): void {
    if (logs.size === 0) return;
    for (const [id, poll] of this.#polls) {
      if (poll.kind !== "logs" || number > poll.told) continue;
      for (const position of logs.select(poll.filter)) {
        const json = logs.json(position);
        poll.removed.push(json);
        poll.removedBytes += json.length;
      }
      if (poll.removedBytes > this.#limits.removedBytes) this.remove(id);
    }
  }

  #isIdle(poll: Poll, now: number): boolean {
    return now - poll.askedAt > this.#limits.idleMs;
  }

  /** At most once in a tenth of the deadline: there may be many. */
  #sweep(now: number): void {
    if (now - this.#sweptAt < this.#limits.idleMs / 10) return;
    this.#sweptAt = now;
    for (const [id, poll] of this.#polls) if (this.#isIdle(poll, now)) this.remove(id);
  }

  /** Listens for as long as somebody wants to know. */
  #settle(): void {
    const isWanted = this.#polls.size > 0;
    if (isWanted) this.#endRewinds ??= this.#parts.chain.onRewind(this.#onRewind);
    else {
      this.#endRewinds?.();
      this.#endRewinds = undefined;
    }
    this.#pending.listen(this.#pendingPolls > 0);
  }
}

/** With fewer blocks there may be an answer. */
function isTooMuch(error: unknown): boolean {
  return error instanceof RpcError && (error.reason === "too-many-results" || error.reason === "deadline");
}

function notFound(): RpcError {
  return failure("filter not found");
}

/** The filter on those of its blocks that are new. */
function intersection(filter: LogFilter, first: number, last: number): LogFilter | undefined {
  const from = typeof filter.from === "number" ? Math.max(first, filter.from) : first;
  const to = typeof filter.to === "number" ? Math.min(last, filter.to) : last;
  return from > to ? undefined : { ...filter, blockHash: undefined, from, to };
}

function joined(removed: readonly string[], found: string): string {
  if (removed.length === 0) return found;
  return found === "[]" ? `[${removed.join(",")}]` : `[${removed.join(",")},${found.slice(1)}`;
}
