/** Logs of blocks as they come and go, for those who listen. */

import { mapKey } from "../bytes/hex.ts";
import { failure } from "../jsonrpc/errors.ts";
import { EVENT_BYTES, type FeedEvent } from "../jsonrpc/feed.ts";
import { goJson } from "../jsonrpc/json-text.ts";
import { Payload } from "../jsonrpc/subscription.ts";
import type { Block } from "../model/block.ts";
import { type Log, type LoggedReceipt, loggedReceipts, type Receipt } from "../model/receipt.ts";
import { logJson } from "../presenters/receipt.ts";
import type { LogFilter } from "./arguments/log-filter.ts";

/** Refuses a range that no new block can lie in. Throws `RpcError`. */
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

/** A log may have this many topics. */
const MAX_TOPICS = 4;
const ADDRESS = 0;
/** Memory of a log and its payload, besides its data. */
const LOG_BYTES = 2048;

interface IndexedLog {
  readonly log: Log;
  readonly at: Omit<LoggedReceipt, "logs">;
  readonly index: number;
}

/**
 * The logs of one block, for all who filter them: an index by address and topic is made once, and so is each log's
 * payload. A filter costs as much as it has values, and nothing for logs that do not fit.
 */
export class BlockLogs implements FeedEvent<LogFilter> {
  readonly #block: Block;
  readonly #removed: boolean;
  readonly #logs: readonly IndexedLog[];
  readonly #payloads: Payload[] = [];
  readonly #texts: string[] = [];
  /** By place (the address, then the topics) the positions of logs by value. */
  #index: readonly Map<string, number[]>[] | undefined;
  #all: readonly number[] | undefined;

  /** `removed`: the block was taken out of the chain. */
  constructor({ block, receipts }: NewBlock, removed: boolean) {
    this.#block = block;
    this.#removed = removed;
    this.#logs = loggedReceipts(receipts).flatMap(({ logs, ...at }) =>
      logs.map((log, index) => ({ log, at, index: at.logsBefore + index })),
    );
  }

  /** Logs of the block. */
  get size(): number {
    return this.#logs.length;
  }

  /** See `FeedEvent`. */
  get bytes(): number {
    return this.#logs.reduce((sum, { log }) => sum + LOG_BYTES + 4 * log.data.length, EVENT_BYTES);
  }

  /** The positions of the logs that fit, in their order, when the block lies in the range that is asked for. */
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

  /** See `FeedEvent`. */
  payload(position: number): Payload {
    return (this.#payloads[position] ??= new Payload(this.#write(position)));
  }

  /** A log as JSON text: the same string for all. */
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

  /** Positions of the logs with one of the values at a place; each once. */
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
