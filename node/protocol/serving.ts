/**
 * Answers to what peers ask of our chain, read from its bytes and bounded in number and size. What is missing
 * is left out: an answer always comes, if need be an empty one.
 */
import { encodeRlpList } from "../bytes/rlp.ts";
import type { RawBlocks } from "../chain/raw-blocks.ts";
import type { HeaderQuery } from "./codecs.ts";
import { ProtocolError } from "./error.ts";
import { SERVED } from "./limits.ts";
import { type MessageRow, messages } from "./messages.ts";
import { answerSidecars, type FindSidecar } from "./sidecars.ts";

/** A message that answers another, and how many items went into it. */
export interface Answer {
  readonly code: number;
  readonly payload: Uint8Array;
  readonly items: number;
}

/** Answers one kind of request. Throws `ProtocolError` for what must not be asked. */
export type Answering = (payload: Uint8Array) => Answer;

const EMPTY_LIST = encodeRlpList([]);

/** The answer to each kind of request, by its code. */
export function createServing(raw: RawBlocks, findSidecar: FindSidecar): ReadonlyMap<number, Answering> {
  const body = (hash: Uint8Array): Uint8Array | undefined => {
    const found = bytesOf(raw, hash, (number) => raw.body(number));
    return found && encodeRlpList([found]);
  };
  const receipts = (hash: Uint8Array): Uint8Array | undefined => {
    const number = raw.number(hash);
    const found = number === undefined ? undefined : raw.receipts(number);
    return found && encodeRlpList(found);
  };
  const { fetchedBodiesRequest, fetchedBodies, bodiesRequest, bodies } = messages;
  return new Map<number, Answering>([
    [messages.headersRequest.code, (payload) => queriedHeaders(raw, messages.headersRequest.decode(payload))],
    [messages.oneHeaderRequest.code, (payload) => oneHeader(raw, messages.oneHeaderRequest.decode(payload))],
    byHash(fetchedBodiesRequest, fetchedBodies.code, { most: SERVED.bodies, find: body }),
    byHash(bodiesRequest, bodies.code, { most: SERVED.bodies, find: body }),
    byHash(messages.receiptsRequest, messages.receipts.code, { most: SERVED.receipts, find: receipts }),
    nothing(messages.nodeDataRequest, messages.nodeData.code),
    nothing(messages.stakingRequest, messages.staking.code),
    [messages.sidecarsRequest.code, (payload) => answerSidecars(payload, findSidecar)],
  ]);
}

function bytesOf(
  raw: RawBlocks,
  hash: Uint8Array,
  read: (number: number) => Uint8Array | undefined,
): Uint8Array | undefined {
  const number = raw.number(hash);
  return number === undefined ? undefined : read(number);
}

function byHash(
  row: MessageRow<Uint8Array[]>,
  code: number,
  { most, find }: { most: number; find: (hash: Uint8Array) => Uint8Array | undefined },
): [number, Answering] {
  return [
    row.code,
    (payload) => {
      const found: Uint8Array[] = [];
      let bytes = 0;
      for (const hash of row.decode(payload)) {
        if (found.length >= most || bytes >= SERVED.bytes) break;
        const item = find(hash);
        if (item === undefined) continue;
        found.push(item);
        bytes += item.length;
      }
      return { code, payload: encodeRlpList(found), items: found.length };
    },
  ];
}

/** What a node with another kind of state cannot give. */
function nothing(row: MessageRow<unknown>, code: number): [number, Answering] {
  return [
    row.code,
    (payload) => {
      row.decode(payload);
      return { code, payload: EMPTY_LIST, items: 0 };
    },
  ];
}

/** A peer may only ask for a header that we announced, so not having it is its fault. */
function oneHeader(raw: RawBlocks, hash: Uint8Array): Answer {
  const header = bytesOf(raw, hash, (number) => raw.header(number));
  if (header === undefined)
    throw new ProtocolError("unknown-block", "the peer asks for a header we never announced");
  return { code: messages.oneHeader.code, payload: header, items: 1 };
}

function queriedHeaders(raw: RawBlocks, query: HeaderQuery): Answer {
  const found: Uint8Array[] = [];
  let bytes = 0;
  for (const number of queriedNumbers(query, raw)) {
    const header = raw.header(number);
    if (header === undefined || bytes >= SERVED.bytes) break;
    found.push(header);
    bytes += header.length;
  }
  return { code: messages.headers.code, payload: encodeRlpList(found), items: found.length };
}

/** The numbers that a query names, as far as they lie between block 0 and the head. */
export function* queriedNumbers(
  { origin, amount, skip, reverse }: HeaderQuery,
  raw: Pick<RawBlocks, "head" | "number">,
): Generator<number> {
  const first = origin instanceof Uint8Array ? raw.number(origin) : Number(origin);
  if (first === undefined) return;
  const step = (Number(skip) + 1) * (reverse ? -1 : 1);
  const most = amount > BigInt(SERVED.headers) ? SERVED.headers : Number(amount);
  for (let i = 0, at = first; i < most && at >= 0 && at <= raw.head(); i++, at += step) yield at;
}
