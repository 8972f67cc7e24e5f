/** The built operator as a process under the chart's rights, and what it costs. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, openSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Cluster } from "../../test/cluster/support/cluster.ts";
import { operatorTerms } from "../../test/cluster/support/operator-process.ts";
import { freePort } from "../../test/support/go-node.ts";
import { cpuSeconds, peakMemory, residentMemory } from "../support/built-knit.ts";

const BUILT_MAIN = fileURLToPath(new URL("../../dist/operator/main.js", import.meta.url));

/** What it costs so far: seconds of processor time, MiB, requests to the API server by method. */
export interface Cost {
  readonly cpuSeconds: number;
  readonly residentMiB: number | undefined;
  readonly peakMiB: number | undefined;
  readonly requests: Readonly<Record<string, number>>;
}

/** A running operator. */
export interface Subject extends AsyncDisposable {
  /** Values of its metrics by name and labels. */
  metrics(): Promise<ReadonlyMap<string, number>>;
  cost(): Promise<Cost>;
}

/** Starts it; `engine` are arguments for Node.js itself, such as --cpu-prof. */
export async function startSubject(cluster: Cluster, engine: readonly string[]): Promise<Subject> {
  if (!existsSync(BUILT_MAIN)) throw new Error("run `npm run build` first: benchmarks measure dist/");
  const port = await freePort();
  const { args, env } = await operatorTerms(cluster);
  const log = openSync(join(cluster.directory, "log", "operator.log"), "a");
  const child = spawn(
    process.execPath,
    [...engine, BUILT_MAIN, ...args, `--health-address=127.0.0.1:${port}`, "--log-level=warn"],
    { env, stdio: ["ignore", log, log] },
  );
  const metrics = () => scraped(`http://127.0.0.1:${port}/metrics`);
  return {
    metrics,
    cost: async () => costOf(child, await metrics()),
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
    },
  };
}

async function scraped(url: string): Promise<ReadonlyMap<string, number>> {
  const text = await fetch(url).then(
    (answer) => answer.text(),
    () => "",
  );
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(" ");
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

function costOf({ pid }: ChildProcess, metrics: ReadonlyMap<string, number>): Cost {
  const requests: Record<string, number> = {};
  for (const [name, value] of metrics) {
    const method = /^knit_operator_api_requests_total\{.*method="(\w+)"/.exec(name)?.[1];
    if (method !== undefined) requests[method] = (requests[method] ?? 0) + value;
  }
  return {
    cpuSeconds: cpuSeconds(pid),
    residentMiB: residentMemory(pid),
    peakMiB: peakMemory(pid),
    requests,
  };
}
