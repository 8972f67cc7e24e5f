/** Tests of log filters on their way to a reader thread. */
import { expect, test } from "@jest/globals";
import { logFilter, logFilterJson } from "../../../node/calls/arguments/log-filter.ts";

test.each(["0x7fffffffffffffff", "0x7ffffffffffffe00", "0x20000000000001", "latest"])(
  "a filter up to block %s is read again by the thread that it is passed to",
  (toBlock) => {
    const filter = logFilter.decode({ fromBlock: "0x1", toBlock, topics: [null, [`0x${"22".repeat(32)}`]] });
    const passedOn: unknown = JSON.parse(JSON.stringify(logFilterJson(filter)));
    expect(logFilter.decode(passedOn)).toEqual(filter);
  },
);

test("a block number of 64 bits and more is refused", () => {
  expect(() => logFilter.decode({ toBlock: "0x8000000000000000" })).toThrow("Blocknumber too high");
});

function alternatives(...topics: readonly unknown[]) {
  return logFilter.decode({ topics: [topics] }).topics;
}

test("topics in front of a null among alternatives are read, those behind it are not", () => {
  expect(alternatives(`0x${"ab".repeat(32)}`, null, "x", 5)).toEqual([[]]);
  expect(() => alternatives("x", null)).toThrow("hex string without 0x prefix");
  expect(() => alternatives(5, null)).toThrow("invalid topic(s)");
});
