import { expect, test } from "@jest/globals";
import { blockNumber, blockReference } from "../../../node/calls/arguments/block-number.ts";
import { interfaceProfile } from "../../../node/compat/interface-profile.ts";
import { rpcProfiles } from "../../../node/compat/profiles.ts";
import { optional } from "../../../node/jsonrpc/codec.ts";
import { text } from "../../../node/jsonrpc/codecs/plain.ts";
import { type CallContext, method } from "../../../node/jsonrpc/method.ts";

const context: CallContext = { signal: new AbortController().signal, modules: [], document: () => "" };
const row = method({
  name: "chain_example",
  summary: "",
  params: { word: text, block: blockReference, end: optional(blockNumber) },
  result: text,
  handle: ({ word }) => word,
});

test("the older line refuses safe and finalized where a method takes a block, and nowhere else", () => {
  const { invoke } = interfaceProfile(rpcProfiles.klaytn).adaptMethod(row);
  expect(invoke(["safe", "latest"], context)).toBe('"safe"');
  expect(() => invoke(["", "safe"], context)).toThrow("invalid argument 1: hex string without 0x prefix");
  expect(() => invoke(["", "latest", "finalized"], context)).toThrow(
    "invalid argument 2: hex string without 0x prefix",
  );
});

test("a method that takes no block is the same object under every profile, and so is any under the newer line", () => {
  const plain = method({
    name: "chain_plain",
    summary: "",
    params: { word: text },
    result: text,
    handle: ({ word }) => word,
  });
  expect(interfaceProfile(rpcProfiles.klaytn).adaptMethod(plain)).toBe(plain);
  expect(interfaceProfile(rpcProfiles.kaia).adaptMethod(row)).toBe(row);
});
