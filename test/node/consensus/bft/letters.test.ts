/** Consensus messages as bytes: what Go nodes sent is read and written alike, what is false is refused. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { bareHex, fromBareHex, mapKey } from "../../../../node/bytes/hex.ts";
import { createWriter, readLetter } from "../../../../node/consensus/bft/letters.ts";
import { decodeMessage, encodeMessage, messageDigest } from "../../../../node/consensus/bft/message.ts";
import { encodeStatement, keyBytes } from "../../../../node/consensus/bft/statements.ts";
import { keccak256 } from "../../../../node/crypto/keccak.ts";
import { addressOfKey, sign } from "../../../../node/crypto/secp256k1.ts";
import { committedSealDigest } from "../../../../node/model/istanbul-extra.ts";
import { messages } from "../../../../node/protocol/messages.ts";

const FILE = new URL("../../../vectors/consensus-messages.json", import.meta.url);
const recorded = (JSON.parse(readFileSync(FILE, "utf8")) as { messages: string[] }).messages.map(
  (payload) => messages.consensus.decode(fromBareHex(payload)).payload,
);
const KINDS = ["preprepare", "prepare", "commit", "round-change"];
const KEY = keccak256(Buffer.from("knit/validator"));
const ADDRESS = addressOfKey(KEY);
const write = createWriter(ADDRESS, (digest) => sign(digest, KEY));

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
  "a recorded %s is read, and its parts written again",
  (kind, i) => {
    const payload = recorded[i] ?? new Uint8Array(0);
    const { statement } = readLetter(payload);
    expect(statement.kind).toBe(kind);
    const content = encodeStatement(statement);
    expect(bareHex(encodeMessage({ ...decodeMessage(payload), content }))).toBe(bareHex(payload));
  },
);

test.each(["prepare", "commit", "round-change"] as const)(
  "our own %s is read back as it was meant",
  (kind) => {
    const letter = write(aVote(kind));
    expect(readLetter(letter.payload)).toEqual(letter);
    expect(write(aVote(kind)).payload).toEqual(letter.payload);
  },
);

describe("refused", () => {
  test("a message with one bit changed, wherever it is", () => {
    const { payload } = write(aVote("commit"));
    for (let at = 0; at < payload.length; at++) {
      const changed = Uint8Array.from(payload);
      changed[at] = (changed[at] ?? 0) ^ 4;
      expect(() => readLetter(changed)).toThrow();
    }
  });

  test("a message by somebody else in the sender's name", () => {
    const other = keccak256(Buffer.from("other"));
    const { payload } = createWriter(ADDRESS, (digest) => sign(digest, other))(aVote("prepare"));
    expect(() => readLetter(payload)).toThrow("the signature is not the sender's");
  });

  test("a commit whose seal is of another block", () => {
    const vote = aVote("commit");
    const seal = sign(committedSealDigest(keyBytes(vote.parent)), KEY);
    const unsigned = { ...decodeMessage(write(vote).payload), seal };
    const payload = encodeMessage({ ...unsigned, signature: sign(messageDigest(unsigned), KEY) });
    expect(() => readLetter(payload)).toThrow("the committed seal is not the sender's");
  });

  test("a kind that there is not", () => {
    const unsigned = { ...decodeMessage(write(aVote("prepare")).payload), code: 4 };
    const payload = encodeMessage({ ...unsigned, signature: sign(messageDigest(unsigned), KEY) });
    expect(() => readLetter(payload)).toThrow("there is no message 4");
  });
});
