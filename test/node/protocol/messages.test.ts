/** The messages of recorded connections, whole and damaged. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { expect, test } from "@jest/globals";
import { bareHex, fromBareHex } from "../../../node/bytes/hex.ts";
import { encodeRlp, encodeRlpList } from "../../../node/bytes/rlp.ts";
import { ProtocolError } from "../../../node/protocol/error.ts";
import { MAX_PAYLOAD_BYTES } from "../../../node/protocol/limits.ts";
import { type MessageRow, messageRow, messages, VERSIONS } from "../../../node/protocol/messages.ts";
import { replayMessages } from "../../support/protocol-vectors.ts";
import { randomBytes, seededRandom } from "../../support/random.ts";

const RECORDED = fileURLToPath(new URL("../../vectors/network-messages.json.gz", import.meta.url));
const mutations = Number(process.env["KNIT_MUTATIONS"] ?? 40);

interface Recorded {
  readonly code: number;
  readonly payload: string;
}

function recordings(): Recorded[] {
  const { connections } = JSON.parse(gunzipSync(readFileSync(RECORDED)).toString()) as {
    connections: { events: Recorded[] }[];
  };
  return connections
    .flatMap(({ events }) => events)
    .map(({ code, payload }) => ({ code: code - 16, payload }));
}

test("recorded messages encode to the same bytes, and answers match their requests", async () => {
  const { passed, failures } = await replayMessages(RECORDED);
  expect(failures).toEqual([]);
  expect(passed).toBeGreaterThan(60);
});

test("the recording has every kind of message of these nodes", () => {
  const kinds = new Set(recordings().map(({ code }) => code));
  expect([...kinds].sort((a, b) => a - b)).toEqual([0x00, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x11]);
});

test("a damaged message is refused with a code, or encodes to exactly its bytes", () => {
  const random = seededRandom(65);
  let refused = 0;
  for (const { code, payload } of recordings()) {
    const row = messageRow(code, 67);
    if (row === undefined) throw new Error(`no row for code ${code}`);
    for (let i = 0; i < mutations; i++) {
      if (!standsForItself(row, damage(fromBareHex(payload), random))) refused++;
    }
  }
  expect(refused).toBeGreaterThan(0);
});

/** True when the bytes come back as they are, false when they were refused with a code. */
function standsForItself(row: MessageRow<unknown>, bytes: Uint8Array): boolean {
  let value: unknown;
  try {
    value = row.decode(bytes);
  } catch (error) {
    expect(error).toMatchObject({ name: "ProtocolError", code: "bad-message" });
    return false;
  }
  expect(bareHex(row.encode(value))).toBe(bareHex(bytes));
  return true;
}

/** A few bytes changed, cut off, put in or said twice. */
function damage(bytes: Uint8Array, random: () => number): Uint8Array {
  const at = Math.floor(random() * bytes.length);
  switch (Math.floor(random() * 4)) {
    case 0: {
      const changed = Uint8Array.from(bytes);
      changed[at] = Math.floor(random() * 256);
      return changed;
    }
    case 1:
      return bytes.slice(0, at);
    case 2:
      return Uint8Array.from([...bytes.subarray(0, at), ...randomBytes(random, 3), ...bytes.subarray(at)]);
    default:
      return Uint8Array.from([...bytes.subarray(0, at), ...bytes.subarray(at >> 1)]);
  }
}

test("lists nested without end are refused without recursion", () => {
  const nested = new Uint8Array(100_000).fill(0xc1);
  for (const row of Object.values(messages)) {
    let outcome: unknown = "read";
    try {
      outcome = row.decode(nested);
    } catch (error) {
      outcome = (error as ProtocolError).code;
    }
    expect(outcome).toBe("bad-message");
  }
});

test("a version has the codes of its own and earlier versions, below its number of codes", () => {
  for (const { version, length } of VERSIONS) {
    for (let code = 0; code < 40; code++) {
      const row = messageRow(code, version);
      if (row !== undefined) expect(code).toBeLessThan(length);
    }
  }
  expect(messageRow(messages.stakingInfoRequest.code, 64)).toBeUndefined();
  expect(messageRow(messages.stakingInfoRequest.code, 65)).toBe(messages.stakingInfoRequest);
  expect(messageRow(0x10, 67)).toBeUndefined();
});

test("requests and announcements have a much lower size limit than blocks", () => {
  expect(messages.newBlock.maxPayload).toBe(MAX_PAYLOAD_BYTES);
  for (const { name, maxPayload } of Object.values(messages)) {
    if (/Request|Hashes|Status/.test(name)) expect(maxPayload).toBeLessThan(MAX_PAYLOAD_BYTES / 8);
  }
});

test("a single requested hash is a bare byte string", () => {
  const hash = new Uint8Array(32).fill(1);
  expect(messages.headerFetchRequest.encode(hash)).toEqual(encodeRlp(hash));
  expect(() => messages.headerFetchRequest.decode(encodeRlp([hash]))).toThrow(ProtocolError);
});

/** A list of as many of the item as fit eight megabytes. */
function fullOf(item: Uint8Array): Uint8Array {
  const content = new Uint8Array(8 * 2 ** 20 - ((8 * 2 ** 20) % item.length));
  for (let at = 0; at < content.length; at += item.length) content.set(item, at);
  return encodeRlpList([content]);
}

test("a message of the smallest items is refused before they exhaust the memory", () => {
  const pair = Uint8Array.of(0x01, 0xc0);
  expect(() => messages.transactions.decode(fullOf(pair))).toThrow("more than 131072 transactions");
  expect(() => messages.bodies.decode(fullOf(Uint8Array.of(0xc1, 0xc0)))).toThrow("more than 128 items");
  expect(() => messages.headersRequest.decode(fullOf(pair))).toThrow(ProtocolError);
  expect(() =>
    messages.newBlockHashes.decode(fullOf(encodeRlp([new Uint8Array(32).fill(1), pair.subarray(0, 1)]))),
  ).toThrow("more than 8192 items");
});

test("a header is as long as its proposer has made it", () => {
  const one = recordings().find(({ code }) => code === messages.headers.code);
  const [header] = messages.headers.decode(fromBareHex(one?.payload ?? ""));
  if (header === undefined) throw new Error("no header was recorded");
  const long = { ...header, vote: new Uint8Array(300_000) };
  expect(messages.headerFetchResponse.decode(messages.headerFetchResponse.encode(long))).toEqual(long);
});
