/** Tests of the build of the kernels: the committed modules are those of their sources. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { KERNELS } from "../../wasm/compile.ts";

// Ten seconds of compiling, which CI does.
const slow = process.env["KNIT_ALL_CASES"] === "1" ? test : test.skip;

slow(
  "the committed kernels and constants are what their sources give",
  () => {
    expect(() =>
      execFileSync(process.execPath, ["wasm/build.ts", "--check"], { stdio: "pipe" }),
    ).not.toThrow();
  },
  120_000,
);

test("the README has standard, reason and figure of every kernel, and of no other", () => {
  const table = readFileSync("wasm/README.md", "utf8").split("## Files")[0] ?? "";
  const rows = [...table.matchAll(/^\| `([\w-]+)` \| (.+) \| (.+) \| (.+) \|$/gm)];
  const kernels = Object.values(KERNELS).map(({ kernel }) => kernel.entry.replace(".ts", ""));
  expect(new Set(rows.map(([, name]) => name))).toEqual(new Set(kernels));
  for (const [, , , standard, reason] of rows) {
    expect(standard).toMatch(/\d/);
    expect(reason).toMatch(/\d/);
  }
});
