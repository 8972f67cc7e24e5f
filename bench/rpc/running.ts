/** A node under measurement: started, timed to its first answer, asked for its memory, ended. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { cpuSeconds, residentMemory } from "../support/built-knit.ts";
import { ask } from "./ask.ts";
import type { Wire } from "./wires.ts";

/** Addresses of a node by wire. HTTP is always present. */
export type Targets = Readonly<Partial<Record<Wire, string>>> & { readonly http: string };

/** Command and addresses of a node. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly targets: Targets;
  /** Milliseconds that its first answer may take; a minute when left out. */
  readonly patienceMs?: number;
}

/** A running node. Disposing ends it. */
export interface RunningNode extends AsyncDisposable {
  readonly targets: Targets;
  readonly pid: number;
  /** Milliseconds from the start of the process to its first answer over HTTP. */
  readonly firstAnswerMs: number;
  /** Resident memory now, in MiB. */
  memory(): number | undefined;
  /** Processor time that it has used; `NaN` where the system does not tell. */
  cpuSeconds(): number;
}

const PATIENCE_MS = 60_000;
const STOP_MS = 20_000;

/** Starts a node and waits until it answers. Rejects when it ends before, or is silent for too long. */
export async function startNode({
  command,
  args,
  cwd,
  targets,
  patienceMs = PATIENCE_MS,
}: Launch): Promise<RunningNode> {
  const started = performance.now();
  const child = spawn(command, args, { stdio: "ignore", cwd });
  const failed = once(child, "exit").then(([code]) => {
    throw new Error(`${command} ended with ${code}`);
  });
  failed.catch(() => undefined); // it ends when it is told to, too
  try {
    await Promise.race([firstAnswer(targets.http, patienceMs), failed]);
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
  const firstAnswerMs = performance.now() - started;
  return {
    targets,
    pid: child.pid ?? Number.NaN,
    firstAnswerMs,
    memory: () => residentMemory(child.pid),
    cpuSeconds: () => cpuSeconds(child.pid),
    [Symbol.asyncDispose]: () => stop(child),
  };
}

/** Interval of the questions: a part of the time so far, since they take time from a node that copies a chain first. */
const LOOK = { minMs: 2, part: 1 / 200 };

async function firstAnswer(url: string, patienceMs: number): Promise<void> {
  const begun = performance.now();
  for (let passed = 0; passed < patienceMs; passed = performance.now() - begun) {
    const number = await ask<string>(url, "eth_blockNumber", []).catch(() => undefined);
    if (number !== undefined) return;
    await wait(Math.max(LOOK.minMs, passed * LOOK.part));
  }
  throw new Error(`${url} does not answer`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGINT");
  const impatience = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
  await gone;
  clearTimeout(impatience);
}
