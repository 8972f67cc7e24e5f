/** Tests of the reader of JSON-RPC envelopes. */
import { expect, test } from "@jest/globals";
import { JsonScanError, JsonScanner, jsonFault } from "../../../node/jsonrpc/json-scanner.ts";
import { EscapedText, NumberText, parseJson } from "../../../node/jsonrpc/json-text.ts";
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

const lists = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
const nest = (depth: number) => `{"id":1,"method":"m","params":[${lists(depth)}]}`;

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
  for (const [text, deeper] of [
    [nest(9_998), nest(9_999)],
    [`[${nest(9_997)}]`, `[${nest(9_998)}]`],
    [`[{},${lists(9_999)}]`, lists(10_001)],
  ] as const) {
    expect([jsonFault(text), jsonFault(deeper)]).toEqual([
      undefined,
      "invalid character '[' exceeded max depth",
    ]);
    expect(wholeEnvelope(text)).toBeDefined();
    expect(wholeEnvelope(deeper)).toBeUndefined();
  }
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
  ["\u0007", "invalid character '\\a' looking for beginning of value"],
  ["\u007f", "invalid character '\\x7f' looking for beginning of value"],
  ["[", "unexpected EOF"],
  ["tru", "unexpected EOF"],
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

const STRINGS = [
  '""',
  '"a"',
  '"__proto__"',
  '"0"',
  '"7"',
  '"\\u0030"',
  '"\\\\"',
  '"\\""',
  '"a\\\\\\"b"',
  '"\\n: "',
  '"\\u005f_proto__"',
  '"{[,"',
  '"\\"]}"',
  '"\\ud83d\\ude00"',
  '"é\\/"',
  '":"',
];

/** The engine takes some keys of one escaped character for others. */
const KEYS = STRINGS.filter((key) => !key.includes("\\") || JSON.parse(key).length > 1);

const NUMBERS = ["0", "1", "-7", "123456789012345", "-2.5e3", "1.0", "-0", "1E400", "1234567890123456"];
const PLAIN = /^(0|-?[1-9]\d{0,14})$/;

/** A JSON text and its value, in which strings with escapes and unusual numbers are marked. */
interface Sample {
  readonly text: string;
  readonly value: unknown;
}

function aScalar(text: string): Sample {
  const value: unknown = JSON.parse(text);
  if (typeof value === "number" && !PLAIN.test(text)) return { text, value: new NumberText(value, text) };
  return { text, value: text.includes("\\") ? new EscapedText(String(value), text.slice(1, -1)) : value };
}

/** A random value with escapes in keys and strings, keys that recur, and spaces. */
function aSample(random: () => number, depth: number): Sample {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const space = (): string => pick(["", "", " ", "\n\t", "\r "]);
  const spaced = (text: string): string => space() + text + space();
  const kind = random();
  if (depth === 0 || kind < 0.4) return aScalar(pick([...STRINGS, ...NUMBERS, "true", "null"]));
  const items = Array.from({ length: Math.floor(random() * 5) }, () => aSample(random, depth - 1));
  if (kind < 0.7) {
    const texts = items.map(({ text }) => spaced(text));
    return { text: `[${texts.join(",")}]`, value: items.map(({ value }) => value) };
  }
  const members = {};
  const texts = items.map(({ text, value }) => {
    const key = pick(KEYS);
    const row = { value, writable: true, enumerable: true, configurable: true };
    Object.defineProperty(members, JSON.parse(key) as string, row); // __proto__ too
    return `${spaced(key)}:${spaced(text)}`;
  });
  return { text: `{${texts.join(",")}}`, value: members };
}

test("strings with escapes and unusual numbers are marked, wherever they are, and nothing else changes", () => {
  const random = seededRandom(11);
  let marked = 0;
  for (let round = 0; round < 2_000; round++) {
    const { text, value } = aSample(random, 4);
    const found = parseJson(text);
    expect(found).toStrictEqual(value);
    const written = JSON.stringify(value);
    expect(JSON.stringify(found)).toBe(written); // the order of keys, and __proto__ as one of them
    if (written.includes('"raw":')) marked++;
  }
  expect(marked).toBeGreaterThan(300);
});

test.each([
  ["1e0", 1, new NumberText(1, "1e0")],
  ['"\\n"', "\n", new EscapedText("\n", "\\n")],
])("of very many texts %s the first 4,096 are marked", (token, plain, marked) => {
  const found = parseJson(`[${Array.from({ length: 5_000 }, () => token).join(",")}]`);
  const wanted = Array.from({ length: 5_000 }, (_, i) => (i < 4_096 ? marked : plain));
  expect(found).toStrictEqual(wanted);
});

test("one escape or unusual number does not have the engine call back for every value", () => {
  const { parse } = JSON;
  const counts: number[] = [];
  JSON.parse = (...given: Parameters<typeof parse>): unknown => {
    counts.push(given.length);
    return parse(...given);
  };
  try {
    expect(parseJson('["\\u0041",[0,0.0]]')).toEqual([
      new EscapedText("A", "\\u0041"),
      [0, new NumberText(0, "0.0")],
    ]);
  } finally {
    JSON.parse = parse;
  }
  expect(counts).toEqual([1, 1]);
});
