/** Tests of the build of the kernels: the committed modules are those of their sources. */
import { execFileSync } from "node:child_process";
import { expect, test } from "@jest/globals";

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
