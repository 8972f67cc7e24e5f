/** The control plane of `cluster.sh`, and the ways into it that tests take. */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const SCRIPT = fileURLToPath(new URL("../cluster.sh", import.meta.url));
const CHART = ["knit-operator", "charts/knit-operator"];
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** Output of a command. */
export interface Printed {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running control plane. */
export interface Cluster extends AsyncDisposable {
  readonly directory: string;
  /** URL of the API server. */
  readonly server: string;
  /** Output of `kubectl`. Throws with its error text on failure. */
  kubectl(args: readonly string[], input?: string): Promise<string>;
  /** Output of `kubectl`, on success or failure. */
  tryKubectl(args: readonly string[], input?: string): Promise<Printed>;
  /** An object as JSON. */
  get<T>(...args: string[]): Promise<T>;
  helm(...args: string[]): Promise<string>;
  /** Variables with which `kubectl` and `helm` of a shell work on the cluster. */
  shellVariables(): Promise<Readonly<Record<string, string>>>;
  /** The chart's objects as `helm template` prints them, those of hooks not among them. */
  chart(...args: string[]): Promise<string>;
  /** A kubeconfig of a service account. */
  kubeconfigOf(namespace: string, serviceAccount: string): Promise<string>;
  /** The audit log's lines from `offset` on, parsed. */
  audit(offset?: number): readonly AuditEntry[];
  script(...args: string[]): Promise<Printed>;
}

/** Reports whether the operator's account sent it. */
export function byOperator({ user }: AuditEntry): boolean {
  return user.username.startsWith("system:serviceaccount:knit-system:");
}

/** Reports whether it changes something, the lease aside. */
export function isWrite({ verb, objectRef }: AuditEntry): boolean {
  return !["get", "list", "watch"].includes(verb) && objectRef?.resource !== "leases";
}

/** Waits until the API server serves Nodes and Networks. */
export async function establishDefinitions(cluster: Pick<Cluster, "kubectl">): Promise<void> {
  const established = 'jsonpath={.items[*].status.conditions[?(@.type=="Established")].status}';
  await eventually("served definitions", async () => {
    const args = ["get", "crd/nodes.knit.dev", "crd/networks.knit.dev", "-o", established];
    return (await cluster.kubectl(args)) === "True True" ? true : undefined;
  });
}

/** Requests that the operator was not allowed. */
export function forbidden(cluster: Pick<Cluster, "audit">): readonly string[] {
  const refused = cluster.audit().filter((entry) => byOperator(entry) && entry.responseStatus?.code === 403);
  return refused
    .filter(({ responseStatus }) => !GOING.test(responseStatus?.message ?? ""))
    .map(({ verb, requestURI, responseStatus }) => `${verb} ${requestURI}: ${responseStatus?.message}`);
}

/** A kind or a namespace that is being taken away refuses what is made with the same code; that is no lack of rights. */
const GOING = /custom resource definition is terminating|because it is being terminated/;

/** A request as the API server noted it. */
export interface AuditEntry {
  readonly verb: string;
  readonly requestURI: string;
  readonly user: {
    readonly username: string;
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  };
  readonly stageTimestamp: string;
  readonly objectRef?: {
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly apiGroup?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number; readonly message?: string };
}

/** Reason that this machine cannot run a control plane; undefined when it can. */
export function whyNoCluster(): string | undefined {
  return whyNot("can-build");
}

/** Reason that this machine cannot run a node with pods; undefined when it can. */
export function whyNoMachine(): string | undefined {
  return whyNoCluster() ?? whyNot("can-node");
}

function whyNot(question: string): string | undefined {
  const { status, stderr } = spawnSync(SCRIPT, [question], { encoding: "utf8" });
  return status === 0 ? undefined : stderr.trim();
}

/** Surroundings of a command. */
export interface RunOptions {
  readonly input?: string;
  /** Variables besides those of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** The root of the repository when absent. */
  readonly cwd?: string;
}

/** Runs a command to its end. */
export function run(
  command: string,
  args: readonly string[],
  { input = "", env = {}, cwd = ROOT }: RunOptions = {},
): Promise<Printed> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env } });
    const text = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (chunk: string) => {
        text[name] += chunk;
      });
    }
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? 1, ...text }));
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}

/** Options of a cluster. */
export interface ClusterOptions {
  /** A node with pods too. */
  readonly node?: boolean;
  /** Further ones of the API server. */
  readonly flags?: string;
  /** The controllers that run, by name; all that do without a kubelet when empty. */
  readonly controllers?: string;
}

/** Starts a control plane in a directory and on ports of its own. */
export async function openCluster({
  node = false,
  flags = "",
  controllers = "",
}: ClusterOptions = {}): Promise<Cluster> {
  const port = await threeFreePorts();
  const directory = mkdtempSync(join(tmpdir(), "kc-"));
  const settings = {
    CLUSTER_DIR: directory,
    CLUSTER_PORT: String(port),
    CLUSTER_ETCD_PORT: String(port + 1),
    CLUSTER_AUDIT: "1",
    CLUSTER_APISERVER_FLAGS: flags,
    CLUSTER_CONTROLLERS: controllers,
  };
  const script = (...args: string[]): Promise<Printed> => run(SCRIPT, args, { env: settings });
  const up = await script("up", ...(node ? ["--node"] : []));
  if (up.code !== 0) {
    await script("down");
    throw new Error(`the cluster does not start, see ${directory}: ${up.stderr}`);
  }
  const admin = join(directory, "admin.kubeconfig");
  const bin = join(directory, "bin");
  const tryKubectl = (args: readonly string[], input = ""): Promise<Printed> =>
    run(join(bin, "kubectl"), args, { input, env: { KUBECONFIG: admin } });
  const kubectl = async (args: readonly string[], input = ""): Promise<string> => {
    const { code, stdout, stderr } = await tryKubectl(args, input);
    if (code !== 0) throw new Error(`kubectl ${args.join(" ")}: ${stderr}`);
    return stdout;
  };
  const shellVariables = async (): Promise<Readonly<Record<string, string>>> => {
    const found = await script("helm");
    if (found.code !== 0) throw new Error(`no helm: ${found.stderr}`);
    if (!existsSync(join(bin, "helm"))) symlinkSync(found.stdout.trim(), join(bin, "helm"));
    const home = join(directory, "helm"); // not the one of whoever runs the tests
    const PATH = [bin, dirname(process.execPath), process.env["PATH"]].join(delimiter);
    return { PATH, KUBECONFIG: admin, HELM_CONFIG_HOME: home, HELM_CACHE_HOME: home, HELM_DATA_HOME: home };
  };
  const helm = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await run("helm", args, { env: await shellVariables() });
    if (code !== 0) throw new Error(`helm ${args.join(" ")}: ${stderr}`);
    return stdout;
  };
  return {
    directory,
    server: `https://127.0.0.1:${port}`,
    kubectl,
    tryKubectl,
    script,
    get: async <T>(...args: string[]) => JSON.parse(await kubectl(["get", "-o", "json", ...args])) as T,
    helm,
    shellVariables,
    chart: (...args) => helm("template", ...CHART, "--include-crds", "--no-hooks", ...args),
    async kubeconfigOf(namespace, serviceAccount) {
      const token = (await kubectl(["-n", namespace, "create", "token", serviceAccount])).trim();
      const text = readFileSync(admin, "utf8").replace(
        / {4}client-certificate-data: .*\n {4}client-key-data: .*\n/,
        `    token: ${token}\n`,
      );
      const file = join(directory, `${serviceAccount}.kubeconfig`);
      writeFileSync(file, text, { mode: 0o600 });
      return file;
    },
    audit(offset = 0) {
      const lines = readFileSync(join(directory, "log", "audit.jsonl"), "utf8")
        .trim()
        .split("\n");
      return lines.slice(offset).map((line) => JSON.parse(line) as AuditEntry);
    },
    async [Symbol.asyncDispose]() {
      await script("down");
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The first of three ports in a row that nobody listens on, below those that outgoing connections take. */
async function threeFreePorts(): Promise<number> {
  for (;;) {
    const first = 20_000 + Math.floor(Math.random() * 10_000);
    const free = await Promise.all([first, first + 1, first + 2].map(isFree));
    if (free.every(Boolean)) return first;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

/** Waits until `probe` gives something other than undefined. Throws with `what` when the time is over. */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | undefined>,
  seconds = 90,
): Promise<T> {
  const end = Date.now() + seconds * 1_000;
  let last: unknown;
  while (Date.now() < end) {
    try {
      const found = await probe();
      if (found !== undefined) return found;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new Error(`gave up waiting for ${what}`, { cause: last });
}

/** Waits until `probe` gives the wanted text; the error of a wait that is over has the last one as its cause. */
export function eventuallyIs(
  what: string,
  probe: () => Promise<string>,
  wanted: string,
  seconds?: number,
): Promise<boolean> {
  return eventually(
    `${what}: ${wanted}`,
    async () => {
      const found = await probe();
      if (found !== wanted) throw new Error(found);
      return true;
    },
    seconds,
  );
}
