/**
 * Tries what ships: each program of `dist/` with nothing but its own packages of a production install, in a directory
 * of its own, as the images have it. It must be small, start, answer, use little memory and end when it is asked to.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { buildEngine, installedHeaders, missingTools } from "./build-engine.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const MEMORY_LIMIT_MB = 100;
/** Maximum size of a program with its packages. */
const SIZE_LIMITS_MB = { node: 50, operator: 60 };
const work = mkdtempSync(join(tmpdir(), "knit-build-"));
const [place, operatorPlace] = [join(work, "node"), join(work, "operator")];

try {
  mkdirSync(place);
  for (const name of ["dist", "package.json", "package-lock.json", ".npmrc"]) {
    cpSync(join(root, name), join(place, name), { recursive: true });
  }
  const install = spawnSync("npm", ["ci", "--omit=dev", "--prefer-offline", "--loglevel=error"], {
    cwd: place,
    stdio: "inherit",
  });
  if (install.status !== 0) throw new Error("npm ci --omit=dev failed");
  cpSync(place, operatorPlace, { recursive: true, verbatimSymlinks: true });
  tryEngine();
  keepProgram("node", "operator", place);
  keepProgram("operator", "node", operatorPlace);
  await tryNode();
  tryOperator();
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** Compiles the engine as the image has it, where this machine can. */
function tryEngine(): void {
  const missing = [
    ...missingTools(),
    ...(installedHeaders() === undefined ? ["the headers of Node.js"] : []),
  ];
  if (missing.length === 0) buildEngine(place);
  else console.log(`the engine is not compiled: this machine lacks ${missing.join(", ")}`);
}

/** Leaves one program with its packages, and checks their size. */
function keepProgram(program: keyof typeof SIZE_LIMITS_MB, other: string, directory: string): void {
  rmSync(join(directory, "dist", other), { recursive: true });
  const script = join(root, "scripts/keep-packages.ts");
  const kept = spawnSync(process.execPath, [script, program, directory], { encoding: "utf8" });
  if (kept.status !== 0) throw new Error(`keep-packages failed: ${kept.stderr}`);
  const files = globSync(["dist/**", "node_modules/**"], { cwd: directory, withFileTypes: true });
  const sizes = files
    .filter((file) => file.isFile())
    .map((file) => statSync(join(file.parentPath, file.name)).size);
  const megabytes = sizes.reduce((sum, size) => sum + size, 0) / 1e6;
  console.log(`${program} with its packages: ${megabytes.toFixed(1)} MB`);
  const limit = SIZE_LIMITS_MB[program];
  if (megabytes > limit) throw new Error(`${program} with its packages takes more than ${limit} MB`);
}

async function tryNode(): Promise<void> {
  const flags = ["--block-time=1", "--rpcport=0", "--wsport=0", "--prometheusport=0"];
  const startedAt = performance.now();
  const node = spawn(process.execPath, ["dist/node/main.js", "dev", ...flags], {
    cwd: place,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  node.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
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
  // Elsewhere some native packages have no builds, and JavaScript takes their place.
  const hasNative = process.platform === "linux" && process.arch === "x64";
  if (hasNative && / (warn|error) /.test(log)) throw new Error(`the built node is not at ease:\n${log}`);
  if (later <= number) throw new Error("the built node makes no blocks");
  if (code !== 0) throw new Error(`the built node ended with ${code}`);
  if (memory !== undefined && memory >= MEMORY_LIMIT_MB)
    throw new Error(`more than ${MEMORY_LIMIT_MB} MB in use`);
}

/** The operator needs a cluster; that its parts load is shown by what it says. */
function tryOperator(): void {
  const { stdout } = spawnSync(process.execPath, ["dist/operator/main.js", "crds"], {
    cwd: operatorPlace,
    encoding: "utf8",
  });
  if (!stdout.includes("kind: CustomResourceDefinition"))
    throw new Error("the built operator prints no definition");
  const { stderr } = spawnSync(process.execPath, ["dist/operator/main.js", "run", "--node-image=a"], {
    cwd: operatorPlace,
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
