/**
 * Answers to requests for our chain, read as bytes from the database and bounded in number and size. Missing
 * items are left out; an answer is always sent, even when it is empty.
 */
import type { Hash } from "../bytes/brands.ts";
import { encodeRlpList } from "../bytes/rlp.ts";
import type { RawBlocks } from "../chain/raw-blocks.ts";
import type { BlobSidecar } from "../model/transaction-type.ts";
import { StoreError } from "../store/error.ts";
import type { HeaderQuery, PlacedSidecar } from "./codecs.ts";
import { ProtocolError } from "./error.ts";
import { MAX_LOOK_UPS_AN_ITEM, MAX_SERVED } from "./limits.ts";
import { type MessageRow, messages } from "./messages.ts";

/** An answer, the number of its items, and its cost. */
export interface RequestAnswer {
  readonly code: number;
  readonly payload: Uint8Array;
  readonly items: number;
  /** Number of look-ups, found or not. */
  readonly lookUps: number;
  /** True when the request named blocks and none of them exists. */
  readonly isUseless: boolean;
}

/**
 * Answers one kind of request, in steps of one look-up: the receipts of a block take milliseconds. Throws `ProtocolError`
 * for an invalid one.
 */
export type AnswerRequest = (payload: Uint8Array) => Generator<undefined, RequestAnswer>;

/** Returns the blob sidecar of a mined or pooled transaction, or undefined when it is no longer kept. */
export type FindSidecar = (hash: Hash) => BlobSidecar | undefined;

const EMPTY_LIST = encodeRlpList([]);

/** Returns blocks as peers get them: what a damaged row holds is missing, as in the Go node, and is reported. */
export function servedBlocks(raw: RawBlocks, onFailure: (error: StoreError) => void): RawBlocks {
  const unlessDamaged =
    <Key, Found>(read: (key: Key) => Found | undefined) =>
    (key: Key): Found | undefined => {
      try {
        return read(key);
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        onFailure(error);
        return undefined;
      }
    };
  return {
    head: raw.head,
    number: unlessDamaged(raw.number),
    header: unlessDamaged(raw.header),
    body: unlessDamaged(raw.body),
    receipts: unlessDamaged(raw.receipts),
  };
}

/** Creates the request handlers, by message code. */
export function createServing(raw: RawBlocks, findSidecar: FindSidecar): ReadonlyMap<number, AnswerRequest> {
  const body = (hash: Hash): Uint8Array | undefined => {
    const found = bytesOf(raw, hash, (number) => raw.body(number));
    return found && encodeRlpList([found]);
  };
  const receipts = (hash: Hash): Uint8Array | undefined => {
    const number = raw.number(hash);
    const found = number === undefined ? undefined : raw.receipts(number);
    return found && encodeRlpList(found);
  };
  const { bodiesFetchRequest, bodiesFetchResponse, bodiesRequest, bodies } = messages;
  return new Map<number, AnswerRequest>([
    [messages.headersRequest.code, (payload) => answerHeaders(raw, messages.headersRequest.decode(payload))],
    [
      messages.headerFetchRequest.code,
      (payload) => answerHeader(raw, messages.headerFetchRequest.decode(payload)),
    ],
    answerByHash(bodiesFetchRequest, bodiesFetchResponse.code, { max: MAX_SERVED.bodies, find: body }),
    answerByHash(bodiesRequest, bodies.code, { max: MAX_SERVED.bodies, find: body }),
    answerByHash(messages.receiptsRequest, messages.receipts.code, {
      max: MAX_SERVED.receipts,
      find: receipts,
    }),
    answerEmpty(messages.nodeDataRequest, messages.nodeData.code),
    answerEmpty(messages.stakingInfoRequest, messages.stakingInfo.code),
    [messages.sidecarsRequest.code, (payload) => answerSidecars(payload, findSidecar)],
  ]);
}

function bytesOf(
  raw: RawBlocks,
  hash: Hash,
  read: (number: number) => Uint8Array | undefined,
): Uint8Array | undefined {
  const number = raw.number(hash);
  return number === undefined ? undefined : read(number);
}

function answerByHash(
  row: MessageRow<Uint8Array[]>,
  code: number,
  { max, find }: { max: number; find: (hash: Hash) => Uint8Array | undefined },
): [number, AnswerRequest] {
  return [
    row.code,
    function* (payload) {
      const found: Uint8Array[] = [];
      let bytes = 0;
      let lookUps = 0;
      for (const hash of row.decode(payload)) {
        if (found.length >= max || bytes >= MAX_SERVED.bytes || lookUps >= max * MAX_LOOK_UPS_AN_ITEM) break;
        lookUps++;
        const item = find(hash);
        yield;
        if (item === undefined) continue;
        found.push(item);
        bytes += item.length;
      }
      return answerOf(code, found, { lookUps, isUseless: lookUps > 0 && found.length === 0 });
    },
  ];
}

function answerOf(
  code: number,
  found: readonly Uint8Array[],
  cost: Pick<RequestAnswer, "lookUps" | "isUseless">,
): RequestAnswer {
  return { code, payload: encodeRlpList(found), items: found.length, ...cost };
}

/** Creates an empty answer, for data that this node does not have in the Go node's form. */
function answerEmpty(row: MessageRow<readonly unknown[]>, code: number): [number, AnswerRequest] {
  return [
    row.code,
    // oxlint-disable-next-line require-yield -- it has one step
    function* (payload) {
      const lookUps = row.decode(payload).length;
      return { code, payload: EMPTY_LIST, items: 0, lookUps, isUseless: false };
    },
  ];
}

/**
 * Answers a request for one header. Peers request only announced headers this way, so a missing one is their
 * fault.
 */
// oxlint-disable-next-line require-yield -- it has one step
function* answerHeader(raw: RawBlocks, hash: Hash): Generator<undefined, RequestAnswer> {
  const header = bytesOf(raw, hash, (number) => raw.header(number));
  if (header === undefined)
    throw new ProtocolError("unknown-block", "the peer requested a header that was never announced");
  return { code: messages.headerFetchResponse.code, payload: header, items: 1, lookUps: 1, isUseless: false };
}

function* answerHeaders(raw: RawBlocks, query: HeaderQuery): Generator<undefined, RequestAnswer> {
  const found: Uint8Array[] = [];
  let bytes = 0;
  for (const number of queryNumbers(query, raw)) {
    const header = raw.header(number);
    if (header === undefined || bytes >= MAX_SERVED.bytes) break;
    found.push(header);
    bytes += header.length;
    yield;
  }
  const isUseless = query.origin instanceof Uint8Array && raw.number(query.origin) === undefined;
  return answerOf(messages.headers.code, found, { lookUps: found.length + 1, isUseless });
}

/** Yields the block numbers of a query between the genesis block and the head. */
export function* queryNumbers(
  { origin, amount, skip, reverse }: HeaderQuery,
  raw: Pick<RawBlocks, "head" | "number">,
): Generator<number> {
  const first = origin instanceof Uint8Array ? raw.number(origin) : Number(origin);
  if (first === undefined) return;
  const step = (Number(skip) + 1) * (reverse ? -1 : 1);
  const max = amount > BigInt(MAX_SERVED.headers) ? MAX_SERVED.headers : Number(amount);
  for (let i = 0, at = first; i < max && at >= 0 && at <= raw.head(); i++, at += step) yield at;
}

/** Answers a request for blob sidecars, with at most four of them. Throws `ProtocolError` for an unreadable one. */
function* answerSidecars(payload: Uint8Array, find: FindSidecar): Generator<undefined, RequestAnswer> {
  const found: PlacedSidecar[] = [];
  let lookUps = 0;
  for (const place of messages.sidecarsRequest.decode(payload)) {
    if (found.length >= MAX_SERVED.sidecars || lookUps >= MAX_SERVED.bodies) break;
    lookUps++;
    const sidecar = find(place.hash);
    if (sidecar !== undefined) found.push({ ...place, sidecar });
    yield;
  }
  return {
    code: messages.sidecars.code,
    payload: messages.sidecars.encode(found),
    items: found.length,
    lookUps,
    isUseless: false,
  };
}
