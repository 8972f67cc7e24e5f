/** The built program as a child process: what benchmarks measure. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The file that is started. */
export const BUILT_MAIN: string = fileURLToPath(new URL("../../dist/node/main.js", import.meta.url));

/** A finished run: wall time and the peak of resident memory where the system tells it. */
export interface Finished {
  readonly output: string;
  readonly seconds: number;
  readonly peakMiB: number | undefined;
}

/** Starts the built program; says what to do when it is not built. */
export function spawnBuilt(args: readonly string[]): ChildProcess {
  if (!existsSync(BUILT_MAIN)) throw new Error("run `npm run build` first: benchmarks measure dist/");
  return spawn(process.execPath, [BUILT_MAIN, ...args], { stdio: ["ignore", "pipe", "inherit"] });
}

/** Runs a command to its end. Throws when it fails. */
export async function runBuilt(...args: string[]): Promise<Finished> {
  const started = performance.now();
  const child = spawnBuilt(args);
  let output = "";
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    output += chunk;
  });
  let peakMiB: number | undefined;
  const watch = setInterval(() => {
    peakMiB = peakMemory(child.pid) ?? peakMiB;
  }, 20);
  const [code] = (await once(child, "close")) as [number | null];
  clearInterval(watch);
  if (code !== 0) throw new Error(`knit ${args.join(" ")} ended with ${code}`);
  return { output, seconds: (performance.now() - started) / 1000, peakMiB };
}

/** Peak resident memory of a process in MiB; undefined where the system does not tell. */
export function peakMemory(pid: number | undefined): number | undefined {
  return memoryLine(pid, "VmHWM");
}

/** Resident memory of a process in MiB. */
export function residentMemory(pid: number | undefined): number | undefined {
  return memoryLine(pid, "VmRSS");
}

function memoryLine(pid: number | undefined, name: string): number | undefined {
  try {
    const kib = new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kib === undefined ? undefined : Math.round(Number(kib) / 1024);
  } catch {
    return undefined;
  }
}

/** Bytes that this process has written, to files and pipes. */
export function bytesWritten(): number {
  return Number(/wchar: (\d+)/.exec(readFileSync("/proc/self/io", "latin1"))?.[1] ?? 0);
}

const TICKS_PER_SECOND = 100;

/** Processor time of a process, all its threads; `NaN` where the system does not tell. */
export function cpuSeconds(pid: number | undefined): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND; // utime and stime
  } catch {
    return Number.NaN;
  }
}

/** Resolves with the match once the child's output holds `pattern`; rejects when it ends before. */
export function waitForOutput(child: ChildProcess, pattern: RegExp): Promise<RegExpMatchArray> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      const match = text.match(pattern);
      if (match !== null) resolve(match);
    });
    child.once("exit", () => reject(new Error(`the program ended before printing ${pattern}:\n${text}`)));
  });
}
