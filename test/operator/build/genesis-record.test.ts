/** Tests of the identity of a genesis. */
import { expect, test } from "@jest/globals";
import { conform } from "../../../operator/api/conform.ts";
import { networkSpec } from "../../../operator/api/network-spec.ts";
import { genesisFile } from "../../../operator/build/genesis.ts";
import { committeeSize, genesisRecord } from "../../../operator/build/genesis-record.ts";
import { identityOf, randomKey } from "../../../operator/build/identity.ts";

const { create } = conform(
  networkSpec,
  { genesis: { create: { chainId: 7, validators: ["a"] } } },
  "spec",
).genesis;
const addresses = (count: number): readonly string[] =>
  Array.from({ length: count }, () => identityOf(randomKey())?.address ?? "");

function textOf(validators: readonly string[], time = 1_700_000_000): string {
  if (create === undefined) throw new Error("no terms");
  return genesisFile(create, validators, time);
}

test.each([1, 2, 3, 4, 13, 64])("a made genesis is made again from its note: %d validators", (count) => {
  const text = textOf(addresses(count));
  const { validators, time } = genesisRecord(text, true);
  expect(textOf(validators, time)).toBe(text);
});

test("a made genesis is known by its bytes", () => {
  const text = textOf(addresses(1));
  expect(genesisRecord(`${text} `, true).digest).not.toBe(genesisRecord(text, true).digest);
});

test.each<[string, (text: string) => string, boolean]>([
  ["a later fork", (text) => text.replace('"chainId"', '"osakaCompatibleBlock": 900, "chainId"'), true],
  [
    "a fork from the beginning",
    (text) => text.replace('"chainId"', '"osakaCompatibleBlock": 0, "chainId"'),
    false,
  ],
  ["its time", (text) => text.replace(/"timestamp": "0x\w+"/, '"timestamp": "0x1"'), false],
  [
    "an amount in its last digit",
    (text) => text.replace("9600000000000000000", "9600000000000000001"),
    false,
  ],
  ["spaces", (text) => text.replaceAll("\n", "\r\n\t"), true],
])("one that people keep is known by what block 0 follows from: %s", (_what, change, isSame) => {
  const text = textOf(addresses(2));
  expect(genesisRecord(change(text), false).digest === genesisRecord(text, false).digest).toBe(isSame);
});

test.each<[string, number]>([
  [textOf(addresses(1)), 22],
  ['{"config":{"istanbul":{"sub":7}}}', 7],
  ['{"config":{}}', 21],
  ['{"config":{"istanbul":{}}}', 1],
  ["no JSON", 21],
])("the committee of block 1 is that of the file: %#", (text, size) => {
  expect(committeeSize(text)).toBe(size);
});

test.each([
  "",
  "no JSON",
  "[]",
  '{"extraData":"0x00"}',
  '{"extraData":7,"timestamp":{}}',
  `{"extraData":"0x${"0".repeat(64)}ff"}`,
])("any text is known by something: %s", (text) => {
  expect(genesisRecord(text, false)).toMatchObject({ time: 0, validators: [] });
});
