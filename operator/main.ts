/**
 * The program's entry: arguments to exit code. Each command loads what it needs and no more: the gateway runs
 * beside every node and never loads what talks to the API server.
 */
import { parseArgs } from "node:util";

const USAGE = `knit-operator: runs nodes on Kubernetes

  knit-operator run      the operator
    --node-image IMAGE       the image with knit for Nodes that name none (required)
    --gateway-image IMAGE    the image with this program, for the sidecars (required)
    --namespace NAME         where the operator itself is (required)
    --watch-namespace NAME   look at Nodes of this namespace alone; all by default
    --peer-address WHAT      what peers are told: service (default) or pod
    --poll-seconds N         how often nodes are asked how they are; 10
    --identity NAME          among candidates for the lease; the host's name
    --health-address H:P     where /healthz, /readyz and /metrics are; 0.0.0.0:8080
    --log-level LEVEL        error, warn, info or debug; info
  knit-operator gateway  the sidecar in front of a node's IPC socket
    --listen H:P             where to listen (required)
    --socket PATH            the node's socket (required)
    --certificates DIR       a directory with tls.crt, tls.key and ca.crt (required)
    --data DIR               a directory on the node's volume, to tell how full that is
    --health-address H:P     where /healthz, /readyz and /metrics are; 0.0.0.0:7444
    --log-level LEVEL        error, warn, info or debug; info
  knit-operator crds     prints the CustomResourceDefinitions
  knit-operator version  prints the version
`;

/** A command line that cannot be carried out. */
class UsageError extends Error {
  override readonly name = "UsageError";
}

type Values = Readonly<Record<string, string | undefined>>;

const commands: Readonly<
  Record<string, { readonly options: readonly string[]; readonly run: (values: Values) => Promise<void> }>
> = {
  run: {
    options: [
      "node-image",
      "gateway-image",
      "namespace",
      "watch-namespace",
      "peer-address",
      "poll-seconds",
      "identity",
      "health-address",
      "log-level",
    ],
    run: runOperator,
  },
  gateway: {
    options: ["listen", "socket", "certificates", "data", "health-address", "log-level"],
    run: runGateway,
  },
  crds: { options: [], run: printDefinitions },
  version: { options: [], run: printVersion },
};

await main(process.argv.slice(2));

async function main([name = "help", ...rest]: readonly string[]): Promise<void> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    process.stdout.write(USAGE);
    process.exitCode = ["help", "--help", "-h"].includes(name) ? 0 : 64;
    return;
  }
  try {
    await command.run(parse(rest, command.options));
  } catch (error) {
    const { message, name: kind } = error as Error;
    process.stderr.write(`Fatal: ${message}\n`);
    process.exitCode = kind === "UsageError" ? 64 : 1;
  }
}

function parse(rest: readonly string[], names: readonly string[]): Values {
  const options = Object.fromEntries(names.map((name) => [name, { type: "string" as const }]));
  try {
    return parseArgs({ args: [...rest], options, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

async function runOperator(values: Values): Promise<void> {
  const [{ openOperator }, { hostname }] = await Promise.all([import("./operator.ts"), import("node:os")]);
  const shutdown = shutdownSignal();
  const log = await logOf(values);
  const peerAddress = values["peer-address"] ?? "service";
  if (peerAddress !== "service" && peerAddress !== "pod")
    throw new UsageError("--peer-address is service or pod");
  const pollSeconds = Number(values["poll-seconds"] ?? "10");
  if (!(pollSeconds >= 1 && pollSeconds <= 3_600))
    throw new UsageError("--poll-seconds is a number of 1 to 3600");
  const options = {
    nodeImage: required(values, "node-image"),
    gatewayImage: required(values, "gateway-image"),
    operatorNamespace: required(values, "namespace"),
    watchNamespace: values["watch-namespace"] || undefined,
    peerAddress,
    pollMs: pollSeconds * 1_000,
    identity: values["identity"] ?? hostname(),
    health: addressOf(values["health-address"] ?? "0.0.0.0:8080", "health-address"),
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
    ...addressOf(required(values, "listen"), "listen"),
    socketPath: required(values, "socket"),
    certificates: required(values, "certificates"),
    dataDirectory: values["data"] || undefined,
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

async function printDefinitions(): Promise<void> {
  const { definitionFiles } = await import("./api/definition.ts");
  process.stdout.write(
    definitionFiles()
      .map(([, text]) => text)
      .join("---\n"),
  );
}

async function printVersion(): Promise<void> {
  const { readFile } = await import("node:fs/promises");
  const here = new URL(import.meta.url).pathname;
  const file = new URL(here.endsWith(".ts") ? "../package.json" : "../../package.json", import.meta.url);
  const { version } = JSON.parse(await readFile(file, "utf8")) as { version: string };
  process.stdout.write(`${version}\n`);
}

async function logOf(values: Values) {
  const { createLog, logLevels } = await import("./observe/log.ts");
  const level = logLevels.find((each) => each === (values["log-level"] ?? "info"));
  if (level === undefined) throw new UsageError(`--log-level is one of ${logLevels.join(", ")}`);
  return createLog(level);
}

function required(values: Values, name: string): string {
  const value = values[name];
  if (value === undefined || value === "") throw new UsageError(`--${name} is missing`);
  return value;
}

function addressOf(text: string, name: string): { readonly host: string; readonly port: number } {
  const [, host = "", port = ""] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  if (host === "" || Number(port) > 0xffff) throw new UsageError(`--${name} is host:port`);
  return { host: host.replace(/^\[|\]$/g, ""), port: Number(port) };
}

/** SIGTERM and SIGINT, once; the second one ends the process as it always would. */
function shutdownSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => controller.abort());
  return controller.signal;
}

/** Resolves when the signal is aborted; rejects when a failure comes first. */
async function untilAborted(signal: AbortSignal, failure?: Promise<Error>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  if (signal.aborted) resolve(undefined);
  signal.addEventListener("abort", () => resolve(undefined), { once: true });
  const error = await Promise.race(failure === undefined ? [promise] : [promise, failure]);
  if (error !== undefined) throw error;
}
