/**
 * Makes the pictures of README.md from a real run of `npm start`: a recording of its output, `docs/pictures/start.svg`,
 * and the page with the calls of a failed transaction, `docs/pictures/page.png`. Ports 8551 and 8552 must be free.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { openBrowser } from "../test/support/browser.ts";
import { call } from "../test/support/rpc-client.ts";

const FOLDER = "docs/pictures";
const HTTP = "http://127.0.0.1:8551";
const FROM = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
const COLUMNS = 128;
const LINE = 17;
const CHARACTER = 7.3;

/** A line of output and the second in which it came. */
interface Line {
  readonly text: string;
  readonly second: number;
}

/** Starts `npm start`, calls `use` when the banner is there, and returns what was printed until then. */
async function record(use: () => Promise<void>): Promise<readonly Line[]> {
  const lines: Line[] = [];
  const child = spawn("npm", ["start"], { stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(child, "exit");
  const started = performance.now();
  const banner = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      const second = (performance.now() - started) / 1_000;
      for (const text of chunk.replace(/\n$/, "").split("\n")) lines.push({ text, second });
      if (chunk.includes("sent.wait()")) banner.resolve();
    });
  await Promise.race([banner.promise, ended]);
  const printed = [...lines];
  await use();
  child.kill("SIGTERM");
  await ended;
  return printed;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

/** Returns a terminal in which the lines appear when they came; without animations it shows them all. */
function recordingOf(lines: readonly Line[]): string {
  const all = [{ text: "$ npm start", second: 0 }, ...lines];
  const [width, height] = [Math.ceil(COLUMNS * CHARACTER) + 32, (all.length + 1) * LINE + 16];
  const rows = all.map(({ text, second }, i) => {
    const shown = text.length > COLUMNS ? `${text.slice(0, COLUMNS - 1)}…` : text;
    const hides = `<set attributeName="opacity" to="0" begin="0s" dur="${(second + 0.01).toFixed(2)}s"/>`;
    return `<text x="16" y="${(i + 1) * LINE + 8}" xml:space="preserve">${escape(shown)}${hides}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="npm start">`,
    "<style>text{font:12px ui-monospace,monospace;fill:#e6e6e6}</style>",
    `<rect width="${width}" height="${height}" rx="8" fill="#1e1e1e"/>`,
    ...rows,
    "</svg>\n",
  ].join("\n");
}

/** Sends transactions of which the last fails in an inner call, and takes a picture of it on the page. */
async function takePage(): Promise<void> {
  const send = (request: object): Promise<unknown> =>
    call(HTTP, "eth_sendTransaction", { from: FROM, gas: "0x493e0", ...request });
  const [inner, outer] = [`0x${"1".repeat(40)}`, `0x${"2".repeat(40)}`];
  await call(HTTP, "anvil_setCode", inner, "0x60006000fd");
  await call(HTTP, "anvil_setCode", outer, `0x60006000600060006000600073${inner.slice(2)}5af15060006000fd`);
  await send({ to: inner, value: "0x0" }).catch(() => undefined);
  const hash = await send({ to: outer, data: "0xa9059cbb" });
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    await page.setViewport({ width: 900, height: 1000 });
    await page.goto(`${HTTP}/#/tx/${String(hash)}`);
    await page.waitForFunction("document.body.innerText.includes('CALL')");
    await page.screenshot({ path: `${FOLDER}/page.png` });
  } finally {
    await browser.close();
  }
}

mkdirSync(FOLDER, { recursive: true });
const lines = await record(takePage);
writeFileSync(`${FOLDER}/start.svg`, recordingOf(lines));
