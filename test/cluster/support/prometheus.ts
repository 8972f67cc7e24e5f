/** A real Prometheus as a process: its configuration, and the ways in which dashboards and people ask it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../support/go-node.ts";
import { eventually } from "./cluster.ts";
import { toolPath } from "./tools.ts";

/** Labels of a series or an alert. */
export type Labels = Readonly<Record<string, string>>;

/** An alert that fires, or whose `for` is not over. */
export interface Alert {
  readonly state: "pending" | "firing";
  readonly labels: Labels;
  readonly annotations: Labels;
}

/** A series with its values as text, by time. */
export interface Series {
  readonly metric: Labels;
  readonly values: readonly (readonly [time: number, value: string])[];
}

/** The server. Disposing it ends it. */
export interface Prometheus extends AsyncDisposable {
  alerts(): Promise<readonly Alert[]>;
  /** Asks as a panel does, between two times in seconds since the epoch. */
  range(query: string, from: number, to: number): Promise<readonly Series[]>;
  /** The targets that are up, by job. */
  up(): Promise<readonly Labels[]>;
}

/** Its targets and rules. */
export interface PrometheusOptions {
  readonly jobs: readonly object[];
  readonly rules: string;
  readonly evaluation: string;
}

/** Seconds between two values of a range. */
const STEP = 1;

/** Starts it. */
export async function startPrometheus({ jobs, rules, evaluation }: PrometheusOptions): Promise<Prometheus> {
  const directory = mkdtempSync(join(tmpdir(), "kprom-"));
  const file = (name: string): string => join(directory, name);
  writeFileSync(file("rules.json"), rules);
  const config = {
    global: { scrape_interval: evaluation, scrape_timeout: evaluation, evaluation_interval: evaluation },
    rule_files: [file("rules.json")],
    scrape_configs: jobs,
  };
  writeFileSync(file("prometheus.json"), JSON.stringify(config));
  const address = `127.0.0.1:${await freePort()}`;
  const child = spawnServer(address, directory);
  const ask = async (path: string, values: Labels = {}): Promise<unknown> => {
    const answer = await fetch(`http://${address}/api/v1/${path}?${new URLSearchParams(values).toString()}`);
    const body = (await answer.json()) as { status: string; error?: string; data: unknown };
    if (body.status !== "success") throw new Error(`${path} ${JSON.stringify(values)}: ${body.error}`);
    return body.data;
  };
  const open: Prometheus = {
    alerts: async () => ((await ask("alerts")) as { alerts: Alert[] }).alerts,
    async range(query, from, to) {
      const values = { query, start: String(from), end: String(to), step: String(STEP) };
      return ((await ask("query_range", values)) as { result: Series[] }).result;
    },
    async up() {
      const { result } = (await ask("query", { query: "up == 1" })) as { result: { metric: Labels }[] };
      return result.map(({ metric }) => metric);
    },
    async [Symbol.asyncDispose]() {
      const exited = once(child, "exit");
      if (child.exitCode === null && child.kill("SIGTERM")) await exited;
      rmSync(directory, { recursive: true });
    },
  };
  const isReady = async (): Promise<true> => {
    if (child.exitCode !== null) throw new Error(readFileSync(file("log"), "utf8"));
    return ask("query", { query: "1" }).then(() => true);
  };
  await eventually("Prometheus", isReady, 60);
  return open;
}

function spawnServer(address: string, directory: string): ChildProcess {
  const flags = {
    "config.file": join(directory, "prometheus.json"),
    "storage.tsdb.path": join(directory, "data"),
    "web.listen-address": address,
  };
  const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
  const log = openSync(join(directory, "log"), "a");
  return spawn(toolPath("prometheus"), args, { stdio: ["ignore", log, log] });
}
