/**
 * Replays the chain messages of recorded connections of Go nodes: each is decoded and encoded again to the same
 * bytes, and answers of headers are those that our reading of the question names.
 */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { bareHex, fromBareHex, toHex } from "../../node/bytes/hex.ts";
import { encodePayload } from "../../node/consensus/bft/payload.ts";
import { readMessage } from "../../node/consensus/bft/signed-message.ts";
import { decodeWireMessage, encodeWireMessage } from "../../node/consensus/bft/wire-message.ts";
import { blockHash, type Header } from "../../node/model/header.ts";
import type { HeaderQuery } from "../../node/protocol/codecs.ts";
import { messageRow, messages } from "../../node/protocol/messages.ts";
import { queryNumbers } from "../../node/protocol/serving.ts";

/** Result of a replay: each message and each answer with headers is one fact. */
export interface ReplayedMessages {
  readonly passed: number;
  readonly failed: number;
  readonly failures: readonly string[];
}

interface RecordedMessage {
  readonly t: string;
  /** On the wire: the base protocol's codes come before. */
  readonly code: number;
  readonly payload: string;
}

interface Recording {
  readonly networkId: number;
  readonly connections: readonly { readonly events: readonly RecordedMessage[] }[];
}

/** Codes of the base protocol. */
const OFFSET = 16;
const NEWEST_VERSION = 67;

/** Replays all messages of a file, packed or plain. */
export async function replayMessages(file: string): Promise<ReplayedMessages> {
  const bytes = readFileSync(file);
  const { connections, networkId } = JSON.parse(
    (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString(),
  ) as Recording;
  const failures: string[] = [];
  let passed = 0;
  const check = (what: string, fact: () => boolean): void => {
    try {
      if (fact()) passed++;
      else failures.push(`${what}: differs`);
    } catch (error) {
      failures.push(`${what}: ${(error as Error).message}`);
    }
  };
  for (const [index, { events }] of connections.entries()) {
    const chainMessages = events.filter(({ t, code }) => t.startsWith("msg-") && code >= OFFSET);
    for (const [at, message] of chainMessages.entries()) {
      const code = message.code - OFFSET;
      const what = `connection ${index}, message ${at} (code ${code})`;
      check(what, () => returns(code, message.payload));
      if (code === messages.consensus.code) check(`${what}: letter`, () => isWhole(message.payload));
      if (code === messages.status.code) {
        check(`${what}: network`, () => statusNetwork(message.payload) === BigInt(networkId));
      }
    }
    for (const [what, fact] of headerAnswers(chainMessages)) check(`connection ${index}: ${what}`, fact);
  }
  return { passed, failed: failures.length, failures };
}

function returns(code: number, payload: string): boolean {
  const row = messageRow(code, NEWEST_VERSION);
  return row !== undefined && bareHex(row.encode(row.decode(fromBareHex(payload)))) === payload;
}

/** The payload of a consensus message is signed by its sender, and its parts give its bytes again. */
function isWhole(payload: string): boolean {
  const { message } = messages.consensus.decode(fromBareHex(payload));
  const content = encodePayload(readMessage(message).payload);
  const written = encodeWireMessage({ ...decodeWireMessage(message), content });
  return bareHex(written) === bareHex(message);
}

function statusNetwork(payload: string): bigint {
  return messages.status.decode(fromBareHex(payload)).networkId;
}

/** Questions for headers with the answers that came on the same connection, in order. */
function headerAnswers(all: readonly RecordedMessage[]): [string, () => boolean][] {
  const found: [string, () => boolean][] = [];
  for (const [ask, reply] of [
    ["msg-in", "msg-out"],
    ["msg-out", "msg-in"],
  ] as const) {
    const of = (t: string, code: number): RecordedMessage[] =>
      all.filter((message) => message.t === t && message.code === OFFSET + code);
    const answers = of(reply, messages.headers.code);
    for (const [i, question] of of(ask, messages.headersRequest.code).entries()) {
      const answer = answers[i];
      if (answer === undefined) continue;
      found.push([
        `headers answer ${i}`,
        () =>
          isNamed(
            messages.headersRequest.decode(fromBareHex(question.payload)),
            messages.headers.decode(fromBareHex(answer.payload)),
          ),
      ]);
    }
  }
  return found;
}

/** True when the headers are those that the question names, as far as the answering node had them. */
function isNamed(query: HeaderQuery, headers: readonly Header[]): boolean {
  const numbers = headers.map(({ number }) => number);
  const raw = {
    head: () => Math.max(...numbers),
    number: (hash: Uint8Array) => headers.find((header) => toHex(blockHash(header)) === toHex(hash))?.number,
  };
  return JSON.stringify([...queryNumbers(query, raw)]) === JSON.stringify(numbers);
}
