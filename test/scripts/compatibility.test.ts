/** Tests of docs/compatibility.md: generated from the tables. */
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { COMPATIBILITY_DOCS, compatibilityDocs } from "../../scripts/compatibility-docs.ts";

test("docs/compatibility.md is what the tables say, and names tests that exist", () => {
  const page = readFileSync(COMPATIBILITY_DOCS, "utf8");
  expect(page).toBe(compatibilityDocs());
  const named = [...page.matchAll(/`(test\/[\w./-]+\.test\.ts)`/g)].map(([, path = ""]) => path);
  expect(named.length).toBeGreaterThan(0);
  for (const path of named) expect([path, existsSync(path)]).toEqual([path, true]);
});
