/**
 * Tries what ships: `dist/` with nothing but the packages of a production install, in a directory of its
 * own. It must start, answer, use little memory and end when it is asked to.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const MEMORY_LIMIT_MB = 100;
const place = mkdtempSync(join(tmpdir(), "knit-build-"));

try {
  for (const name of ["dist", "package.json", "package-lock.json", ".npmrc"]) {
    cpSync(join(root, name), join(place, name), { recursive: true });
  }
  const install = spawnSync("npm", ["ci", "--omit=dev", "--prefer-offline", "--loglevel=error"], {
    cwd: place,
    stdio: "inherit",
  });
  if (install.status !== 0) throw new Error("npm ci --omit=dev failed");
  await tryNode();
  tryOperator();
} finally {
  rmSync(place, { recursive: true, force: true });
}

async function tryNode(): Promise<void> {
  const flags = ["--block-time=1", "--rpcport=0", "--wsport=0", "--prometheusport=0"];
  const startedAt = performance.now();
  const node = spawn(process.execPath, ["dist/node/main.js", "dev", ...flags], {
    cwd: place,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(node, "exit") as Promise<[number | null]>;
  const url = await Promise.race([endpoint(node.stdout), exited.then(() => undefined)]);
  if (url === undefined) throw new Error("the built node ended before it listened");
  const number = await blockNumber(url);
  const answeredAt = performance.now();
  await pause(5_000); // until the garbage of start-up is collected and some blocks are made
  const later = await blockNumber(url);
  const memory = residentMegabytes(node.pid);
  node.kill("SIGTERM");
  const [code] = await exited;
  const figures = `first answer after ${Math.round(answeredAt - startedAt)} ms, ${memory ?? "?"} MB in use`;
  console.log(`built node: ${figures}, blocks ${number} to ${later}, exit code ${code}`);
  if (later <= number) throw new Error("the built node makes no blocks");
  if (code !== 0) throw new Error(`the built node ended with ${code}`);
  if (memory !== undefined && memory >= MEMORY_LIMIT_MB)
    throw new Error(`more than ${MEMORY_LIMIT_MB} MB in use`);
}

/** The operator needs a cluster; that its parts load is shown by what it says. */
function tryOperator(): void {
  const { stdout } = spawnSync(process.execPath, ["dist/operator/main.js", "crds"], {
    cwd: place,
    encoding: "utf8",
  });
  if (!stdout.includes("kind: CustomResourceDefinition"))
    throw new Error("the built operator prints no definition");
  const { stderr } = spawnSync(process.execPath, ["dist/operator/main.js", "run", "--node-image=a"], {
    cwd: place,
    encoding: "utf8",
  });
  if (!stderr.includes("--gateway-image is missing"))
    throw new Error(`the built operator does not load: ${stderr}`);
}

/** The HTTP endpoint that the node prints. */
async function endpoint(output: NodeJS.ReadableStream): Promise<string | undefined> {
  for await (const line of createInterface({ input: output })) {
    const [, url] = /^ +HTTP +(http:\S+)/.exec(line) ?? [];
    if (url !== undefined) {
      output.resume();
      return url;
    }
  }
  return undefined;
}

async function blockNumber(url: string): Promise<number> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] }),
  });
  const { result } = (await answer.json()) as { result: string }; // anything else becomes NaN, which fails
  return Number(result);
}

/** Reads the resident memory from /proc. */
function residentMegabytes(pid: number | undefined): number | undefined {
  const file = `/proc/${pid}/status`;
  if (!existsSync(file)) return undefined;
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(file, "utf8")) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}
