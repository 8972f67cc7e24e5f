/** The operator as a process, with the arguments that the chart gives it and the rights that the chart gives it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Cluster, establishDefinitions } from "./cluster.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
/** The operator's program. */
export const MAIN = join(ROOT, "operator", "main.ts");

/** Namespace of the operator in the tests. */
export const OPERATOR_NAMESPACE = "knit-system";

/** A running operator. */
export interface OperatorProcess extends AsyncDisposable {
  readonly child: ChildProcess;
  output(): string;
  /** Sends SIGTERM and resolves with the exit code. */
  stop(): Promise<number | null>;
}

/** Applies the chart, as `helm template` prints it. */
export async function applyChart(cluster: Cluster, ...flags: string[]): Promise<void> {
  await cluster.kubectl(["create", "namespace", OPERATOR_NAMESPACE]);
  const text = await cluster.chart("--namespace", OPERATOR_NAMESPACE, ...flags);
  await cluster.kubectl(["apply", "--server-side", "-f", "-"], text);
  await establishDefinitions(cluster);
}

/** The command with its options, and the environment. */
export interface Terms {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Main file of another release than this one. */
  readonly main?: string;
}

/** The arguments and the account that the chart's Deployment gives the operator of a release. */
export async function operatorTerms(cluster: Cluster, release = "knit-operator"): Promise<Terms> {
  const deployment = await cluster.get<{
    spec: { template: { spec: { serviceAccountName: string; containers: { args: string[] }[] } } };
  }>("-n", OPERATOR_NAMESPACE, "deployment", release);
  const { serviceAccountName, containers } = deployment.spec.template.spec;
  const kubeconfig = await cluster.kubeconfigOf(OPERATOR_NAMESPACE, serviceAccountName);
  return { args: containers[0]?.args ?? [], env: { ...process.env, KUBECONFIG: kubeconfig } };
}

/** Starts the operator as the chart's Deployment would; `more` arguments win. */
export async function startOperator(cluster: Cluster, ...more: string[]): Promise<OperatorProcess> {
  return spawnOperator(await operatorTerms(cluster), more);
}

/** Starts it with a token of its own, and `server`, an `http:` address, in the API server's place. */
export async function startOperatorThrough(
  cluster: Cluster,
  server: string,
  ...more: string[]
): Promise<OperatorProcess> {
  const { args, env } = await operatorTerms(cluster);
  const text = readFileSync(env["KUBECONFIG"] ?? "", "utf8")
    .replace(/server: .*/, `server: ${server}`)
    .replace(/certificate-authority-data: .*/, "insecure-skip-tls-verify: true"); // plain HTTP
  const file = join(cluster.directory, `through-${new URL(server).port}.kubeconfig`);
  writeFileSync(file, text, { mode: 0o600 });
  return spawnOperator({ args, env: { ...env, KUBECONFIG: file } }, more);
}

/** Copies the operator's program into a directory, as a release with another version; returns its main file. */
export function copyProgram(directory: string, version: string): string {
  const file = readFileSync(join(ROOT, "package.json"), "utf8");
  cpSync(join(ROOT, "operator"), join(directory, "operator"), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(directory, "node_modules"));
  writeFileSync(
    join(directory, "package.json"),
    JSON.stringify({ ...(JSON.parse(file) as object), version }),
  );
  return join(directory, "operator", "main.ts");
}

/** Starts the operator's program; `more` arguments win. */
export function spawnOperator(
  { args, env, main = MAIN }: Terms,
  more: readonly string[] = [],
): OperatorProcess {
  const ports = ["--health-address=127.0.0.1:0", "--status-port=0"];
  const child = spawn(process.execPath, [main, ...args, ...ports, ...more], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
  }
  const exited = once(child, "exit") as Promise<[number | null]>;
  const stop = async (): Promise<number | null> => {
    child.kill("SIGTERM");
    const [code] = await exited;
    return code;
  };
  return {
    child,
    output: () => text,
    stop,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) await stop();
    },
  };
}
