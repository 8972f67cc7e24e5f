/** The engine's heap as an import sets it up. */
import { execFileSync } from "node:child_process";
import { expect, test } from "@jest/globals";

const ROOM = new URL("../../node/", import.meta.url);
const PROBE = `
  import { getHeapSpaceStatistics } from "node:v8";
  import { enlargeYoungSpace } from "${ROOM.href}young-space.ts";
  const size = () => getHeapSpaceStatistics().find((each) => each.space_name === "new_space").space_size;
  enlargeYoungSpace();
  const enlarged = size();
  globalThis.kept = Array.from({ length: 100 }, () => Array.from({ length: 20_000 }, () => ({})));
  process.stdout.write(JSON.stringify([enlarged, size()].map((bytes) => Math.round(bytes / 1024 / 1024))));`;

test("the space for young objects grows once and stays so, whatever outlives collections", () => {
  const output = execFileSync(process.execPath, ["--input-type=module", "--eval", PROBE], {
    encoding: "utf8",
  });
  const [enlarged, later] = JSON.parse(output);
  expect(enlarged).toBeGreaterThanOrEqual(32);
  expect(later).toBeLessThan(64);
});
