/** Tests of the reader of JSON-RPC envelopes. */
import { expect, test } from "@jest/globals";
import { JsonScanError, JsonScanner, jsonFault } from "../../../node/jsonrpc/json-scanner.ts";
import { seededRandom } from "../../support/random.ts";
import { wholeEnvelope } from "../../support/whole-envelope.ts";

const SEEDS = [
  '{"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0x22","latest"]}',
  '[{"id":"a\\"b","method":"net_version"},{"method":"x","params":{"a":[1,{"b":null}]}},5,null]',
  ' {"ID" : -1.5e3 , "result":{}, "error" : null, "other":["\\u0041"], "params":[true,false,[[]]]} ',
];

test("what is accepted and refused is what JSON.parse accepts and refuses", () => {
  const random = seededRandom(7);
  const next = (below: number) => Math.floor(random() * below);
  const pieces = [
    ...'{}[]:,"\\ \n0123456789-+.eEtfnu\u0001x'.split(""),
    '"id"',
    "null",
    "true",
    '"method":"m"',
  ];
  const offences: string[] = [];
  let valid = 0;
  for (let round = 0; round < 20_000; round++) {
    let mutated = SEEDS[next(SEEDS.length)] ?? "";
    for (let change = next(4); change > 0; change--) {
      const at = next(mutated.length);
      mutated = mutated.slice(0, at) + (pieces[next(pieces.length)] ?? "") + mutated.slice(at + next(3));
    }
    const envelope = wholeEnvelope(mutated);
    const end = envelope === undefined || envelope === "empty" ? mutated.length : envelope.end;
    const isJson = isValid(mutated.slice(0, end));
    const isRead = envelope !== undefined && envelope !== "empty";
    const isFaultless = jsonFault(mutated.slice(0, end)) === undefined;
    if (isRead !== isJson || isFaultless !== isJson) offences.push(mutated);
    if (isJson) valid++;
  }
  expect(offences).toEqual([]);
  expect(valid).toBeGreaterThan(2000);
});

function isValid(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const nest = (depth: number) => `{"id":1,"method":"m","params":[${"[".repeat(depth)}${"]".repeat(depth)}]}`;

test.each([
  ["m", "m"],
  ["mm", "m", "mm", "m"],
  ["", "m", ""],
  ["a\\b", "a\b", "a\\b"],
  ['a"', "a", 'a"'],
  ["\u0041", "A"],
  ["é", "é"],
])("each entry of a batch has the method that it names: %j", (...methods) => {
  const text = `[${methods.map((method) => `{"id":7,"method":${JSON.stringify(method)}}`).join(",")}]`;
  const escaped = text.replaceAll("m", "\\u006d");
  for (const written of [text, escaped, text.replace("m", "\\u006d")]) {
    const envelope = wholeEnvelope(written);
    expect(envelope).toMatchObject({ messages: methods.map((method) => ({ id: "7", method })) });
  }
});

test.each(["0", "00", "7", "7 ", "70", "-7", "7.5", "7e1", "7x", "07", "7.", "12345678901234567890"])(
  "the id %s is read as JSON reads it",
  (id) => {
    const text = `{"id":${id},"method":"m"}`;
    expect(wholeEnvelope(text) !== undefined).toBe(isValid(text));
    expect(wholeEnvelope(`[{"id":${id}}]`) !== undefined).toBe(isValid(text));
  },
);

test("values nested ten thousand deep are read, deeper ones refused, none overflows", () => {
  expect(wholeEnvelope(nest(9_999))).toBeDefined();
  expect(wholeEnvelope(nest(10_001))).toBeUndefined();
  expect(wholeEnvelope(nest(200_000))).toBeUndefined();
  const escaped = `{"id":1,"params":["\\u0041",${"[".repeat(9_000)}${"]".repeat(9_000)}]}`;
  expect(() => wholeEnvelope(escaped)).not.toThrow();
});

test.each([
  ["{bad", "invalid character 'b' looking for beginning of object key string"],
  ["nul1", "invalid character '1' in literal null (expecting 'l')"],
  ["[1 2]", "invalid character '2' after array element"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1 "b"', "invalid character '\"' after object key:value pair"],
  ["-x", "invalid character 'x' in numeric literal"],
  ["1.x", "invalid character 'x' after decimal point in numeric literal"],
  ["1e+x", "invalid character 'x' in exponent of numeric literal"],
  ['"\\x"', "invalid character 'x' in string escape code"],
  ['"\\u00g"', "invalid character 'g' in \\u hexadecimal character escape"],
  ['"\n"', "invalid character '\\n' in string literal"],
  ["'a'", "invalid character '\\'' looking for beginning of value"],
  ["[", "unexpected EOF"],
])("%j is refused in the Go node's words", (text, fault) => {
  expect(jsonFault(text)).toBe(fault);
});

test("the scanner finds the end of a value however the text is cut", () => {
  const value = '{"a":[1,"x\\"}",{"b":null}],"c":-1.5e3}';
  for (let cut = 1; cut < value.length; cut++) {
    const scanner = new JsonScanner();
    expect(scanner.scan(value.slice(0, cut), 0)).toBe(-1);
    expect(scanner.scan(`${value.slice(cut)} next`, 0)).toBe(value.length - cut);
  }
});

test("a bare scalar ends only when something follows it", () => {
  const scanner = new JsonScanner();
  expect(scanner.scan(" 12", 0)).toBe(-1);
  expect(scanner.started).toBe(true);
  expect(scanner.scan("3 ", 0)).toBe(1);
  expect(() => new JsonScanner().scan("1x", 0)).not.toThrow(JsonScanError);
});
