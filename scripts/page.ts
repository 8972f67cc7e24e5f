/**
 * Builds the page of the node, one HTML file with its script and style, and writes it compressed beside the module
 * that serves it: `node scripts/page.ts`. With `--check` nothing is written; the exit code is 1 when the committed page
 * is not what the sources give.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import { rolldown } from "rolldown";

/** Path of the compressed page. */
const PAGE = "node/transport/page.br";

const LICENSE = "<!-- Contains Preact, copyright Jason Miller, MIT License. -->";

/** Returns the page. */
async function buildPage(): Promise<string> {
  await using bundle = await rolldown({ input: "page/main.ts", platform: "browser", logLevel: "warn" });
  const { output } = await bundle.generate({ format: "iife", minify: true, comments: false });
  const [{ code }] = output;
  const style = readFileSync("page/style.css", "utf8").replace(/\s*\n\s*/g, "");
  return readFileSync("page/index.html", "utf8")
    .replace("<html", `${LICENSE}\n<html`)
    .replace("/* style */", () => style)
    .replace("/* script */", () => code.trim());
}

const text = await buildPage();
if (process.argv.includes("--check")) {
  const isCurrent = brotliDecompressSync(readFileSync(PAGE)).toString("utf8") === text;
  if (!isCurrent) console.error(`${PAGE} is not what its sources give: run node scripts/page.ts`);
  process.exitCode = isCurrent ? 0 : 1;
} else {
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  writeFileSync(PAGE, brotliCompressSync(text, { params }));
}
