/** The test framework that loads test files by Node.js (test/support/native-framework.js). */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";

const FRAMEWORK = join(import.meta.dirname, "../support/native-framework.js");
let directory = "";

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "knit-framework-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

test("a result is reported once, however many files the worker has run before", () => {
  const names = ["first", "second", "third"];
  for (const name of names) {
    writeFileSync(
      join(directory, `${name}.js`),
      `import { test } from "@jest/globals"; test("of the ${name} file", () => undefined);`,
    );
  }
  const script = `
    import { default as runFile } from ${JSON.stringify(FRAMEWORK)};
    const project = { rootDir: ".", fakeTimers: {}, setupFilesAfterEnv: [], snapshotSerializers: [] };
    const report = async (event, [path, result]) => {
      if (event === "test-case-result") console.log(path, result.title);
    };
    for (const path of ${JSON.stringify(names.map((name) => `./${name}.js`))})
      await runFile({ maxConcurrency: 1 }, project, undefined, undefined, path, report);`;
  const printed = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
    cwd: directory,
    encoding: "utf8",
  });
  expect(printed.trim().split("\n")).toEqual(names.map((name) => `./${name}.js of the ${name} file`));
});
