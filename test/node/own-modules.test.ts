import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "@jest/globals";

const HOOK = new URL("../../node/own-modules.ts", import.meta.url).href;
let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "knit-own-modules-"));
});
afterAll(() => rmSync(directory, { recursive: true }));

function put(name: string, text: string): void {
  const path = join(directory, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** What a program prints that imports own/main.js after the hook is there for own/. */
function printed(): string {
  const own = pathToFileURL(join(directory, "own/")).href;
  const program = `
    const { findOwnModules } = await import(${JSON.stringify(HOOK)});
    findOwnModules(${JSON.stringify(own)});
    const { says } = await import(${JSON.stringify(`${own}main.js`)});
    console.log(says.join(" "));`;
  const root = fileURLToPath(new URL("../..", import.meta.url));
  return execFileSync(process.execPath, ["--input-type=module", "-e", program], { cwd: root })
    .toString()
    .trim();
}

test("own modules are found by their path alone, everything else as ever", () => {
  // a module that is looked up would be a CommonJS module here, and its import would fail
  put("package.json", '{"type":"commonjs"}');
  put("own/package.json", '{"type":"module"}');
  put("own/room/package.json", '{"type":"commonjs"}');
  put("own/room/inner.js", 'import { join } from "node:path"; export const inner = join("in", "ner");');
  put("own/room/data.json", '{"is":"data"}');
  put("outside.js", "exports.outside = 'outside';");
  put("node_modules/pack/index.js", "exports.pack = require('./deep.js');");
  put("node_modules/pack/deep.js", "module.exports = 'pack';");
  put(
    "own/main.js",
    `import { inner } from "./room/inner.js";
     import data from "./room/data.json" with { type: "json" };
     import { outside } from "../outside.js";
     import { pack } from "pack";
     const missing = await import("./room/missing.js").catch((error) => error.code);
     export const says = [inner, data.is, outside, pack, missing];`,
  );
  expect(printed()).toBe("in/ner data outside pack ENOENT");
});
