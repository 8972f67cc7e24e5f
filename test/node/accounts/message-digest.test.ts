/** Tests of the digests of messages. */
import { expect, test } from "@jest/globals";
import { keccak256 as oracle } from "ethereum-cryptography/keccak.js";
import { hashMessage } from "ethers";
import {
  ETHEREUM_MESSAGE_PREFIX,
  KLAYTN_MESSAGE_PREFIX,
  messageDigest,
} from "../../../node/accounts/message-digest.ts";
import { bareHex, toHex } from "../../../node/bytes/hex.ts";

test("with the Ethereum prefix it is the digest of EIP-191, which ethers computes", () => {
  for (const message of [Buffer.alloc(0), Buffer.from("hello"), Buffer.alloc(1234, 0xff)]) {
    expect(toHex(messageDigest(ETHEREUM_MESSAGE_PREFIX, message))).toBe(hashMessage(message));
  }
});

test("with the Klaytn prefix the length follows in decimal, then the message", () => {
  const text = Buffer.from("\x19Klaytn Signed Message:\n11hello world");
  expect(bareHex(messageDigest(KLAYTN_MESSAGE_PREFIX, Buffer.from("hello world")))).toBe(
    bareHex(oracle(text)),
  );
});
