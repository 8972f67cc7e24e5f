/** Tests of the meters of disk traffic. */
import { expect, test } from "@jest/globals";
import { declareDiskTraffic } from "../../../node/observe/disk-traffic.ts";
import { createMetrics } from "../../../node/observe/metrics.ts";

/** Values of the declared metrics after the text was read. */
function totals(text: string): unknown[] {
  const found: unknown[] = [];
  const readMeter = ({ name, read }: { name: string; read: () => number }): void => {
    found.push([name, read()]);
  };
  declareDiskTraffic({ ...createMetrics(), readMeter }, () => text);
  return found;
}

test("what the system counts is read field by field, and a system that does not count is no failure", () => {
  expect(totals("rchar: 100\nwchar: 20\nsyscr: 3\nsyscw: 4\nread_bytes: 5\nwrite_bytes: 6\n")).toEqual([
    ["system/disk/readcount", 3],
    ["system/disk/readdata", 100],
    ["system/disk/writecount", 4],
    ["system/disk/writedata", 20],
  ]);
  expect(totals("")).toEqual(
    ["readcount", "readdata", "writecount", "writedata"].map((each) => [`system/disk/${each}`, 0]),
  );
});
