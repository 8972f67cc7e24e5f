/** Tests of the messages of the base protocol. */
import { expect, test } from "@jest/globals";
import { bareHex } from "../../../node/bytes/hex.ts";
import { encodeRlp, type RlpInput } from "../../../node/bytes/rlp.ts";
import {
  decodeDisconnect,
  decodeHello,
  encodeDisconnect,
  encodeHello,
} from "../../../node/p2p/base-messages.ts";
import { reasonCode, reasonText } from "../../../node/p2p/disconnect-reasons.ts";
import { connectionByte, typeOfConnectionByte, typeOfText } from "../../../node/p2p/node-type.ts";
import { keyOf } from "../../support/p2p.ts";

const id = keyOf("peer").id;
const text = (value: string): Uint8Array => Buffer.from(value);
const hello = {
  version: 5,
  name: "Klaytn/v2.2.1",
  capabilities: [{ name: "istanbul", version: 65 }],
  listenPorts: [32323, 32324],
  id,
  multichannel: true,
};
const fields: RlpInput[] = [
  Uint8Array.of(5),
  text("Klaytn/v2.2.1"),
  [[text("istanbul"), Uint8Array.of(65)]],
  [Uint8Array.of(0x7e, 0x43), Uint8Array.of(0x7e, 0x44)],
  id,
  Uint8Array.of(1),
];
const withField = (at: number, value: RlpInput): RlpInput[] => fields.with(at, value);
const bytes = (code: number, form: "bare" | "list") => [...encodeDisconnect({ code, form })];
const code = (...payload: number[]) => decodeDisconnect(Uint8Array.from(payload)).code;
const refused = expect.objectContaining({ name: "P2pError", reason: "protocol-error" });

test("hello is encoded with its ports and multichannel flag, and decoded with or without additional elements", () => {
  expect(encodeHello(hello)).toEqual(encodeRlp(fields));
  expect({ ...decodeHello(encodeRlp(fields)), id: bareHex(id) }).toEqual({ ...hello, id: bareHex(id) });
  expect(bareHex(decodeHello(encodeRlp(fields)).id)).toBe(bareHex(id));
  expect(decodeHello(encodeRlp([...fields, [text("more")]]))).toEqual(decodeHello(encodeHello(hello)));
  expect(decodeHello(encodeHello({ ...hello, listenPorts: [], multichannel: false }))).toMatchObject({
    listenPorts: [],
    multichannel: false,
  });
});

test("a hello in Ethereum's layout, short, with a bad id or flag, or too long is refused", () => {
  for (const bad of [
    fields.slice(0, 5),
    withField(3, Uint8Array.of(0x7e, 0x43)),
    withField(4, id.subarray(1)),
    withField(5, Uint8Array.of(2)),
    withField(2, [text("istanbul")]),
    withField(0, Uint8Array.of(0, 5)),
    withField(1, text("x".repeat(2048))),
  ])
    expect(() => decodeHello(encodeRlp(bad))).toThrow(refused);
  expect(() => decodeHello(Uint8Array.of(0xc1))).toThrow(refused);
});

test("disconnect reasons are encoded and decoded in both forms; unreadable ones are reason 0", () => {
  expect([bytes(0, "bare"), bytes(4, "bare"), bytes(0x10, "bare")]).toEqual([[0], [4], [0x10]]);
  expect([bytes(0, "list"), bytes(4, "list")]).toEqual([
    [0xc1, 0x80],
    [0xc1, 4],
  ]);
  expect([code(0), code(4), code(0x80), code(0xc1, 4), code(0xc1, 0x80), code(0xc2, 5, 6)]).toEqual([
    0, 4, 0, 4, 0, 5,
  ]);
  expect([code(), code(0xc0), code(0xff), code(0xc1, 0xc0), code(0x82, 1, 1)]).toEqual([0, 0, 0, 0, 0]);
});

test("reasons and node types have the Go node's numbers and texts", () => {
  expect([reasonCode("too-many-peers"), reasonCode("read-timeout"), reasonCode("subprotocol-error")]).toEqual(
    [4, 11, 16],
  );
  expect([reasonText(8), reasonText(0x10), reasonText(0x0c)]).toEqual([
    "client quitting",
    "subprotocol error",
    "unknown disconnect reason 12",
  ]);
  expect((["cn", "en", "pn", "bn", "unknown"] as const).map(connectionByte)).toEqual([0, 1, 2, 3, 4]);
  expect([0, 1, 2, 3, 4, 255].map(typeOfConnectionByte)).toEqual([
    "cn",
    "en",
    "pn",
    "bn",
    "unknown",
    "unknown",
  ]);
  expect([typeOfText("cn"), typeOfText("CN")]).toEqual(["cn", "unknown"]);
});
