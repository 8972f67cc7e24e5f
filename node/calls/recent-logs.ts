/**
 * Searches logs of the newest blocks on the main thread: each log is encoded once, and answers are kept. In: a filter.
 * Out: a JSON list, or undefined for a search that belongs into a reader thread, because it is long, reaches back too
 * far or fails.
 */

import { equalBytes } from "../bytes/compare.ts";
import { bareHex, toHex } from "../bytes/hex.ts";
import type { BlockHead, Chain } from "../chain/chain.ts";
import type { ByteCache } from "../jsonrpc/byte-cache.ts";
import { goJson } from "../jsonrpc/json-text.ts";
import { TextCache } from "../jsonrpc/text-cache.ts";
import { EMPTY_BLOOM } from "../model/bloom.ts";
import type { EventLog, LoggedReceipt } from "../model/receipt.ts";
import { logJson } from "../presenters/receipt.ts";
import { Slice } from "../runtime/scheduler.ts";
import { resolveNumber } from "./arguments/block-number.ts";
import type { LogFilter } from "./arguments/log-filter.ts";
import type { InlineCalls } from "./inline-calls.ts";
import { bloomTest, MAX_TOPICS, type SearchLimits } from "./log-search.ts";

/** Number of the newest blocks that are searched. */
const RECENT_BLOCKS = 1024;
/** Maximum number of addresses and topics of a filter. */
const MAX_VALUES = 32;
/** Maximum characters of an answer. */
const MAX_TEXT = 1 << 20;
/** Maximum gas of a block whose logs are read here. */
const MAX_BLOCK_GAS = 30_000_000n;
/** Maximum number of logs, and of bytes in them, of a block whose logs are encoded here: more take above 5 ms. */
const MAX_BLOCK_LOGS = 2_000;
const MAX_BLOCK_BYTES = 256 * 1024;
/** Share of the memory for answers; the rest is for logs. */
const ANSWER_SHARE = 1 / 4;
/** Memory of a kept block and of a kept log beside their bytes. */
const BLOCK_BYTES = 150;
const LOG_BYTES = 200;

/** Dependencies and limits. */
export interface RecentLogsOptions {
  readonly chain: Pick<Chain, "head" | "header" | "number" | "oldestBody" | "onRewind">;
  /** Reads the receipts of a block that have logs; undefined when they are not stored. */
  readonly loggedReceipts: (number: number) => readonly LoggedReceipt[] | undefined;
  /** Memory for logs and answers. */
  readonly maxBytes: number;
  /** Cache of the bytes of answers that are requested repeatedly. */
  readonly keptBytes: ByteCache;
  /** The time in each turn that searches share with calls of contracts. */
  readonly inlineCalls: InlineCalls;
  readonly limits: SearchLimits;
}

/** A log as JSON text, and the hex digits of its address and its topics, one behind the other. */
interface KeptLog {
  readonly text: string;
  readonly values: string;
  readonly topicCount: number;
}

interface KeptBlock {
  readonly bloom: Uint8Array;
  readonly logs: readonly KeptLog[];
  readonly bytes: number;
}

/** A range of blocks, both ends included. */
interface Range {
  readonly first: number;
  readonly last: number;
}

const WITHOUT_LOGS: KeptBlock = { bloom: EMPTY_BLOOM, logs: [], bytes: BLOCK_BYTES };
/** A block with more logs than are encoded here. It is kept so that it is read once. */
const TOO_LARGE: KeptBlock = { ...WITHOUT_LOGS };

/** The searches. See the file's header. */
export class RecentLogs {
  readonly #options: RecentLogsOptions;
  readonly #answers: TextCache;
  readonly #blocks = new Map<number, KeptBlock>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(options: RecentLogsOptions) {
    const { chain, maxBytes, keptBytes } = options;
    this.#options = options;
    this.#answers = new TextCache(maxBytes * ANSWER_SHARE, keptBytes);
    this.#maxBytes = maxBytes * (1 - ANSWER_SHARE);
    chain.onRewind(() => this.#clear());
  }

  /** Returns the matching logs, oldest first, as JSON text. */
  search(filter: LogFilter): string | undefined {
    const range = this.#rangeOf(filter);
    if (range === undefined) return undefined;
    const key = keyOf(filter, range);
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const found = this.#options.inlineCalls.run(
      () => "getLogs",
      () => this.#find(filter, range),
    );
    if (found !== undefined) this.#answers.add(key, found);
    return found;
  }

  /** Returns the range of a filter when it can be searched here and has no fault. */
  #rangeOf(filter: LogFilter): Range | undefined {
    if (hasManyValues(filter)) return undefined;
    const { chain, limits } = this.#options;
    const { number: head } = chain.head().header;
    const range = numbersOf(filter, head, chain);
    if (range === undefined) return undefined;
    const { last } = range;
    const first = Math.max(1, range.first); // block 0 has no logs
    if (first > last || last > head || first <= head - RECENT_BLOCKS) return undefined;
    if (first < chain.oldestBody()) return undefined; // also when its answer is still kept
    return limits.maxRange > 0 && last - range.first >= limits.maxRange ? undefined : { first, last };
  }

  #find(filter: LogFilter, { first, last }: Range): string | undefined {
    const mayFit = bloomTest(filter);
    const fits = logTest(filter);
    const { maxLogs } = this.#options.limits;
    const loading = new Slice("recentLogs");
    const searching = new Slice("inlineCalls");
    const found: string[] = [];
    let length = 0;
    for (let number = first; number <= last; number++) {
      const block = this.#blocks.get(number) ?? this.#load(number, loading);
      if (block === undefined || block === TOO_LARGE || searching.isOver) return undefined;
      const matches = mayFit(block.bloom) ? block.logs.filter(fits) : [];
      for (const { text } of matches) {
        found.push(text);
        length += text.length;
      }
      if (length > MAX_TEXT || (maxLogs > 0 && found.length > maxLogs)) return undefined;
    }
    return `[${found.join(",")}]`;
  }

  /** Reads and keeps a block; undefined when there is no time left for it, or it is too large. */
  #load(number: number, slice: Slice): KeptBlock | undefined {
    if (slice.isOver) return undefined;
    const head = this.#options.chain.header(number);
    if (head === undefined || head.header.gasUsed > MAX_BLOCK_GAS) return undefined;
    const { bloom } = head.header;
    if (equalBytes(bloom, EMPTY_BLOOM)) return this.#keep(number, WITHOUT_LOGS);
    const receipts = this.#options.loggedReceipts(number);
    if (receipts === undefined) return undefined;
    return this.#keep(number, isTooLarge(receipts) ? TOO_LARGE : keptBlock(bloom, keptLogs(head, receipts)));
  }

  #keep(number: number, block: KeptBlock): KeptBlock {
    this.#blocks.set(number, block);
    this.#bytes += block.bytes;
    for (const [oldest, { bytes }] of this.#blocks) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#blocks.delete(oldest);
      this.#bytes -= bytes;
    }
    return block;
  }

  #clear(): void {
    this.#answers.clear();
    this.#blocks.clear();
    this.#bytes = 0;
  }
}

function isTooLarge(receipts: readonly LoggedReceipt[]): boolean {
  let [count, bytes] = [0, 0];
  for (const { logs } of receipts) {
    count += logs.length;
    if (count > MAX_BLOCK_LOGS) return true;
    for (const { data } of logs) bytes += data.length;
  }
  return bytes > MAX_BLOCK_BYTES;
}

function keptLogs({ header, hash }: BlockHead, receipts: readonly LoggedReceipt[]): KeptLog[] {
  const { number } = header;
  return receipts.flatMap(({ logs, transactionHash, transactionIndex, logsBefore }) =>
    logs.map((log, at) => {
      const logIndex = logsBefore + at;
      const place = { number, blockHash: hash, transactionHash, transactionIndex, logIndex };
      return keptLog(log, goJson(logJson(log, place)));
    }),
  );
}

function keptLog({ address, topics }: EventLog, text: string): KeptLog {
  return { text, values: bareHex(address) + topics.map(bareHex).join(""), topicCount: topics.length };
}

function keptBlock(bloom: Uint8Array, logs: readonly KeptLog[]): KeptBlock {
  const bytes = logs.reduce(
    (sum, { text, values }) => sum + text.length + values.length + LOG_BYTES,
    BLOCK_BYTES,
  );
  return { bloom: bloom.slice(), logs, bytes: bytes + bloom.length };
}

const ADDRESS_DIGITS = 40;
const TOPIC_DIGITS = 64;

function hasManyValues({ addresses, topics }: LogFilter): boolean {
  const count = topics.reduce((sum, values) => sum + values.length, addresses.length);
  return topics.length > MAX_TOPICS || count > MAX_VALUES;
}

/** Returns the range that a filter names; undefined for an unknown block and for pending ones. */
function numbersOf(
  { blockHash, from = "latest", to = "latest" }: LogFilter,
  head: number,
  chain: Pick<Chain, "number">,
): Range | undefined {
  if (blockHash !== undefined) {
    const number = chain.number(blockHash);
    return number === undefined ? undefined : { first: number, last: number };
  }
  if (from === "pending" || to === "pending") return undefined;
  return { first: resolveNumber(head, from), last: resolveNumber(head, to) };
}

/** Creates the test of a filter's address and topics. */
function logTest({ addresses, topics }: LogFilter): (log: KeptLog) => boolean {
  const wantedAddresses = addresses.map(bareHex);
  const wantedTopics = topics.map((values) => values.map(bareHex));
  return ({ values, topicCount }) =>
    wantedTopics.length <= topicCount &&
    isOneAt(values, 0, wantedAddresses) &&
    wantedTopics.every((wanted, index) => isOneAt(values, ADDRESS_DIGITS + index * TOPIC_DIGITS, wanted));
}

/** Reports if one of the wanted values is at a place; no wanted ones are any. */
function isOneAt(values: string, at: number, wanted: readonly string[]): boolean {
  return wanted.length === 0 || wanted.some((each) => values.startsWith(each, at));
}

/** Returns a key of everything that an answer depends on. */
function keyOf({ addresses, topics }: LogFilter, { first, last }: Range): string {
  const positions = topics.map((values) => `,${values.map(toHex).join("|")}`); // [] and [null] differ
  return `${first}-${last}:${addresses.map(toHex).join("|")}${positions.join("")}`;
}
