/**
 * Logs of new blocks and of blocks that leave the chain, matched against the filters of subscribers and
 * polls.
 */

import { mapKey } from "../bytes/hex.ts";
import { failure } from "../jsonrpc/errors.ts";
import { EVENT_BYTES, type FeedEvent } from "../jsonrpc/feed.ts";
import { goJson } from "../jsonrpc/json-text.ts";
import { NotificationPayload } from "../jsonrpc/subscription.ts";
import type { Block } from "../model/block.ts";
import { type EventLog, type LoggedReceipt, loggedReceipts, type Receipt } from "../model/receipt.ts";
import { logJson } from "../presenters/receipt.ts";
import type { LogFilter } from "./arguments/log-filter.ts";

/** Checks that a filter's range can contain new blocks. Throws `RpcError`. */
export function checkLiveRange({ from = "latest", to = "latest" }: LogFilter): void {
  if (from === "pending" || to === "pending") throw failure("pending logs are not supported");
  const [first, last] = [numberOf(from), numberOf(to)];
  const isLive = last === undefined || (first !== undefined && first <= last);
  if (!isLive) throw failure("invalid from and to block combination: from > to");
}

function isInRange({ from = "latest", to = "latest" }: LogFilter, { header }: Block): boolean {
  const [first, last] = [numberOf(from) ?? 0, numberOf(to) ?? Number.POSITIVE_INFINITY];
  return header.number >= first && header.number <= last;
}

function numberOf(number: number | string): number | undefined {
  if (typeof number === "number") return number;
  return number === "earliest" ? 0 : undefined;
}

/** A block and its receipts. */
export interface NewBlock {
  readonly block: Block;
  readonly receipts: readonly Receipt[];
}

/** Maximum number of topics of a log. */
const MAX_TOPICS = 4;
const ADDRESS = 0;
/** Memory of a log and its payload without its data, in bytes. */
const LOG_BYTES = 2048;

interface IndexedLog {
  readonly log: EventLog;
  readonly at: Omit<LoggedReceipt, "logs">;
  readonly index: number;
}

/**
 * The logs of one block, shared by all filters. The index by address and topic and the payload of each log
 * are created once. The cost of a filter grows with its values and matches, not with the block's logs.
 */
export class BlockLogs implements FeedEvent<LogFilter> {
  readonly #block: Block;
  readonly #removed: boolean;
  readonly #logs: readonly IndexedLog[];
  readonly #payloads: NotificationPayload[] = [];
  readonly #texts: string[] = [];
  /** Positions of logs by value, for the address and each topic position. */
  #index: readonly Map<string, number[]>[] | undefined;
  #all: readonly number[] | undefined;

  /** Creates the logs of a block. `removed` marks logs of a block that left the chain. */
  constructor({ block, receipts }: NewBlock, removed: boolean) {
    this.#block = block;
    this.#removed = removed;
    this.#logs = loggedReceipts(receipts).flatMap(({ logs, ...at }) =>
      logs.map((log, index) => ({ log, at, index: at.logsBefore + index })),
    );
  }

  /** Number of logs of the block. */
  get size(): number {
    return this.#logs.length;
  }

  /** Approximate memory in bytes, as in `FeedEvent`. */
  get bytes(): number {
    return this.#logs.reduce((sum, { log }) => sum + LOG_BYTES + 4 * log.data.length, EVENT_BYTES);
  }

  /** Returns the positions of the matching logs, ascending; none for a block outside the filter's range. */
  select(filter: LogFilter): readonly number[] {
    if (!isInRange(filter, this.#block) || filter.topics.length > MAX_TOPICS) return [];
    const values = [filter.addresses, ...filter.topics];
    const places = values.flatMap((wanted, place) => (wanted.length > 0 ? [place] : []));
    const hasTopics = (position: number): boolean =>
      (this.#logs[position]?.log.topics.length ?? 0) >= filter.topics.length;
    if (places.length === 0 && filter.topics.length === 0) return this.#everything();
    if (places.length === 0) return this.#everything().filter(hasTopics);
    const found = places.map((place) => this.#positions(place, values[place] ?? []));
    const [fewest, ...others] = found.sort((one, other) => one.length - other.length);
    if (fewest === undefined || fewest.length === 0) return [];
    const sets = others.map((positions) => new Set(positions));
    return fewest
      .filter((position) => hasTopics(position) && sets.every((set) => set.has(position)))
      .sort((one, other) => one - other);
  }

  /** Returns the payload of a log, as in `FeedEvent`. */
  payload(position: number): NotificationPayload {
    return (this.#payloads[position] ??= new NotificationPayload(this.#write(position)));
  }

  /** Returns a log as JSON text, the same string for all filters. */
  json(position: number): string {
    return (this.#texts[position] ??= this.#write(position));
  }

  #write(position: number): string {
    const found = this.#logs[position];
    if (found === undefined) throw new RangeError(`the block has ${this.size} logs, not ${position + 1}`);
    const { log, at, index } = found;
    const { transactionHash, transactionIndex } = at;
    const { hash, header } = this.#block;
    return goJson(
      logJson(log, {
        number: header.number,
        blockHash: hash,
        transactionHash,
        transactionIndex,
        logIndex: index,
        removed: this.#removed,
      }),
    );
  }

  #everything(): readonly number[] {
    this.#all ??= [...this.#logs.keys()];
    return this.#all;
  }

  /** Returns the positions of the logs with one of the values, each once. */
  #positions(place: number, wanted: readonly Uint8Array[]): number[] {
    this.#index ??= indexOf(this.#logs);
    const byValue = this.#index[place];
    if (byValue === undefined || byValue.size === 0) return [];
    const keys = new Set(wanted.map(mapKey));
    const found: number[] = [];
    for (const key of keys) for (const position of byValue.get(key) ?? []) found.push(position);
    return found;
  }
}

function indexOf(logs: readonly IndexedLog[]): readonly Map<string, number[]>[] {
  const places = Array.from({ length: MAX_TOPICS + 1 }, () => new Map<string, number[]>());
  const add = (place: number, value: Uint8Array, position: number): void => {
    const key = mapKey(value);
    const positions = places[place]?.get(key);
    if (positions === undefined) places[place]?.set(key, [position]);
    else positions.push(position);
  };
  for (const [position, { log }] of logs.entries()) {
    add(ADDRESS, log.address, position);
    for (const [at, topic] of log.topics.entries()) add(ADDRESS + 1 + at, topic, position);
  }
  return places;
}
