/** Tests of the program's entry: the compile cache and its directories. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";

const directory = mkdtempSync(join(tmpdir(), "knit-main-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function version(environment: Record<string, string>): string {
  const env = { ...process.env, ...environment };
  return execFileSync(process.execPath, ["node/main.ts", "version"], { env, encoding: "utf8" });
}

test("compiled code is kept where the user's caches are", () => {
  expect(version({ XDG_CACHE_HOME: join(directory, "caches") })).toMatch(/^Knit v/);
  expect(existsSync(join(directory, "caches", "knit", "compiled"))).toBe(true);
});

test.each([join(directory, "missing"), "/dev/null", "/proc"])("a home at %s is no hindrance", (home) => {
  expect(version({ XDG_CACHE_HOME: "", HOME: home })).toMatch(/^Knit v/);
  expect(existsSync(join(home, ".cache"))).toBe(false);
});
