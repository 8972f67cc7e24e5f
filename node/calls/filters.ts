/**
 * Installed filters, which clients poll for changes. A filter is a position in the chain or in the list of
 * pending transactions, not a buffer: changes are looked up by the poll. A filter expires five minutes after
 * its last poll, or when its changes are no longer stored. Its memory is charged to the address that installed it:
 * when the memory of all filters is full, the address with the most loses its filters.
 */
import type { Hash } from "../bytes/brands.ts";
import { toHex } from "../bytes/hex.ts";
import type { Chain } from "../chain/chain.ts";
import { failure, RpcError } from "../jsonrpc/errors.ts";
import { type Holder, MemoryBudget } from "../jsonrpc/memory-budget.ts";
import type { CallOrigin } from "../jsonrpc/method.ts";
import { newSubscriptionId } from "../jsonrpc/subscriptions.ts";
import type { Client } from "../runtime/fair-queue.ts";
import type { TxPool } from "../txpool/pool.ts";
import type { LogFilter } from "./arguments/log-filter.ts";
import { BlockLogs, checkLiveRange } from "./live-logs.ts";
import { PendingList } from "./pending-list.ts";

/** The origin of a call about filters. */
export interface FilterOrigin extends CallOrigin {
  /** The module of the method. Another module does not know its filters (`node/cn/backend.go@v2.2.2`). */
  readonly module: string;
}

/** Limits of all filters. */
export interface FilterLimits {
  /** Approximate memory of all filters, in bytes. */
  readonly bytes: number;
  readonly idleMs: number;
  /** Maximum number of hashes in one result; the next poll returns the others. */
  readonly hashes: number;
  /** Maximum size of the removed logs that one filter holds, in bytes. */
  readonly removedBytes: number;
}

/** Dependencies of filters. */
export interface PolledFilterDeps {
  readonly chain: Pick<Chain, "head" | "header" | "onRewind">;
  readonly pool: Pick<TxPool, "onPending">;
  /** Searches the matching logs in a reader thread and returns a JSON list. Rejects with `RpcError`. */
  readonly searchLogs: (filter: LogFilter, origin: CallOrigin) => Promise<string>;
  /** Current time in milliseconds. */
  readonly now: () => number;
  readonly limits?: Partial<FilterLimits>;
}

/** Default limits. The Go node has the same deadline and no other limit. */
const LIMITS: FilterLimits = {
  bytes: 64 * 1024 * 1024,
  idleMs: 5 * 60_000,
  hashes: 10_000,
  removedBytes: 1024 * 1024,
};
const FILTER_BYTES = 400;
/** Memory of an address or topic in bytes, measured. */
const CRITERION_BYTES = 264;

/** A client with filters: an address, or a connection where it has none. */
interface FilterOwner extends Holder {
  readonly name: string | Client;
}

interface Common {
  readonly module: string;
  readonly owner: FilterOwner;
  polledAt: number;
  readonly bytes: number;
}

interface BlockPoll extends Common {
  readonly kind: "blocks";
  /** Number of the newest reported block. */
  reported: number;
}

interface LogPoll extends Common {
  readonly kind: "logs";
  readonly filter: LogFilter;
  reported: number;
  /** Logs of reported blocks that are no longer canonical. */
  removed: string[];
  removedBytes: number;
}

interface PendingPoll extends Common {
  readonly kind: "pending";
  /** Position of the next hash in the pending list. */
  next: number;
}

type Poll = BlockPoll | LogPoll | PendingPoll;

/** The owner of filters whose calls name no connection. */
const NO_CALLER: Client = {};

/** All installed filters of the node. */
export class Filters {
  readonly #deps: PolledFilterDeps;
  readonly #limits: FilterLimits;
  readonly #polls = new Map<string, Poll>();
  readonly #pending: PendingList;
  readonly #budget: MemoryBudget;
  readonly #owners = new Map<string | Client, FilterOwner>();
  #pendingPolls = 0;
  #sweptAt = 0;
  #endRewinds: (() => void) | undefined;

  constructor(deps: PolledFilterDeps) {
    this.#deps = deps;
    this.#limits = { ...LIMITS, ...deps.limits };
    this.#budget = new MemoryBudget(this.#limits.bytes);
    this.#pending = new PendingList(deps.pool);
  }

  /** Number of installed filters. */
  get size(): number {
    return this.#polls.size;
  }

  /** Installs a filter for blocks and returns its id. Throws `RpcError` when its owner has too many filters. */
  addBlocks(origin: FilterOrigin): string {
    return this.#add({
      kind: "blocks",
      module: origin.module,
      owner: this.#ownerOf(origin),
      reported: this.#head,
      polledAt: this.#deps.now(),
      bytes: FILTER_BYTES,
    });
  }

  /** Installs a filter for logs of new blocks. Throws `RpcError` for a range without new blocks. */
  addLogs(filter: LogFilter, origin: FilterOrigin): string {
    checkLiveRange(filter);
    const criteria = filter.topics.reduce((sum, topics) => sum + topics.length, filter.addresses.length);
    return this.#add({
      kind: "logs",
      module: origin.module,
      owner: this.#ownerOf(origin),
      filter,
      reported: this.#head,
      removed: [],
      removedBytes: 0,
      polledAt: this.#deps.now(),
      bytes: FILTER_BYTES + criteria * CRITERION_BYTES,
    });
  }

  /** Installs a filter for transactions that become executable. */
  addPending(origin: FilterOrigin): string {
    return this.#add({
      kind: "pending",
      module: origin.module,
      owner: this.#ownerOf(origin),
      next: this.#pending.end,
      polledAt: this.#deps.now(),
      bytes: FILTER_BYTES,
    });
  }

  /** Uninstalls a filter. Returns false for an id that the module does not know. */
  remove(id: string, { module }: FilterOrigin): boolean {
    const poll = this.#polls.get(id);
    if (poll?.module !== module) return false;
    this.#remove(id, poll);
    return true;
  }

  /** Returns the changes since the last poll, as a JSON list. Throws or rejects with `RpcError`. */
  changes(id: string, origin: FilterOrigin): string | Promise<string> {
    const poll = this.#poll(id, origin);
    if (poll.kind === "logs") return this.#logChanges(poll, origin);
    const hashes = poll.kind === "blocks" ? this.#blockChanges(poll) : this.#pendingChanges(id, poll);
    return `[${hashes.map((hash) => `"${toHex(hash)}"`).join(",")}]`;
  }

  /**
   * Returns all logs of a filter's range as a JSON list. A block hash in the criteria does not count
   * (`GetFilterLogs` in `node/cn/filters/api_kaia_filter.go@v2.2.2`). Throws or rejects with `RpcError`.
   */
  logs(id: string, origin: FilterOrigin): Promise<string> {
    const poll = this.#poll(id, origin);
    if (poll.kind !== "logs") throw notFound();
    return this.#deps.searchLogs({ ...poll.filter, blockHash: undefined }, origin);
  }

  get #head(): number {
    return this.#deps.chain.head().header.number;
  }

  #add(poll: Poll): string {
    this.#sweep(poll.polledAt);
    const { owner, bytes } = poll;
    if (!this.#budget.displace(owner, this.#budget.of(owner) + bytes)) throw failure("too many filters");
    this.#owners.set(owner.name, owner);
    const id = newSubscriptionId();
    this.#polls.set(id, poll);
    if (poll.kind === "pending") this.#pendingPolls++;
    this.#updateListeners();
    return id;
  }

  #ownerOf({ caller = NO_CALLER }: CallOrigin): FilterOwner {
    const name = caller.owner ?? caller;
    const known = this.#owners.get(name);
    if (known !== undefined) return known;
    const owner: FilterOwner = {
      name,
      onDrop: () => {
        this.#owners.delete(name);
        for (const [id, poll] of this.#polls) if (poll.owner === owner) this.#delete(id, poll);
      },
    };
    return owner;
  }

  #remove(id: string, poll: Poll): void {
    const { owner, bytes } = poll;
    this.#delete(id, poll);
    this.#budget.hold(owner, this.#budget.of(owner) - bytes);
    if (this.#budget.of(owner) === 0) this.#owners.delete(owner.name);
  }

  #delete(id: string, { kind }: Poll): void {
    this.#polls.delete(id);
    if (kind === "pending") this.#pendingPolls--;
    this.#updateListeners();
  }

  #poll(id: string, { module }: FilterOrigin): Poll {
    const now = this.#deps.now();
    this.#sweep(now);
    const poll = this.#polls.get(id);
    if (poll?.module !== module || this.#isIdle(poll, now)) throw notFound();
    poll.polledAt = now;
    return poll;
  }

  #blockChanges(poll: BlockPoll): Hash[] {
    const last = Math.min(this.#head, poll.reported + this.#limits.hashes);
    const hashes: Hash[] = [];
    for (let number = poll.reported + 1; number <= last; number++) {
      const block = this.#deps.chain.header(number);
      if (block !== undefined) hashes.push(block.hash);
    }
    poll.reported = Math.max(poll.reported, last);
    return hashes;
  }

  #pendingChanges(id: string, poll: PendingPoll): readonly Hash[] {
    const hashes = this.#pending.from(poll.next, this.#limits.hashes);
    if (hashes === undefined) {
      this.#remove(id, poll);
      throw notFound();
    }
    poll.next += hashes.length;
    return hashes;
  }

  /**
   * Returns the new logs. A range with more logs than a result may hold is halved, and the next poll
   * continues.
   */
  async #logChanges(poll: LogPoll, origin: CallOrigin): Promise<string> {
    const { reported, removed } = poll;
    poll.removed = [];
    poll.removedBytes = 0;
    let last = this.#head;
    poll.reported = last; // a concurrent poll starts after this range
    for (;;) {
      const range = intersection(poll.filter, reported + 1, last);
      if (range === undefined) return joinLists(removed, "[]");
      try {
        const found = await this.#deps.searchLogs(range, origin);
        poll.reported = Math.min(poll.reported, last);
        return joinLists(removed, found);
      } catch (error) {
        const isOneBlock = last <= reported + 1;
        if (!isOneBlock && mayFitShorterRange(error)) {
          last = reported + Math.ceil((last - reported) / 2);
          continue;
        }
        // a single block with too many logs is reported once, as an error
        poll.reported = Math.min(poll.reported, mayFitShorterRange(error) ? last : reported);
        poll.removed.unshift(...removed);
        throw error;
      }
    }
  }

  #onRewind: Parameters<Chain["onRewind"]>[0] = (blocks, head) => {
    const { number } = head.header;
    for (const block of blocks) this.#addRemoved(block.block.header.number, new BlockLogs(block, true));
    for (const poll of this.#polls.values()) {
      if (poll.kind !== "pending") poll.reported = Math.min(poll.reported, number);
    }
  };

  #addRemoved(number: number, logs: BlockLogs): void {
    if (logs.size === 0) return;
    for (const [id, poll] of this.#polls) {
      if (poll.kind !== "logs" || number > poll.reported) continue;
      for (const position of logs.select(poll.filter)) {
        const json = logs.json(position);
        poll.removed.push(json);
        poll.removedBytes += json.length;
      }
      if (poll.removedBytes > this.#limits.removedBytes) this.#remove(id, poll);
    }
  }

  #isIdle(poll: Poll, now: number): boolean {
    return now - poll.polledAt > this.#limits.idleMs;
  }

  /** Removes expired filters, at most once in a tenth of the deadline because there may be many. */
  #sweep(now: number): void {
    if (now - this.#sweptAt < this.#limits.idleMs / 10) return;
    this.#sweptAt = now;
    for (const [id, poll] of this.#polls) if (this.#isIdle(poll, now)) this.#remove(id, poll);
  }

  /** Listens to the chain and the pool while there are filters. */
  #updateListeners(): void {
    const isWanted = this.#polls.size > 0;
    if (isWanted) this.#endRewinds ??= this.#deps.chain.onRewind(this.#onRewind);
    else {
      this.#endRewinds?.();
      this.#endRewinds = undefined;
    }
    this.#pending.listen(this.#pendingPolls > 0);
  }
}

/** Returns true for errors that a shorter range may avoid. */
function mayFitShorterRange(error: unknown): boolean {
  return error instanceof RpcError && (error.reason === "too-many-results" || error.reason === "deadline");
}

function notFound(): RpcError {
  return failure("filter not found");
}

/** Returns the filter for the blocks `first` to `last` of its range. */
function intersection(filter: LogFilter, first: number, last: number): LogFilter | undefined {
  const from = typeof filter.from === "number" ? Math.max(first, filter.from) : first;
  const to = typeof filter.to === "number" ? Math.min(last, filter.to) : last;
  return from > to ? undefined : { ...filter, blockHash: undefined, from, to };
}

function joinLists(removed: readonly string[], found: string): string {
  if (removed.length === 0) return found;
  return found === "[]" ? `[${removed.join(",")}]` : `[${removed.join(",")},${found.slice(1)}`;
}
