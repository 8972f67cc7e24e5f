/** The build: files that the engine reads and begins quickly, and a program that runs. */
import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);

test("the built files are ASCII, take single exports of Node.js' modules, and run", () => {
  const target = mkdtempSync("node_modules/.build-"); // beside the packages that the files load
  try {
    const build = spawnSync(process.execPath, ["scripts/build.ts", target], { encoding: "utf8" });
    expect([build.status, build.stderr]).toEqual([0, ""]);
    const files = globSync(join(target, "*", "*.js"));
    const texts = files.map((file) => readFileSync(file, "utf8"));
    expect(texts.length).toBeGreaterThan(50);
    expect(files.filter((_file, index) => !isAscii(texts[index] ?? ""))).toEqual([]);
    expect(texts.filter((text) => /^import .*"node:/m.test(text))).toEqual([]);
    const script = `await import("./${target}/node/main.js"); console.log(process.moduleLoadList.join("\\n"));`;
    const { stdout } = spawnSync(
      process.execPath,
      ["--input-type=module", "--eval", script, "main.js", "version"],
      { encoding: "utf8" },
    );
    expect(stdout).toMatch(/^Knit v/);
    expect(stdout).toContain("NativeModule fs");
    expect(stdout).not.toMatch(/webcrypto|undici|fs\/streams/);
  } finally {
    rmSync(target, { recursive: true });
  }
});
