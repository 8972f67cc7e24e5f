/** Tests of the built page: it is what its sources give, and small. */
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { expect, test } from "@jest/globals";

test("the page is that of its sources; node scripts/page.ts builds it", () => {
  const { status, stderr } = spawnSync(process.execPath, ["scripts/page.ts", "--check"], {
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, ""]);
  expect(statSync("node/transport/page.br").size).toBeLessThan(150_000);
});
