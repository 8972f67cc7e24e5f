/** Tests of the adapters that wrap methods for the Go lines. */
import { expect, test } from "@jest/globals";
import { blockNumber, blockReference } from "../../../node/calls/arguments/block-number.ts";
import { type AdapterRow, adaptWith, mapAnswer, onError } from "../../../node/compat/adapters.ts";
import { type ProfileName, rpcProfiles } from "../../../node/compat/profiles.ts";
import { optional } from "../../../node/jsonrpc/codec.ts";
import { text } from "../../../node/jsonrpc/codecs/plain.ts";
import { failure } from "../../../node/jsonrpc/errors.ts";
import { type CallContext, method } from "../../../node/jsonrpc/method.ts";
import { documented } from "../../../scripts/rpc-docs.ts";

const context: CallContext = { signal: new AbortController().signal, modules: [], document: () => "" };
const row = method({
  name: "chain_example",
  summary: "",
  params: { word: text, block: blockReference, end: optional(blockNumber) },
  result: text,
  handle: ({ word }) => word,
});
const plain = method({
  name: "chain_plain",
  summary: "",
  params: { word: text },
  result: text,
  inline: ({ word }) => word,
  handle: ({ word }) => {
    if (word === "") throw failure("no word");
    return word === "late" ? Promise.reject(failure("no word")) : Promise.resolve(word);
  },
});
const adaptOf = (name: ProfileName) => rpcProfiles[name].options.interfaces.adaptMethod;

test("the older line refuses safe and finalized where a method takes a block, and nowhere else", () => {
  const { invoke } = adaptOf("klaytn")(row);
  expect(invoke(["safe", "latest"], context)).toBe('"safe"');
  expect(() => invoke(["", "safe"], context)).toThrow("invalid argument 1: hex string without 0x prefix");
  expect(() => invoke(["", "latest", "finalized"], context)).toThrow(
    "invalid argument 2: hex string without 0x prefix",
  );
});

test("a method that no row names is the same object in every profile", () => {
  expect(adaptOf("klaytn")(plain)).toBe(plain);
  expect(adaptOf("kaia")(row)).toBe(row);
  expect(adaptOf("service")(row)).toBe(row);
});

test("rows wrap a method in their order, at once and late, and it is no longer answered inline", async () => {
  const methods = ["chain_plain"];
  const rows: readonly AdapterRow[] = [
    { methods, difference: "", adapt: mapAnswer((word: string) => `${word}1`) },
    { methods, difference: "", adapt: mapAnswer((word: string, args) => `${word}2${String(args["word"])}`) },
    { methods, difference: "", adapt: onError((_error, args) => `none of ${String(args["word"])}`) },
  ];
  const adapted = adaptWith(rows)(plain);
  expect(await adapted.invoke(["a"], context)).toBe('"a12a"');
  expect(adapted.invoke([""], context)).toBe('"none of "');
  expect(await adapted.invoke(["late"], context)).toBe('"none of late"');
  expect(plain.inline?.(["a"])).toBe('"a"');
  expect(adapted.inline).toBeUndefined();
});

test.each(["service", "klaytn", "kaia"] as const)("every row of %s names methods that there are", (name) => {
  const known = new Set(documented.methods.map((each) => each.name));
  const named = rpcProfiles[name].rows.flatMap(({ methods }) => methods);
  expect(named.filter((each) => !known.has(each))).toEqual([]);
  const all = new Set(documented.methods.flatMap((each) => [each.name, ...each.aliases]));
  expect([...rpcProfiles[name].options.interfaces.lacks].filter((each) => !all.has(each))).toEqual([]);
});
