/** Tests of the digest of typed data, against ethers. */
import { describe, expect, test } from "@jest/globals";
import { TypedDataEncoder } from "ethers";
import { toHex } from "../../../node/bytes/hex.ts";
import { typedData, typedDataDigest } from "../../../node/calls/typed-data.ts";
import { parseJson } from "../../../node/jsonrpc/json-text.ts";

const ADDRESS = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const domain = { name: 'Token "x"', version: "1", chainId: 1337, verifyingContract: ADDRESS };
const types = {
  Order: [
    { name: "maker", type: "Person" },
    { name: "others", type: "Person[]" },
    { name: "pair", type: "int8[2]" },
    { name: "memo", type: "string" },
    { name: "proof", type: "bytes" },
    { name: "tag", type: "bytes4" },
    { name: "isOpen", type: "bool" },
    { name: "amount", type: "uint256" },
  ],
  Person: [
    { name: "wallet", type: "address" },
    { name: "grid", type: "uint16[][]" },
  ],
};
const person = { wallet: ADDRESS, grid: [[1, 2], [], ["0xff"]] };
const message = {
  maker: person,
  others: [person, person],
  pair: [-1, 127],
  memo: "zwölf \n 12",
  proof: "0x0102",
  tag: "0xdeadbeef",
  isOpen: true,
  amount: "115792089237316195423570985008687907853269984665640564039457584007913129639935",
};
const order = { types, primaryType: "Order", domain, message };

function digest(json: unknown): string {
  return toHex(typedDataDigest(typedData.decode(parseJson(JSON.stringify(json)))));
}

test("structs, lists and atoms have the digest that ethers gives, as an object and as text", () => {
  const want = TypedDataEncoder.hash(domain, types, message);
  expect(digest(order)).toBe(want);
  expect(digest(JSON.stringify(order))).toBe(want);
});

test("a domain with a type of its own is hashed by it", () => {
  const own = [
    { name: "name", type: "string" },
    { name: "chainId", type: "uint256" },
  ];
  const want = TypedDataEncoder.hash({ name: domain.name, chainId: 1337 }, types, message);
  expect(digest({ ...order, types: { ...types, EIP712Domain: own } })).toBe(want);
});

const member = (type: string): object => ({ name: "a", type });
const listOf = (levels: number): unknown => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);

describe("typed data is refused", () => {
  const deep = (levels: number): object => (levels === 0 ? {} : { next: deep(levels - 1) });
  const lists = (levels: number): object => ({
    types: { List: [{ name: "list", type: `uint8${"[]".repeat(levels)}` }] },
    primaryType: "List",
    domain,
    message: { list: listOf(levels) },
  });
  const textOfLists = (levels: number): string =>
    JSON.stringify({
      ...lists(1),
      types: { List: [{ name: "list", type: `uint8${"[]".repeat(levels)}` }] },
    }).replace('"list":[]', `"list":${"[".repeat(levels)}${"]".repeat(levels)}`);
  const manyTypes = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`T${i}`, []]));
  const nested = { Node: [{ name: "next", type: "Node" }] };
  test.each([
    ["with an integer that is too large", { ...order, message: { ...message, pair: [128, 0] } }, "int8"],
    ["with a list of another length", { ...order, message: { ...message, pair: [1] } }, "int8[2]"],
    ["with bytes of another length", { ...order, message: { ...message, tag: "0x01" } }, "bytes4"],
    ["with a member that is absent", { ...order, message: { ...message, memo: undefined } }, "string"],
    ["with an unknown type", { ...order, primaryType: "toString" }, "no definition of type toString"],
    ["without types", { ...order, types: undefined }, "types is no object"],
    ["with a type that is no list", { ...order, types: { Order: 1 } }, "type Order is no list"],
    ["with nesting without end", { types: nested, primaryType: "Node", domain, message: deep(99) }, "deeper"],
    ["with lists in lists without end", lists(99), "deeper"],
    ["as text with lists in lists without end", textOfLists(100), "deeper"],
    ["with values that no type has, nested without end", { ...order, more: listOf(99) }, "deeper"],
    ["with too many types", { ...order, types: manyTypes }, "more than 256 types"],
    [
      "with a type whose name is long",
      { ...order, types: { ...types, ["T".repeat(257)]: [] } },
      "longer than 256",
    ],
    [
      "with a member whose type is long",
      { ...order, types: { Order: [member("T".repeat(257))] } },
      "than 256",
    ],
    ["that is no JSON", "{", "no JSON"],
    ["that is a number", 1, "typed data is no object"],
  ])("%s", (_, json, text) => {
    expect(() => digest(json)).toThrow(text);
  });
});

describe("typed data that a few kilobytes make endless is refused after a bounded time", () => {
  const absent = Array.from({ length: 5_000 }, (_, i) => ({ name: `m${i}`, type: "Empty" }));
  const wide = { Empty: [], Wide: absent, Top: [{ name: "list", type: "Wide[]" }] };
  const knot = Object.fromEntries(
    Array.from({ length: 200 }, (_, i) => [
      `T${i}`,
      Array.from({ length: 100 }, (__, k) => ({ name: `m${k}`, type: `T${(i + k) % 200}` })),
    ]),
  );
  const all = Object.fromEntries(Array.from({ length: 100 }, (_, k) => [`m${k}`, { m99: {} }]));
  test.each([
    [
      "a list of structs of absent members",
      wide,
      "Top",
      { list: Array.from({ length: 20_000 }, () => ({})) },
    ],
    ["types that all refer to each other", knot, "T0", all],
  ])("%s", (_, someTypes, primaryType, value) => {
    const began = process.threadCpuUsage().user;
    expect(() => digest({ types: someTypes, primaryType, domain, message: value })).toThrow("words to hash");
    expect(process.threadCpuUsage().user - began).toBeLessThan(2_000_000);
  });
});
