/**
 * The built operator as a process with the account that a pod would have, and what it costs. The account's files are
 * where a pod has them, in a mount namespace of the process.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Cluster } from "../../test/cluster/support/cluster.ts";
import { readTarget } from "../../test/cluster/support/dockerfile.ts";
import { operatorTerms } from "../../test/cluster/support/operator-process.ts";
import { freePort } from "../../test/support/go-node.ts";
import { cpuSeconds, peakMemory, residentMemory } from "../support/built-knit.ts";

const BUILT_MAIN = fileURLToPath(new URL("../../dist/operator/main.js", import.meta.url));

/** Resource use since the start: seconds of processor time, MiB, requests to the API server by method. */
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

/** Starts it; `engine` are arguments for Node.js itself, such as --cpu-prof. One that ends is started again, as a pod is. */
export async function startSubject(cluster: Cluster, engine: readonly string[]): Promise<Subject> {
  if (!existsSync(BUILT_MAIN)) throw new Error("run `npm run build` first: benchmarks measure dist/");
  const port = await freePort();
  const { args, env } = await operatorTerms(cluster);
  const account = accountOf(cluster, env["KUBECONFIG"] ?? "");
  const log = openSync(join(cluster.directory, "log", "operator.log"), "a");
  const ending = new AbortController();
  const shipped = shippedTerms();
  const command = [process.execPath, ...shipped.flags, ...engine, BUILT_MAIN, ...args];
  const own = [`--health-address=127.0.0.1:${port}`, "--log-level=warn"];
  const start = (): ChildProcess => {
    // With KUBECONFIG it would use that, and load the library for it.
    const { KUBECONFIG: _own, ...inherited } = process.env;
    const child = spawn("unshare", ["--mount", "sh", "-c", MOUNT, account.directory, ...command, ...own], {
      env: { ...inherited, ...shipped.env, ...account.env },
      stdio: ["ignore", log, log],
    });
    child.once("exit", (code) => {
      if (ending.signal.aborted) return;
      process.stderr.write(`the operator ended with ${code} and is started again\n`);
      running = start();
    });
    return child;
  };
  let running = start();
  const metrics = () => scrape(`http://127.0.0.1:${port}/metrics`);
  return {
    metrics,
    cost: async () => costOf(running, await metrics()),
    async [Symbol.asyncDispose]() {
      ending.abort();
      const exited = once(running, "exit");
      running.kill("SIGTERM");
      await exited;
    },
  };
}

/** Environment and flags of Node.js in the image. */
function shippedTerms() {
  const dockerfile = readFileSync(new URL("../../Dockerfile", import.meta.url), "utf8");
  const { entrypoint, env } = readTarget(dockerfile, "operator");
  return { flags: entrypoint.filter((word) => word.startsWith("--")), env };
}

/** Puts the account's files, in the directory that is argument 0, where a pod has them. */
const MOUNT = `
  mount -t tmpfs tmpfs /run && mkdir -p /run/secrets/kubernetes.io/serviceaccount &&
  cp "$0"/* /run/secrets/kubernetes.io/serviceaccount && exec "$@"`;

function accountOf(cluster: Cluster, kubeconfig: string) {
  const directory = join(cluster.directory, "account");
  mkdirSync(directory, { recursive: true });
  const text = readFileSync(kubeconfig, "utf8");
  const [, token = ""] = /token: (\S+)/.exec(text) ?? [];
  const [, ca = ""] = /certificate-authority-data: (\S+)/.exec(text) ?? [];
  const [, host = "", port = ""] = /server: https:\/\/(.+):(\d+)/.exec(text) ?? [];
  writeFileSync(join(directory, "token"), token, { mode: 0o600 });
  writeFileSync(join(directory, "ca.crt"), Buffer.from(ca, "base64"));
  return { directory, env: { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } };
}

async function scrape(url: string): Promise<ReadonlyMap<string, number>> {
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
    const method = /^rest_client_requests_total\{.*method="(\w+)"/.exec(name)?.[1];
    if (method !== undefined) requests[method] = (requests[method] ?? 0) + value;
  }
  return {
    cpuSeconds: cpuSeconds(pid),
    residentMiB: residentMemory(pid),
    peakMiB: peakMemory(pid),
    requests,
  };
}
