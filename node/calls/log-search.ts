/** Searches logs: header blooms first, receipts only of blocks whose bloom matches. */
import type { Hash } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { prunedHistory } from "../chain/kept-blocks.ts";
import { SECTION_BLOCKS } from "../chain/log-index.ts";
import { failure, type RpcError } from "../jsonrpc/errors.ts";
import { bloomBits, bloomHas } from "../model/bloom.ts";
import type { EventLog, LoggedReceipt } from "../model/receipt.ts";
import { noHeader, noHeaderAt } from "../presenters/not-found.ts";
import { logJson } from "../presenters/receipt.ts";
import { resolveNumber } from "./arguments/block-number.ts";
import type { LogFilter } from "./arguments/log-filter.ts";
import type { BloomIndex, LogSource } from "./log-source.ts";
import type { LogSearchOptions } from "./options.ts";

/** Maximum number of topics of a log; a filter with more matches nothing. */
export const MAX_TOPICS = 4;

/** Limits of one search. */
export interface SearchLimits extends Pick<LogSearchOptions, "maxLogs" | "maxRange"> {
  /** The error about too many logs has the Go node's text, which does not name a range that would do. */
  readonly goErrors?: boolean;
}

/** Returns the matching logs, oldest first. Throws `RpcError` when there are too many, or too many blocks. */
export function searchLogs(source: LogSource, filter: LogFilter, limits: SearchLimits): object[] {
  const found: object[] = [];
  const mayFit = bloomTest(filter);
  const { maxLogs } = limits;
  let first: number | undefined;
  for (const number of numbersOf(source, filter, limits)) {
    first ??= number;
    const block = source.block(number);
    if (block === undefined || !mayFit(block.bloom)) continue;
    const receipts = source.loggedReceipts(number) ?? [];
    for (const log of matchingLogs(filter, { number, hash: block.hash, receipts })) found.push(log);
    if (maxLogs > 0 && found.length > maxLogs) {
      throw tooManyLogs(limits, first, number);
    }
  }
  return found;
}

/** Returns the error of a search from `first` whose logs are too many with those of `number`. */
function tooManyLogs({ maxLogs, goErrors }: SearchLimits, first: number, number: number): RpcError {
  const text = `query returned more than ${maxLogs} results`;
  if (goErrors === true) return failure(text, "too-many-results");
  const hint =
    number === first
      ? `block ${number} alone has more: narrow the filter`
      : `search up to block ${number - 1}, then go on from block ${number}`;
  return failure(`${text}: ${hint}`, "too-many-results");
}

/** Throws when a range has more blocks than one search may have. */
function checkRange({ maxRange }: SearchLimits, first: number, last: number): void {
  const count = last - first + 1;
  if (maxRange === 0 || count <= maxRange) return;
  const allowed = first + maxRange - 1;
  throw failure(
    `range of ${count} blocks is above the limit of ${maxRange}: ` +
      `search blocks ${first} to ${allowed}, then go on from block ${allowed + 1}`,
    "too-many-results",
  );
}

function* numbersOf(source: LogSource, filter: LogFilter, limits: SearchLimits): Iterable<number> {
  const { blockHash } = filter;
  if (blockHash === undefined) {
    yield* numbersInRange(source, filter, limits);
    return;
  }
  const number = source.numberOf(blockHash);
  if (number === undefined) throw noHeader(blockHash);
  yield number;
}

function* numbersInRange(source: LogSource, filter: LogFilter, limits: SearchLimits): Iterable<number> {
  const { from = "latest", to = "latest" } = filter;
  if (from === "pending" || to === "pending") throw failure("pending logs are not supported");
  const first = resolveNumber(source.head, from);
  const end = resolveNumber(source.head, to);
  const last = Math.min(end, source.head);
  checkRange(limits, first, last);
  if (Math.max(first, 1) <= Math.min(last, source.oldest - 1)) throw prunedHistory(source.oldest);
  if (filter.topics.length <= MAX_TOPICS) yield* knownNumbers(source, filter, { first, last });
  if (end > last && first <= end) throw noHeaderAt(Math.max(first, last + 1));
}

/** Returns the blocks of a range that may have logs: those that the bloom index does not exclude, and all after it. */
function* knownNumbers(
  { index }: LogSource,
  filter: LogFilter,
  { first, last }: { readonly first: number; readonly last: number },
): Iterable<number> {
  let number = first;
  if (index !== undefined && number < index.end) {
    const end = Math.min(last + 1, index.end);
    yield* indexedNumbers(index, filter, { first, end });
    number = end;
  }
  for (; number <= last; number++) yield number;
}

/** Returns the blocks from `first` up to but not including `end` that the bloom index does not exclude. */
function* indexedNumbers(
  index: BloomIndex,
  { addresses, topics }: LogFilter,
  { first, end }: { readonly first: number; readonly end: number },
): Iterable<number> {
  const search = index.search([addresses, ...topics]);
  for (let number = first; number < end; ) {
    const section = Math.floor(number / SECTION_BLOCKS);
    const found = search(section);
    const next = Math.min(end, (section + 1) * SECTION_BLOCKS);
    for (; number < next; number++) {
      const offset = number % SECTION_BLOCKS;
      if (((found[offset >> 3] ?? 0) & (0x80 >> (offset & 7))) !== 0) yield number;
    }
  }
}

/** Creates a test of header blooms by a filter. The values are hashed once. */
export function bloomTest({ addresses, topics }: LogFilter): (bloom: Uint8Array) => boolean {
  if (topics.length > MAX_TOPICS) return () => false;
  const groups = [addresses, ...topics]
    .filter((values) => values.length > 0)
    .map((values) => values.map(bloomBits));
  return (bloom) => groups.every((values) => values.some((bits) => bloomHas(bloom, bits)));
}

/** A block's receipts that have logs. */
interface LoggedBlock {
  readonly number: number;
  /** Returns the block hash. Called at most once, for the first match. */
  readonly hash: () => Hash;
  readonly receipts: readonly LoggedReceipt[];
}

/** Returns the matching logs of a block as JSON, in their order. */
export function* matchingLogs(filter: LogFilter, { number, hash, receipts }: LoggedBlock): Iterable<object> {
  let blockHash: Hash | undefined;
  for (const { logs, logsBefore, transactionHash, transactionIndex } of receipts) {
    for (const [at, log] of logs.entries()) {
      if (!logMatches(log, filter)) continue;
      blockHash ??= hash();
      const logIndex = logsBefore + at;
      yield logJson(log, { number, blockHash, transactionHash, transactionIndex, logIndex, removed: false });
    }
  }
}

function logMatches(log: EventLog, { addresses, topics }: LogFilter): boolean {
  if (addresses.length > 0 && !addresses.some((address) => equalBytes(address, log.address))) return false;
  if (topics.length > log.topics.length) return false;
  return topics.every(
    (wanted, at) => wanted.length === 0 || wanted.some((topic) => equalBytes(topic, log.topics[at] ?? topic)),
  );
}
