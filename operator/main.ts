/**
 * The entry point of the program: maps arguments to an exit code. Each command loads only its own modules,
 * because the gateway runs beside every node and must stay small.
 */
import {
  type Command,
  helpOf,
  isHelp,
  readValues,
  UsageError,
  usageOf,
  type Values,
} from "./compose/command-line.ts";

const HEALTH = "address of /healthz, /readyz and /metrics";
const LOG_LEVEL = {
  name: "log-level",
  value: "LEVEL",
  says: "error, warn, info or debug (default info)",
} as const;
const NAMESPACE = {
  name: "namespace",
  value: "NAME",
  says: "namespace of the operator (required)",
} as const;
const IDENTITY = {
  name: "identity",
  value: "NAME",
  says: "identity of this process for the Lease (default: host name)",
} as const;

const LEASE = {
  name: "lease",
  value: "NAME",
  says: "name of the Lease, one for each release (default knit-operator)",
} as const;

const commands: Readonly<Record<string, Command>> = {
  run: {
    says: "runs the operator",
    options: [
      {
        name: "node-image",
        value: "IMAGE",
        says: "default image of nodes (required)",
      },
      {
        name: "gateway-image",
        value: "IMAGE",
        says: "image of the gateway sidecars (required)",
      },
      { name: "node-pull-policy", value: "POLICY", says: "default pull policy of the nodes' image" },
      { name: "gateway-pull-policy", value: "POLICY", says: "default pull policy of the gateways' image" },
      { name: "pull-secrets", value: "NAMES", says: "pull secrets in the namespaces of Nodes, by commas" },
      {
        name: "pod-ids",
        value: "WHO",
        says: "user ids of pods: fixed (default), assigned by the cluster, or detected",
      },
      NAMESPACE,
      {
        name: "watch-namespace",
        value: "NAMES",
        says: "namespaces of the Nodes to reconcile, by commas (default: all)",
      },
      {
        name: "peer-address",
        value: "WHAT",
        says: "host in the node URLs for peers: service (default) or pod",
      },
      { name: "poll-seconds", value: "N", says: "interval of polls of the nodes (default 10)" },
      IDENTITY,
      LEASE,
      { name: "health-address", value: "H:P", says: `${HEALTH} (default 0.0.0.0:8080)` },
      { name: "status-port", value: "N", says: "port of the status page on 127.0.0.1 (default: no page)" },
      LOG_LEVEL,
    ],
    run: runOperator,
  },
  gateway: {
    says: "runs the sidecar in front of a node's IPC socket",
    options: [
      { name: "listen", value: "H:P", says: "address to listen on (required)" },
      { name: "socket", value: "PATH", says: "path of the node's IPC socket (required)" },
      {
        name: "certificates",
        value: "DIR",
        says: "directory with tls.crt, tls.key and ca.crt (required)",
      },
      { name: "data", value: "DIR", says: "directory on the node's volume, to measure its free space" },
      { name: "readiness", value: "URL", says: "URL of the node's /readyz (default $KNIT_READINESS)" },
      { name: "health-address", value: "H:P", says: `${HEALTH} (default 0.0.0.0:7444)` },
      LOG_LEVEL,
    ],
    run: runGateway,
  },
  release: {
    says: "removes the operator's finalizer from all Nodes before an uninstall",
    options: [
      NAMESPACE,
      {
        name: "watch-namespace",
        value: "NAMES",
        says: "namespaces of the Nodes to release, by commas (default: all)",
      },
      IDENTITY,
      LEASE,
      LOG_LEVEL,
    ],
    run: runRelease,
  },
  graph: {
    says: "prints the peers of all Nodes as a Mermaid flowchart",
    options: [{ name: "namespace", value: "NAME", says: "namespace of the Nodes (default: all)" }],
    run: printGraph,
  },
  kubectl: {
    says: "runs the plugin kubectl knit; kubectl knit help lists its commands",
    options: [],
    run: () => runKubectl([]),
  },
  "upgrade-crds": {
    says: "applies the CustomResourceDefinitions to the cluster",
    options: [LOG_LEVEL],
    run: upgradeCrds,
  },
  crds: { says: "prints the CustomResourceDefinitions", options: [], run: printDefinitions },
  version: { says: "prints the version", options: [], run: printVersion },
};

await main(process.argv.slice(2));

async function main([name = "help", ...rest]: readonly string[]): Promise<void> {
  if (name === "kubectl") return runKubectl(rest);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    process.stdout.write(usageOf(commands));
    process.exitCode = isHelp(name) ? 0 : 64;
    return;
  }
  if (rest.some((word) => word.startsWith("-") && isHelp(word)))
    return void process.stdout.write(helpOf(name, command));
  try {
    await command.run(readValues(rest, command.options));
  } catch (error) {
    const { message, name: kind } = error as Error;
    process.stderr.write(`Fatal: ${message}\n`);
    process.exitCode = kind === "UsageError" ? 64 : 1;
  }
}

async function runOperator(values: Values): Promise<void> {
  const [{ openOperator }, { hostname }] = await Promise.all([
    import("./compose/operator.ts"),
    import("node:os"),
  ]);
  const shutdown = shutdownSignal();
  const log = await logOf(values);
  const peerAddress = values["peer-address"] ?? "service";
  if (peerAddress !== "service" && peerAddress !== "pod")
    throw new UsageError("--peer-address must be service or pod");
  const { readPodDefaults } = await import("./compose/pod-defaults.ts");
  const pollSeconds = Number(values["poll-seconds"] ?? "10");
  if (!(pollSeconds >= 1 && pollSeconds <= 3_600))
    throw new UsageError("--poll-seconds must be a number from 1 to 3600");
  const options = {
    nodeImage: requiredValue(values, "node-image"),
    gatewayImage: requiredValue(values, "gateway-image"),
    ...readPodDefaults(values),
    detectsIds: values["pod-ids"] === "detected",
    operatorNamespace: requiredValue(values, "namespace"),
    lease: leaseOf(values),
    operatorId: `${requiredValue(values, "namespace")}/${leaseOf(values)}`,
    version: await readVersion(),
    watchNamespaces: listOf(values["watch-namespace"]),
    peerAddress,
    pollMs: pollSeconds * 1_000,
    identity: values["identity"] ?? hostname(),
    health: addressOf(values["health-address"] ?? "0.0.0.0:8080", "health-address"),
    status:
      values["status-port"] === undefined
        ? undefined
        : addressOf(`127.0.0.1:${values["status-port"]}`, "status-port"),
    log,
  } as const;
  try {
    await using operator = await openOperator(options, shutdown);
    await untilAborted(shutdown, operator.failure);
    log.info({}, "shutting down");
  } catch (error) {
    if (!shutdown.aborted) throw error;
  }
}

async function runGateway(values: Values): Promise<void> {
  const [{ openGateway }, { openHealth }, { createGatewayMetrics }, { systemClock }] = await Promise.all([
    import("./gateway/gateway.ts"),
    import("./observe/health.ts"),
    import("./observe/gateway-metrics.ts"),
    import("./observe/clock.ts"),
  ]);
  const shutdown = shutdownSignal();
  const metrics = createGatewayMetrics();
  await using gateway = await openGateway({
    ...addressOf(requiredValue(values, "listen"), "listen"),
    socketPath: requiredValue(values, "socket"),
    certificates: requiredValue(values, "certificates"),
    dataDirectory: values["data"] || undefined,
    readiness: (values["readiness"] ?? process.env["KNIT_READINESS"]) || undefined,
    log: await logOf(values),
    metrics,
    clock: systemClock,
  });
  await using _health = await openHealth({
    ...addressOf(values["health-address"] ?? "0.0.0.0:7444", "health-address"),
    ready: () => gateway.ready(),
    metrics,
  });
  await untilAborted(shutdown);
}

async function runRelease(values: Values): Promise<void> {
  const [{ release }, { hostname }] = await Promise.all([import("./compose/release.ts"), import("node:os")]);
  const options = {
    operatorNamespace: requiredValue(values, "namespace"),
    lease: leaseOf(values),
    watchNamespaces: listOf(values["watch-namespace"]),
    identity: values["identity"] ?? hostname(),
    log: await logOf(values),
  };
  await release(options, shutdownSignal());
}

async function printGraph(values: Values): Promise<void> {
  const { readGraph } = await import("./kubectl/graph.ts");
  process.stdout.write(await readGraph(values["namespace"] || undefined));
}

async function runKubectl(words: readonly string[]): Promise<void> {
  const { openSession } = await import("./kubectl/session.ts");
  const { runPlugin } = await import("./kubectl/plugin.ts");
  const signal = shutdownSignal();
  const deps = {
    connect: openSession,
    print: printText,
    version: await readVersion(),
    now: Date.now,
    signal,
  };
  try {
    await runPlugin(words, deps);
  } catch (error) {
    if (signal.aborted) return;
    const { message, code } = error as Error & { readonly code?: string };
    process.stderr.write(`error: ${message}\n`);
    process.exitCode = code === "usage" ? 64 : 1;
  }
}

function printText(text: string): void {
  process.stdout.write(text);
}

async function upgradeCrds(values: Values): Promise<void> {
  const { upgradeDefinitions } = await import("./compose/upgrade-definitions.ts");
  await upgradeDefinitions(await logOf(values));
}

async function printDefinitions(): Promise<void> {
  const { definitionFiles } = await import("./api/definition.ts");
  process.stdout.write(
    definitionFiles()
      .map(([, text]) => text)
      .join("---\n"),
  );
}

async function printVersion(): Promise<void> {
  process.stdout.write(`${await readVersion()}\n`);
}

async function readVersion(): Promise<string> {
  const { readFile } = await import("node:fs/promises");
  const here = new URL(import.meta.url).pathname;
  const file = new URL(here.endsWith(".ts") ? "../package.json" : "../../package.json", import.meta.url);
  const { version } = JSON.parse(await readFile(file, "utf8")) as { version: string };
  return version;
}

function listOf(text = ""): readonly string[] {
  return [...new Set(text.split(",").filter((name) => name !== ""))];
}

function leaseOf(values: Values): string {
  return values["lease"] || "knit-operator";
}

async function logOf(values: Values) {
  const { createLog, logLevels } = await import("./observe/log.ts");
  const level = logLevels.find((each) => each === (values["log-level"] ?? "info"));
  if (level === undefined) throw new UsageError(`--log-level must be one of ${logLevels.join(", ")}`);
  return createLog(level);
}

function requiredValue(values: Values, name: string): string {
  const value = values[name];
  if (value === undefined || value === "") throw new UsageError(`--${name} is missing`);
  return value;
}

function addressOf(text: string, name: string): { readonly host: string; readonly port: number } {
  const [, host = "", port = ""] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  if (host === "" || Number(port) > 0xffff) throw new UsageError(`--${name} must be host:port`);
  return { host: host.replace(/^\[|\]$/g, ""), port: Number(port) };
}

/** Returns a signal for the first SIGTERM or SIGINT; the second one ends the process. */
function shutdownSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => controller.abort());
  return controller.signal;
}

/** Resolves when the signal is aborted; rejects when the failure occurs first. */
async function untilAborted(signal: AbortSignal, failure?: Promise<Error>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  if (signal.aborted) resolve(undefined);
  signal.addEventListener("abort", () => resolve(undefined), { once: true });
  const error = await Promise.race(failure === undefined ? [promise] : [promise, failure]);
  if (error !== undefined) throw error;
}
