/** Consensus messages as bytes: what Go nodes sent is read and written alike, what is false is refused. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { bareHex, fromBareHex, mapKey } from "../../../../node/bytes/hex.ts";
import { encodePayload, keyBytes } from "../../../../node/consensus/bft/payload.ts";
import { createMessageSigner, readMessage } from "../../../../node/consensus/bft/signed-message.ts";
import {
  decodeWireMessage,
  encodeWireMessage,
  wireMessageDigest,
} from "../../../../node/consensus/bft/wire-message.ts";
import { keccak256 } from "../../../../node/crypto/keccak.ts";
import { addressOfKey, sign } from "../../../../node/crypto/secp256k1.ts";
import { committedSealDigest } from "../../../../node/model/istanbul-extra.ts";
import { messages } from "../../../../node/protocol/messages.ts";

const FILE = new URL("../../../vectors/consensus-messages.json", import.meta.url);
const recorded = (JSON.parse(readFileSync(FILE, "utf8")) as { messages: string[] }).messages.map(
  (bytes) => messages.consensus.decode(fromBareHex(bytes)).message,
);
const KINDS = ["preprepare", "prepare", "commit", "round-change"];
const KEY = keccak256(Buffer.from("knit/validator"));
const ADDRESS = addressOfKey(KEY);
const write = createMessageSigner(ADDRESS, (digest) => sign(digest, KEY));

/** A vote of ours. */
function aVote(kind: "prepare" | "commit" | "round-change") {
  const view = { sequence: 300, round: 2 };
  return {
    kind,
    view,
    digest: mapKey(keccak256(Uint8Array.of(1))),
    parent: mapKey(keccak256(Uint8Array.of(2))),
  };
}

test.each(KINDS.map((kind, i) => [kind, i] as const))(
  "a recorded %s decodes, and its parts encode to the same bytes",
  (kind, i) => {
    const bytes = recorded[i] ?? new Uint8Array(0);
    const { payload } = readMessage(bytes);
    expect(payload.kind).toBe(kind);
    const content = encodePayload(payload);
    expect(bareHex(encodeWireMessage({ ...decodeWireMessage(bytes), content }))).toBe(bareHex(bytes));
  },
);

test.each(["prepare", "commit", "round-change"] as const)("an own %s decodes to the same message", (kind) => {
  const message = write(aVote(kind));
  expect(readMessage(message.bytes)).toEqual(message);
  expect(write(aVote(kind)).bytes).toEqual(message.bytes);
});

describe("refused", () => {
  test("a message with any bit changed", () => {
    const { bytes } = write(aVote("commit"));
    for (let at = 0; at < bytes.length; at++) {
      const changed = Uint8Array.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 4;
      expect(() => readMessage(changed)).toThrow();
    }
  });

  test("a message signed by another key", () => {
    const other = keccak256(Buffer.from("other"));
    const { bytes } = createMessageSigner(ADDRESS, (digest) => sign(digest, other))(aVote("prepare"));
    expect(() => readMessage(bytes)).toThrow("the signature is not the sender's");
  });

  test("a commit whose seal is of another block", () => {
    const vote = aVote("commit");
    const seal = sign(committedSealDigest(keyBytes(vote.parent)), KEY);
    const unsigned = { ...decodeWireMessage(write(vote).bytes), seal };
    const bytes = encodeWireMessage({ ...unsigned, signature: sign(wireMessageDigest(unsigned), KEY) });
    expect(() => readMessage(bytes)).toThrow("the committed seal is not the sender's");
  });

  test("an unknown message code", () => {
    const unsigned = { ...decodeWireMessage(write(aVote("prepare")).bytes), code: 4 };
    const bytes = encodeWireMessage({ ...unsigned, signature: sign(wireMessageDigest(unsigned), KEY) });
    expect(() => readMessage(bytes)).toThrow("there is no message 4");
  });
});
